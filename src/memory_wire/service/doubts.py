"""Looks through ranked rows for records. What knows them is loaded with the first one: a bank of memories pays for a glance at each row."""

from __future__ import annotations

from msgspec import UNSET

from memory_wire import types as t
from memory_wire.service import dates
from memory_wire.store.ids import show
from memory_wire.store.rows import CHUNK, RECORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.retrieve.pipeline import Served
    from memory_wire.service.sieve import Sieve
    from memory_wire.store.reader import Reader
    from memory_wire.store.rows import Bank, Found


class Doubts:
    """The records of one call in one read transaction; `sieve` is there when there are any. `fresh`: stale ones are left out."""

    __slots__ = ("bank", "chunks", "fresh", "query", "reader", "scope", "sieve")

    def __init__(self, reader: Reader, bank: Bank, scope: t.Scope, fresh: bool = False, query: str = "") -> None:
        self.reader, self.bank, self.scope, self.fresh, self.query = reader, bank, scope, fresh, query
        self.sieve: Sieve | None = None
        self.chunks = False  # some rows are of documents

    def __call__(self, found: dict[int, Found]) -> dict[int, Found]:
        """The rows that may be served."""
        if self.sieve is None:
            for unit in found.values():
                if unit.kind == RECORD:
                    break
                if unit.kind == CHUNK:
                    self.chunks = True
            else:
                return found
            from memory_wire.service import access
            from memory_wire.service.sieve import Sieve
            from memory_wire.service.statuses import Hashes

            self.sieve = Sieve(
                self.reader.records, self.bank, access.sight(self.reader, self.scope), Hashes(), self.fresh, query=self.query
            )
        return self.sieve(found)

    def hits(self, served: list[Served]) -> list[t.Hit]:
        """The hits as they are answered, records with what is known of them."""
        if self.sieve is None:
            found = [hit_of(one) for one in served]
            return self.placed(served, found) if self.chunks else found
        served = self.sieve.sorted(served)
        answers = self.sieve.answers(served)
        hits = []
        for one in served:
            hit = hit_of(one)
            if one.unit.id in answers.rows:
                row, standing = answers.rows[one.unit.id], answers.standings[one.unit.id]
                hit.confidence, hit.source, hit.also = row.confidence or 0.0, row.source or row.source_id, answers.ids(standing.also)
                hit.status, hit.statuses = standing.statuses[0], standing.statuses
            hits.append(hit)
        return self.placed(served, hits)

    def placed(self, served: list[Served], hits: list[t.Hit]) -> list[t.Hit]:
        """The hits, chunks with where they stand in their documents."""
        chunks = [one.unit.id for one in served if one.unit.kind == CHUNK]  # type: ignore[attr-defined]  # rows of this store
        told = self.reader.documents.told(chunks) if chunks else {}
        for one, hit in zip(served, hits, strict=True):
            found = told.get(one.unit.id)
            if found is not None:
                hit.document, hit.breadcrumb = found.document, found.breadcrumb
                hit.anchor = UNSET if found.anchor is None else found.anchor
        return hits


def hit_of(served: Served) -> t.Hit:
    unit = served.unit
    hit = t.Hit(
        content=served.content,
        created_at=dates.stamp(unit.created),
        id=show(unit.uid),
        relevance=served.relevance,
        score=served.score,
        session=unit.session,
        tags=unit.tags,
    )
    if served.explain is not None:
        hit.explain = served.explain
    return hit
