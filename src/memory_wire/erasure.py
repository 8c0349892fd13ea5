"""Request and response of erasing: what is to leave the store for good, and what is left to do by hand."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType


class Erase(Struct, kw_only=True, forbid_unknown_fields=True):
    """One of `id`, `source_id` and `subject` says what. A subject is a person or thing: all that is said by it, kept under its name, or,
    with `content`, speaks of it. Of one bank, with `all_banks` of every bank of the project. `dry_run` changes nothing.
    """

    id: str | None = None
    source_id: str | None = None
    subject: str | None = None
    content: bool = False
    all_banks: bool = False
    dry_run: bool = False


class ErasedItem(Struct, kw_only=True, omit_defaults=True):
    """What was erased and why it was meant. `kind`: memory, record, document, bundle; of a document that stays version (an older one) or
    description, of a bundle annotation or analysis; session (lines of an uploaded one, which is of the project and no bank). `text`: how it
    reads, as long as it is there.
    """

    id: str
    kind: str
    why: str
    bank: str | UnsetType = UNSET
    text: str | UnsetType = UNSET


class BackupRow(Struct, kw_only=True):
    """A backup or export that was written while something that was erased was in the store: it may still have it."""

    path: str
    made_at: str


class Erased(Struct, kw_only=True):
    """`count` of all, `kinds` of each, the first of them named; `banks` that were looked through; `derived`: live records that were made
    from them; `backups` are not touched.
    """

    dry_run: bool
    count: int
    kinds: dict[str, int]
    banks: list[str]
    erased: list[ErasedItem]
    derived: list[str]
    backups: list[BackupRow]
