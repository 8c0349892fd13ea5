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
CREATE INDEX embedding_space ON embedding (space);  -- with the row's id: what a space's files follow

-- documents and hubs
ALTER TABLE document ADD COLUMN titled INTEGER NOT NULL DEFAULT 0;      -- 1: the title was given, not read from the text
ALTER TABLE document ADD COLUMN private INTEGER NOT NULL DEFAULT 0;     -- 1: its front matter says that it is never public
ALTER TABLE version ADD COLUMN made TEXT;                               -- create | replace | append | prepend | section | revert | import
ALTER TABLE hub ADD COLUMN newest INTEGER NOT NULL DEFAULT 0;           -- highest published.id so far
ALTER TABLE hub ADD COLUMN pruned INTEGER NOT NULL DEFAULT 0;           -- withdrawals up to this seq are not kept any more
ALTER TABLE document ADD COLUMN opened INTEGER;                         -- since when everybody sees it without a break; NULL: nobody does
CREATE INDEX document_expires ON document (bank, expires) WHERE expires IS NOT NULL;
CREATE TABLE published (                                                -- chunks that public_chunk shows: what the public index follows
    id INTEGER PRIMARY KEY AUTOINCREMENT,                               -- its name in that index; a chunk that comes back gets a new one
    bank INTEGER NOT NULL,
    document INTEGER NOT NULL,
    unit INTEGER NOT NULL UNIQUE,
    uid BLOB NOT NULL                                                   -- 16 bytes that no other row had
);
CREATE INDEX published_bank ON published (bank);
CREATE INDEX published_document ON published (document);
CREATE TABLE withdrawn (                                                -- what the public index must take out
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    bank INTEGER NOT NULL,
    place INTEGER NOT NULL,                                             -- published.id
    uid BLOB NOT NULL
);
CREATE INDEX withdrawn_bank ON withdrawn (bank);
DROP VIEW public_bundle_member;
DROP VIEW public_chunk;
DROP VIEW public_document;
CREATE VIEW public_document AS
SELECT document.*, hub.slug
FROM document JOIN hub ON hub.bank = document.bank
WHERE hub.public = 1 AND document.draft = 0 AND document.private = 0 AND document.deleted IS NULL AND document.password IS NULL
  AND document.allowed IS NULL AND (document.expires IS NULL OR document.expires > strftime('%s', 'now') * 1000);
CREATE VIEW public_chunk AS
SELECT chunk.*, public_document.bank, public_document.public_id, public_document.slug, public_document.title, public_document.updated,
       unit.uid, unit.content
FROM chunk
JOIN public_document ON public_document.id = chunk.document AND public_document.version = chunk.version
JOIN unit ON unit.id = chunk.unit;
CREATE VIEW public_bundle_member AS
SELECT bundle_member.*
FROM bundle_member
JOIN public_bundle ON public_bundle.id = bundle_member.bundle
JOIN public_document ON public_document.id = bundle_member.document;

-- backups and exports that were written, to be named when something is erased
CREATE TABLE copy (
    path TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    bank INTEGER                                    -- NULL: the whole store
) WITHOUT ROWID;

-- bundles
ALTER TABLE bundle ADD COLUMN shown INTEGER NOT NULL DEFAULT 0;         -- when something of it changed last that everybody sees
CREATE INDEX bundle_bank ON bundle (bank);
CREATE INDEX bundle_member_document ON bundle_member (document);

-- what a document is about, made of its newest text; and what the owner of a hub sees, which is all that isn't deleted. Both tables stay
-- behind when a bank is exported or copied: gists are made anew, decisions are about documents of this store
CREATE TABLE gist (
    document INTEGER PRIMARY KEY,
    version INTEGER NOT NULL,
    rules INTEGER NOT NULL,                         -- of the program that made it
    title TEXT NOT NULL,
    links TEXT NOT NULL,                            -- a reference a line
    sketch BLOB NOT NULL,                           -- smallest hashes of its shingles, 4 bytes each, ascending
    terms BLOB NOT NULL,
    lines BLOB NOT NULL
);
CREATE TABLE suggestion (                           -- bundles that were proposed and decided about
    bank INTEGER NOT NULL,
    name BLOB NOT NULL,                             -- 8 bytes: of its documents
    accepted INTEGER NOT NULL,
    documents TEXT NOT NULL,                        -- JSON list of ids
    at INTEGER NOT NULL,
    PRIMARY KEY (bank, name)
) WITHOUT ROWID;
CREATE VIEW owner_document AS
SELECT document.*, hub.slug FROM document JOIN hub ON hub.bank = document.bank WHERE document.deleted IS NULL;
CREATE VIEW owner_chunk AS
SELECT chunk.*, owner_document.bank, owner_document.public_id, owner_document.slug, owner_document.title, owner_document.updated,
       unit.uid, unit.content
FROM chunk
JOIN owner_document ON owner_document.id = chunk.document AND owner_document.version = chunk.version
JOIN unit ON unit.id = chunk.unit;
CREATE VIEW owner_bundle AS
SELECT bundle.*, hub.slug FROM bundle JOIN hub ON hub.bank = bundle.bank WHERE bundle.deleted IS NULL;
CREATE VIEW owner_bundle_member AS
SELECT bundle_member.*
FROM bundle_member
JOIN owner_bundle ON owner_bundle.id = bundle_member.bundle
JOIN owner_document ON owner_document.id = bundle_member.document;

-- vectors of documents' chunks, those of the last versions too, and of bundles, by model and text
CREATE TABLE kept_vector (
    document INTEGER NOT NULL,                      -- 0 for a bundle's
    bundle INTEGER NOT NULL,                        -- 0 for a document's
    key BLOB NOT NULL,                              -- 16 bytes: of the model and the text that was embedded
    version INTEGER NOT NULL,                       -- newest of the document's that had it
    row BLOB NOT NULL,                              -- as in embedding
    PRIMARY KEY (document, bundle, key)
) WITHOUT ROWID;
CREATE INDEX kept_vector_key ON kept_vector (key);
CREATE TABLE embedded_document (                    -- what a document was when it was embedded last
    document INTEGER PRIMARY KEY,
    model BLOB NOT NULL,
    chunks BLOB NOT NULL                            -- 16 bytes for each chunk, in order
);

-- documents that some may read; copies and exports of a bank begin with neither
ALTER TABLE document ADD COLUMN asks INTEGER NOT NULL DEFAULT 0;        -- 1: its page asks for the password
CREATE TABLE reading_link (
    token BLOB PRIMARY KEY,                         -- 16 bytes: of what the link says
    document INTEGER NOT NULL,
    expires INTEGER NOT NULL,
    uses INTEGER NOT NULL                           -- that are left
) WITHOUT ROWID;
CREATE INDEX reading_link_document ON reading_link (document);
CREATE VIEW shared_document AS
SELECT document.*, hub.slug
FROM document JOIN hub ON hub.bank = document.bank
WHERE hub.public = 1 AND document.draft = 0 AND document.private = 0 AND document.deleted IS NULL
  AND (document.password IS NOT NULL OR document.allowed IS NOT NULL)
  AND (document.expires IS NULL OR document.expires > strftime('%s', 'now') * 1000);

-- documents that were brought in
ALTER TABLE document ADD COLUMN origin BLOB;                            -- 16 bytes of the place that they came from
CREATE INDEX document_source ON document (bank, source) WHERE source IS NOT NULL;
ALTER TABLE hub ADD COLUMN keyless INTEGER;                             -- 1: documents may be made without a key; NULL: on loopback
