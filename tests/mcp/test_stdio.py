"""The loop over standard input and output, in process on pipes: lines of all kinds, requests side by side, cancellations, the end."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from memory_wire import config
from memory_wire.errors import UnknownBank
from memory_wire.mcp.dispatch import Context, Peer, Provider
from memory_wire.mcp.stdio import Stdio, lines
from memory_wire.mcp.steps import Ask, Hold, Notify, Run
from memory_wire.types import Empty
from tests.mcp.tried import META, Json

PATIENCE = 20.0


class Loop:
    """A Stdio on pipes in a thread of its own. Operations named `gate…` wait until they are opened."""

    def __init__(self) -> None:
        source, self.input = os.pipe()
        self.output, sink = os.pipe()
        self.gates: dict[str, threading.Event] = {}
        self.running: list[str] = []
        self.closed: list[object] = []
        self.lost: list[BaseException] = []
        self.left = threading.Event()
        methods = {"gate": self.gate, "hold": self.hold, "ask": self.ask, "notes": self.notes}
        provider = Provider({"name": "tried", "version": "1"}, methods, subscribable=frozenset({"toolsListChanged"}))  # type: ignore[arg-type]
        self.provider = provider
        self.stdio = Stdio(provider, self.run, Peer("b"), lost=self.lost.append, left=self.left.set, source=source, sink=sink)
        self.thread = threading.Thread(target=self.serve)
        self.descriptors = [source, sink]
        self.file = os.fdopen(self.output, "rb")
        self.thread.start()

    def serve(self) -> None:
        self.stdio.serve()
        for descriptor in self.descriptors:
            os.close(descriptor)

    def gate(self, context: Context, params: Any) -> Any:
        return {"ran": (yield Run(params["name"], Empty()))}

    def hold(self, context: Context, params: Any) -> Any:
        try:
            yield Hold()
            return {}
        finally:
            self.closed.append(context.id)

    def ask(self, context: Context, params: Any) -> Any:
        return {"told": (yield Ask("roots/list", {}))}

    def notes(self, context: Context, params: Any) -> Any:
        for number in range(params["count"]):
            yield Notify("notifications/progress", {"progress": number})
        return {}

    def run(self, step: Run) -> object:
        self.running.append(step.operation)
        if step.operation == "unknown":
            raise UnknownBank
        if step.operation == "broken":
            raise RuntimeError("the secret is 1234")
        if step.operation.startswith("gate"):
            assert self.gates.setdefault(step.operation, threading.Event()).wait(PATIENCE)
        return step.operation

    def open(self, name: str) -> None:
        self.gates.setdefault(name, threading.Event()).set()

    def write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self.input, data) :]

    def send(self, method: str, params: object = {}, id: object = None) -> None:
        self.write(
            json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **({} if id is None else {"id": id})}).encode() + b"\n"
        )

    def next(self) -> Json:
        found: Json = json.loads(self.file.readline())
        return found

    def until(self, holds: Callable[[], object]) -> None:
        limit = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < limit
            time.sleep(0.005)

    def end(self) -> list[Json]:
        """What is still said after the input has ended."""
        if self.input >= 0:
            os.close(self.input)
            self.input = -1
        rest = [json.loads(line) for line in self.file]
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()
        self.file.close()
        return rest


@pytest.fixture
def loop() -> Iterator[Loop]:
    found = Loop()
    yield found
    for gate in found.gates.values():
        gate.set()
    if not found.file.closed:
        found.end()
    assert not found.lost


# lines -----------------------------------------------------------------------------------------------------------------------------


def split(*pieces: bytes) -> list[bytes | None]:
    """The lines of what comes in these pieces."""
    source, sink = os.pipe()
    found: list[bytes | None] = []
    reader = threading.Thread(target=lambda: found.extend(lines(source)))
    reader.start()
    for piece in pieces:
        os.write(sink, piece)
        time.sleep(0.01)
    os.close(sink)
    reader.join(PATIENCE)
    os.close(source)
    return found


def test_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    assert split(b"one\ntwo\r\n\r\n  \nthr", b"ee", b"\n", b"last") == [b"one", b"two", b"three", b"last"]
    assert split(b"\xe2\x80", b"\xa8\n\x00\n") == ["\u2028".encode(), b"\x00"]
    assert split() == [] and split(b"\n\n\n") == []
    monkeypatch.setattr(config, "MCP_LINE", 10)
    assert split(b"x" * 10 + b"\n", b"y" * 11 + b"\nz\n") == [b"x" * 10, None, b"z"]
    assert split(b"x" * 6, b"x" * 6, b"x" * 6 + b"\nend") == [None, b"end"]
    assert split(b"x" * 50) == [None]


def test_bad_lines_are_told_and_the_loop_goes_on(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "MCP_LINE", 1_000)
    for line, number in (
        (b"junk", -32700),
        (b"\xff\xfe", -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"\xc3\x28"}', -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"} x', -32700),
        (b"[" * 900, -32700),
        (b"x" * 1_001, -32700),
        (b"[]", -32600),
        (b"5", -32600),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600),
    ):
        loop.write(line + b"\r\n")
        found = loop.next()
        assert (found["id"], found["error"]["code"]) == (None, number), line
    loop.send("ping", id="still")
    assert loop.next() == {"jsonrpc": "2.0", "id": "still", "result": {}}


def test_an_answer_is_one_line(loop: Loop) -> None:
    loop.send("ping", id="a\nb\r\u2028c")
    assert loop.file.readline() == '{"jsonrpc":"2.0","id":"a\\nb\\r\u2028c","result":{}}\n'.encode()


# side by side ----------------------------------------------------------------------------------------------------------------------


def test_answers_come_as_they_are_ready(loop: Loop) -> None:
    for number in (1, 2, 3):
        loop.send("gate", {"name": f"gate{number}"}, number)
    loop.send("ping", id="ping")
    loop.send("gate", {"name": "free"}, "free")
    assert {loop.next()["id"], loop.next()["id"]} == {"ping", "free"}
    for number in (3, 1, 2):
        loop.open(f"gate{number}")
        assert loop.next() == {"jsonrpc": "2.0", "id": number, "result": {"ran": f"gate{number}"}}


def test_there_are_few_threads_and_the_rest_waits(loop: Loop) -> None:
    for number in range(50):
        loop.send("gate", {"name": "gate"}, number)
    loop.send("ping", id="ping")
    assert loop.next()["id"] == "ping"
    loop.until(lambda: len(loop.running) == config.MCP_THREADS)
    assert loop.stdio.threads == config.MCP_THREADS
    loop.open("gate")
    assert {loop.next()["id"] for _ in range(50)} == set(range(50))
    loop.until(lambda: not loop.stdio.active)  # an answer is out before its task is put away
    assert loop.stdio.threads == config.MCP_THREADS and not loop.stdio.peer.tasks and not loop.stdio.early


def test_one_thread_is_enough_for_one_at_a_time(loop: Loop) -> None:
    for number in range(20):
        loop.send("gate", {"name": "free"}, number)
        assert loop.next()["id"] == number
        loop.until(lambda: not loop.stdio.active)
    assert loop.stdio.threads == 1


def test_errors_of_operations(loop: Loop) -> None:
    loop.send("gate", {"name": "unknown"}, 1)
    assert loop.next()["error"] == {"code": -32603, "message": "internal error"}  # this handler takes no errors
    loop.send("gate", {"name": "broken"}, 2)
    assert "secret" not in str(loop.next())
    assert [type(error).__name__ for error in loop.lost] == ["UnknownBank", "RuntimeError", "StorageError"]
    loop.lost.clear()


def test_a_batch(loop: Loop) -> None:
    loop.send("initialize", {"protocolVersion": "2025-03-26"}, "i")
    assert loop.next()["result"]["protocolVersion"] == "2025-03-26"
    batch = [{"jsonrpc": "2.0", "id": number, "method": "gate", "params": {"name": f"n{number}"}} for number in range(3)]
    loop.write(json.dumps(batch).encode() + b"\n")
    answers: Any = loop.next()
    assert [answer["result"]["ran"] for answer in answers] == ["n0", "n1", "n2"]


# cancellation ----------------------------------------------------------------------------------------------------------------------


def test_a_request_that_runs_is_not_answered_any_more(loop: Loop) -> None:
    loop.send("gate", {"name": "gate"}, "gone")
    loop.until(lambda: loop.running)
    loop.send("notifications/cancelled", {"requestId": "gone"})
    loop.send("ping", id=1)
    assert loop.next()["id"] == 1
    loop.open("gate")
    loop.send("gate", {"name": "free"}, 2)
    assert loop.next()["id"] == 2
    assert loop.end() == []


def test_a_request_that_waits_its_turn_is_never_begun(loop: Loop) -> None:
    for number in range(config.MCP_THREADS):
        loop.send("gate", {"name": "gate"}, number)
    loop.until(lambda: len(loop.running) == config.MCP_THREADS)
    loop.send("gate", {"name": "never"}, "never")
    loop.send("notifications/cancelled", {"requestId": "never", "reason": "no more"})
    loop.send("ping", id="ping")
    assert loop.next()["id"] == "ping"
    loop.open("gate")
    assert {loop.next()["id"] for _ in range(config.MCP_THREADS)} == set(range(config.MCP_THREADS))
    assert loop.end() == [] and "never" not in loop.running


def test_a_request_that_waits_for_something_is_ended(loop: Loop) -> None:
    loop.send("hold", id="h")
    loop.until(lambda: loop.stdio.parked)
    loop.send("notifications/cancelled", {"requestId": "h"})
    loop.until(lambda: loop.closed == ["h"])
    assert loop.end() == [] and not loop.stdio.parked and not loop.stdio.peer.tasks


# the client's word -----------------------------------------------------------------------------------------------------------------


def test_a_handler_asks_the_client(loop: Loop) -> None:
    for number in range(20):
        loop.send("ask", id=number)
        asked = loop.next()
        assert asked["method"] == "roots/list"
        loop.write(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": [number]}}).encode() + b"\n")
        assert loop.next() == {"jsonrpc": "2.0", "id": number, "result": {"told": {"roots": [number]}}}
    assert not loop.stdio.dispatcher.asked and not loop.stdio.early and not loop.stdio.parked


def test_notifications_come_before_the_answer(loop: Loop) -> None:
    loop.send("notes", {"count": 30, "_meta": {"progressToken": "p"}}, 1)
    assert [loop.next()["params"]["progress"] for _ in range(30)] == list(range(30))
    assert loop.next()["id"] == 1


def test_a_subscription(loop: Loop) -> None:
    loop.send("subscriptions/listen", {"notifications": {"toolsListChanged": True}, "_meta": META}, "s")
    assert loop.next()["method"] == "notifications/subscriptions/acknowledged"
    for _ in range(30):
        loop.provider.publish("tools")
        assert loop.next()["params"]["_meta"] == {"io.modelcontextprotocol/subscriptionId": "s"}
    loop.send("notifications/cancelled", {"requestId": "s"})
    loop.until(lambda: not loop.stdio.dispatcher.subscriptions.streams)
    assert loop.end() == []


# the end ---------------------------------------------------------------------------------------------------------------------------


def test_requests_under_way_are_answered_after_the_end_of_the_input(loop: Loop) -> None:
    for number in range(10):
        loop.send("gate", {"name": "free"}, number)
    loop.write(b'{"jsonrpc":"2.0","id":"last","method":"ping"}')
    assert {answer["id"] for answer in loop.end()} == {*range(10), "last"}


def test_but_not_for_ever(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "MCP_EOF_SECONDS", 0.2)
    loop.send("gate", {"name": "gate"}, "stuck")
    loop.until(lambda: loop.running)
    loop.send("hold", id="held")
    started = time.monotonic()
    os.close(loop.input)
    loop.input = -1
    loop.thread.join(PATIENCE)
    assert time.monotonic() - started < PATIENCE / 2 and loop.stdio.active == 1
    loop.open("gate")
    loop.until(lambda: not loop.stdio.active)


def test_nobody_reads_any_more(loop: Loop) -> None:
    loop.send("gate", {"name": "gate"}, 1)
    loop.until(lambda: loop.running)
    loop.file.close()
    loop.open("gate")
    assert loop.left.wait(PATIENCE)
    loop.send("ping", id=2)
    loop.thread.join(PATIENCE)
    assert not loop.thread.is_alive()
    os.close(loop.input)
