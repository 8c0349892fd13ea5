"""The sources that a bank's records name. Called by the service; loaded when first asked for."""

from __future__ import annotations

from memory_wire import config
from memory_wire import freshness as f
from memory_wire.errors import Invalid
from memory_wire.service import access, dates, statuses, validate
from memory_wire.service.statuses import Hashes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.store.reader import Reader
    from memory_wire.store.records import Sight
    from memory_wire.store.rows import Bank
    from memory_wire.types import Scope


def list_sources(reader: Reader, request: f.ListSources, scope: Scope) -> f.SourceList:
    """A page of the sources whose records the caller may see, in an order that stays. Raises Invalid."""
    validate.scope(scope)
    limit = validate.page_limit(request.limit)
    after = placed(request.cursor)
    bank = reader.bank(scope.project, scope.bank)
    rows: list[f.SourceRow] = []
    if bank is None:
        return f.SourceList(sources=rows, cursor=None)
    sight = access.sight(reader, scope)
    while len(rows) <= limit and (page := reader.records.by_source(bank, sight, after, limit)):
        for key, row in told(reader, bank, sight, page):
            if len(rows) == limit:
                return f.SourceList(sources=rows, cursor=after.hex())
            rows.append(row)
            after = key
        after = page[-1][0]
    return f.SourceList(sources=rows, cursor=None)


def placed(cursor: object) -> bytes:
    """Where a page begins. Raises Invalid."""
    if cursor is None:
        return b""
    try:
        return bytes.fromhex(cursor)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise Invalid("cursor", "must be as a page gave it") from None


def told(reader: Reader, bank: Bank, sight: Sight, page: list[tuple[bytes, int, str, str | None]]) -> list[tuple[bytes, f.SourceRow]]:
    """The sources of a page of (key, unit, source id, hash), without records that come from some the caller may not see."""
    units = [unit for _, unit, _, _ in page]
    seen = statuses.standings(reader.records, bank, sight, units, Hashes()) if sight.params else dict.fromkeys(units)
    heads = reader.records.observed(bank, {key for key, _, _, _ in page})
    found: dict[bytes, f.SourceRow] = {}
    for key, unit, source, hash in page:
        if unit not in seen:
            continue
        row = found.get(key)
        if row is None:
            head, at = heads.get(key, (None, 0))
            row = f.SourceRow(source_id=source, records=0, hashes=[], observed=head, observed_at=dates.stamp(at) if head else None)
            found[key] = row
        row.records += 1
        if hash is not None:
            row.hashes = [hash, *(other for other in row.hashes if other != hash)][: config.SOURCE_HASHES]
    return list(found.items())
