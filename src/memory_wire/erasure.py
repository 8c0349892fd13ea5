"""Request and response of erasing: what is to leave the store for good, and what is left to do by hand."""

from __future__ import annotations

from msgspec import Struct


class Erase(Struct, kw_only=True, forbid_unknown_fields=True):
    """One of `id`, `source_id` and `subject` says what. A subject is a person or thing: all that is said by it, kept under its name, or,
    with `content`, speaks of it. `dry_run` changes nothing.
    """

    id: str | None = None
    source_id: str | None = None
    subject: str | None = None
    content: bool = False
    dry_run: bool = False


class ErasedUnit(Struct, kw_only=True):
    """A memory or record that was erased, and why it was meant."""

    id: str
    why: str


class BackupRow(Struct, kw_only=True):
    """A copy of the store that was made earlier and still has what was erased."""

    path: str
    made_at: str


class Erased(Struct, kw_only=True):
    """`count` of all, the first of them named; `derived`: live records that were made from them; `backups` are not touched."""

    dry_run: bool
    count: int
    erased: list[ErasedUnit]
    derived: list[str]
    backups: list[BackupRow]
