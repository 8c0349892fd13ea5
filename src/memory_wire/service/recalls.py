"""Recall and reflect: one read transaction from the bank's name to the served hits. Called by the service."""

from __future__ import annotations

from memory_wire import config
from memory_wire import types as t
from memory_wire.errors import Corrupt
from memory_wire.retrieve import pipeline
from memory_wire.retrieve.pipeline import Ask, Served
from memory_wire.service import validate
from memory_wire.service.doubts import Doubts
from memory_wire.service.keys import tag_key
from memory_wire.store.ids import show
from memory_wire.store.rows import Bank

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memory_wire.index.bank import BankIndex
    from memory_wire.retrieve.reference import Reference
    from memory_wire.service.rows import BankRows
    from memory_wire.service.second import Second
    from memory_wire.service.service import Service
    from memory_wire.service.settings import Settings
    from memory_wire.service.spaces import Spaces
    from memory_wire.store.reader import Reader
    from memory_wire.store.rows import Found

    Keep = Callable[[dict[int, Found]], dict[int, Found]]

NOTHING_FOUND = "no relevant memories"
REFERENCES_KEPT = 4
RETRIES = 16  # times that one call searches again, for a damaged segment or an index ahead of its transaction: writers can be quick
SLICE = 1_000  # rows read at once for the reference ranking


class Recalls:
    """The reading side of the service; keeps the few banks that are ranked the reference's way."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.references: dict[int, tuple[object, Reference]] = {}
        self.spaces: Spaces | None = None  # vectors of the few banks that search them

    def recall(self, request: t.Recall, scope: t.Scope) -> t.Recalled:
        """The hits for a question, best first, trimmed to the budget. Raises Invalid."""
        bare = request.format != "full" and not request.explain
        ask = self.ask(request)
        if ask is None:
            return t.Recalled(hits=[], bare=bare)
        hits, index, degraded = self.hits(ask, request.session, scope, bool(request.exclude_stale))
        return t.Recalled(hits=hits, bare=bare, index=index, truncated=ask.truncated, degraded=degraded)

    def reflect(self, request: t.Recall, scope: t.Scope) -> str:
        """The best hit with its id. Of the request only query and tags count."""
        ask = self.ask(t.Recall(query=request.query, tags=request.tags, budget=config.REFLECT_BUDGET, k=1))
        hits = self.hits(ask, None, scope)[0] if ask else []
        return f"based on [{hits[0].id}]: {hits[0].content}" if hits else NOTHING_FOUND

    def ask(self, request: t.Recall) -> Ask | None:
        """The request as the pipeline takes it, or None when nothing can be found. Raises Invalid, WrongType."""
        validate.recall(request)
        since, until = validate.moment("since", request.since), validate.moment("until", request.until)
        given = validate.strings("tags", request.tags)
        dropped = validate.strings("exclude_tags", request.exclude_tags)
        keys = self.service.keys
        tags = keys.tags(given, []) if given else []
        if (given and not tags) or not request.query or request.query.isspace():
            return None
        exclude = keys.tags(dropped, []) if dropped else []
        return Ask(
            query=request.query[: config.QUERY_CHARS],
            budget=request.budget,
            k=config.RESULTS if request.k is None else request.k,
            tags=tags,
            exclude=exclude,
            any_tags=[tag_key(tag) for tag in tags],
            not_tags=[tag_key(tag) for tag in exclude],
            since=since,
            until=until,
            floor=request.min_score,
            explain=bool(request.explain),
        )

    def hits(self, ask: Ask, session: str | None, scope: t.Scope, fresh: bool = False) -> tuple[list[t.Hit], str | None, bool]:
        """(what is answered, how far a rebuild of the index is or None, whether a model failed). `fresh`: without stale records."""
        service = self.service
        name = validate.key("session", session)

        def begin(reader: Reader) -> tuple[Bank, Doubts] | None:
            bank = reader.bank(scope.project, scope.bank)
            if bank is not None and name is not None:
                ask.session_key = service.keys.hashed(name)
                ask.session = reader.session(bank, ask.session_key)
                if ask.session is None:
                    return None
            return None if bank is None else (bank, Doubts(reader, bank, scope, fresh, ask.query))

        with service.read() as reader:
            found = begin(reader)
            if found is None:
                return [], None, False
            bank, doubts = found
            second = self.second(service.settings_of(bank, reader), scope)
            if second is None or not service.may_wait():
                served, index = self.found(reader, bank, ask, doubts)
                return doubts.hits(served), index, second is not None
            second.bank = bank.id
        from memory_wire.service.second import hits

        return hits(self, second, ask, begin)

    def second(self, settings: Settings, scope: t.Scope) -> Second | None:
        """What the results are looked at again by, for the few banks that have something."""
        found = None
        if settings.models or self.service.modelled:
            from memory_wire.service.second import plan

            found = plan(settings)
        self.service.asking[scope.project, scope.bank] = found is not None
        return found

    def asks(self, scope: t.Scope) -> bool:
        """Whether ranking in a bank asks a model."""
        with self.service.read() as reader:
            bank = reader.bank(scope.project, scope.bank)
            return bank is not None and self.second(self.service.settings_of(bank, reader), scope) is not None

    def found(self, reader: Reader, bank: Bank, ask: Ask, keep: Keep, projection: str = "") -> tuple[list[Served], str | None]:
        """(what the bank's ranking finds, or a projection's, how far a rebuild of the index is or None). `keep`: the rows to be served."""
        service = self.service
        settings = service.settings_of(bank, reader)
        if ask.budget is None:
            ask.budget = settings.budget
        if settings.fusion == "reference" and not projection:
            return self.reference(reader, bank).recall(ask, settings.synonyms, lambda ids: keep(reader.found(bank, ids))), None
        index = service.index.open(bank, settings.language, projection)
        rows = service.index.rows(reader, bank, settings.language, projection)
        served, progress = self.ranked(index, rows, ask, settings, keep), index.progress()
        service.index.tend(bank, index, rows)
        return served, progress

    def ranked(self, index: BankIndex, rows: BankRows, ask: Ask, settings: Settings, keep: Keep) -> list[Served]:
        """Searches the index, again when a segment was damaged or the index was ahead of the transaction. Raises Corrupt."""
        parts = index.snapshot(rows)
        for _ in range(RETRIES):
            try:
                return pipeline.recall(parts, ask, settings.language, settings.synonyms, Fetch(rows, keep, strict=True))
            except Ahead:
                rows.renew()
                parts = index.snapshot(rows)
            except Corrupt:
                parts = index.repair(rows, parts)
        return pipeline.recall(parts, ask, settings.language, settings.synonyms, Fetch(rows, keep, strict=False))

    def reference(self, reader: Reader, bank: Bank) -> Reference:
        """The bank ranked the reference's way, built anew when it changed."""
        from memory_wire.retrieve.reference import Reference

        state = (reader.file, bank.newest, bank.removed)
        held = self.references.get(bank.id)
        if held is not None and held[0] == state:
            return held[1]
        found = Reference()
        after = 0
        while page := reader.export(bank, after, SLICE):
            for row in page:
                unit = row.unit
                found.add(unit.id, show(unit.uid), unit.content, unit.created, unit.tags, row.session_key)
            after = page[-1].unit.id
        while len(self.references) >= REFERENCES_KEPT:
            self.references.pop(next(iter(self.references)), None)
        self.references[bank.id] = (state, found)
        return found

    def idle(self) -> None:
        """Drops what is kept."""
        self.references.clear()
        if self.spaces is not None:
            self.spaces.idle()

    def close(self) -> None:
        """The same for good."""
        if self.spaces is not None:
            self.spaces.close()
        self.references.clear()


class Ahead(Exception):
    """The index shows a row that was committed after the call's transaction began."""


class Fetch:
    """Reads ranked rows from the call's transaction. When `strict`, raises Ahead for a row that is too new to be seen in it.

    Such a row may be what replaced another one, which the index doesn't show any more: both would be missing from the answer.
    """

    __slots__ = ("keep", "rows", "strict")

    def __init__(self, rows: BankRows, keep: Keep, strict: bool) -> None:
        self.rows, self.keep, self.strict = rows, keep, strict

    def __call__(self, ids: Sequence[int]) -> dict[int, Found]:
        rows = self.rows
        found = rows.found(ids)
        if self.strict and len(found) < len(ids) and max(ids) > rows.state()[0]:
            raise Ahead
        return self.keep(found)
