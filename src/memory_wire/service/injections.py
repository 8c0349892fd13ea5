"""What was injected where, and what is known of one memory. Read by the viewer and by people who ask why something is there."""

from __future__ import annotations

from memory_wire import config, framing
from memory_wire import types as t
from memory_wire.errors import UnknownMemory
from memory_wire.service import dates, memories, validate
from memory_wire.store.ids import show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from memory_wire.store.ledger import Line
    from memory_wire.store.protocol import Reader


def injections(reader: Reader, request: t.Injections, scope: t.Scope) -> t.InjectionLog:
    """A page of the bank's log, newest first, or of one session's, named as the log shows it."""
    name = validate.key("session", request.session)
    limit = validate.unsigned("limit", request.limit)
    offset = validate.unsigned("offset", request.offset) or 0
    bank = reader.bank(scope.project, scope.bank)
    if bank is None:
        return t.InjectionLog(injections=[], total=0)
    lines, total = reader.ledger.log(
        bank,
        name,
        config.PAGE_LIMIT if limit is None else min(limit, config.PAGE_MAX),
        min(offset, validate.MAX_INTEGER >> 1),
    )
    without = uids_of(reader, memories.hidden(reader, scope, bank))
    return t.InjectionLog(injections=[injection(line, without) for line in lines], total=total)


def history(reader: Reader, request: t.History, scope: t.Scope) -> t.MemoryHistory:
    """Dates, tags, keys and injections of one memory. Raises UnknownMemory."""
    uid = memories.uid_of(request.id)
    bank = reader.bank(scope.project, scope.bank)
    unit = reader.by_uid(bank, uid) if bank and uid else None
    if bank is None or unit is None or unit.id in memories.hidden(reader, scope, bank):
        raise UnknownMemory
    return t.MemoryHistory(
        id=show(unit.uid),
        content=unit.content,
        created_at=dates.stamp(unit.created),
        stored_at=dates.stamp(unit.created if unit.stored is None else unit.stored),
        tags=unit.tags,
        session=unit.session,
        document_id=reader.ledger.document(unit.id),
        context=unit.context,
        injections=[injection(line) for line in reader.ledger.of_unit(bank, unit.id, config.PAGE_MAX)],
    )


def uids_of(reader: Reader, units: Collection[int]) -> Collection[bytes]:
    return reader.records.uids(units).values() if units else ()


def injection(line: Line, without: Collection[bytes] = ()) -> t.Injection:
    """A line of the log; what may not be seen is as if it were deleted."""
    gone = line.uid is None or line.uid in without
    return t.Injection(
        id=None if gone or line.uid is None else show(line.uid),
        text=None if gone or line.content is None else framing.flat(line.content)[: config.SHOWN_CHARS],
        session=line.session,
        host=line.host,
        event=line.event,
        at=dates.stamp(line.at),
        relevance=round(line.relevance, 4),
        held=bool(line.held),
    )
