"""Slots in JSON files: a member under our name, an element of a list of hooks, a setting that has to be there.

An entry that the user changed is patched to run the current launcher and is otherwise left; containers made for us go when they are empty
again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from memory_wire.hosts import jsonc, ours
from memory_wire.hosts.base import Refused, State, Trace
from memory_wire.hosts.jsonc import Node, Path, Value

BARE = re.compile(r"\ufeff?\s*\{\s*\}\s*")


class Json:
    """What slots in JSON files share: the place of the container, and the way in and out of it."""

    mode = 0o600  # hosts keep credentials in some of these files
    counts = True
    listed = False  # whether the container is a list

    def __init__(self, path: str, place: Path, value: Value) -> None:
        self.path, self.place, self.value = path, place, value
        self.label = ".".join(place)
        self.inside = place[:-1]  # the container

    def snippet(self) -> str:
        return together([self])

    def look(self, text: str | None, trace: Trace) -> State:
        node = None if text is None or blank(text) else self.container(text)
        found = self.found(node) if node else []
        if not found:
            return "foreign" if node and self.taken(node) else "absent"
        states = [self.state(child, trace) for child in found]
        return states[0] if len(states) == 1 else "stale"

    def put(self, text: str | None, trace: Trace) -> str:
        text = self.opened(text, trace)
        node = self.container(text)
        assert node is not None
        found = self.found(node)
        trace.wrote[self.label] = json.dumps(self.value, ensure_ascii=False)
        if not found:
            return insert(text, self.inside, self.key(), self.value, trace)
        for child in found[:0:-1]:  # further copies
            if self.state(child, trace) != "changed":
                text = cut(text, self.inside, index_of(node, child), trace)
        patches = sorted(patched(found[0], self.value), key=lambda patch: -patch[0].start)
        if not patches and self.state(found[0], trace) == "stale":
            patches = [(found[0], self.value)]
        for part, value in patches:
            text = jsonc.replace(text, part, value)
        return text

    def take(self, text: str, trace: Trace) -> str | None:
        node = self.container(text)
        for child in reversed(self.found(node) if node else []):
            assert node is not None
            if self.state(child, trace) != "changed":
                text = cut(text, self.inside, index_of(node, child), trace)
        trace.wrote.pop(self.label, None)
        return self.closed(text, trace)

    def bank(self, text: str | None) -> str | None:
        node = None if text is None or blank(text) else self.container(text)
        return next((name for child in (self.found(node) if node else []) if (name := ours.bank(child.plain()))), None)

    def state(self, node: Node, trace: Trace) -> State:
        """How a value that runs our program compares with the wanted one."""
        value, wrote = node.plain(), trace.wrote.get(self.label)
        if ours.within(self.value, value):
            return "same"
        before = wrote is not None and ours.within(json.loads(wrote), value)
        return "stale" if before or ours.within(ours.normal(self.value), ours.normal(value)) else "changed"

    def found(self, node: Node) -> list[Node]:
        """The values of ours in the container."""
        raise NotImplementedError

    def taken(self, node: Node) -> bool:
        """Whether somebody else has our place."""
        raise NotImplementedError

    def key(self) -> str | None:
        """The key under which the value goes in; None in a list."""
        raise NotImplementedError

    def container(self, text: str) -> Node | None:
        """The value that holds our entry, when it is there. Raises Refused."""
        node = self.parsed(text).root
        for depth, key in enumerate(self.inside):
            item = node.item(key)
            if item is None:
                return None
            node = item.node
            if node.kind != "object" and depth < len(self.inside) - self.listed:
                raise Refused(f"`{'.'.join(self.inside[: depth + 1])}` is {kind(node)}, not an object; left untouched")
        return node

    def parsed(self, text: str) -> jsonc.Document:
        try:
            document = jsonc.parse(text)
        except jsonc.Malformed as error:
            raise Refused(f"malformed JSON ({error}); left untouched") from None
        if document.root.kind != "object":
            raise Refused(f"malformed JSON (the document is {kind(document.root)}, not an object); left untouched")
        return document

    def opened(self, text: str | None, trace: Trace) -> str:
        """The text with our container in it; what had to be made stands in the trace."""
        if text is None:
            text = "{}\n"
            trace.made.append("file")
        elif blank(text):
            trace.kept["blank"] = text
            text = ("\ufeff" if text.startswith("\ufeff") else "") + "{}\n"
        for depth in range(1, len(self.inside) + 1):
            if self.parsed(text).find(self.inside[:depth]) is None:
                value: Value = [] if self.listed and depth == len(self.inside) else {}
                text = insert(text, self.inside[: depth - 1], self.inside[depth - 1], value, trace)
                trace.made.append("/".join(self.inside[:depth]))
        return text

    def closed(self, text: str, trace: Trace) -> str | None:
        """The text without containers that were made for us and are empty again; None when so is the file."""
        for depth in range(len(self.inside), 0, -1):
            node, name = self.parsed(text).find(self.inside[:depth]), "/".join(self.inside[:depth])
            if node is not None and not node.items and (name in trace.made or not trace.known):
                outer = self.parsed(text).find(self.inside[: depth - 1])
                assert outer is not None
                text = cut(text, self.inside[: depth - 1], index_of(outer, node), trace)
                trace.made = [made for made in trace.made if made != name]
        if BARE.fullmatch(text) is None:
            return text
        if "blank" in trace.kept:
            return trace.kept.pop("blank")
        return None if "file" in trace.made or not trace.known else text


class Member(Json):
    """A member of an object under our name, such as the entry of an MCP server."""

    def found(self, node: Node) -> list[Node]:
        return [item.node for item in node.items if item.key == self.place[-1] and ours.starts(item.node.plain())]

    def taken(self, node: Node) -> bool:
        return node.item(self.place[-1]) is not None

    def key(self) -> str | None:
        return self.place[-1]


class Hook(Json):
    """An element of a list of hooks; `place` is the list."""

    listed = True

    def __init__(self, path: str, place: Path, value: Value) -> None:
        super().__init__(path, place, value)
        self.inside = place
        self.event = ours.event(value)

    def found(self, node: Node) -> list[Node]:
        values = [item.node for item in node.items] if node.kind == "array" else []
        return [value for value in values if ours.event(value.plain()) == self.event]

    def taken(self, node: Node) -> bool:
        return node.kind != "array"

    def key(self) -> str | None:
        return None


class Default(Json):
    """A setting that has to be there for the host to read the file; never changed, and taken out only when it was put in."""

    counts = False

    def look(self, text: str | None, trace: Trace) -> State:
        return "absent" if text is None or blank(text) or self.parsed(text).find(self.place) is None else "same"

    def put(self, text: str | None, trace: Trace) -> str:
        text = self.opened(text, trace)
        trace.made.append("/".join(self.place))
        return insert(text, self.inside, self.place[-1], self.value, trace)

    def take(self, text: str, trace: Trace) -> str | None:
        root, node, name = self.parsed(text).root, self.parsed(text).find(self.place), "/".join(self.place)
        if node is not None and node.plain() == self.value and (name in trace.made or (not trace.known and len(root.items) == 1)):
            outer = self.parsed(text).find(self.inside)
            assert outer is not None
            text = cut(text, self.inside, index_of(outer, node), trace)
            trace.made = [made for made in trace.made if made != name]
        return self.closed(text, trace)

    def bank(self, text: str | None) -> str | None:
        return None


def together(slots: Sequence[Json]) -> str:
    """What the slots want in one file, as one document; empty for none."""
    document: dict[str, Value] = {}
    for slot in slots:
        node = document
        for key in slot.place[:-1]:
            node = node.setdefault(key, {})  # type: ignore[assignment]
        node[slot.place[-1]] = [slot.value] if slot.listed else slot.value
    return json.dumps(document, indent=2, ensure_ascii=False) if slots else ""


def insert(text: str, path: Path, key: str | None, value: Value, trace: Trace) -> str:
    """jsonc.insert, with what it says of the container kept in the trace."""
    text, tight = jsonc.insert(text, path, key, value)
    if tight:
        trace.made.append("tight:" + "/".join(path))
    return text


def cut(text: str, path: Path, index: int, trace: Trace) -> str:
    """jsonc.remove, with what insert said of the container."""
    name = "tight:" + "/".join(path)
    node = jsonc.parse(text).find(path)
    last = node is not None and len(node.items) == 1
    text = jsonc.remove(text, path, index, name in trace.made)
    if last:
        trace.made = [made for made in trace.made if made != name]
    return text


def index_of(node: Node, child: Node) -> int:
    return next(index for index, item in enumerate(node.items) if item.node is child)


def patched(node: Node, wanted: Value) -> Iterator[tuple[Node, Value]]:
    """The parts of a value of ours that differ from the wanted ones in launcher, host or bank only."""
    if node.kind == "object" and isinstance(wanted, dict):
        for key, part in wanted.items():
            item = node.item(key)
            if item is not None:
                yield from patched(item.node, part)
    elif node.kind == "array" and isinstance(wanted, list) and any(isinstance(part, dict) for part in wanted):
        for item in node.items:
            for part in wanted:
                yield from patched(item.node, part)
    elif node.plain() != wanted and ours.normal(node.plain()) == ours.normal(wanted):
        yield node, wanted


def blank(text: str) -> bool:
    """Whether a file has nothing in it yet."""
    return not text.strip("\ufeff" + jsonc.BLANK)


def kind(node: Node) -> str:
    """What a value is, for a message."""
    named = {"object": "an object", "array": "a list"}.get(node.kind)
    scalar = {str: "a string", bool: "a boolean", int: "a number", float: "a number"}
    return named or scalar.get(type(node.scalar), "null")
