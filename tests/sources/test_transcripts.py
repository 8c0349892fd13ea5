"""Conversations that agent hosts keep: where they are found, what of them is a turn, where they took place."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memory_wire.framing import turn_id
from memory_wire.sources import transcripts
from memory_wire.sources.items import Found, Ignored, Item
from tests.sources.exports import lines, write

ASK, ANSWER = "why does the release build fail on the second run?", "The cache keeps a path that the first run removed; clearing it helps."
AT = "2026-05-01T10:00:00.000Z"
CWD = "/srv/shop"


def claude(home: Path, session: str = "11111111-aaaa", extra: bytes = b"") -> Path:
    base = {"sessionId": session, "cwd": CWD, "isSidechain": False}
    data = lines(
        {"type": "summary", "summary": "Release build", "leafUuid": "x"},
        base
        | {"type": "user", "timestamp": AT, "message": {"role": "user", "content": f"<system-reminder>be brief</system-reminder>{ASK}"}},
        base
        | {
            "type": "assistant",
            "timestamp": "2026-05-01T10:00:05.000Z",
            "message": {
                "role": "assistant",
                "content": [{"type": "thinking", "thinking": "hm"}, {"type": "tool_use", "name": "Bash", "input": {}}],
            },
        },
        base | {"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "content": "tool output"}]}},
        base | {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": ANSWER}]}},
        base | {"type": "user", "isSidechain": True, "message": {"role": "user", "content": "a subagent's task that is long enough"}},
    )
    return write(home, data + extra, f".claude/projects/-srv-shop/{session}.jsonl")


def codex(home: Path) -> Path:
    data = lines(
        {"timestamp": AT, "type": "session_meta", "payload": {"id": "0199-codex", "cwd": CWD, "cli_version": "1"}},
        {
            "timestamp": AT,
            "type": "response_item",
            "payload": {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": "<environment_context>x</environment_context>"}],
            },
        },
        {
            "timestamp": AT,
            "type": "response_item",
            "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": ASK}]},
        },
        {"timestamp": AT, "type": "event_msg", "payload": {"type": "user_message", "message": ASK}},
        {"timestamp": AT, "type": "response_item", "payload": {"type": "function_call_output", "output": "tool output"}},
        {
            "timestamp": AT,
            "type": "response_item",
            "payload": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": ANSWER}]},
        },
    )
    return write(home, data, ".codex/sessions/2026/05/01/rollout-2026-05-01T10-00-00-0199-codex.jsonl")


def copilot(home: Path) -> Path:
    data = lines(
        {"type": "session.start", "timestamp": AT, "data": {"sessionId": "cop-1", "context": {"cwd": CWD}}},
        {"type": "user.message", "timestamp": AT, "data": {"content": ASK}},
        {"type": "assistant.message", "timestamp": AT, "data": {"content": ANSWER, "toolRequests": []}},
    )
    return write(home, data, ".copilot/session-state/cop-1/events.jsonl")


def cursor(home: Path) -> Path:
    data = lines(
        {"role": "user", "message": {"content": [{"type": "text", "text": f"<user_query>\n{ASK}\n</user_query>"}]}},
        {"role": "assistant", "message": {"content": [{"type": "text", "text": ANSWER}, {"type": "tool_use", "name": "read"}]}},
    )
    return write(home, data, ".cursor/projects/srv-shop/agent-transcripts/cur-1/cur-1.jsonl")


def gemini(home: Path) -> Path:
    document = {
        "sessionId": "gem-1",
        "projectHash": hashlib.sha256(CWD.encode()).hexdigest(),
        "startTime": AT,
        "messages": [
            {"id": "1", "timestamp": AT, "type": "user", "content": ASK},
            {"id": "2", "timestamp": AT, "type": "gemini", "content": ANSWER},
        ],
    }
    write(home, {"projects": {CWD: "shop"}}, ".gemini/projects.json")
    return write(home, document, f".gemini/tmp/{document['projectHash']}/chats/session-2026-05-01T10-00-gem.json")


def gemini_lines(home: Path) -> Path:
    data = lines(
        {"sessionId": "gem-2", "projectHash": "x", "startTime": AT, "kind": "main"},
        {"id": "0", "timestamp": AT, "type": "user", "content": [{"text": "a question that is taken back again later on"}]},
        {"id": "1", "timestamp": AT, "type": "gemini", "content": "an answer that is taken back again later on"},
        {"$rewindTo": "0"},
        {"$set": {"messages": [{"id": "2", "timestamp": AT, "type": "user", "content": [{"text": ASK}]}]}},
        {"id": "3", "timestamp": AT, "type": "gemini", "content": "half"},
        {"id": "3", "timestamp": AT, "type": "gemini", "content": ANSWER},
        {"$set": {"lastUpdated": AT}},
    )
    write(home, {"projects": {CWD: "shop"}}, ".gemini/projects.json")
    return write(home, data, ".gemini/tmp/shop/chats/session-2.jsonl")


PARTS = [
    ("msg_1", "user", [{"type": "text", "text": ASK}, {"type": "text", "text": "called a tool", "synthetic": True}]),
    (
        "msg_2",
        "assistant",
        [{"type": "reasoning", "text": "hm"}, {"type": "tool", "state": {"output": "tool output"}}, {"type": "text", "text": ANSWER}],
    ),
]
AT_MS = 1_777_629_600_000


def opencode(home: Path) -> Path:
    base = ".local/share/opencode/storage"
    for id, role, parts in PARTS:
        write(home, {"id": id, "role": role, "time": {"created": AT_MS}}, f"{base}/message/ses_1/{id}.json")
        for number, part in enumerate(parts):
            write(home, part | {"id": f"prt_{number}"}, f"{base}/part/{id}/prt_{number}.json")
    write(home, {"id": "ses_2", "parentID": "ses_1", "directory": CWD}, f"{base}/session/p/ses_2.json")
    return write(home, {"id": "ses_1", "directory": CWD, "time": {"created": AT_MS}}, f"{base}/session/p/ses_1.json")


def opencode_db(home: Path) -> Path:
    path = home / ".local/share/opencode/opencode.db"
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT)")
        database.execute("CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT)")
        database.execute("CREATE TABLE part (id TEXT, message_id TEXT, data TEXT)")
        database.executemany("INSERT INTO session VALUES (?, ?, ?)", [("ses_1", None, CWD), ("ses_2", "ses_1", CWD)])
        for id, role, parts in PARTS:
            database.execute("INSERT INTO message VALUES (?, 'ses_1', ?, ?)", (id, AT_MS, json.dumps({"role": role})))
            database.executemany("INSERT INTO part VALUES (?, ?, ?)", [(f"{id}-{n}", id, json.dumps(part)) for n, part in enumerate(parts)])
    return path


def hermes(home: Path) -> Path:
    path = write(home, b"", ".hermes/state.db")
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, parent_session_id TEXT, started_at REAL, cwd TEXT)")
        database.execute("CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, timestamp REAL)")
        database.execute("INSERT INTO sessions VALUES ('her-1', 'cli', NULL, ?, ?)", (AT_MS / 1000, CWD))
        said = [("system", "be kind"), ("user", ASK), ("tool", "tool output"), ("assistant", ANSWER)]
        database.executemany(
            "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('her-1', ?, ?, ?)",
            [(*each, AT_MS / 1000) for each in said],
        )
    return path


def pi(home: Path) -> Path:
    data = lines(
        {"type": "session", "version": 3, "id": "pi-1", "timestamp": AT, "cwd": CWD},
        {"type": "message", "id": "a", "parentId": None, "timestamp": AT, "message": {"role": "user", "content": ASK}},
        {
            "type": "message",
            "id": "b",
            "parentId": "a",
            "timestamp": AT,
            "message": {"role": "assistant", "content": [{"type": "text", "text": ANSWER}]},
        },
        {
            "type": "message",
            "id": "c",
            "parentId": "b",
            "timestamp": AT,
            "message": {"role": "toolResult", "content": [{"type": "text", "text": "tool output"}]},
        },
    )
    return write(home, data, ".pi/agent/sessions/--srv-shop--/2026-05-01T10-00-00_pi-1.jsonl")


def continue_dev(home: Path) -> Path:
    document = {
        "sessionId": "con-1",
        "workspaceDirectory": f"file://{CWD}",
        "history": [{"message": {"role": "user", "content": ASK}}, {"message": {"role": "assistant", "content": ANSWER}}],
    }
    return write(home, document, ".continue/sessions/con-1.json")


def cline(home: Path) -> Path:
    first = [
        {"type": "text", "text": f"<task>\n{ASK}\n</task>"},
        {"type": "text", "text": f"<environment_details>\n# Current Working Directory ({CWD}) Files\n</environment_details>"},
    ]
    document = [
        {"role": "user", "content": first, "ts": AT_MS},
        {"role": "assistant", "content": [{"type": "text", "text": ANSWER}], "ts": AT_MS},
    ]
    return write(home, document, ".cline/data/tasks/1777629600000/api_conversation_history.json")


def vscode(home: Path) -> Path:
    base = ".config/Code/User/workspaceStorage/abc"
    write(home, {"folder": f"file://{CWD}"}, f"{base}/workspace.json")
    requests = [
        {"timestamp": AT_MS, "message": {"text": ASK}, "response": [{"value": ANSWER}, {"kind": "toolInvocation", "value": "tool output"}]}
    ]
    return write(home, {"sessionId": "vs-1", "requests": requests}, f"{base}/chatSessions/vs-1.json")


HOSTS = {
    claude: ("claude-code", "11111111-aaaa"),
    codex: ("codex", "0199-codex"),
    copilot: ("copilot-cli", "cop-1"),
    cursor: ("cursor", "cur-1"),
    gemini: ("gemini-cli", "gem-1"),
    gemini_lines: ("gemini-cli", "gem-2"),
    opencode: ("opencode", "ses_1"),
    opencode_db: ("opencode", "ses_1"),
    hermes: ("hermes", "her-1"),
    pi: ("pi", "pi-1"),
    continue_dev: ("continue", "con-1"),
    cline: ("cline", "1777629600000"),
    vscode: ("vscode", "vs-1"),
}


def read(home: Path, open_end: bool = False, since: str | None = None) -> tuple[list[Found], list[str | None]]:
    """What all conversations below a home yield, and where they took place."""
    found: list[Found] = []
    places = []
    for kept in transcripts.files(str(home), {}, None):
        for conversation in kept.read(kept.path):
            places.append(conversation.cwd)
            found += transcripts.turns(kept, conversation, open_end, since)
    return found, places


@pytest.mark.parametrize("make", HOSTS, ids=lambda make: make.__name__)
def test_a_turn_of_each_host(make: object, tmp_path: Path) -> None:
    path = make(tmp_path)  # type: ignore[operator]
    os.utime(path, (AT_MS / 1000, AT_MS / 1000))
    host, session = HOSTS[make]  # type: ignore[index]
    found, places = read(tmp_path)
    [item] = found
    assert isinstance(item, Item)
    assert item.content == f"[user] {ASK}\n[assistant] {ANSWER}"
    assert (item.created_at, item.session, item.tags) == (AT, session, ["transcript", host])
    assert item.document_id == turn_id(session, ASK)
    assert places == [None if host == "cursor" else CWD]
    assert item.context == f"seed:transcript:{path.name}"


def test_folders_that_variables_move(tmp_path: Path) -> None:
    codex(tmp_path)
    opencode(tmp_path)
    moved = {"CODEX_HOME": str(tmp_path / ".codex"), "XDG_DATA_HOME": str(tmp_path / ".local/share"), "CLAUDE_CONFIG_DIR": "relative"}
    assert [kept.host for kept in transcripts.files(str(tmp_path / "nobody"), moved, None)].count("codex") == 1
    hosts = {kept.host for kept in transcripts.files(str(tmp_path / "nobody"), moved, None)}
    assert hosts == {"codex", "opencode"}
    assert transcripts.files(str(tmp_path / "nobody"), {}, None) == []
    path = codex(tmp_path)
    os.utime(path, (1000, 1000))
    assert "codex" not in {kept.host for kept in transcripts.files(str(tmp_path), {}, 2000.0)}


def test_the_last_turn_may_still_be_going_on(tmp_path: Path) -> None:
    more = lines(
        {
            "type": "user",
            "sessionId": "11111111-aaaa",
            "timestamp": "2026-05-01T11:00:00Z",
            "message": {"role": "user", "content": "and on the third run, what then happens?"},
        }
    )
    claude(tmp_path, extra=more)
    found, _ = read(tmp_path, open_end=True)
    assert [type(each) for each in found] == [Item, Ignored]
    found, _ = read(tmp_path, since="2026-05-01T10:30:00.000Z")
    assert [type(each) for each in found] == [Ignored, Item]


def test_repeated_prompts_are_named_as_captured_ones_are(tmp_path: Path) -> None:
    said = [
        ("continue", "The first part is done now, as planned."),
        ("continue", "The second part is done as well."),
        ("continue", "The first part is done now, as planned."),
    ]
    data = lines(
        *(
            {"type": role, "sessionId": "s", "timestamp": AT, "message": {"role": role, "content": text}}
            for pair in said
            for role, text in zip(("user", "assistant"), pair, strict=True)
        )
    )
    write(tmp_path, data, ".claude/projects/p/s.jsonl")
    found, _ = read(tmp_path)
    assert [each.document_id for each in found if isinstance(each, Item)] == [
        turn_id("s", "continue"),
        turn_id("s", "continue", 1),
        turn_id("s", "continue"),
    ]


@pytest.mark.parametrize("make", HOSTS, ids=lambda make: make.__name__)
def test_damaged_files_yield_what_is_whole(make: object, tmp_path: Path) -> None:
    path = make(tmp_path)  # type: ignore[operator]
    data = path.read_bytes()
    for cut in range(0, len(data), max(1, len(data) // 25)):
        path.write_bytes(data[:cut])
        read(tmp_path)
        path.write_bytes(data[:cut] + b"\xff\x00" + data[cut + 2 :])
        read(tmp_path)
