"""A shared chat of Gemini: its page asks for it with a batch of remote calls, whose answer is lines of JSON with JSON inside."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from memory_wire.errors import Invalid

RPC = "ujx1Bf"  # the call that reads a shared chat


def of_gemini(text: str) -> tuple[str, list[tuple[str, str]]]:
    """(title, messages by role). Raises Invalid where there is no chat in it."""
    payload = next(payloads(text), None)
    title = found(payload, 0, 2, 1)
    messages: list[tuple[str, str]] = []
    turns = found(payload, 0, 1)
    for turn in turns if isinstance(turns, list) else []:
        for role, said in (("user", found(turn, 2, 0, 0)), ("assistant", found(turn, 3, 0, 0, 1, 0))):
            if isinstance(said, str) and said.strip():
                messages.append((role, said))
    if not messages:
        raise Invalid("url", "no chat was answered")
    return " ".join(title.split()) if isinstance(title, str) and title.strip() else "Gemini conversation", messages


def payloads(text: str) -> Iterator[object]:
    """What the call answered, from the lines that are JSON."""
    for line in text.split("\n"):
        if not line.startswith("[["):
            continue
        try:
            for entry in msgspec.json.decode(line):
                if found(entry, 0) == "wrb.fr" and found(entry, 1) == RPC and isinstance(inner := found(entry, 2), str):
                    yield msgspec.json.decode(inner)
        except (msgspec.DecodeError, RecursionError):
            continue


def found(value: object, *path: int) -> object:
    """What stands at a place in lists within lists; None when there is nothing."""
    for place in path:
        if not isinstance(value, list) or place >= len(value):
            return None
        value = value[place]
    return value
