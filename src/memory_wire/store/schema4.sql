-- Version 4: background work, uploaded sessions, integrations, vectors, the hub.

CREATE INDEX job_due ON job (due);
