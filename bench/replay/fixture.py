"""The replay's fixture: what hooks reported in three days, in order of time, and the turns that were spoken."""

from __future__ import annotations

from pathlib import Path

import msgspec

FOLDER = Path(__file__).parent


class Turn(msgspec.Struct):
    session: str
    index: int
    at: str
    user: str
    assistant: str


class Event(msgspec.Struct, omit_defaults=True):
    """One firing of one host's hook. `turns` are numbers within the session, `half`: the answer wasn't complete yet; `label` is the
    battery's prompt."""

    at: str
    host: str
    session: str
    event: str
    frozen: bool = False
    source: str | None = None
    prompt: str | None = None
    previous: str | None = None
    label: str | None = None
    turns: list[int] = []
    half: bool = False


def events() -> list[Event]:
    return [msgspec.json.decode(line, type=Event) for line in (FOLDER / "events.jsonl").read_bytes().splitlines()]


def turns() -> dict[tuple[str, int], Turn]:
    found = [msgspec.json.decode(line, type=Turn) for line in (FOLDER / "turns.jsonl").read_bytes().splitlines()]
    return {(turn.session, turn.index): turn for turn in found}


def half(text: str) -> str:
    """The first half of an answer, ended at a word."""
    return text[: len(text) // 2].rsplit(" ", 1)[0]
