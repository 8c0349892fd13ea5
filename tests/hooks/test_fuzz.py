"""2,000 payloads that no host sends: nothing is printed, nothing is stored, nothing is raised."""

from __future__ import annotations

import json
import os
import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.footprint.server import Server
from memory_wire import framing
from memory_wire.hooks.payload import EVENTS, HOSTS
from memory_wire.hooks.run import Firing
from tests.hooks.payloads import PAYLOADS, PROMPT, payload
from tests.hooks.place import Place, transcript

COUNT = 2_000
PROCESSES = 30  # of them run as real processes too
WRONG = [None, True, 0, -1, 1e308, "", "  ", [], {}, [None], [[]], {"prompt": 1}, {"text": []}, ["text", 5]]
CLINE_EMPTY = b'{"cancel":false,"contextModification":"","errorMessage":""}\n'


def malformed(seed: str, transcript_path: str) -> Iterator[tuple[str, str, bytes]]:
    """(event, host, bytes): cut, overwritten, retyped, nested and random ones."""
    chance = random.Random(seed)
    while True:
        host = chance.choice(HOSTS)
        event = chance.choice(list(PAYLOADS[host]))
        whole = payload(host, event, "s-1", "/project", transcript_path)
        data = json.dumps(whole).encode()
        kind = chance.randrange(7)
        if kind == 0:
            data = data[: chance.randrange(len(data))]
        elif kind == 1:
            for _ in range(chance.randint(1, 8)):
                at = chance.randrange(len(data))
                data = data[:at] + chance.randbytes(1) + data[at + 1 :]
        elif kind == 2:
            data = json.dumps({key: chance.choice(WRONG) for key in whole}).encode()
        elif kind == 3:
            data = json.dumps(chance.choice([[whole], json.dumps(whole), [[whole] * 3], 5, None, True])).encode()
        elif kind == 4:
            data = b'{"prompt":' * chance.choice([1, 50, 5_000]) + data[: chance.randrange(2)] + b"[" * chance.choice([0, 9, 20_000])
        elif kind == 5:
            data = chance.randbytes(chance.choice([0, 1, 7, 200, 70_000]))
        else:
            data += chance.choice([b"}", b",", b"\0", b"null", data, b'"'])
        if kind == 2 or not is_object(data):
            yield chance.choice(EVENTS), chance.choice([host, *HOSTS]), data


def is_object(data: bytes) -> bool:
    """Whether a lenient reader finds an object in it."""
    try:
        return isinstance(json.loads(data.decode("utf-8-sig", "surrogateescape"), strict=False), dict)
    except (ValueError, RecursionError):
        return False


def silent(event: str, host: str, printed: bytes) -> bool:
    """Whether nothing was injected. A session's start needs no payload and shows its frame all the same; Cline gets its empty answer."""
    if event == "session-start":
        return printed == b"" or b"## memory-wire \\u2014 bank `" in printed or "## memory-wire — bank `".encode() in printed
    return printed == (CLINE_EMPTY if host == "cline" else b"")


@pytest.fixture(name="asked")
def with_something_to_say(server: Server, place: Place, tmp_path: Path) -> str:
    """A transcript of turns, and a bank whose one memory answers the prompt of all payloads."""
    server.retain(place.env["MEMORY_WIRE_BANK"], {"content": f"Asked once: {PROMPT}"})
    return transcript(tmp_path / "t.jsonl", ("user", PROMPT), ("assistant", "In Rotterdam, I believe."))


def unchanged(server: Server, place: Place) -> bool:
    _, body = server.ask("GET", f"/banks/{place.env['MEMORY_WIRE_BANK']}/memories")
    return len(json.loads(body)) == 1 and place.spooled() == []


def test_in_process(server: Server, place: Place, asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", place.env["XDG_DATA_HOME"])
    source = malformed("in process", asked)
    for _ in range(COUNT):
        event, host, data = next(source)
        inner, outer = os.pipe()
        writer = threading.Thread(target=write, args=(outer, data))
        writer.start()
        try:
            printed = Firing(event, host, None, place.env, inner).output()
        finally:
            os.close(inner)
            writer.join()
        assert silent(event, host, printed), (event, host, data[:200], printed)
    assert unchanged(server, place)


def write(descriptor: int, data: bytes) -> None:
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except BrokenPipeError:  # what follows a whole object isn't read
        return
    finally:
        os.close(descriptor)


def test_as_processes(server: Server, place: Place, asked: str) -> None:
    source = malformed("processes", asked)
    for _ in range(PROCESSES):
        event, host, data = next(source)
        assert silent(event, host, place.hook(event, "--host", host, given=data)), (event, host, data[:200])
    assert unchanged(server, place)


def test_the_same_payloads_unharmed_are_heard(server: Server, place: Place, asked: str) -> None:
    """What the tests above would see if anything came through."""
    printed = place.hook("prompt", "--host", "codex", given=payload("codex", "prompt", "s-1", "/project"))
    assert not silent("prompt", "codex", printed)
    place.hook("stop", "--host", "claude-code", given=payload("claude-code", "stop", "s-1", "/project", asked))
    assert not unchanged(server, place)
    assert framing.LABEL.encode() in printed
