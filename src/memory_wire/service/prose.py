"""Texts made short: long ones cut, memories rendered as lines of a block. Used by injection and capture."""

from __future__ import annotations

from memory_wire import config, framing
from memory_wire.service.defuse import defused

CUT = "…"
ENDS = ".!?…"
WIDE_ENDS = "。！？"
LEAST_CAPSULE = 40  # characters; a shorter sentence brings the next along


def clamped(text: str, chars: int) -> str:
    """At most `chars` characters, the last of them `…` when some were cut."""
    return text if len(text) <= chars else text[: chars - 1].rstrip() + CUT


def capsule(content: str, chars: int = config.CAPSULE_CHARS) -> str:
    """The first line, cut at the end of its first sentence; where none ends within `chars` characters, at a word, with `…`."""
    line = framing.flat(content.strip().partition("\n")[0])
    for at in range(LEAST_CAPSULE, min(len(line), chars + 1)):
        if (line[at - 1] in ENDS and line[at] == " ") or line[at - 1] in WIDE_ENDS:
            return line[:at]
    if len(line) <= chars:
        return line
    blank = line.rfind(" ", chars // 2, chars)
    return line[: blank if blank > 0 else chars - 1] + CUT


def entry(content: str, day: str | None, chars: int, id: str | None = None) -> str:
    """One memory as a line of a block. With `id` it is a capsule, followed by the id when that hides something, unless it saves nothing.

    Marks of hosts and chat templates are defused.
    """
    whole = framing.flat(content)
    shown = clamped(whole, chars)
    if id is not None:
        short = capsule(content)
        if short != whole:
            short = f"{short} ({id})"
        if len(short) < len(shown):
            shown = short
    shown = defused(shown)
    return f"- [{day}] {shown}" if day else f"- {shown}"
