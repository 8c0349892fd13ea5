"""The searchable pieces of a bank in memory: mapped segments and live arenas in id order, each with its tombstones.

Used by BankIndex, under its lock.
"""

from __future__ import annotations

from bisect import bisect_right

from memory_wire.index.manifest import Entry
from memory_wire.kernels.postings import Live, Segment, dead_bits, dead_runs


class Piece:
    """A segment (with its manifest entry) or a live arena (without), and which of its units are dead."""

    __slots__ = ("_bits", "_frozen", "entry", "part")

    def __init__(self, part: Segment | Live, entry: Entry | None = None) -> None:
        self.part, self.entry = part, entry
        self._bits: bytearray | None = None
        self._frozen: bytes | None = None
        if entry is not None:
            self.revive(entry)

    @property
    def live(self) -> Live:
        assert isinstance(self.part, Live)
        return self.part

    @property
    def segment(self) -> Segment:
        assert isinstance(self.part, Segment)
        return self.part

    @property
    def min_id(self) -> int:
        return self.part.min_id

    @property
    def max_id(self) -> int:
        return self.part.max_id

    @property
    def n_units(self) -> int:
        return self.part.n_units

    def revive(self, entry: Entry) -> None:
        """Back to the tombstones of a manifest entry. Raises Corrupt."""
        self.entry = entry
        self._bits = dead_bits(entry.dead, entry.units) if entry.n_dead else None
        self._frozen = None

    def kill(self, unit_id: int) -> bool:
        """Marks a unit dead; False when this piece doesn't hold it. Raises Corrupt."""
        unit = self.part.find_unit(unit_id)
        if unit < 0:
            return False
        if self._bits is None:
            room = self.part.max_units if isinstance(self.part, Live) else self.part.n_units
            self._bits = bytearray((room + 63) // 64 * 8)
        self._bits[unit >> 3] |= 1 << (unit & 7)
        self._frozen = None
        return True

    @property
    def dead(self) -> bytes | None:
        """The tombstones now, never changed afterwards: what a snapshot holds."""
        if self._frozen is None and self._bits is not None:
            self._frozen = bytes(self._bits)
        return self._frozen

    def dead_without(self, unit_ids: list[int]) -> bytes | None:
        """The tombstones as they were before these units died."""
        if self._bits is None or not unit_ids:
            return self.dead
        bits = bytearray(self._bits)
        for unit_id in unit_ids:
            unit = self.part.find_unit(unit_id)
            if unit >= 0:
                bits[unit >> 3] &= ~(1 << (unit & 7))
        return bytes(bits)

    def described(self, revived: list[int]) -> Entry:
        """The manifest entry of a segment with its tombstones of now, less those of `revived` units."""
        assert self.entry is not None
        runs = dead_runs(self.dead_without(revived), self.entry.units)
        old = self.entry
        return Entry(file=old.file, min_id=old.min_id, max_id=old.max_id, units=old.units, n_dead=sum(runs[1::2]), dead=runs)


class Pieces:
    """Pieces by ascending, disjoint id ranges."""

    __slots__ = ("all",)

    def __init__(self) -> None:
        self.all: list[Piece] = []

    def add(self, piece: Piece) -> None:
        """Puts a piece, which has units, where its ids belong."""
        at = len(self.all)
        while at and self.all[at - 1].min_id > piece.min_id:
            at -= 1
        self.all.insert(at, piece)

    def remove(self, piece: Piece) -> None:
        self.all.remove(piece)

    def holding(self, unit_id: int) -> Piece | None:
        """The piece whose id range the unit would be in."""
        at = bisect_right(self.all, unit_id, key=lambda piece: piece.min_id)
        return self.all[at - 1] if at and unit_id <= self.all[at - 1].max_id else None

    def kill(self, unit_id: int) -> bool:
        """Marks a unit dead wherever it is; False when no piece holds it. Raises Corrupt."""
        piece = self.holding(unit_id)
        return piece is not None and piece.kill(unit_id)

    def sealed(self) -> list[Piece]:
        return [piece for piece in self.all if piece.entry is not None]

    def live(self) -> list[Piece]:
        return [piece for piece in self.all if piece.entry is None]

    def members(self) -> list[tuple[Segment | Live, int, bytes | None]]:
        """What a snapshot is made of, now."""
        return [(piece.part, piece.n_units, piece.dead) for piece in self.all]
