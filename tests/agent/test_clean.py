"""What is left of transcripts' lines: prose, calls and answers of tools; nothing that isn't named."""

from __future__ import annotations

import json

import pytest

from memory_wire.agent.clean import Cleaner
from memory_wire.sessions import SessionLine

CLEANER = Cleaner()
AT = "2026-01-02T03:04:05Z"


def cleaned(**record: object) -> list[tuple[str, str | None, str]]:
    return [(line.role, line.name, line.text) for line in CLEANER.lines(json.dumps(record).encode())]


def test_claude_code() -> None:
    content = [
        {"type": "thinking", "thinking": "Hidden reasoning.", "signature": "abc"},
        {"type": "text", "text": "I look at it."},
        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "cat /work/a.txt"}},
    ]
    message = {"role": "assistant", "content": content, "usage": {"output_tokens": 77}}
    found = cleaned(type="assistant", cwd="/home/ann/work", message=message, timestamp=AT)
    assert found == [("assistant", None, "I look at it."), ("call", "Bash", '{"command":"cat [path]"}')]
    result = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "y" * 10_000}]}
    ((role, _, text),) = cleaned(type="user", message={"role": "user", "content": [result]}, timestamp=AT)
    assert role == "tool" and len(text) <= 4_000


def test_codex() -> None:
    call = {"type": "function_call", "name": "shell", "arguments": '{"cmd":"ls"}'}
    assert cleaned(type="response_item", timestamp=AT, payload=call) == [("call", "shell", '{"cmd":"ls"}')]
    answer = {"type": "function_call_output", "output": {"content": "a.txt", "success": True}}
    assert cleaned(type="response_item", timestamp=AT, payload=answer) == [("tool", None, "a.txt")]
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "What is there?"}]}
    line = CLEANER.lines(json.dumps({"type": "response_item", "timestamp": AT, "payload": said}).encode())
    assert line == [SessionLine(role="user", text="What is there?", at=AT)]


def test_others() -> None:
    call = {"type": "toolCall", "id": "1", "name": "read", "arguments": {"path": "b"}}
    assert cleaned(type="message", message={"role": "assistant", "content": [call]}) == [("call", "read", '{"path":"b"}')]
    answer = {"role": "toolResult", "toolName": "read", "content": [{"type": "text", "text": "inside"}]}
    assert cleaned(type="message", message=answer) == [("tool", "read", "inside")]
    assert cleaned(type="tool.execution_complete", data={"toolName": "view", "result": {"content": "seen"}}) == [("tool", "view", "seen")]


@pytest.mark.parametrize(
    "record",
    [
        {"type": "system", "content": "You are an agent."},
        {"type": "summary", "summary": "All of it."},
        {"type": "file-history-snapshot", "snapshot": {"a.txt": "text"}},
        {"type": "event_msg", "payload": {"type": "token_count", "info": {"total": 7}}},
        {"type": "response_item", "payload": {"type": "reasoning", "summary": [{"type": "summary_text", "text": "I think."}]}},
        {
            "type": "response_item",
            "payload": {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "Be good."}]},
        },
        {"type": "session_meta", "payload": {"cwd": "/home/ann", "instructions": "Be good."}},
        {"type": "user", "isMeta": True, "message": {"role": "user", "content": "Caveat."}},
        {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "thinking", "thinking": "Hidden."}]}},
    ],
)
def test_what_nobody_said_stays(record: dict[str, object]) -> None:
    assert cleaned(**record) == []


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("open /home/ann/a.py:12 now", "open [path]:12 now"),
        ("open ~/notes/a.md.", "open [path]"),
        (r"in C:\Users\ann\a.txt it is", "in [path] it is"),
        ("call GET /v1/records/search and src/app/main.py", "call GET /v1/records/search and src/app/main.py"),
        ("see https://example.org/home/ann/x", "see https://example.org/home/ann/x"),
        ('{"path":"/Users/ann/x"}', '{"path":"[path]"}'),
    ],
)
def test_paths(text: str, left: str) -> None:
    assert CLEANER.text(text, 1_000) == left


def test_secrets_stay_here() -> None:
    secret = "sk-ant-api03-" + "c" * 60
    message = {
        "role": "user",
        "content": [{"type": "tool_result", "content": f"KEY={secret}"}, {"type": "text", "text": f"It is {secret}"}],
    }
    assert cleaned(type="user", message=message) == [("user", None, "It is [REDACTED:api_key]"), ("tool", None, "KEY=[REDACTED:api_key]")]


@pytest.mark.parametrize("raw", [b"", b"{", b"[1]", b"\xff\xfe", b'{"type":"user"', b"null", b'{"a":' * 9_000 + b"1" + b"}" * 9_000])
def test_no_line_of_a_transcript(raw: bytes) -> None:
    assert CLEANER.lines(raw) == []
