"""Records as they go into a model's context: what is doubtful about one is said in words before it. Loaded with the first record."""

from __future__ import annotations

from msgspec import structs

from memory_wire.service import access, statuses
from memory_wire.service.statuses import Hashes
from memory_wire.store.rows import RECORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.store.protocol import Tx
    from memory_wire.store.reader import Reader
    from memory_wire.store.rows import Bank, Found
    from memory_wire.types import Scope

CONFLICT = "(conflicts with another record)"
STALE = "(stale: its source has changed)"
SUPERSEDED = "(superseded)"


def marked(source: Reader | Tx, bank: Bank, scope: Scope, units: dict[int, Found]) -> dict[int, Found]:
    """The units, doubtful records with a word before what they say; without those that the caller may not see."""
    ids = [id for id, unit in units.items() if unit.kind == RECORD]
    records, sight = source.records, access.sight(source, scope)
    standings = statuses.standings(records, bank, sight, ids, Hashes())
    superseded = records.superseded(ids, sight)
    found = {}
    for id, unit in units.items():
        standing = standings.get(id)
        if standing is not None:
            held = (
                (standing.flags & statuses.CONFLICT, CONFLICT),
                (standing.flags & statuses.STALE, STALE),
                (id in superseded, SUPERSEDED),
            )
            words = [word for holds, word in held if holds]
            found[id] = structs.replace(unit, content=" ".join([*words, unit.content])) if words else unit
        elif unit.kind != RECORD:
            found[id] = unit
    return found
