-- Version 4: background work, uploaded sessions, integrations, vectors, the hub.

CREATE INDEX job_due ON job (due);

-- integrations: what a project's agents may call, and with which secrets
CREATE TABLE integration (
    project INTEGER NOT NULL REFERENCES project,
    name TEXT NOT NULL,
    spec BLOB NOT NULL,                             -- JSON; may hold secrets
    updated INTEGER NOT NULL,
    PRIMARY KEY (project, name)
) WITHOUT ROWID;
