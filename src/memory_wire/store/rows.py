"""What goes into the record store and comes out of it: plain Structs, no SQL, no policy. Importable by the store and the service."""

from __future__ import annotations

from msgspec import Struct

MEMORY = 0  # written by retain: subject to dedup, document upsert and sweep
RECORD = 1  # written with provenance: immutable to all of these, deleted softly
CHUNK = 2  # part of a document: indexed, never listed as a memory


class Bank(Struct, kw_only=True):
    """A bank as one transaction sees it. Inside a write transaction the Tx keeps `newest` and `removed` current.

    `newest` is the highest unit id the bank ever held and still knows of, `removed` the newest removal's seq (0 = none yet),
    `pruned` the highest removal seq that is no longer kept, `config_version` grows with every change of the configuration (0 = never set).
    """

    id: int
    project: str
    name: str
    created: int
    newest: int
    removed: int
    pruned: int
    config_version: int
    tally_upto: int


class NewUnit(Struct, kw_only=True):
    """One memory to insert; text is already redacted, tags normalised. Times are milliseconds since 1970.

    `stored` is None when `created` is the time of writing; `uid` is from `ids.new_uid()`.
    """

    uid: bytes
    hash: bytes
    content: str
    created: int
    stored: int | None = None
    context: str | None = None
    tags: list[str] = []
    role: int = 0
    speaker: str | None = None
    kind: int = MEMORY


class Inserted(Struct):
    """`after` is the bank's newest unit id before this insert: an index whose tail is exactly that may append without asking."""

    id: int
    after: int


class Removed(Struct):
    """`after` is the bank's newest removal seq before this one, `kind` what was removed."""

    seq: int
    after: int
    kind: int = MEMORY


class Existing(Struct):
    """The row a document id holds now: what `replace` keeps of it, and what tells whether another text would change it.

    `session_key` is the key that `session` (an ordinal) stands for.
    """

    id: int
    uid: bytes
    session: int | None
    position: int | None
    session_key: bytes | None
    hash: bytes
    created: int
    context: str | None
    tags: list[str]


class Found(Struct):
    """What a recall needs of a unit. `session` is the shown form of the session key; `tags` keep the order of writing."""

    id: int
    uid: bytes
    content: str
    created: int
    tags: list[str]
    session: str | None
    kind: int


class Unit(Found):
    """A stored unit, whole."""

    context: str | None
    stored: int | None
    position: int | None
    role: int
    speaker: str | None


class IndexRow(Struct):
    """What the index needs of a unit. `flags`: bits 0-1 role, bit 2 chunk. `session` is -1 for none, `header` a chunk's breadcrumb.

    `scope` is a record's, empty for none, and None for what is no record.
    """

    id: int
    created: int
    flags: int
    session: int
    position: int
    tags: list[str]
    speaker: str | None
    header: str
    content: str
    scope: str | None = None
    aliases: list[str] = []


class Tally(Struct):
    """Memories and records that are live, distinct tags among them, oldest and newest creation time (None in an empty bank)."""

    memories: int
    tags: int
    oldest: int | None
    newest: int | None


class BankSummary(Struct):
    id: int
    project: str
    name: str
    memories: int
    newest: int | None


class Exported(Struct, kw_only=True):
    """A unit with the keys that match it on re-import (document and session: keyed hash and shown form)."""

    unit: Unit
    hash: bytes
    document_key: bytes | None
    document: str | None
    session_key: bytes | None


class Finding(Struct):
    """One result of a check: `level` is "error" (data contradicts itself) or "note" (worth saying, nothing is wrong)."""

    level: str
    text: str
