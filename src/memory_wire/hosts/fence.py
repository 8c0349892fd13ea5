"""A block of ours between two marks in a file of the user's: put in at its end, replaced where it stands, taken out without a trace.

Everything outside the marks stays byte for byte, line ends too; whether the file ended with a line end is read back from the block's own.
"""

from __future__ import annotations

from msgspec import Struct

from memory_wire.hosts.base import Refused


class Fence(Struct, frozen=True):
    """The two marks."""

    start: str
    end: str

    def span(self, text: str) -> tuple[int, int] | None:
        """From the first mark to behind the second, None without any. Raises Refused when they are not one pair in order."""
        counts = text.count(self.start), text.count(self.end)
        if counts == (0, 0):
            return None
        start, end = text.find(self.start), text.find(self.end)
        if counts != (1, 1) or end < start:
            raise Refused(f"the marks {self.start} and {self.end} are not one pair; left untouched")
        return start, end + len(self.end)

    def put(self, text: str | None, body: str) -> str:
        """The text with the block; `body` is lines without the last line end. Raises Refused."""
        span = self.span(text or "")
        line = line_end(text or "" if span is None else (text or "")[span[0] : span[1]])
        block = f"{self.start}\n{body}\n{self.end}".replace("\n", line)
        if text is None:
            return block + line
        if span is not None:
            return text[: span[0]] + block + text[span[1] :]
        return text + line + block + line if text.endswith("\n") or not text else text + line * 2 + block

    def take(self, text: str) -> str | None:
        """The text without the block, None when it was all there was. Raises Refused."""
        span = self.span(text)
        if span is None:
            return text
        before, after, line = text[: span[0]], text[span[1] :], line_end(text[span[0] : span[1]])
        if not before and after in ("\n", "\r\n"):
            return None
        ended = after.startswith(("\n", "\r\n"))
        for _ in range((1 if ended else 2) if after in ("", "\n", "\r\n") else 0):  # what put wrote before it, where it is still the end
            before = before.removesuffix(line)
        return before + (after[after.index("\n") + 1 :] if ended else after)


def line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
