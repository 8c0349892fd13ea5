"""Edits TOML by splicing: tables and their assignments are found by a scanner that knows strings, comments and brackets.

The standard parser judges the document before and after: an edit that would say anything but what it should is refused. A table goes in at
the end of the file; a missing last line end stays missing, so that taking the table out gives the bytes that were there before.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator

PART = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|(?P<comment>\#[^\n]*)|(?P<open>[\[{])|(?P<close>[\]}])|(?P<line>\n)'
    r"|[^\"'\#\n\[\]{}]+",
    re.DOTALL,
)
KEY = re.compile(r"[ \t]*([A-Za-z0-9_-]+)[ \t]*=[ \t]*")
Table = dict[str, object]
Path = tuple[str, ...]


class Unsafe(ValueError):
    """The text can't be edited so that it says what it should."""


class Span:
    """A table from its header on, `end` behind its last assignment; `values` are the spans of what its plainly spelled keys hold."""

    __slots__ = ("end", "path", "start", "values")

    def __init__(self, path: Path, start: int, end: int) -> None:
        self.path, self.start, self.end = path, start, end
        self.values: dict[str, tuple[int, int]] = {}


def tables(text: str, path: Path) -> list[Span]:
    """The tables written with a header of that path or one below it, in order."""
    return [span for span in _spans(text) if span.path[: len(path)] == path]


def _spans(text: str) -> Iterator[Span]:
    span = Span((), 0, 0)
    at = 0
    while at < len(text):
        line_end = text.find("\n", at)
        line_end = len(text) if line_end < 0 else line_end + 1
        line = text[at:line_end]
        if line.lstrip(" \t").startswith("["):
            yield span
            span = Span(_header(line), at, line_end)
            at = line_end
            continue
        value, after = _logical_line(text, at)
        key = KEY.match(text, at)
        if key:
            span.values[key[1]] = (key.end(), value)
        if text[at:after].strip() and not line.lstrip().startswith("#"):
            span.end = after
        at = after
    yield span


def _header(line: str) -> Path:
    """The path of a header line, read by the standard parser."""
    try:
        node: object = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        raise Unsafe from None
    path: list[str] = []
    while isinstance(node, dict) and node:
        path.append(next(iter(node)))
        node = node[path[-1]]
    return ("", *path) if isinstance(node, list) else tuple(path)  # an array of tables is never ours


def _logical_line(text: str, at: int) -> tuple[int, int]:
    """(end of the value, start of the next line) of an assignment, which strings and brackets may carry over several lines."""
    depth, value = 0, at
    while at < len(text):
        part = PART.match(text, at)
        if part is None:
            raise Unsafe
        at = part.end()
        if part["line"] and depth == 0:
            break
        depth += bool(part["open"]) - bool(part["close"])
        if not part["comment"] and part.group().strip():
            value = part.start() + len(part.group().rstrip())
    return value, at


def newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def inline(value: object) -> str:
    """A value on one line. A JSON string is a TOML string."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {inline(part)}" for key, part in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(inline, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def block(path: Path, value: Table) -> str:
    """A table with its header."""
    return "".join(f"{line}\n" for line in [f"[{'.'.join(path)}]", *(f"{key} = {inline(part)}" for key, part in value.items())])


def append(text: str, path: Path, value: Table) -> str:
    """The text with the table at its end, behind an empty line. Raises Unsafe."""
    line = newline(text)
    added = block(path, value).replace("\n", line)
    if text and not text.endswith("\n"):
        added = line * 2 + added.removesuffix(line)
    elif text:
        added = line + added
    return _checked(text + added, text, path, value)


def drop(text: str, path: Path) -> str:
    """The text without the tables of that path and below, and without the empty line before them. Raises Unsafe."""
    edited = text
    for span in reversed(tables(text, path)):
        start = span.start
        for _ in range(1 if edited[: span.end].endswith("\n") else 2):
            start = len(re.sub(r"\r?\n\Z", "", edited[:start]))
        edited = edited[:start] + edited[span.end :]
    return _checked(edited, text, path, None)


def assign(text: str, path: Path, key: str, value: object) -> str:
    """The text with one key of a table set: in place, or in a line of its own under the header. Raises Unsafe."""
    span = next((span for span in tables(text, path) if span.path == path), None)
    if span is None:
        raise Unsafe
    if key in span.values:
        start, end = span.values[key]
        edited = text[:start] + inline(value) + text[end:]
    else:
        at, line = text.find("\n", span.start) + 1, f"{key} = {inline(value)}"
        edited = text[:at] + line + newline(text) + text[at:] if at else text + newline(text) + line
    return _checked(edited, text, (*path, key), value)


def unassign(text: str, path: Path, key: str) -> str:
    """The text without the line of one key of a table. Raises Unsafe."""
    span = next((span for span in tables(text, path) if span.path == path and key in span.values), None)
    if span is None:
        raise Unsafe
    start, end = text.rfind("\n", 0, span.values[key][0]) + 1, text.find("\n", span.values[key][1]) + 1
    if not end:
        start, end = len(re.sub(r"\r?\n\Z", "", text[:start])), len(text)
    return _checked(text[:start] + text[end:], text, (*path, key), None)


def _checked(edited: str, text: str, path: Path, value: object) -> str:
    """The edited text, if it says what the text said but for the value at the path (None: nothing there). Raises Unsafe."""
    expected = tomllib.loads(text)
    try:
        found = tomllib.loads(edited)
    except tomllib.TOMLDecodeError:
        raise Unsafe from None
    inner: Table = expected
    for key in path[:-1]:
        below = inner.setdefault(key, {})
        if not isinstance(below, dict):
            raise Unsafe
        inner = below
    if value is None:
        inner.pop(path[-1], None)
        for depth in range(len(path) - 1, 0, -1):  # a parent that only our table named is gone with it
            outer, seen = _at(expected, path[: depth - 1]), _at(found, path[: depth - 1])
            if outer.get(path[depth - 1]) == {} and path[depth - 1] not in seen:
                del outer[path[depth - 1]]
    else:
        inner[path[-1]] = value
    if found != expected:
        raise Unsafe
    return edited


def _at(document: Table, path: Path) -> Table:
    node: object = document
    for key in path:
        node = node.get(key, {}) if isinstance(node, dict) else {}
    return node if isinstance(node, dict) else {}
