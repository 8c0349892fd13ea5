"""A whole file of ours: a plugin, a hook script, a server entry in a file of its own."""

from __future__ import annotations

from memory_wire.hosts import ours
from memory_wire.hosts.base import State, Trace


class File:
    """The file is ours when every word of `marker` is in it; without them it is somebody else's. One that was edited since is left too."""

    counts = True

    def __init__(self, path: str, text: str, marker: tuple[str, ...], label: str, mode: int = 0o644) -> None:
        self.path, self.text, self.marker, self.label, self.mode = path, text, marker, label, mode

    def look(self, text: str | None, trace: Trace) -> State:
        if text is None:
            return "absent"
        if text == self.text:
            return "same"
        if not all(word in text for word in self.marker):
            return "foreign"
        wrote = trace.wrote.get(self.label)
        return "stale" if wrote is None or wrote == digest(text) else "changed"

    def put(self, text: str | None, trace: Trace) -> str:
        if text is not None and self.look(text, trace) == "changed":
            return text
        trace.wrote[self.label] = digest(self.text)
        return self.text

    def take(self, text: str, trace: Trace) -> str | None:
        return None

    def bank(self, text: str | None) -> str | None:
        """The bank in a command of ours, one of the file's lines; hosts whose files spell it otherwise say so in a subclass."""
        lines = text.splitlines() if text is not None and all(word in text for word in self.marker) else []
        return next((name for line in lines if (name := ours.bank(line.removeprefix("exec ")))), None)

    def snippet(self) -> str:
        return self.text


def digest(text: str) -> str:
    """Says whether a file is still as we wrote it."""
    import hashlib

    return hashlib.sha256(text.encode()).hexdigest()[:32]
