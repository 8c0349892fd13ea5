"""Search of records: the bank's recall, what it finds with provenance and statuses. Called by the service; loaded when first asked for."""

from __future__ import annotations

from memory_wire import config
from memory_wire import types as t
from memory_wire.errors import LimitRange, QueryEmpty
from memory_wire.hashes import agree
from memory_wire.retrieve.pipeline import Ask
from memory_wire.service import access, provenance, records, validate
from memory_wire.service.keys import Keys
from memory_wire.service.rows import RECORD_FIELD, scope_key
from memory_wire.service.sieve import Sieve
from memory_wire.service.statuses import Hashes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.retrieve.pipeline import Served
    from memory_wire.service.second import Second
    from memory_wire.service.service import Service
    from memory_wire.store.reader import Reader
    from memory_wire.store.rows import Bank

BUDGET = 1 << 32  # a search is bounded by its limit
LEXICAL = "lexical"


def search(service: Service, request: t.Search, scope: t.Scope) -> t.SearchResults:
    """The records that answer a question, best first. Raises QueryEmpty, LimitRange, RecordRefused, Invalid, WrongType."""
    scope, keys = records.place(request, scope), service.keys
    limit = checked(request)
    narrow = provenance.shown("scope", request.scope, keys, [], [])
    kind = provenance.shown("kind", request.kind, keys, [], [])
    given, bare = hashes_of(request, keys)
    ask = Ask(
        query=request.query[: config.QUERY_CHARS],
        budget=BUDGET,
        k=limit,
        any_tags=[scope_key(narrow) if narrow is not None else RECORD_FIELD],
        heard={} if request.named else None,
    )

    def begin(reader: Reader) -> tuple[Bank, Sieve] | None:
        bank = reader.bank(scope.project, scope.bank)
        if bank is None:
            return None
        hashes = Hashes(given, bare) if bare is None else resolved(reader, bank, given, bare)
        sight, stale, former = access.sight(reader, scope), bool(request.exclude_stale), bool(request.exclude_superseded)
        return bank, Sieve(reader.records, bank, sight, hashes, stale, True, narrow, kind, ask.query, ask.heard, former)

    with service.read() as reader:
        found = begin(reader)
        if found is None:
            return t.SearchResults(results=[], meta=t.SearchMeta(retrieval=LEXICAL))
        second = service.recalls.second(service.settings_of(found[0], reader), scope)
        if second is None or not service.may_wait():
            served, index = service.recalls.found(reader, found[0], ask, found[1])
            hits = told(found[1], served, {one.unit.id: (None, place) for place, one in enumerate(served, 1)})
            return results(hits, LEXICAL, index, second is not None)
        second.bank = found[0].id
    return looked(service, second, ask, begin, limit)


def looked(service: Service, second: Second, ask: Ask, begin: Callable[[Reader], tuple[Bank, Sieve] | None], limit: int) -> t.SearchResults:
    """The same with a second look."""
    from memory_wire.service.second import look

    def finish(reader: Reader, bank: Bank, sieve: Sieve, served: list[Served]) -> list[t.RecordHit]:
        return told(sieve, served[:limit], {id: (ranks.vector, ranks.lexical) for id, ranks in second.ranks.items()})

    hits, index = look(service.recalls, second, ask, begin, finish)
    return results(hits or [], second.retrieval, index, second.degraded)


def results(hits: list[t.RecordHit], retrieval: str, index: str | None, failed: bool) -> t.SearchResults:
    """The answer; what was left out is said: the rest of an `index` that is being built, a model that `failed`."""
    faults = [f"index: {index}"] if index else []
    faults += ["vectors"] if failed else []
    return t.SearchResults(results=hits, meta=t.SearchMeta(retrieval=retrieval, degraded=", ".join(faults) or None))


def told(sieve: Sieve, served: list[Served], ranks: dict[int, tuple[int | None, int | None]]) -> list[t.RecordHit]:
    """The hits as they are answered. `ranks`: by vectors, by words."""
    served = sieve.sorted(served)
    answers = sieve.answers(served)
    hits = []
    for one in served:
        vector, words = ranks.get(one.unit.id, (None, None))
        hits.append(t.RecordHit(**answers.fields(one.unit), score=one.score, vector_rank=vector, fts_rank=words))
    return hits


def checked(request: t.Search) -> int:
    """How many results are wanted. Raises QueryEmpty, LimitRange, WrongType."""
    if not isinstance(request.query, str):
        raise validate.wrong_type("query", "a string")
    validate.text("query", request.query, config.CONTENT_CHARS)
    if not request.query.strip():
        raise QueryEmpty("query", "query must say something")
    limit = config.SEARCH_LIMIT if request.limit is None else request.limit
    if type(limit) is not int or not 1 <= limit <= config.SEARCH_MAX:
        raise LimitRange("limit", f"limit must be 1 to {config.SEARCH_MAX}")
    for name in ("exclude_stale", "exclude_superseded", "named"):
        if not isinstance(getattr(request, name), bool | None):
            raise validate.wrong_type(name, "a boolean")
    return limit


def hashes_of(request: t.Search, keys: Keys) -> tuple[dict[bytes, str], str | None]:
    """(hashes by source key, the one that no source is named for)."""
    given: dict[bytes, str] = {}
    named = request.current_source_hashes
    if named is not None and not isinstance(named, dict):
        raise validate.wrong_type("current_source_hashes", "an object of strings")
    pairs = list(named.items()) if named else []
    bare = hash_of(request.current_source_hash)
    if request.source_id is not None and bare is not None:
        pairs.append((request.source_id, bare))
        bare = None
    for source, hash in pairs:
        name = provenance.string("source_id", source, config.KEY_CHARS).strip()
        value = hash_of(hash)
        if name and value is not None:
            given[keys.hashed(name)] = value
    return given, bare


def hash_of(value: object) -> str | None:
    return provenance.string("current_source_hash", value, config.SOURCE_HASH_CHARS).strip() or None if value is not None else None


def resolved(reader: Reader, bank: Bank, given: dict[bytes, str], bare: str) -> Hashes:
    """A hash alone belongs to the one source it was seen at; where none or several were, it counts for all records."""
    seen = [key for key, hash, _ in reader.records.observations(bank) if agree(hash, bare)]
    return Hashes({**given, seen[0]: bare}) if len(seen) == 1 else Hashes(given, bare)
