"""The frozen battery: own memories of several projects and styles, and prompts with the memories that answer them (none for `junk`).

A memory is a line `id date text` (`\\n` for a line break), its style the file's name; a prompt is a line of prompts.jsonl.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

DATA = Path(__file__).parent / "data"


class Memory(msgspec.Struct):
    key: str
    date: str
    text: str
    style: str


class Prompt(msgspec.Struct):
    """`gold`: keys of memories any of which is right; empty where nothing in the bank is."""

    id: str
    kind: str
    prompt: str
    gold: list[str]
    previous: str | None = None


def memories() -> list[Memory]:
    """All memories, by date."""
    found = []
    for path in sorted(DATA.glob("*.txt")):
        for line in path.read_text().splitlines():
            key, date, text = line.split(" ", 2)
            found.append(Memory(key, date, text.replace("\\n", "\n"), path.stem))
    return sorted(found, key=lambda memory: (memory.date, memory.key))


def prompts(name: str = "prompts") -> list[Prompt]:
    """All prompts in order; `heldout` are those that were written after the rule was settled, never used to change it."""
    return [msgspec.json.decode(line, type=Prompt) for line in (DATA / f"{name}.jsonl").read_bytes().splitlines()]
