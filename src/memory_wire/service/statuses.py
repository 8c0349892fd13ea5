"""How far records can be trusted, computed when asked: conflict, stale, unverified, and what they inherit from their sources.

A record is in conflict while another one says something else under its fact key, stale while its source is known to have another hash or a
record it was derived from is gone. What was derived has the statuses of all it comes from, at any depth. Nothing of this is stored.
"""

from __future__ import annotations

from msgspec import Struct

from memory_wire.config import GROUP_SHOWN
from memory_wire.hashes import agree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memory_wire.store.records import Mark, Records, Sight
    from memory_wire.store.rows import Bank

CONFLICT, STALE, HIDDEN = 1, 2, 4  # HIDDEN: it, or something it comes from, may not be seen
WORDS = ("unverified", "stale", "conflict")


class Hashes(Struct):
    """What source hashes are compared with: those given by source key, else `every` for all, else the last one seen of the source."""

    given: dict[bytes, str] = {}
    every: str | None = None


class Standing(Struct):
    """Where one record stands. Numbers are unit ids; `compared` the hash its own differs from."""

    flags: int = 0
    own: int = 0
    compared: str | None = None
    forgotten: bool = False
    peers: list[tuple[int, bytes]] = []
    sameness: bytes | None = None
    unit: int = 0
    inherited: list[int] = []

    @property
    def statuses(self) -> list[str]:
        """All that hold, the worst first."""
        held = [word for flag, word in ((CONFLICT, WORDS[2]), (STALE, WORDS[1])) if self.flags & flag]
        return held or [WORDS[0]]

    @property
    def others(self) -> list[int]:
        """Records of the fact key that say something else, newest first."""
        return [unit for unit, sameness in self.peers if sameness != self.sameness]

    @property
    def also(self) -> list[int]:
        """Records of the fact key that say the same, newest first."""
        return [unit for unit, sameness in self.peers if sameness == self.sameness and unit != self.unit]


def standings(records: Records, bank: Bank, sight: Sight, ids: Sequence[int], hashes: Hashes) -> dict[int, Standing]:
    """Where each of the live records stands; those that may not be seen, they or what they come from, are left out."""
    walk = Walk(records, bank, sight, hashes)
    walk.visit(ids)
    walk.compare()
    flags = walk.spread()
    return {unit: walk.standing(unit, flags) for unit in ids if unit in walk.marks and not flags.get(unit, 0) & HIDDEN}


class Walk:
    """The records in question, all they come from, and what is known of each."""

    def __init__(self, records: Records, bank: Bank, sight: Sight, hashes: Hashes) -> None:
        self.records, self.bank, self.sight, self.hashes = records, bank, sight, hashes
        self.marks: dict[int, Mark] = {}
        self.sources: dict[int, dict[int, None]] = {}
        self.peers: dict[bytes, list[tuple[int, bytes]]] = {}
        self.heads: dict[bytes, str] = {}
        self.own: dict[int, int] = {}
        self.against: dict[int, str] = {}  # the hash that a stale one's own differs from

    def visit(self, ids: Iterable[int]) -> None:
        """Takes in the units and all that they were derived from."""
        edges = self.records.closure(ids)
        for unit, source in edges:
            self.sources.setdefault(unit, {})[source] = None
        units = dict.fromkeys([*ids, *[unit for edge in edges for unit in edge]])
        fresh = [unit for unit in units if unit not in self.marks]
        self.marks.update(self.records.marks(fresh, self.sight))

    def compare(self) -> None:
        """What each record has by itself: conflicts by its fact key, staleness by its source."""
        self.group([mark for mark in self.marks.values() if mark.live])
        live = [mark for mark in self.marks.values() if mark.live]
        self.heads = self.records.heads(self.bank, {mark.source_key: None for mark in live if mark.source_key and mark.source_hash})
        for mark in live:
            found = 0 if mark.visible else HIDDEN
            if mark.fact is not None and any(sameness != mark.sameness for _, sameness in self.peers.get(mark.fact, ())):
                found |= CONFLICT
            compared = self.compared(mark)
            if compared is not None:
                self.against[mark.unit] = compared
                found |= STALE
            if found:
                self.own[mark.unit] = found
        for unit, sources in self.sources.items():
            if any(self.is_gone(source) for source in sources):
                self.own[unit] = self.own.get(unit, 0) | STALE

    def group(self, live: list[Mark]) -> None:
        """The live records of every fact key, as far as the caller may see them with all that they come from."""
        for mark in live:
            if mark.fact is not None and mark.fact not in self.peers:
                peers = self.peers[mark.fact] = self.records.peers(self.bank, mark.fact, self.sight, GROUP_SHOWN)
                if len(peers) == GROUP_SHOWN and len({sameness for _, sameness in peers}) == 1:  # what differs may be older
                    peers += self.records.unlike(self.bank, mark.fact, peers[0][1], self.sight, GROUP_SHOWN)
        if self.sight.condition == "1":
            return
        self.visit([unit for peers in self.peers.values() for unit, _ in peers])
        hidden = self.below({mark.unit: HIDDEN for mark in self.marks.values() if mark.live and not mark.visible})
        self.peers = {fact: [peer for peer in peers if peer[0] not in hidden] for fact, peers in self.peers.items()}

    def compared(self, mark: Mark) -> str | None:
        """The hash that a record's own differs from; None when it agrees or there is nothing to compare."""
        if mark.source_key is None or mark.source_hash is None:
            return None
        now = self.hashes.given.get(mark.source_key) or self.hashes.every or self.heads.get(mark.source_key)
        return now if now is not None and not agree(mark.source_hash, now) else None

    def is_gone(self, unit: int) -> bool:
        mark = self.marks.get(unit)
        return mark is None or not mark.live

    def spread(self) -> dict[int, int]:
        """The flags of every unit: its own and those of all it comes from."""
        return self.below(self.own)

    def below(self, flags: dict[int, int]) -> dict[int, int]:
        """Flags handed on to what was derived from their units, as long as that adds something. What is gone hands nothing on."""
        derived: dict[int, list[int]] = {}
        for unit, sources in self.sources.items():
            for source in sources:
                if not self.is_gone(source):
                    derived.setdefault(source, []).append(unit)
        flags = dict(flags)
        queue = list(flags)
        while queue:
            source = queue.pop()
            for unit in derived.get(source, ()):
                before = flags.get(unit, 0)
                if flags[source] & ~before:
                    flags[unit] = before | flags[source]
                    queue.append(unit)
        return flags

    def standing(self, unit: int, flags: dict[int, int]) -> Standing:
        mark = self.marks[unit]
        sources = self.sources.get(unit, ())
        gone = [source for source in sources if self.is_gone(source)]
        doubted = [source for source in sources if source in gone or flags.get(source, 0)]
        return Standing(
            flags=flags.get(unit, 0),
            own=self.own.get(unit, 0),
            compared=self.against.get(unit),
            forgotten=bool(gone),
            peers=self.peers.get(mark.fact, []) if mark.fact is not None else [],
            sameness=mark.sameness,
            unit=unit,
            inherited=doubted,
        )
