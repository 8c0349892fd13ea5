"""Where the memories of a place may be when its own bank has none: banks of names that it can have had, and `default`.

A project's bank changes its name with its remote and its folder; nothing moves by itself. For `bank` and a recall that finds nothing.
"""

from __future__ import annotations

from memory_wire.cli.target import found_bank
from memory_wire.errors import MemoryWireError
from memory_wire.identity import Identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.cli.args import Value
    from memory_wire.client import Client, Memory

DEFAULT = "default"  # where memories go that come over HTTP and Python without a bank


def counts(target: Client | Memory) -> dict[str, int]:
    """Memories by bank."""
    return {row.bank: row.memories for row in target.banks()}


def others(found: Identity, held: dict[str, int]) -> list[str]:
    """Banks with memories that can have been this place's, the likeliest first."""
    return found.likely(name for name, count in held.items() if count)


def move(source: str, to: str, there: bool) -> str:
    """The command that brings the memories of a bank to another one, which is `there` or is made by it."""
    return f"memory-wire banks {'merge' if there else 'rename'} {word(source)} {word(to)}"


def nothing(values: dict[str, Value], target: Client | Memory, bank: str) -> str:
    """What to say when nothing was found in a bank, with where else it may be if the bank is empty."""
    text = f"nothing found in bank {bank}"
    try:
        held = counts(target)
    except MemoryWireError:  # a key that may not list banks
        return text
    found, empty = found_bank(values), not held.get(bank)
    if empty:
        text += ", which is empty" if bank in held else ", which is not there yet"
    former = [name for name in (found.former, *others(found, held)) if name and name != bank and held.get(name)]
    sure = [name for name in former if empty or name == found.former or name in found.others]
    if sure:
        return f"{text}; {sure[0]} holds {held[sure[0]]:,} memories and may be its former name: `memory-wire bank` says how to move them"
    if empty and bank != DEFAULT and held.get(DEFAULT):
        return f"{text}; {DEFAULT} holds {held[DEFAULT]:,}: `--bank {DEFAULT}` asks there"
    return text


def word(text: str) -> str:
    """The text as one word of a shell."""
    from shlex import quote

    return quote(text)
