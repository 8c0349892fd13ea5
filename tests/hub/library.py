"""Documents of many sections for the tests beside this one."""

from __future__ import annotations

from typing import NamedTuple

from memory_wire import documents as d
from memory_wire.client import Memory

WORDS = "amber birch cedar delta ember fjord grove heron inlet jetty knoll larch maple north ocean plume quartz ridge slate tundra".split()


def word(number: int) -> str:
    """A word of its own for a number."""
    return f"{WORDS[number % len(WORDS)]}{number}"


def section(number: int, more: str = "") -> str:
    return f"## Part {number}\n\nAbout {word(number)}{more}.\n\n"


def guide(count: int) -> str:
    return "# Guide\n\n" + "".join(section(number) for number in range(count))


class Seen(NamedTuple):
    document: str
    breadcrumb: str
    content: str
    score: float


class Library:
    """A memory, with what the tests look at."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    def make(self, markdown: str, **more: str) -> str:
        return self.memory.create_doc(markdown, **more).id

    def text(self, id: str) -> str:
        found = self.memory.read_doc(id).markdown
        assert isinstance(found, str)
        return found

    def found(self, query: str) -> list[str]:
        """Breadcrumbs of what a recall finds."""
        return [hit.breadcrumb for hit in self.memory.recall(query) if isinstance(hit.breadcrumb, str)]

    def counters(self, saved: d.Saved) -> tuple[int, int, int, int, int]:
        """total, indexed, reused, pruned, moved"""
        chunks = saved.chunks
        return chunks.total, chunks.indexed, chunks.reused, chunks.pruned, chunks.moved
