"""Lines of a host's transcript as they may leave this machine: what was said, calls of tools and what those answered, cut.

Only what is named here is taken, so that reasoning, system prompts, token counters and snapshots stay; secrets are redacted and the
paths of this machine left out of every text.
"""

from __future__ import annotations

import os
import re

from memory_wire import config
from memory_wire.framing import cut_middle
from memory_wire.guard.redact import redact
from memory_wire.hooks.transcript import MADE, is_moment, message
from memory_wire.hooks.values import dumps, mapping, text_of, within
from memory_wire.sessions import SessionLine

PATH = "[path]"
USUAL = ("Users", "etc", "home", "mnt", "opt", "private", "root", "srv", "tmp", "usr", "var")
CALLS = ("tool_use", "toolCall", "function_call", "custom_tool_call", "local_shell_call", "tool.execution_start")
RESULTS = ("tool_result", "function_call_output", "custom_tool_call_output", "tool.execution_complete")


class Cleaner:
    """Knows the folders of this machine's file system, so that a path is told from a route."""

    def __init__(self) -> None:
        try:
            found = [name for name in os.listdir("/") if re.fullmatch(r"[\w.-]+", name)]
        except OSError:
            found = []
        roots = "|".join(sorted({re.escape(name) for name in (*USUAL, *found)}, key=len, reverse=True))
        self.posix = re.compile(rf"(?<![\w/.:~-])(?:~|/(?:{roots}))(?:/[^\s\"'`<>|:;,()\[\]{{}}\\]+)+")
        self.windows = re.compile(r"(?<![A-Za-z])[A-Za-z]:(?:\\\\?|/)(?!/)[^\s\"'`<>|:;,()]+")

    def lines(self, raw: bytes) -> list[SessionLine]:
        """What one line of a transcript says."""
        try:
            return self.said(mapping(raw))[: config.SESSION_PUT_LINES]
        except RecursionError:  # nested deeper than anything a host writes
            return []

    def said(self, found: dict[str, object]) -> list[SessionLine]:
        if any(found.get(mark) is True for mark in MADE):
            return []
        lines = []
        entry = message(found)
        if entry is not None:
            lines.append(SessionLine(role=entry.role, text=self.text(entry.text, config.SESSION_TEXT_CHARS), at=entry.at))
        at = text_of(found, "timestamp", "created_at")
        for role, name, text in tools(found):
            kept, called = self.text(text, config.SESSION_TOOL_CHARS), self.text(name, config.SESSION_NAME_CHARS)
            lines.append(SessionLine(role=role, text=kept, name=called or None, at=at if is_moment(at) else None))
        return lines

    def text(self, text: str, chars: int) -> str:
        """The text without secrets and paths, and without what JSON can't carry."""
        plain = redact(text.encode("utf-8", "replace").decode())[0]
        return cut_middle(self.windows.sub(PATH, self.posix.sub(PATH, plain)), chars)


def tools(found: dict[str, object]) -> list[tuple[str, str, str]]:
    """[(call or tool, name, text)] of the calls and answers of tools in one record."""
    kind = text_of(found, "type")
    if kind == "response_item":  # Codex
        return piece(within(found, "payload"))
    if kind.startswith("tool."):  # Copilot
        return piece({"type": kind, **within(found, "data")})
    body = within(found, "message") or found
    if text_of(body, "role") == "toolResult":  # pi, omp
        return [("tool", text_of(body, "toolName"), flat(body.get("content")))]
    content = body.get("content")
    return [told for block in content if isinstance(block, dict) for told in piece(block)] if isinstance(content, list) else []


def piece(block: dict[str, object]) -> list[tuple[str, str, str]]:
    kind, name = text_of(block, "type"), text_of(block, "name", "toolName")
    if kind in CALLS:
        given = next((block[field] for field in ("input", "arguments", "action") if field in block), "")
        return [("call", name, given if isinstance(given, str) else dumps(given))]
    if kind in RESULTS:
        given = next((block[field] for field in ("content", "output", "result") if field in block), "")
        return [("tool", name, flat(given))]
    return []


def flat(value: object) -> str:
    """The text in what a tool answers: a text, blocks of text, or an object around one of those."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join([text for entry in value if (text := flat(entry))])
    if isinstance(value, dict):
        return flat(next((value[field] for field in ("text", "content", "output") if field in value), ""))
    return ""
