"""The command that users type: one file a host, readable by it, gone again with the rest."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from memory_wire.hosts import NAMES, capture
from memory_wire.hosts.base import Environment, Trace

WHERE = {
    "claude-code": ".claude/commands/memory-capture.md",
    "codex": ".codex/prompts/memory-capture.md",
    "cursor": ".cursor/commands/memory-capture.md",
    "opencode": ".config/opencode/commands/memory-capture.md",
    "gemini-cli": ".gemini/commands/memory-capture.toml",
    "windsurf": ".codeium/windsurf/global_workflows/memory-capture.md",
    "pi": ".pi/agent/prompts/memory-capture.md",
}


@pytest.mark.parametrize("host", NAMES)
def test_the_command_of_each_host(host: str, tmp_path: Path) -> None:
    found = capture.slots(host, Environment(str(tmp_path), str(tmp_path / "data"), str(tmp_path), {}))
    assert [slot.path for slot in found] == [str(tmp_path / WHERE[host]) for _ in range(host in WHERE)]
    for slot in found:
        trace = Trace(known=True)
        text = slot.put(None, trace)
        assert slot.look(text, trace) == "same" and slot.take(text, trace) is None
        assert slot.look("a command of the user's\n", trace) == "foreign" and slot.look(text + "more\n", trace) == "changed"
        if host == "gemini-cli":
            assert tomllib.loads(text)["prompt"].startswith("Store in this project's long-term memory: {{args}}\n")
        else:
            head, body = text.removeprefix("---\n").split("\n---\n\n")
            assert head == f"description: {capture.DESCRIPTION}" and ":" not in capture.DESCRIPTION
            assert body.startswith("Store in this project's long-term memory: ") and "memory_retain" in body
