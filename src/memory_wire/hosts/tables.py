"""Slots in TOML files: the table of an MCP server, and a switch that a host wants on."""

from __future__ import annotations

import json
import tomllib

from memory_wire.hosts import ours, toml
from memory_wire.hosts.base import Refused, State, Trace
from memory_wire.hosts.toml import Table


class Toml:
    """What slots in TOML files share: `place` is the path of tables and keys."""

    mode = 0o600
    counts = True

    def __init__(self, path: str, place: tuple[str, str], value: Table) -> None:
        self.path, self.place, self.value = path, place, value
        self.label = ".".join(place)

    def snippet(self) -> str:
        return toml.block(self.place, self.value)

    def parsed(self, text: str) -> Table:
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise Refused(f"malformed TOML ({error}); left untouched") from None

    def entry(self, text: str | None) -> object:
        """What is at our place."""
        parent = self.parsed(text or "").get(self.place[0], {})
        if not isinstance(parent, dict):
            raise Refused(f"`{self.place[0]}` is not a table; left untouched")
        return parent.get(self.place[1])

    def unsafe(self) -> Refused:
        return Refused(f"`{self.label}` is spelled in a way that can't be edited safely; left untouched")

    def put(self, text: str | None, trace: Trace) -> str:
        if text is None:
            trace.made.append("file")
        try:
            return self.edited(text or "", trace)
        except toml.Unsafe:
            raise self.unsafe() from None

    def take(self, text: str, trace: Trace) -> str | None:
        try:
            text = self.cleared(text, trace)
        except toml.Unsafe:
            raise self.unsafe() from None
        return None if not text and ("file" in trace.made or not trace.known) else text

    def edited(self, text: str, trace: Trace) -> str:
        raise NotImplementedError

    def cleared(self, text: str, trace: Trace) -> str:
        raise NotImplementedError


class Server(Toml):
    """A table of our own, such as `[mcp_servers.memory-wire]`."""

    def look(self, text: str | None, trace: Trace) -> State:
        found = self.entry(text)
        if found is None:
            return "absent"
        if not ours.starts(found):
            return "foreign"
        if ours.within(self.value, found):
            return "same"
        wrote = trace.wrote.get(self.label)
        before = wrote is not None and ours.within(json.loads(wrote), found)
        return "stale" if before or ours.within(ours.normal(self.value), ours.normal(found)) else "changed"

    def edited(self, text: str, trace: Trace) -> str:
        found, state = self.entry(text), self.look(text, trace)
        if not isinstance(found, dict):
            trace.wrote[self.label] = json.dumps(self.value)
            return toml.append(text, self.place, self.value)
        for key, value in self.value.items():
            alike = ours.normal(found.get(key)) == ours.normal(value)
            if found.get(key) != value and (alike or state == "stale"):
                text = toml.assign(text, self.place, key, value)
        if state == "stale":
            trace.wrote[self.label] = json.dumps(self.value)
        return text

    def cleared(self, text: str, trace: Trace) -> str:
        trace.wrote.pop(self.label, None)
        return toml.drop(text, self.place)

    def bank(self, text: str | None) -> str | None:
        found = self.entry(text)
        return ours.bank(found) if ours.starts(found) else None


class Switch(Toml):
    """`key = true` in a table; a `false` of the user's is left alone, and one that was on before stays on."""

    counts = False

    def __init__(self, path: str, place: tuple[str, str]) -> None:
        super().__init__(path, place, {})

    def snippet(self) -> str:
        return toml.block(self.place[:1], {self.place[1]: True})

    def look(self, text: str | None, trace: Trace) -> State:
        found = self.entry(text)
        return "absent" if found is None else "same" if found is True else "foreign"

    def edited(self, text: str, trace: Trace) -> str:
        trace.made.append(self.label)
        if self.place[0] in self.parsed(text):
            return toml.assign(text, self.place[:1], self.place[1], True)
        trace.made.append(self.place[0])
        return toml.append(text, self.place[:1], {self.place[1]: True})

    def cleared(self, text: str, trace: Trace) -> str:
        if self.label not in trace.made:
            return text
        trace.made.remove(self.label)
        if self.place[0] not in trace.made:
            return toml.unassign(text, self.place[:1], self.place[1])
        trace.made.remove(self.place[0])
        alone = self.parsed(text)[self.place[0]] == {self.place[1]: True}
        return toml.drop(text, self.place[:1]) if alone else toml.unassign(text, self.place[:1], self.place[1])

    def bank(self, text: str | None) -> str | None:
        return None
