"""Requests and responses of the operation table. They carry wire types only; value limits are functions of the service.

Importable by every Python layer from the store upward; imports nothing of ours.
"""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType


class Scope(Struct, frozen=True):
    """Where a call acts: a bank named within a project."""

    bank: str = "default"
    project: str = "default"


# requests --------------------------------------------------------------------------------------------------------------------------


class Retain(Struct, kw_only=True):
    content: str
    context: str | None = None
    tags: list[str] | None = None
    document_id: str | None = None
    update_mode: str | None = None
    created_at: str | None = None
    session: str | None = None
    speaker: str | None = None
    role: str | None = None


class RetainBatch(Struct, kw_only=True):
    items: list[Retain]


class Recall(Struct, kw_only=True):
    query: str
    budget: int | None = None
    tags: list[str] | None = None
    exclude_tags: list[str] | None = None
    format: str | None = None
    k: int | None = None
    since: str | None = None
    until: str | None = None
    session: str | None = None
    min_score: float | None = None
    explain: bool | None = None


class Memories(Struct, kw_only=True):
    limit: int | None = None
    offset: int | None = None
    truncate: int | None = None
    format: str | None = None


class Get(Struct, kw_only=True):
    id: str
    format: str | None = None


class Forget(Struct, kw_only=True):
    id: str


class Empty(Struct):
    """A request without fields."""


class PutConfig(Struct, kw_only=True):
    body: bytes


class DeleteBank(Struct, kw_only=True):
    confirm: str | None = None


# responses -------------------------------------------------------------------------------------------------------------------------


class Redacted(Struct, kw_only=True):
    field: str
    kind: str
    count: int


class Retained(Struct, kw_only=True, omit_defaults=True):
    """`redacted` and `deduplicated` are on the wire only when a receipt was asked for."""

    id: str
    redacted: list[Redacted] | UnsetType = UNSET
    deduplicated: bool | UnsetType = UNSET


class ItemError(Struct, kw_only=True):
    status: int
    message: str


class BatchError(Struct, kw_only=True):
    error: ItemError


class BatchRetained(Struct, kw_only=True):
    results: list[Retained | BatchError]


class Hit(Struct, kw_only=True, omit_defaults=True):
    """One result of `format: full`; keys in alphabetical order."""

    content: str
    created_at: str
    explain: dict[str, object] | UnsetType = UNSET
    id: str
    relevance: float
    score: float
    session: str | UnsetType | None = UNSET
    tags: list[str] = []


class Recalled(Struct, kw_only=True):
    """Hits in rank order. `bare` says that the surface serves contents only; `index` that part of the index is being rebuilt."""

    hits: list[Hit]
    bare: bool
    index: str | None = None


class Item(Struct, kw_only=True, omit_defaults=True):
    """A stored memory as the lifecycle routes serve it."""

    content: str
    context: str | None = None
    created_at: str
    id: str


class Page(Struct, kw_only=True):
    items: list[Item]
    total: int
    truncated: int = 0
    toon: bool = False


class Deleted(Struct, kw_only=True):
    deleted: bool


class Stats(Struct, kw_only=True):
    memories: int
    tags: int
    oldest: str | None
    newest: str | None


class BankRow(Struct, kw_only=True):
    bank: str
    memories: int
    newest: str | None


class Banks(Struct, kw_only=True):
    banks: list[BankRow]


class BankDeleted(Struct, kw_only=True):
    deleted: bool
    memories: int


class Ready(Struct, kw_only=True):
    ready: bool
    store: str
    index: str
