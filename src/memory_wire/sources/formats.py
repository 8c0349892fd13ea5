"""The formats that can be imported, by name, and how the one of a source is told from its content."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

from memory_wire.errors import Invalid
from memory_wire.sources.documents import format_of
from memory_wire.sources.files import UNREADABLE, Member, Source
from memory_wire.sources.items import Found
from memory_wire.sources.notes import SUFFIXES

OWN = "memory-wire"
READERS = {  # module and function
    "agentmemory": ("agentmemory", "read"),
    "chatgpt": ("chats", "chatgpt"),
    "claude": ("chats", "claude"),
    "hindsight": ("hindsight", "read"),
    "mcp-memory": ("mcp_memory", "read"),
    "mem0": ("mem0", "read"),
    "notes": ("notes", "read"),
}
LOOKED = 50  # members of a folder that are looked into


def reader(format: str) -> Callable[[Source], Iterator[Found]]:
    """The function that reads a format. Raises Invalid for one that isn't known."""
    if format not in READERS:
        raise Invalid("from", f"must be one of {', '.join([*READERS, OWN])}")
    module, function = READERS[format]
    found: Callable[[Source], Iterator[Found]] = getattr(import_module(f"memory_wire.sources.{module}"), function)
    return found


def detect(source: Source) -> str:
    """The format of a source, from what is in it. Raises Invalid when it is none that is known."""
    if not source.folder:
        member = source.all[0]
        found = told(member)
        if found is None and member.name.lower().endswith(SUFFIXES):
            found = "notes"
    else:
        found = of_many(source)
    if found is None:
        raise Invalid("file", f"{source.path} is in no format that is known; --from names one of {', '.join([*READERS, OWN])}")
    return found


def told(member: Member) -> str | None:
    """The format of one file; None for what can't be read as well."""
    try:
        return format_of(member)
    except (*UNREADABLE, Invalid):
        return None


def of_many(source: Source) -> str | None:
    """A folder or archive: notes where there are more than JSON that is known, else what the first known JSON is."""
    notes = sum(1 for member in source.all if member.name.lower().endswith(SUFFIXES))
    known: list[str] = []
    for member in [member for member in source.all if member.name.lower().endswith((".json", ".jsonl", ".gz"))][:LOOKED]:
        found = told(member)
        if found is not None:
            known.append(found)
    if notes > len(known):
        return "notes"
    return max(known, key=known.count, default=None)
