"""Edits JSON with comments by splicing: all but the entry that goes in or out stays byte for byte, and taking out undoes putting in.

Spans come from a tokenizer of the whole document (comments, trailing commas and a byte order mark allowed, anything else refused). A member
goes in behind the last comment of its container, after what was last, and carries a trailing comma exactly when the container had one; so
the text itself says what to remove. Only whether an empty container stood on one line can't be read back: `insert` returns that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache

BLANK = " \t\r\n"
DEPTH = 200
TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+) | (?P<line>//[^\r\n]*) | (?P<block>/\*.*?\*/)
      | (?P<string>"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*")
      | (?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?) (?![0-9A-Za-z_.])
      | (?P<word>true|false|null) (?![0-9A-Za-z_]) | (?P<mark>[][{},:])""",
    re.VERBOSE | re.DOTALL,
)
Value = str | int | float | bool | None | list["Value"] | dict[str, "Value"]
Path = tuple[str, ...]


class Malformed(ValueError):
    """The text is no JSON with comments; the message has line and column."""


class Item:
    """A member of an object or element of an array: `start` where its key or value begins, `comma` where the comma behind it is."""

    __slots__ = ("comma", "key", "node", "start")

    def __init__(self, start: int, key: str | None, node: Node) -> None:
        self.start, self.key, self.node = start, key, node
        self.comma: int | None = None


class Node:
    """A value with its span; `items` of an object or array, `scalar` of anything else."""

    __slots__ = ("end", "items", "kind", "scalar", "start")

    def __init__(self, kind: str, start: int, scalar: Value = None) -> None:
        self.kind, self.start, self.scalar = kind, start, scalar
        self.end = start
        self.items: list[Item] = []

    def plain(self) -> Value:
        """As Python values; of keys given twice the last one counts."""
        if self.kind == "object":
            return {item.key or "": item.node.plain() for item in self.items}
        return [item.node.plain() for item in self.items] if self.kind == "array" else self.scalar

    def item(self, key: str) -> Item | None:
        return next((item for item in reversed(self.items) if item.key == key), None) if self.kind == "object" else None


class Document:
    """A parsed text. `root` is its value."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, int, int]] = list(self._scan())
        self.at = 0
        self.root = self._value(0)
        if self.at < len(self.tokens):
            raise self._error(self.tokens[self.at][1], "text after the document")

    def find(self, path: Path) -> Node | None:
        """The value at a path of keys, None when a step is missing or no object."""
        node: Node | None = self.root
        for key in path:
            item = node.item(key) if node else None
            node = item.node if item else None
        return node

    def _error(self, at: int, what: str) -> Malformed:
        line = self.text.count("\n", 0, at) + 1
        return Malformed(f"{what} at line {line} column {at - self.text.rfind(chr(10), 0, at)}")

    def _scan(self) -> Iterator[tuple[str, int, int]]:
        at = 1 if self.text.startswith("\ufeff") else 0
        while at < len(self.text):
            found = TOKEN.match(self.text, at)
            if found is None:
                raise self._error(at, "unexpected text")
            if found.lastgroup not in {"space", "line", "block"}:
                yield str(found.lastgroup), at, found.end()
            at = found.end()

    def _next(self) -> tuple[str, int, int]:
        if self.at == len(self.tokens):
            raise self._error(len(self.text), "unexpected end")
        self.at += 1
        return self.tokens[self.at - 1]

    def _value(self, depth: int) -> Node:
        kind, start, end = self._next()
        shown = self.text[start:end]
        if shown in {"{", "["}:
            if depth == DEPTH:
                raise self._error(start, "nested too deeply")
            return self._container("object" if shown == "{" else "array", start, depth)
        if kind == "mark":
            raise self._error(start, f"unexpected {shown!r}")
        node = Node("scalar", start, json.loads(shown))
        node.end = end
        return node

    def _container(self, kind: str, start: int, depth: int) -> Node:
        node, close = Node(kind, start), "}" if kind == "object" else "]"
        while True:
            token, at, node.end = self._next()
            if self.text[at] == close:
                return node
            if node.items and node.items[-1].comma is None:
                raise self._error(at, "missing comma")
            key = None
            if kind == "object":
                if token != "string":
                    raise self._error(at, "expected a key")
                key = json.loads(self.text[at : node.end])
                colon = self._next()[1]
                if self.text[colon] != ":":
                    raise self._error(colon, "missing colon")
            else:
                self.at -= 1
            node.items.append(Item(at, key, self._value(depth + 1)))
            if self.at < len(self.tokens) and self.text[self.tokens[self.at][1]] == ",":
                node.items[-1].comma = self._next()[1]


@lru_cache(maxsize=8)
def parse(text: str) -> Document:
    """The document, shared: nobody changes one. Raises Malformed."""
    return Document(text)


def insert(text: str, path: Path, key: str | None, value: Value) -> tuple[str, bool]:
    """The text with the value last in the object (under `key`) or list (`key` None) at the path, and whether that was empty on one line."""
    document = parse(text)
    node = document.find(path)
    assert node is not None and node.kind == ("array" if key is None else "object")
    last = node.items[-1] if node.items else None
    after = node.start + 1 if last is None else last.node.end if last.comma is None else last.comma + 1
    anchor, lined = _comments(text, after, node.end - 1)
    tight = last is None and not _has_line(text[anchor : node.end - 1])
    many = last is None or lined or _has_line(text[node.start : last.start])
    indent = _indent(text, node, last, _unit(document))
    line = _newline(text)
    label = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    body = (line + indent if many else " ") + label + render(value, text, indent if many else None)
    if last is None:
        body += line + _margin(text, node.start) if tight else ""
    elif last.comma is not None:
        body += ","
    else:
        return text[: last.node.end] + "," + text[last.node.end : anchor] + body + text[anchor:], False
    return text[:anchor] + body + text[anchor:], tight


def remove(text: str, path: Path, index: int, tight: bool = False) -> str:
    """The text without the item of that index in the container at the path; `tight` as insert said of that container."""
    node = parse(text).find(path)
    assert node is not None
    item = node.items[index]
    start = len(text[: item.start].rstrip(BLANK))
    comma = node.items[index - 1].comma if index else node.start
    assert comma is not None
    cuts = [(start, item.node.end)]
    if item.comma is not None:
        cuts.append((item.comma, item.comma + 1))
    elif index:
        cuts.insert(0, (comma, comma + 1))
    elif tight:
        rest = _newline(text) + _margin(text, node.start)
        cuts[0] = (start, item.node.end + (len(rest) if text.startswith(rest, item.node.end) else 0))
    if _comments(text, comma + 1, item.start)[1] and not _has_line(text[cuts[-1][1] :][:1]):
        cuts = [(item.start, stop) if begin == start else (begin, stop) for begin, stop in cuts]  # a line comment needs its line end
    for begin, stop in sorted(cuts, reverse=True):
        text = text[:begin] + text[stop:]
    return text


def replace(text: str, node: Node, value: Value) -> str:
    """The text with another value in place of the node's."""
    many = _has_line(text[node.start : node.end])
    return text[: node.start] + render(value, text, _margin(text, node.start) if many else None) + text[node.end :]


def render(value: Value, text: str, indent: str | None) -> str:
    """The value as JSON in the style of the text: on lines indented below `indent`, or on one line when that is None."""
    if indent is None:
        return json.dumps(value, ensure_ascii=False)
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(parse(text))).split("\n")
    return (_newline(text) + indent).join(lines)


def _comments(text: str, start: int, end: int) -> tuple[int, bool]:
    """(end of the last comment in a stretch between two values, or its start; whether that comment runs to the end of its line)."""
    at, lined, last = start, False, start
    while at < end:
        found = TOKEN.match(text, at)
        assert found is not None
        at = found.end()
        if found.lastgroup in {"line", "block"}:
            last, lined = at, found.lastgroup == "line"
    return last, lined


def _has_line(text: str) -> bool:
    return "\n" in text or "\r" in text


def _newline(text: str) -> str:
    end = text.find("\n")
    return "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"


def _margin(text: str, at: int) -> str:
    """The blanks that begin the line of a position."""
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    line = text[start:at].removeprefix("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(document: Document) -> str:
    """One step of indentation as the document's first member shows it, two spaces by default."""
    first = next((item for item in document.root.items), None)
    return (first is not None and _margin(document.text, first.start)) or "  "


def _indent(text: str, node: Node, last: Item | None, unit: str) -> str:
    """Indentation of a new item: that of the last one when it begins its line, else a step below the container's line."""
    if last is not None:
        start = max(text.rfind("\n", 0, last.start), text.rfind("\r", 0, last.start)) + 1
        if start > node.start and not text[start : last.start].strip(" \t"):
            return text[start : last.start]
    return _margin(text, node.start) + unit
