-- Version 2: what hooks injected into which session, and which turns they captured. Derived from what hosts did; not part of an export.

CREATE TABLE hook_session (
    bank INTEGER NOT NULL REFERENCES bank,
    key BLOB NOT NULL,                              -- keyed hash of the host's session id
    shown TEXT NOT NULL,
    touched INTEGER NOT NULL,
    started INTEGER,                                -- when its start was injected; NULL: not since the host dropped its context
    start_at INTEGER,                               -- newest firing of its start and of a prompt, and what it asked:
    start_mark BLOB,                                -- the same once more within seconds is another host's
    prompt_at INTEGER,
    prompt_mark BLOB,
    frozen INTEGER NOT NULL,                        -- 1: the host rebuilds its prompt and keeps our block at a compaction
    dropped INTEGER NOT NULL DEFAULT 0,             -- newest unit when the host dropped its context: own turns up to it may come back
    PRIMARY KEY (bank, key)
) WITHOUT ROWID;
CREATE TABLE injection (
    id INTEGER PRIMARY KEY,
    bank INTEGER NOT NULL,
    session BLOB NOT NULL,                          -- hook_session.key
    unit INTEGER NOT NULL,                          -- no reference: the log outlives a memory
    event TEXT NOT NULL,
    host TEXT,
    at INTEGER NOT NULL,
    relevance REAL NOT NULL,
    capsule INTEGER NOT NULL,                       -- rendered as one: a frozen block must come out the same again
    held INTEGER NOT NULL                           -- 1 until the host drops its context
);
CREATE INDEX injection_session ON injection (bank, session);
CREATE INDEX injection_unit ON injection (unit);
CREATE TABLE captured_turn (                        -- stays when the memory is forgotten, so that it isn't captured again
    bank INTEGER NOT NULL REFERENCES bank,
    key BLOB NOT NULL,                              -- keyed hash of its document id
    hash BLOB NOT NULL,                             -- of its content
    at INTEGER NOT NULL,
    PRIMARY KEY (bank, key)
) WITHOUT ROWID;
