"""Hooks killed at any moment: every turn is stored, and stored once."""

from __future__ import annotations

import json
import random
import socket
import subprocess
import time
from pathlib import Path

from bench.footprint.server import Server
from tests.hooks.place import Place, transcript

SESSIONS = 12
STARTS = 0.05  # seconds in which a hook has come everywhere


def test_killed_captures_and_deliveries(tmp_path: Path) -> None:
    chance = random.Random("kill")
    place = Place(tmp_path / "machine")
    state = place.data / "serve.json"
    place.data.mkdir(parents=True)
    state.write_text('{"addr": "127.0.0.1:9"}')  # nobody there
    for number in range(SESSIONS):
        killed(place, chance, "stop", turn(place, number, 1))
        place.hook("session-end", "--host", "claude-code", given=turn(place, number, 2))
    waiting = len(place.spooled())
    assert waiting
    with Server(tmp_path / "server") as server:
        place.names(server)
        for number in range(SESSIONS):
            killed(place, chance, "stop", turn(place, number, 3))
            killed(place, chance, "session-start", {"session_id": f"s-{number}", "cwd": str(place.project)})
        for number in range(SESSIONS):
            place.hook("session-end", "--host", "claude-code", given=turn(place, number, 3))
        assert place.spooled() == []
        status, body = server.ask("GET", "/banks/pilots/memories?limit=500")
        assert status == 200
        found = [item["content"] for item in json.loads(body)]
    assert sorted(found) == sorted(set(found))
    expected = {f"question {number}.{part}" for number in range(SESSIONS) for part in (1, 2, 3)}
    assert {word for word in expected if any(f"{word} " in content for content in found)} == expected
    assert len(found) == len(expected)


def test_a_capture_on_its_way_is_not_yet_done(tmp_path: Path) -> None:
    place = Place(tmp_path / "machine")
    given = turn(place, 0, 1)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        place.env["MEMORY_WIRE_URL"] = f"http://127.0.0.1:{mute.getsockname()[1]}"
        process = fed(place, "stop", given)
        peer, _ = mute.accept()
        with peer:
            assert b"question 0.1" in received(peer)
            ended(process)
    with Server(tmp_path / "server") as server:
        place.env["MEMORY_WIRE_URL"] = f"http://127.0.0.1:{server.port}"
        place.hook("session-end", "--host", "claude-code", given=given)
        _, body = server.ask("GET", "/banks/pilots/memories")
        assert len(json.loads(body)) == 1
    (state,) = (place.data / "hooks" / "sessions").iterdir()
    assert json.loads(state.read_text())["offset"] == (place.home / "0.jsonl").stat().st_size


def received(peer: socket.socket) -> bytes:
    """A request, whole: its body ends the object."""
    data = b""
    while not data.endswith(b"}"):
        data += peer.recv(65536)
    return data


def turn(place: Place, number: int, part: int) -> dict[str, object]:
    """The payload of a session whose transcript has come to its n-th turn."""
    path = place.home / f"{number}.jsonl"
    question = f"question {number}.{part} about the harbour"
    if not path.exists() or question not in path.read_text():
        transcript(path, ("user", question), ("assistant", f"answer {number}.{part}, which is long enough to keep"))
    return {"session_id": f"s-{number}", "transcript_path": str(path), "cwd": str(place.project)}


def killed(place: Place, chance: random.Random, event: str, given: dict[str, object]) -> None:
    process = fed(place, event, given)
    time.sleep(chance.random() * STARTS)
    ended(process)


def fed(place: Place, event: str, given: dict[str, object]) -> subprocess.Popen[bytes]:
    process = place.start(event, "--host", "claude-code")
    assert process.stdin is not None
    process.stdin.write(json.dumps(given).encode())
    process.stdin.close()
    return process


def ended(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdout, process.stderr):
        assert stream is not None
        stream.close()
