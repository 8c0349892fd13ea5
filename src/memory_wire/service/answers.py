"""Records as they are answered: a page of them with provenance, statuses and the ids of all that they refer to, in a few queries."""

from __future__ import annotations

from msgspec import json

from memory_wire import config
from memory_wire import types as t
from memory_wire.service import dates, statuses
from memory_wire.store.ids import show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from memory_wire.retrieve.pipeline import Row
    from memory_wire.service.statuses import Hashes, Standing
    from memory_wire.store.records import Records, Sight
    from memory_wire.store.rows import Bank

PASSIVE = {  # as the other end of a link has it
    "refines": "refined_by",
    "outdates": "outdated_by",
    "supports": "supported_by",
    "contradicts": "contradicted_by",
}


class Answers:
    """What is told of the units of one page. `standings` has those that the caller may see."""

    def __init__(
        self, records: Records, bank: Bank, sight: Sight, ids: Sequence[int], hashes: Hashes, known: dict[int, Standing] | None = None
    ) -> None:
        self.standings = statuses.standings(records, bank, sight, ids, hashes) if known is None else known
        self.rows = records.rows(ids)
        self.superseded = records.superseded(ids, sight)
        self.sources = records.sources(ids)
        self.links: dict[int, list[tuple[int, t.Relation]]] = {}
        named = {unit for sources in self.sources.values() for unit in sources}
        named.update([row.supersedes for row in self.rows.values() if row.supersedes is not None])
        marks = records.marks(named, sight)
        self.seen = {unit for unit, mark in marks.items() if mark.visible}
        self.live = {unit for unit in self.seen if marks[unit].live}
        for unit in ids:
            standing = self.standings.get(unit)
            if standing is not None:
                named.update([one for one, _ in standing.peers])
        named.update(self.superseded.values())
        self.link(records, bank, sight, ids)
        named.update([other for links in self.links.values() for other, _ in links])
        self.shown = {unit: show(uid) for unit, uid in records.uids(named).items()}

    def link(self, records: Records, bank: Bank, sight: Sight, ids: Sequence[int]) -> None:
        """The links of which both ends may be seen."""
        links = records.links(bank, ids)
        if not links:
            return
        ends = list({link.source for link in links} | {link.target for link in links})
        seen = statuses.standings(records, bank, sight, ends, statuses.Hashes())
        for link in sorted(links, key=lambda link: (-(link.weight or 0.0), link.type, link.source, link.target)):
            ends_of = ((link.source, link.target, link.type), (link.target, link.source, PASSIVE.get(link.type, link.type)))
            for one, other, type in ends_of:
                if one in seen and other in seen:
                    relation = t.Relation(id="", type=type, weight=link.weight, reason=link.reason)
                    self.links.setdefault(one, []).append((other, relation))

    def ids(self, units: Iterable[int]) -> list[str]:
        """Public ids; what is gone without a trace has none."""
        return [self.shown[unit] for unit in units if unit in self.shown]

    def id(self, unit: int | None) -> str | None:
        return self.shown.get(unit) if unit is not None else None

    def fields(self, unit: Row) -> dict[str, Any]:
        """The fields of types.Record."""
        row, standing = self.rows[unit.id], self.standings[unit.id]
        same = [one for one, sameness in standing.peers if sameness == standing.sameness]
        oldest = min(same, default=unit.id)
        return {
            "id": show(unit.uid),
            "content": unit.content,
            "status": standing.statuses[0],
            "statuses": standing.statuses,
            "conflict_with": self.ids(standing.others),
            "stale_reason": self.reason(unit.id),
            "fact_key": row.fact_key,
            "source": row.source,
            "source_id": row.source_id,
            "source_hash": row.source_hash,
            "source_revision": row.source_revision,
            "confidence": config.CONFIDENCE if row.confidence is None else row.confidence,
            "derived_from": self.ids([source for source in self.sources.get(unit.id, ()) if source in self.live]),
            "inherited_from": self.ids([source for source in standing.inherited if source in self.seen]),
            "graph_relations": self.relations(unit.id),
            "created_at": dates.stamp(unit.created),
            "also": self.ids(standing.also),
            "duplicate_of": self.id(oldest) if oldest != unit.id else None,
            "scope": row.scope,
            "kind": row.kind,
            "pinned": bool(row.pinned),
            "aliases": json.decode(row.aliases) if row.aliases else [],
            "supersedes": self.id(row.supersedes) if row.supersedes in self.live else None,
            "superseded_by": self.id(self.superseded.get(unit.id)),
            "flagged": json.decode(row.flags).get("guard") if row.flags else None,
        }

    def relations(self, unit: int) -> list[t.Relation]:
        found = []
        for other, relation in self.links.get(unit, ()):
            id = self.id(other)
            if id is not None:
                relation.id = id
                found.append(relation)
        return found

    def reason(self, unit: int) -> t.StaleReason | None:
        """Why the record is stale, its own reason first."""
        standing, row = self.standings[unit], self.rows[unit]
        if not standing.flags & statuses.STALE:
            return None
        if standing.compared is not None:
            return t.StaleReason(
                reason="source_changed", source_id=row.source_id or "", stored=row.source_hash or "", compared=standing.compared
            )
        return t.StaleReason(reason="source_forgotten" if standing.forgotten else "inherited")
