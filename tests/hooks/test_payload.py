"""Every host's payload becomes the same event; stdin is read no longer than needed."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_wire.config import HOOK_INPUT_BYTES
from memory_wire.hooks.payload import EVENTS, HOSTS, Event, cursor_transcript, read
from tests.hooks.payloads import ANSWER, PAYLOADS, PROMPT, payload
from tests.hooks.test_values import VALUES

CASES = [(host, event) for host in HOSTS for event in PAYLOADS[host]]


@pytest.mark.parametrize(("host", "event"), CASES)
@pytest.mark.parametrize("given", [True, False])
def test_one_event_for_every_spelling(host: str, event: str, given: bool) -> None:
    environ = {"DEVIN_PROJECT_DIR": "/project"} if host == "devin" else {} if given else {"CLAUDE_PROJECT_DIR": "/elsewhere"}
    unmarked = host == "gemini-cli" and event == "session-start"  # nothing in it says so
    found = Event(event, payload(host, event, "s-1", "/project", "/t.jsonl"), host if given or unmarked else None, environ)
    assert found.host == host
    assert found.session == "s-1"
    assert found.cwd == (os.getcwd() if host == "windsurf" else "/project")
    if event == "prompt":
        assert found.prompt == PROMPT
    if event == "stop" and host in ("claude-code", "codex", "gemini-cli", "windsurf", "cline", "devin"):
        assert found.answer == ANSWER
    if event == "stop" and host in ("claude-code", "copilot-cli", "cursor", "gemini-cli", "vscode"):
        assert found.transcript == "/t.jsonl"


@pytest.mark.parametrize(
    ("given", "host", "event", "expected"),
    [
        ("claude-code", "vscode", "session-start", "vscode"),  # reads Claude Code's file
        ("claude-code", "cursor", "prompt", "cursor"),  # imports it
        ("copilot-cli", "vscode", "stop", "vscode"),  # reads Copilot's folder
        ("claude-code", "claude-code", "stop", "claude-code"),
        ("gemini-cli", "claude-code", "stop", "gemini-cli"),  # no mark of its own: the name given holds
    ],
)
def test_a_shared_file_fired_by_another_host(given: str, host: str, event: str, expected: str) -> None:
    assert Event(event, payload(host, event, "s", "/project"), given, {}).host == expected


def test_sources_and_flags() -> None:
    sources = {
        "startup": "startup",
        "new": "startup",
        "resume": "resume",
        "fork": "resume",
        "clear": "clear",
        "compact": "compact",
        "x": "",
    }
    for said, meant in sources.items():
        assert Event("session-start", {"source": said}, None, {}).source == meant
    assert Event("session-start", {"hookName": "TaskResume", "clineVersion": "3"}, "cline", {}).source == "resume"
    assert Event("stop", {"stop_hook_active": True}, None, {}).active
    assert Event("stop", {"stopHookActive": True}, None, {}).active
    assert not Event("stop", {"stop_hook_active": "yes"}, None, {}).active
    assert Event("stop", {"agent_id": "a-1"}, None, {}).subagent
    assert Event("prompt", {"prompt": "wake", "source": "system"}, "claude-code", {}).prompt == ""
    assert Event("prompt", {"prompt": "wake", "source": "user"}, "claude-code", {}).prompt == "wake"


def test_fields_of_single_events() -> None:
    cascade = {"agent_action_name": "post_cascade_response_with_transcript", "tool_info": {"transcript_path": "/t.jsonl"}}
    assert Event("stop", cascade, "windsurf", {}).transcript == "/t.jsonl"
    cline = {"clineVersion": "3", "hookName": "TaskComplete", "turn": {"outputText": "done"}}
    assert Event("stop", cline, "cline", {}).answer == "done"
    said = {"cursor_version": "3", "hook_event_name": "afterAgentResponse", "text": "said"}
    assert Event("stop", said, "cursor", {}).answer == "said"
    assert Event("stop", {**said, "hook_event_name": "stop"}, "cursor", {}).answer == ""


def test_the_projects_folder() -> None:
    assert Event("prompt", {"cwd": "relative"}, None, {}).cwd == os.getcwd()
    assert Event("prompt", {"cwd": "/a\0b"}, None, {}).cwd == os.getcwd()
    assert Event("prompt", {}, "claude-code", {"CLAUDE_PROJECT_DIR": "/p"}).cwd == "/p"
    assert Event("prompt", {"cwd": "/sub"}, "claude-code", {"CLAUDE_PROJECT_DIR": "/p"}).cwd == "/sub"
    assert Event("prompt", {}, "cursor", {}).cwd == os.sep  # its user hooks run in ~/.cursor
    assert Event("prompt", {"workspace_roots": []}, "cursor", {}).cwd == os.sep


def test_a_transcript_path_is_not_made_of_any_id() -> None:
    assert cursor_transcript("ab-12", "/home/me/my.proj").endswith("/.cursor/projects/home-me-my-proj/agent-transcripts/ab-12/ab-12.jsonl")
    for bad in ("", "../x", "a/b", "a.b", "é", "a b"):
        assert cursor_transcript(bad, "/p") == ""


@given(st.dictionaries(st.sampled_from(sorted({key for host in PAYLOADS.values() for one in host.values() for key in one})), VALUES))
def test_no_object_makes_an_event_fail(found: dict[str, object]) -> None:
    for name in EVENTS:
        event = Event(name, found, None, {})
        assert isinstance(event.prompt, str)
        assert os.path.isabs(event.cwd)


# stdin -----------------------------------------------------------------------------------------------------------------------------


def piped(*parts: bytes, close: bool = True, seconds: float = 20.0) -> dict[str, object]:
    inner, outer = os.pipe()

    def write() -> None:
        for part in parts:
            while part:
                part = part[os.write(outer, part) :]
            time.sleep(0.01)
        if close:
            os.close(outer)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        return read(inner, time.monotonic() + seconds)
    finally:
        os.close(inner)
        writer.join()
        if not close:
            os.close(outer)


def test_reads_to_the_end_of_input() -> None:
    assert piped(b'{"prompt":', b'"a}', b'b"}\n') == {"prompt": "a}b"}
    assert piped(b"") == {}
    assert piped(b"[1]") == {}
    assert piped(b'{"a":1}{"b":2}') == {}


def test_a_writer_that_never_closes_is_not_waited_for_once_the_object_is_whole() -> None:
    assert piped(b'{"prompt":', b' "a"}', close=False, seconds=3600) == {"prompt": "a"}


def test_a_writer_that_stops_in_the_middle_is_waited_for_until_the_time_is_up() -> None:
    assert piped(b'{"prompt": "a"', close=False, seconds=0.05) == {}
    assert piped(close=False, seconds=0.05) == {}


def test_too_much_is_read_past() -> None:
    assert piped(b'{"prompt":"' + b"x" * 2 * HOOK_INPUT_BYTES + b'"}') == {}  # to the end: else the writer gets an error
    head, tail = b'{"prompt":"', b'"}'
    edge = head + b"x" * (HOOK_INPUT_BYTES - len(head) - len(tail)) + tail
    assert len(edge) == HOOK_INPUT_BYTES
    assert piped(edge).keys() == {"prompt"}


def test_other_descriptors(tmp_path: Path) -> None:
    inner, outer = os.openpty()
    assert read(outer, time.monotonic() + 3600) == {}  # a person at a terminal
    os.close(inner)
    os.close(outer)
    assert read(outer, time.monotonic() + 3600) == {}  # closed
    path = tmp_path / "payload"
    path.write_bytes(b'{"a": 1}')
    descriptor = os.open(path, os.O_RDONLY)
    assert read(descriptor, time.monotonic() + 3600) == {"a": 1}
    os.close(descriptor)
