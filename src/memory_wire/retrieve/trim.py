"""The budget trim of the `/banks` contract, to the character. Called by the pipeline while it walks the ranking.

One token is four characters (Unicode code points). A first-ranked hit that doesn't fit is cut and takes the whole budget; a lower one
that doesn't fit is skipped, and smaller ones further down may still be served.
"""

from __future__ import annotations

from memory_wire.config import CHARS_PER_TOKEN, TRUNCATED


class Trim:
    """Takes contents in rank order and says what of each is served."""

    __slots__ = ("first", "room")

    def __init__(self, budget: int) -> None:
        self.room = budget * CHARS_PER_TOKEN
        self.first = True

    def take(self, content: str) -> str | None:
        """The content, its cut form, or None when it is skipped."""
        size = len(content)
        if size <= self.room:
            self.room -= size
            self.first = False
            return content
        if not self.first:
            return None
        self.first = False
        room, self.room = self.room, 0
        return cut(content, room)


def cut(content: str, room: int) -> str | None:
    """The content cut to exactly `room` characters, with the marker when it leaves room for text; None for no room."""
    if room <= 0:
        return None
    marker = len(TRUNCATED)
    return content[: room - marker] + TRUNCATED if room > marker else content[:room]
