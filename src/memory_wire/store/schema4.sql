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

-- vectors: a space is what one model with its options makes of one bank; its rows are of units' passages, copied into files for search
CREATE TABLE space (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    bank INTEGER NOT NULL,
    model BLOB NOT NULL,                            -- 16 bytes: of all that decides about a vector
    config BLOB NOT NULL,                           -- 16 bytes: of what the configuration says, before the model is asked
    name TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    upto INTEGER NOT NULL DEFAULT 0,                -- newest unit that was embedded
    removed INTEGER NOT NULL DEFAULT 0,             -- newest removal that was followed
    UNIQUE (bank, model)
);
CREATE TABLE embedding (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    space INTEGER NOT NULL,
    unit INTEGER NOT NULL,
    passage INTEGER NOT NULL,
    key BLOB NOT NULL,                              -- 16 bytes: of the space's model and the text that was embedded
    row BLOB NOT NULL,                              -- float32 scale, then int8 for each dimension
    UNIQUE (space, unit, passage)
);
CREATE INDEX embedding_key ON embedding (substr(key, 1, 8));

