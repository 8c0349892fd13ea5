"""The block that goes into a model's context: dated lines of memories under a heading, the same bytes for the same memories."""

from __future__ import annotations

from msgspec import UNSET

from memory_wire import config, framing
from memory_wire import types as t
from memory_wire.service import dates, prose
from memory_wire.store.ids import show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memory_wire.retrieve.pipeline import Row
    from memory_wire.service.fusing import Ranks
    from memory_wire.store.ledger import Held

START = "session-start"


def n_bytes(line: str) -> int:
    return len(line.encode())


class Block:
    """Lines under construction. Memories are taken while they fit into `room`, measured by `size`; `chars` is the longest of one.

    The first of `capsules` that hides something is preceded by the command that shows memories whole; `told`: it stands further up.
    """

    __slots__ = ("bank", "capsules", "chars", "entries", "lines", "noted", "room", "size", "told")

    def __init__(self, bank: str, capsules: bool, chars: int, room: int = 0, size: Callable[[str], int] = len, told: bool = False) -> None:
        self.bank, self.capsules, self.chars, self.room, self.size, self.told = bank, capsules, chars, room, size, told
        self.lines: list[str] = []
        self.entries: list[t.Entry] = []
        self.noted: list[tuple[int, float, bool]] = []

    def take(self, unit: Row, relevance: float, ranks: Ranks | None = None) -> None:
        """Adds a memory if there is room for it. Capsules change how memories are shown, not which: room is counted as without."""
        cost = self.size(prose.entry(unit.content, day(unit), self.chars)) + 1
        if cost > self.room:
            return
        self.room -= cost
        self.add(unit, self.chars, self.capsules)
        self.noted.append((unit.id, relevance, self.capsules))
        entry = t.Entry(id=show(unit.uid), created_at=dates.stamp(unit.created), relevance=round(relevance, 4))
        if ranks is not None:
            entry.lexical_rank, entry.vector_rank = ranks.lexical or UNSET, ranks.vector or UNSET
        self.entries.append(entry)

    def add(self, unit: Row, chars: int, capsule: bool) -> None:
        """Adds the line of a memory."""
        id = show(unit.uid)
        line = prose.entry(unit.content, day(unit), chars, id if capsule else None)
        if capsule and not self.told and line.endswith(f"({id})"):
            self.told = True
            self.lines.append(framing.fetch(self.bank))
        self.lines.append(line)

    def text(self) -> str:
        """The lines under their heading; empty without any."""
        return "\n".join([framing.recall_heading(self.bank), framing.LABEL, *self.lines]) if self.lines else ""


def held_block(bank: str, held: Sequence[Held], units: Mapping[int, Row]) -> Block:
    """What was injected before, as it was; a memory that was forgotten since is gone."""
    block = Block(bank, False, 0)
    for one in held:
        unit = units.get(one.unit)
        if unit is not None:
            block.add(unit, entry_chars(one.event), bool(one.capsule))
    return block


def frame(bank: str, size: Callable[[str], int]) -> int:
    """Size of heading and label, each with its line end."""
    return size(framing.recall_heading(bank)) + size(framing.LABEL) + 2


def entry_chars(event: str) -> int:
    """The longest that one memory may be."""
    return config.INJECT_START_CHARS if event == START else config.INJECT_CHARS


def day(unit: Row) -> str | None:
    """The date of a memory; None for 1970, which stands for a date nobody knows."""
    return dates.stamp(unit.created)[:10] if unit.created else None


def joined(first: str, second: str) -> str:
    return f"{first}\n\n{second}" if first and second else first or second
