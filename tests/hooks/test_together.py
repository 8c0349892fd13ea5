"""One hook file read by several hosts: the same event fires two or three times, and counts once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from bench.footprint.server import Server
from tests.hooks.payloads import ANSWER, PROMPT, payload
from tests.hooks.place import HANG, Place, transcript
from tests.hooks.test_process import FACT, shown, stored

TRIO = ("claude-code", "vscode", "cursor")


def at_once(place: Place, event: str, given: str, payloads: Sequence[dict[str, object]]) -> list[bytes]:
    """What the same command, installed as `--host given`, prints in each host."""
    running = [place.start(event, "--host", given) for _ in payloads]
    for process, one in zip(running, payloads, strict=True):
        assert process.stdin is not None
        process.stdin.write(json.dumps(one).encode())
        process.stdin.close()
        process.stdin = None
    done = [process.communicate(timeout=HANG) for process in running]
    assert [process.returncode for process in running] == [0] * len(running)
    assert all(noise == b"" for _, noise in done)
    return [printed for printed, _ in done]


def trio(event: str, place: Place, path: str) -> list[dict[str, object]]:
    return [payload(host, event, "shared-1", str(place.project), path) for host in TRIO]


@pytest.fixture(name="path")
def written(tmp_path: Path) -> str:
    return transcript(tmp_path / "t.jsonl", ("user", PROMPT), ("assistant", ANSWER))


def test_a_turn_is_stored_once(server: Server, place: Place, path: str) -> None:
    for _ in range(3):
        assert at_once(place, "stop", "claude-code", trio("stop", place, path)) == [b"", b"", b""]
    (found,) = stored(server, place, 1)
    assert PROMPT in found
    assert ANSWER in found
    at_once(place, "session-end", "claude-code", [payload("claude-code", "session-end", "shared-1", str(place.project), path)] * 3)
    stored(server, place, 1)


def test_a_memory_is_injected_once(server: Server, place: Place, path: str) -> None:
    server.retain(place.env["MEMORY_WIRE_BANK"], {"content": FACT})
    printed = at_once(place, "prompt", "claude-code", trio("prompt", place, path))
    texts = [shown(host, each) for host, each in zip(TRIO, printed, strict=True)]
    assert sum(FACT in text for text in texts) == 1
    again = at_once(place, "prompt", "claude-code", trio("prompt", place, path))
    assert again == [b"", b"", b""]


def test_each_host_gets_its_own_form(server: Server, place: Place, path: str) -> None:
    for host, event in zip(TRIO, trio("session-start", place, path), strict=True):
        event |= {"conversation_id": host} if host == "cursor" else {"sessionId" if host == "vscode" else "session_id": host}
        answer = json.loads(place.hook("session-start", "--host", "claude-code", given=event))
        assert ("additional_context" in answer) == (host == "cursor")
        assert ("suppressOutput" in answer) == (host == "claude-code")


def test_a_turn_that_waited_in_the_spool_of_one_host(server: Server, place: Place, path: str) -> None:
    del place.env["MEMORY_WIRE_URL"]
    state = place.data / "serve.json"
    place.data.mkdir(parents=True)
    state.write_text('{"addr": "127.0.0.1:9"}')
    at_once(place, "stop", "claude-code", trio("stop", place, path))
    assert place.spooled()
    place.names(server)
    at_once(place, "session-end", "claude-code", [payload("claude-code", "session-end", "shared-1", str(place.project), path)] * 3)
    assert place.spooled() == []
    stored(server, place, 1)


def test_answers_that_cursor_tells_before_it_stops(server: Server, place: Place) -> None:
    prompt = payload("cursor", "prompt", "c-1", str(place.project))
    base = {key: prompt[key] for key in ("conversation_id", "cursor_version", "workspace_roots")}
    place.hook("prompt", "--host", "cursor", given=prompt)
    for text in ("Looking at the list of berths first.", ANSWER):
        place.hook("stop", "--host", "cursor", given={**base, "hook_event_name": "afterAgentResponse", "text": text})
    assert stored(server, place) == []
    place.hook("stop", "--host", "cursor", given={**base, "hook_event_name": "stop", "status": "completed"})
    (found,) = stored(server, place, 1)
    assert found == f"[user] {PROMPT}\n[assistant] Looking at the list of berths first.\n\n{ANSWER}"
