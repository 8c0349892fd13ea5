"""Requests and responses about the sources of records: what they are, and which hash was last seen of each."""

from __future__ import annotations

from msgspec import Struct


class ListSources(Struct, kw_only=True):
    """A page of the sources of a bank; `cursor` as the page before gave it."""

    limit: int | None = None
    cursor: str | None = None


class SourceRow(Struct, kw_only=True):
    """A source: the live records of it, the different hashes they were written with (newest first), the last hash seen of it and when."""

    source_id: str
    records: int
    hashes: list[str]
    observed: str | None
    observed_at: str | None


class SourceList(Struct, kw_only=True):
    """`cursor` gives the next page; None: this was the last."""

    sources: list[SourceRow]
    cursor: str | None
