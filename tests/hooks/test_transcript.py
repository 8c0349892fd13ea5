"""Transcripts of the hosts become turns of prose."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import nullcontext
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_wire import config, framing
from memory_wire.hooks import tail
from memory_wire.hooks.transcript import Entry, entry, is_moment, turns
from memory_wire.service import dates

Q1, A1, A2 = "Which lock is the deepest?", "The sea lock.", "It is 14 m deep."
Q2, A3 = "And the widest?", "The canal lock."
T1, T2 = "2026-11-30T10:00:00.000Z", "2026-11-30T11:00:00.000Z"
REMINDER = "<system-reminder>\nbe brief\n</system-reminder>"
OURS = f"{framing.recall_heading('x')}\n{framing.LABEL}\n- [2026-01-01] something old\n"
TOOL_NOISE = "TOOLNOISE " * 50

CLAUDE = [
    {"type": "summary", "summary": "Locks"},
    {"type": "user", "isMeta": True, "message": {"role": "user", "content": "Caveat"}},
    {"type": "user", "message": {"role": "user", "content": "<command-name>/clear</command-name>"}},
    {"type": "user", "timestamp": T1, "sessionId": "s", "cwd": "/p", "message": {"role": "user", "content": f"{REMINDER}\n{Q1}"}},
    {"type": "assistant", "timestamp": T1, "message": {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}]}},
    {
        "type": "assistant",
        "message": {
            "role": "assistant",
            "content": [{"type": "text", "text": A1}, {"type": "tool_use", "name": "x", "input": {"a": TOOL_NOISE}}],
        },
    },
    {"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": TOOL_NOISE}]}},
    {"type": "user", "isSidechain": True, "message": {"role": "user", "content": "subagent task"}},
    {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": A2}]}},
    {"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": REMINDER}]}},
    {
        "type": "user",
        "timestamp": T2,
        "message": {"role": "user", "content": [{"type": "text", "text": f"{OURS}\n{Q2}"}, {"type": "image", "source": {}}]},
    },
    {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": A3}]}},
    {"type": "user", "isCompactSummary": True, "message": {"role": "user", "content": "This session is being continued"}},
]


def codex(role: str, kind: str, text: str, at: str) -> dict[str, object]:
    return {
        "timestamp": at,
        "type": "response_item",
        "payload": {"type": "message", "role": role, "content": [{"type": kind, "text": text}]},
    }


CODEX = [
    {"timestamp": T1, "type": "session_meta", "payload": {"id": "s", "cwd": "/p", "instructions": "user rules"}},
    codex("developer", "input_text", OURS, T1),
    codex("user", "input_text", "# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\nrules\n</INSTRUCTIONS>", T1),
    codex("user", "input_text", "<environment_context>\n<cwd>/p</cwd>\n</environment_context>", T1),
    codex("user", "input_text", Q1, T1),
    {"timestamp": T1, "type": "event_msg", "payload": {"type": "user_message", "message": Q1}},
    {
        "timestamp": T1,
        "type": "response_item",
        "payload": {"type": "reasoning", "summary": [{"type": "summary_text", "text": "user wants"}]},
    },
    codex("assistant", "output_text", A1, T1),
    {"timestamp": T1, "type": "response_item", "payload": {"type": "function_call", "name": "shell", "arguments": TOOL_NOISE}},
    {"timestamp": T1, "type": "response_item", "payload": {"type": "function_call_output", "output": TOOL_NOISE + '"user"'}},
    codex("assistant", "output_text", A2, T1),
    codex("user", "input_text", Q2, T2),
    codex("assistant", "output_text", A3, T2),
]
COPILOT = [
    {"type": "session.start", "data": {"sessionId": "s", "context": {"cwd": "/p"}}, "timestamp": T1},
    {"type": "user.message", "data": {"content": Q1, "transformedContent": f"{Q1}\n\n{OURS}"}, "timestamp": T1},
    {"type": "assistant.turn_start", "data": {"turnId": "0"}, "timestamp": T1},
    {"type": "assistant.message", "data": {"content": A1, "toolRequests": [{"name": "x", "arguments": TOOL_NOISE}]}, "timestamp": T1},
    {"type": "tool.execution_complete", "data": {"result": {"content": TOOL_NOISE + '"user"'}}, "timestamp": T1},
    {"type": "assistant.message", "data": {"content": "", "toolRequests": []}, "timestamp": T1},
    {"type": "assistant.message", "data": {"content": A2}, "timestamp": T1},
    {"type": "user.message", "data": {"content": Q2}, "timestamp": T2},
    {"type": "assistant.message", "data": {"content": A3}, "timestamp": T2},
]
CURSOR = [
    {
        "role": "user",
        "message": {"content": [{"type": "text", "text": f"<attached_files>\nx\n</attached_files>\n<user_query>\n{Q1}\n</user_query>"}]},
    },
    {"role": "assistant", "message": {"content": [{"type": "text", "text": A1}, {"type": "tool_use", "name": "x", "input": {}}]}},
    {"role": "tool", "message": {"content": [{"type": "text", "text": TOOL_NOISE}]}},
    {"role": "assistant", "message": {"content": [{"type": "text", "text": A2}]}},
    {"role": "user", "message": {"content": [{"type": "text", "text": f"<user_query>\n{Q2}\n</user_query>"}]}},
    {"role": "assistant", "message": {"content": [{"type": "text", "text": A3}]}},
]
GEMINI = [
    {"type": "info", "content": "user signed in", "timestamp": T1},
    {"id": "1", "type": "user", "content": [{"text": f"{Q1}\n<hook_context>{OURS}</hook_context>"}], "timestamp": T1},
    {"id": "2", "type": "gemini", "content": A1, "thoughts": [{"subject": "x"}], "toolCalls": [{"result": TOOL_NOISE}], "timestamp": T1},
    {"id": "3", "type": "gemini", "content": [{"text": "thinking", "thought": True}, {"text": A2}], "timestamp": T1},
    {"id": "4", "type": "user", "content": Q2, "timestamp": T2},
    {"id": "5", "type": "gemini", "content": A3, "timestamp": T2},
]
CASCADE = [
    {"status": "done", "type": "user_input", "user_input": {"user_response": Q1}},
    {"status": "done", "type": "planner_response", "planner_response": {"response": A1}},
    {"status": "done", "type": "code_action", "code_action": {"path": "/p/x", "new_content": TOOL_NOISE}},
    {"status": "done", "type": "planner_response", "planner_response": {"response": A2}},
    {"status": "done", "type": "user_input", "user_input": {"user_response": Q2}},
    {"status": "done", "type": "planner_response", "planner_response": {"response": A3}},
]
PLAIN = [
    {"role": "system", "content": "you are"},
    {"role": "user", "content": Q1},
    {"role": "assistant", "content": A1},
    {"role": "assistant", "content": [{"type": "text", "text": A2}]},
    {"type": "message", "message": {"role": "user", "content": Q2}},
    {"type": "message", "role": "assistant", "text": A3},
]
FORMATS = {"claude": CLAUDE, "codex": CODEX, "copilot": COPILOT, "cursor": CURSOR, "gemini": GEMINI, "cascade": CASCADE, "plain": PLAIN}
DATED = ("claude", "codex", "copilot", "gemini")


def jsonl(lines: list[dict[str, object]]) -> bytes:
    return b"".join([json.dumps(line).encode() + b"\n" for line in lines])


@pytest.mark.parametrize("name", FORMATS)
def test_turns(name: str, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(jsonl(FORMATS[name]))
    found = list(turns(each for each, _ in tail.added(str(path), 0)))
    assert [(turn.index, turn.user, turn.assistant) for turn in found] == [(0, Q1, f"{A1}\n\n{A2}"), (1, Q2, A3)]
    assert [turn.at for turn in found] == ([T1, T2] if name in DATED else [None, None])
    assert tail.last_answer(str(path)) == A3


def test_a_document_of_messages(tmp_path: Path) -> None:
    path = tmp_path / "session.json"
    path.write_text(json.dumps({"sessionId": "s", "messages": GEMINI}))
    found = tail.added(str(path), 0)
    assert [(turn.user, turn.assistant) for turn in turns(each for each, _ in found)] == [(Q1, f"{A1}\n\n{A2}"), (Q2, A3)]
    assert [end for _, end in found] == [2, 3, 4, 5, 6]
    assert [each.text for each, _ in tail.added(str(path), 4)] == [Q2, A3]
    assert len(tail.added(str(path), 99)) == 5  # another file at that place
    assert tail.last_answer(str(path)) == A3


def test_where_a_message_stands() -> None:
    found = entry(json.dumps(CLAUDE[3]).encode())
    assert found is not None
    assert (found.role, found.text, found.at, found.session, found.cwd) == ("user", Q1, T1, "s", "/p")


def test_questions_in_a_row_and_answers_without_one() -> None:
    said = [("assistant", "a"), ("user", "b"), ("user", "c"), ("assistant", "d"), ("user", "e")]
    found = list(turns(Entry(role, text, at=f"t{number}") for number, (role, text) in enumerate(said)))
    assert [(turn.user, turn.assistant, turn.at) for turn in found] == [("", "a", "t0"), ("b\n\nc", "d", "t1"), ("e", "", "t4")]


@given(st.binary())
def test_any_line(raw: bytes) -> None:
    entry(raw)
    entry(b'{"type":"user","message":' + raw + b"}")


@given(st.lists(st.sampled_from(CLAUDE + CODEX + COPILOT), max_size=30))
def test_reading_on_gives_the_rest(lines: list[dict[str, object]]) -> None:
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        file.write(jsonl(lines))
        file.flush()
        whole = [(each.text, end) for each, end in tail.added(file.name, 0)]
        for _, end in whole:
            assert [(each.text, at) for each, at in tail.added(file.name, end)] == [pair for pair in whole if pair[1] > end]


NO_DAYS = ("0000-11-30T10:00:00Z", "2026-02-30T10:00:00Z", "2026-13-01T10:00:00Z", "1796071206510", "٢026-11-30T10:00:00Z", "", "x")
NO_TIMES = (
    "24:00:00Z",
    "10:60:00Z",
    "10:00:61Z",
    "10:00:00",
    "10:00:00.Z",
    "10:00:00+0100",
    "10:00:00+24:00",
    "10:00:00Z ",
    "10:00:00x.0Z",
)


@pytest.mark.parametrize("text", [*NO_DAYS, "2026-11-30", "2026-11-30X10:00:00Z", *(f"2026-11-30T{time}" for time in NO_TIMES)])
def test_what_is_no_moment(text: str) -> None:
    assert not is_moment(text)
    with pytest.raises(ValueError, match="date") if text not in DAYS else nullcontext():
        dates.parse(text)


DAYS = ("2026-11-30",)  # the server takes a day


ZONED = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(st.datetimes(min_value=datetime(1900, 1, 1), timezones=ZONED), st.sampled_from(["T", "t", " "]))
def test_moments_are_those_of_the_server(moment: datetime, between: str) -> None:
    text = moment.isoformat(sep=between)
    for form in (text, text[:-6] + "Z", text[:-6] + "z"):
        assert is_moment(form)
        dates.parse(form)


def test_long_lines_and_long_files(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    image = {
        "type": "user",
        "message": {"role": "user", "content": [{"type": "image", "source": {"data": "x" * config.TRANSCRIPT_LINE_BYTES}}]},
    }
    lines = [codex("user", "input_text", "first", T1), image, codex("assistant", "output_text", "after the image", T1)]
    path.write_bytes(jsonl(lines))
    assert [each.text for each, _ in tail.added(str(path), 0)] == ["first", "after the image"]
    filler = jsonl([{"type": "tool", "output": "x" * 1000}])
    many = jsonl(lines[:1]) + filler * (config.TRANSCRIPT_BYTES // len(filler) + 1) + jsonl(lines[2:])
    path.write_bytes(many)
    assert [each.text for each, _ in tail.added(str(path), 0)] == ["after the image"]  # the end is read
    first = len(jsonl(lines[:1]))
    assert tail.added(str(path), first) == []  # from an offset, as much as one hook reads
    assert tail.last_answer(str(path)) == "after the image"


def test_no_file_no_messages(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    for path in (str(pipe), str(tmp_path), str(tmp_path / "none"), "/dev/zero", "a\0b", ""):
        assert tail.added(path, 0) == []
        assert tail.last_answer(path) == ""


def test_an_unfinished_last_line(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    whole = jsonl(CURSOR)
    path.write_bytes(whole[:-20])
    found = tail.added(str(path), 0)
    assert [each.text for each, _ in found] == [Q1, A1, A2, Q2]
    path.write_bytes(whole)
    assert [each.text for each, _ in tail.added(str(path), found[-1][1])] == [A3]
