"""Which records of a source still agree with it. Notes the hash as the source's; never changes a record. Loaded when first asked for."""

from __future__ import annotations

from memory_wire import config
from memory_wire import types as t
from memory_wire.errors import Invalid
from memory_wire.service import access, provenance, records, statuses, validate
from memory_wire.service.changes import Outcome
from memory_wire.service.statuses import Hashes
from memory_wire.store.ids import show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.service.service import Service
    from memory_wire.store.protocol import Tx
    from memory_wire.store.records import Records, Sight
    from memory_wire.store.rows import Bank

    Work = Callable[[Tx], Outcome]


def validate_memory(request: t.ValidateMemory, scope: t.Scope, service: Service) -> Work:
    """The work that compares a source's records with a hash. A source that nobody named is no error."""
    scope, keys, now = records.place(request, scope), service.keys, service.now()
    name = validate.key("source_id", request.source_id)
    if name is None:
        raise Invalid("source_id", "must not be blank")
    hash = provenance.string("current_source_hash", request.current_source_hash, config.SOURCE_HASH_CHARS).strip()
    if not hash:
        raise Invalid("current_source_hash", "must not be blank")
    key, shown = keys.hashed(name), keys.shown("source_id", name, [])
    kept = provenance.hash_of("current_source_hash", hash, keys, [])

    def work(tx: Tx) -> Outcome:
        bank = tx.bank(scope.project, scope.bank)
        if bank is None:
            return Outcome(Checks().told(shown))
        sight = access.sight(tx, scope)
        checks = Checks()
        checks.of(tx.records, bank, sight, tx.records.of_source(bank, key, sight), Hashes({key: hash}))
        if checks.checked and kept is not None and access.observes(scope):
            tx.records.observe(bank, key, kept, now)
        return Outcome(checks.told(shown))

    return work


class Checks:
    """The records of a source, sorted by how they stand."""

    def __init__(self) -> None:
        self.checked = 0
        self.fresh: list[str] = []
        self.stale: list[t.StaleRecord] = []
        self.unhashed: list[str] = []
        self.conflicts: list[t.ConflictGroup] = []
        self.affected: list[str] = []
        self.cut = False

    def of(self, found: Records, bank: Bank, sight: Sight, units: list[int], hashes: Hashes) -> None:
        """Takes in the live records of the source."""
        standings = statuses.standings(found, bank, sight, units, hashes)
        rows = found.rows(standings)
        groups: dict[bytes, list[int]] = {}
        doubted: list[int] = []
        uids = found.uids(standings)
        self.checked = len(standings)
        for unit, standing in standings.items():
            row = rows[unit]
            if row.source_hash is None:
                self.unhashed.append(show(uids[unit]))
            elif standing.compared is None:
                self.fresh.append(show(uids[unit]))
            else:
                self.stale.append(t.StaleRecord(id=show(uids[unit]), stored_hash=row.source_hash))
            if standing.own & statuses.CONFLICT and row.fact is not None:
                groups[row.fact] = [peer for peer, _ in standing.peers]
                groups[row.fact].sort()
            if standing.own:
                doubted.append(unit)
        names = {rows[unit].fact: rows[unit].fact_key for unit in reversed(standings)}  # as the oldest spells it
        uids = found.uids([unit for group in groups.values() for unit in group])
        for fact, group in groups.items():
            self.conflicts.append(t.ConflictGroup(fact_key=names[fact] or "", ids=[show(uids[unit]) for unit in group]))
        self.below(found, bank, sight, doubted)

    def below(self, found: Records, bank: Bank, sight: Sight, doubted: list[int]) -> None:
        """What was derived from those that are in doubt, at any depth."""
        below = found.below(doubted) if doubted else []
        marks = found.marks(below, sight)
        live = [unit for unit in below if marks[unit].live]
        seen = statuses.standings(found, bank, sight, live, Hashes()) if sight.params else dict.fromkeys(live)
        uids = found.uids(live)
        self.affected = [show(uids[unit]) for unit in live if unit in seen]

    def told(self, source: str) -> t.Validated:
        most = config.RECORDS_NAMED
        lists = (self.fresh, self.stale, self.conflicts, self.unhashed, self.affected)
        answer = t.Validated(
            source_id=source,
            checked=self.checked,
            fresh=self.fresh[:most],
            stale=self.stale[:most],
            conflicts=self.conflicts[:most],
            unhashed=self.unhashed[:most],
            summaries_affected=self.affected[:most],
        )
        if any(len(entries) > most for entries in lists):
            answer.truncated = True
        return answer
