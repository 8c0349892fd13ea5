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

-- jobs
ALTER TABLE job ADD COLUMN failure TEXT;            -- class of the error of its last attempt

-- uploaded sessions: they belong to projects, so work on banks leaves them alone
CREATE TABLE upload (
    id INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES project,
    author INTEGER NOT NULL,                        -- member whose session it is, 0 for nobody's
    session TEXT NOT NULL,                          -- the uploader's id of the file
    host TEXT NOT NULL,
    upto INTEGER NOT NULL DEFAULT 0,                -- bytes of the file that were taken
    lines INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,               -- of its pieces
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    UNIQUE (project, author, session)
);
CREATE TABLE upload_piece (
    upload INTEGER NOT NULL REFERENCES upload,
    first INTEGER NOT NULL,                         -- number of its first line
    body BLOB NOT NULL,                             -- JSON, zlib
    PRIMARY KEY (upload, first)
) WITHOUT ROWID;
