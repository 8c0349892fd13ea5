-- Version 1 of the record store. Times are integer milliseconds since 1970; ids that leave the process are 16 byte blobs; keys are 16 byte
-- keyed hashes of what the caller sent, beside the redacted form that may be shown. Absent values are NULL (a byte each at most), small
-- tables have no rowid, and indexes on blobs take their first 8 bytes: the rest is compared in the row.

CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- who ------------------------------------------------------------------------------------------------------------------------------
CREATE TABLE account (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL DEFAULT 'active',           -- active | grace | ended
    plan TEXT,                                      -- JSON: quotas and rates
    created INTEGER NOT NULL
);
CREATE TABLE org_unit (
    id INTEGER PRIMARY KEY,
    account INTEGER NOT NULL REFERENCES account,
    parent INTEGER REFERENCES org_unit,
    level TEXT NOT NULL,                            -- holding | legal_entity | branch | department | unit | team
    name TEXT NOT NULL
);
CREATE TABLE member (
    id INTEGER PRIMARY KEY,
    account INTEGER NOT NULL REFERENCES account,
    name TEXT NOT NULL,
    email TEXT,
    created INTEGER NOT NULL,
    departed INTEGER,
    heir INTEGER REFERENCES member                  -- who got the records when the member left
);
CREATE TABLE membership (
    member INTEGER NOT NULL REFERENCES member,
    org_unit INTEGER NOT NULL REFERENCES org_unit,
    role TEXT NOT NULL,                             -- admin | head | member | contractor | auditor
    expires INTEGER,
    PRIMARY KEY (member, org_unit)
) WITHOUT ROWID;
CREATE TABLE project (
    id INTEGER PRIMARY KEY,
    account INTEGER NOT NULL REFERENCES account,
    org_unit INTEGER REFERENCES org_unit,
    name TEXT NOT NULL,
    created INTEGER NOT NULL,
    UNIQUE (account, name)
);
CREATE TABLE api_key (
    id INTEGER PRIMARY KEY,
    account INTEGER NOT NULL REFERENCES account,
    project INTEGER REFERENCES project,             -- NULL = every project of the account
    member INTEGER REFERENCES member,
    label TEXT NOT NULL,
    rights TEXT NOT NULL,                           -- read | write | admin
    lookup BLOB NOT NULL UNIQUE,
    salt BLOB NOT NULL,
    digest BLOB NOT NULL,
    created INTEGER NOT NULL,
    expires INTEGER,
    revoked INTEGER
);

-- banks ----------------------------------------------------------------------------------------------------------------------------
CREATE TABLE bank (
    id INTEGER PRIMARY KEY AUTOINCREMENT,           -- names the index folder, so never reused
    project INTEGER NOT NULL REFERENCES project,
    name TEXT,                                      -- NULL = deleted, waiting to be emptied
    created INTEGER NOT NULL,
    kept INTEGER NOT NULL DEFAULT 0,                -- newest unit that was deleted as the newest, and its uid
    kept_uid BLOB,
    pruned INTEGER NOT NULL DEFAULT 0,              -- removals up to this seq are not kept any more
    tally_upto INTEGER NOT NULL DEFAULT 0,          -- the tally covers units up to this id
    tally_count INTEGER NOT NULL DEFAULT 0,
    tally_oldest INTEGER,                           -- NULL though tally_count > 0: unknown, look
    tally_newest INTEGER,
    config_version INTEGER NOT NULL DEFAULT 0,
    config BLOB,                                    -- last: may overflow the page and is rarely read
    UNIQUE (project, name)
);
CREATE TABLE session (
    bank INTEGER NOT NULL REFERENCES bank,
    ordinal INTEGER NOT NULL,                       -- dense per bank, never reused
    key BLOB NOT NULL,
    shown TEXT NOT NULL,
    next INTEGER NOT NULL DEFAULT 0,                -- next free position
    PRIMARY KEY (bank, ordinal),
    UNIQUE (bank, key)
) WITHOUT ROWID;
CREATE TABLE tag (
    bank INTEGER NOT NULL REFERENCES bank,
    tag TEXT NOT NULL,
    units INTEGER NOT NULL,                         -- live memories and records that carry it
    PRIMARY KEY (bank, tag)
) WITHOUT ROWID;

-- units ----------------------------------------------------------------------------------------------------------------------------
CREATE TABLE unit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,           -- what the index names; never reused
    bank INTEGER NOT NULL REFERENCES bank,
    kind INTEGER NOT NULL,                          -- 0 memory, 1 record (with provenance), 2 chunk of a document
    uid BLOB NOT NULL,
    hash BLOB NOT NULL,                             -- dedup key: of the redacted content, and the session when one is given
    created INTEGER NOT NULL,                       -- event time
    stored INTEGER,                                 -- time of writing; NULL = created
    content TEXT NOT NULL,
    context TEXT,
    tags BLOB,                                      -- UTF-8, NUL between tags (no text holds a NUL)
    session INTEGER,                                -- session.ordinal
    position INTEGER,
    role INTEGER,                                   -- 1 user, 2 assistant, 3 other
    speaker TEXT,
    deleted INTEGER                                 -- records only: soft deletion
);
CREATE INDEX unit_bank ON unit (bank);              -- entries are (bank, id): the index's tail
CREATE INDEX unit_hash ON unit (bank, substr(hash, 1, 8)) WHERE kind = 0;
CREATE INDEX unit_uid ON unit (substr(uid, 1, 8));
CREATE TABLE document_key (                         -- the memory that a retain's document_id holds
    unit INTEGER PRIMARY KEY REFERENCES unit,
    bank INTEGER NOT NULL,
    key BLOB NOT NULL,
    shown TEXT NOT NULL,
    UNIQUE (bank, key)
);
CREATE TABLE removed (                              -- what the index must take out
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    bank INTEGER NOT NULL,
    unit INTEGER NOT NULL,
    uid BLOB NOT NULL
);
CREATE INDEX removed_bank ON removed (bank);

-- records --------------------------------------------------------------------------------------------------------------------------
CREATE TABLE record (
    unit INTEGER PRIMARY KEY REFERENCES unit,
    bank INTEGER NOT NULL,
    fact_key TEXT,
    fact BLOB,                                      -- keyed hash of the normalised fact key
    sameness BLOB,                                  -- hash of the content as compared for conflicts
    source TEXT,
    source_id TEXT,
    source_key BLOB,
    source_hash TEXT,
    source_revision TEXT,
    confidence REAL,
    scope TEXT,
    aliases TEXT,                                   -- JSON
    kind TEXT,
    pinned INTEGER,
    supersedes INTEGER,
    superseded_by INTEGER,
    visibility TEXT,                                -- author | unit | project | organization
    author INTEGER REFERENCES member,
    org_unit INTEGER REFERENCES org_unit,
    redactions TEXT,                                -- JSON
    flags TEXT,                                     -- JSON: guard findings, archivist marks
    forgotten_by INTEGER,
    forgotten_how TEXT,
    purged INTEGER
);
CREATE INDEX record_fact ON record (bank, fact) WHERE fact IS NOT NULL;
CREATE INDEX record_source ON record (bank, source_key) WHERE source_key IS NOT NULL;
CREATE TABLE derived (                              -- unit was made from source
    unit INTEGER NOT NULL REFERENCES unit,
    source INTEGER NOT NULL,                        -- no reference: a source may be deleted, which is what readers are told
    ordinal INTEGER NOT NULL,
    PRIMARY KEY (unit, source)
) WITHOUT ROWID;
CREATE INDEX derived_source ON derived (source);
CREATE TABLE observation (                          -- last hash seen of a source
    bank INTEGER NOT NULL REFERENCES bank,
    source_key BLOB NOT NULL,
    hash TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (bank, source_key)
) WITHOUT ROWID;
CREATE TABLE link (
    bank INTEGER NOT NULL REFERENCES bank,
    source_kind TEXT NOT NULL,                      -- unit | document | bundle
    source INTEGER NOT NULL,
    type TEXT NOT NULL,                             -- derived | related | refines | outdates | supports | contradicts | cites
    target_kind TEXT NOT NULL,
    target INTEGER NOT NULL,
    weight REAL,
    reason TEXT,
    made_by TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (bank, source_kind, source, type, target_kind, target)
) WITHOUT ROWID;
CREATE INDEX link_target ON link (bank, target_kind, target);

-- bookkeeping ----------------------------------------------------------------------------------------------------------------------
CREATE TABLE idempotency (
    project INTEGER NOT NULL REFERENCES project,
    operation TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint BLOB NOT NULL,
    result BLOB,                                    -- NULL = still running
    created INTEGER NOT NULL,
    PRIMARY KEY (project, operation, key)
) WITHOUT ROWID;
CREATE TABLE audit (                                -- append-only, never content
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    account INTEGER,
    project INTEGER,
    bank INTEGER,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    target TEXT,
    detail TEXT,
    chain BLOB                                      -- hash of this row and the chain before it
);
CREATE TABLE job (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    bank INTEGER,
    subject INTEGER,
    due INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    payload TEXT,
    UNIQUE (kind, bank, subject)
);

-- documents ------------------------------------------------------------------------------------------------------------------------
CREATE TABLE hub (
    bank INTEGER PRIMARY KEY REFERENCES bank,
    slug TEXT NOT NULL UNIQUE,
    display_name TEXT,
    description TEXT,
    public INTEGER NOT NULL DEFAULT 0,
    instructions TEXT,
    created INTEGER NOT NULL
);
CREATE TABLE document (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    bank INTEGER NOT NULL REFERENCES bank,
    public_id TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    version INTEGER NOT NULL,
    draft INTEGER NOT NULL DEFAULT 1,
    deleted INTEGER,
    password BLOB,
    allowed TEXT,                                   -- JSON list of addresses; NULL = no list
    expires INTEGER,
    edit_mode TEXT,
    edit_token BLOB,
    source TEXT,
    derived TEXT,                                   -- JSON: summary, themes, insights
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL
);
CREATE INDEX document_bank ON document (bank);
CREATE TABLE version (
    document INTEGER NOT NULL REFERENCES document,
    version INTEGER NOT NULL,
    hash BLOB NOT NULL,
    at INTEGER NOT NULL,
    author INTEGER,
    markdown BLOB NOT NULL,                         -- byte-exact
    PRIMARY KEY (document, version)
);
CREATE TABLE chunk (
    unit INTEGER PRIMARY KEY REFERENCES unit,
    document INTEGER NOT NULL REFERENCES document,
    version INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    occurrence INTEGER NOT NULL DEFAULT 0,          -- among chunks of equal hash
    breadcrumb TEXT NOT NULL,
    anchor TEXT,
    first_line INTEGER,
    last_line INTEGER,
    part INTEGER,
    parts INTEGER
);
CREATE INDEX chunk_document ON chunk (document);
CREATE TABLE bundle (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    bank INTEGER NOT NULL REFERENCES bank,
    public_id TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    description TEXT,
    intent TEXT,
    draft INTEGER NOT NULL DEFAULT 1,
    deleted INTEGER,
    password BLOB,
    allowed TEXT,
    expires INTEGER,
    discoverable INTEGER NOT NULL DEFAULT 0,
    analysis TEXT,
    analysed INTEGER,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL
);
CREATE TABLE bundle_member (
    bundle INTEGER NOT NULL REFERENCES bundle,
    position INTEGER NOT NULL,
    document INTEGER NOT NULL REFERENCES document,
    annotation TEXT,
    PRIMARY KEY (bundle, position),
    UNIQUE (bundle, document)
) WITHOUT ROWID;

-- The public projection: public reads have no other way to the rows.
CREATE VIEW public_document AS
SELECT document.*, hub.slug
FROM document JOIN hub ON hub.bank = document.bank
WHERE hub.public = 1 AND document.draft = 0 AND document.deleted IS NULL AND document.password IS NULL AND document.allowed IS NULL
  AND (document.expires IS NULL OR document.expires > strftime('%s', 'now') * 1000);
CREATE VIEW public_chunk AS
SELECT chunk.*, public_document.bank, public_document.public_id, public_document.slug, unit.uid, unit.content
FROM chunk
JOIN public_document ON public_document.id = chunk.document AND public_document.version = chunk.version
JOIN unit ON unit.id = chunk.unit;
CREATE VIEW public_bundle AS
SELECT bundle.*, hub.slug
FROM bundle JOIN hub ON hub.bank = bundle.bank
WHERE hub.public = 1 AND bundle.draft = 0 AND bundle.deleted IS NULL AND bundle.password IS NULL AND bundle.allowed IS NULL
  AND (bundle.expires IS NULL OR bundle.expires > strftime('%s', 'now') * 1000);
CREATE VIEW public_bundle_member AS
SELECT bundle_member.*
FROM bundle_member
JOIN public_bundle ON public_bundle.id = bundle_member.bundle
JOIN public_document ON public_document.id = bundle_member.document;

INSERT INTO account (id, name, created) VALUES (1, 'default', strftime('%s', 'now') * 1000);
INSERT INTO project (id, account, name, created) VALUES (1, 1, 'default', strftime('%s', 'now') * 1000);
INSERT INTO bank (project, name, created) VALUES (1, 'default', strftime('%s', 'now') * 1000);
