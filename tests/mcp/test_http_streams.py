"""Answers that are streams, over raw sockets: their form, slow and vanishing readers, subscriptions from acknowledgement to good-bye."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.mcp.fixture_server import Fixture
from tests.mcp.posting import BOTH, message, sent
from tests.mcp.tried import META, Json
from tests.serve.serving import Peer

MODERN = {**BOTH, "MCP-Protocol-Version": "2026-07-28"}
PATIENCE = 20.0


@pytest.fixture(scope="module")
def streams(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fixture]:
    with Fixture(tmp_path_factory.mktemp("streams"), "MCP_ALIVE_SECONDS=0.5", module="tests.mcp.streaming") as found:
        yield found


class Reading:
    """A streamed reply as it comes: `events` are its messages, `comments` the lines that keep it alive."""

    def __init__(self, peer: Peer, chunked: bool = True) -> None:
        self.peer = peer
        self.chunked = chunked
        while b"\r\n\r\n" not in peer.pending:
            assert peer.more(), peer.pending
        head, _, peer.pending = peer.pending.partition(b"\r\n\r\n")
        self.status, *fields = head.decode().split("\r\n")
        self.headers = {name.lower(): value for name, _, value in (field.partition(": ") for field in fields)}
        self.ended = False
        self.text = b""
        self.events: list[Json] = []
        self.comments = 0

    def chunk(self) -> bytes:
        """The next chunk, nothing at the end."""
        peer = self.peer
        if not self.chunked:
            data = peer.pending or peer.more()
            peer.pending = b""
            return data
        while b"\r\n" not in peer.pending:
            assert peer.more(), "the connection ended within a stream"
        size, _, peer.pending = peer.pending.partition(b"\r\n")
        length = int(size, 16)
        while len(peer.pending) < length + 2:
            assert peer.more(), "the connection ended within a chunk"
        data, end, peer.pending = peer.pending[:length], peer.pending[length : length + 2], peer.pending[length + 2 :]
        assert end == b"\r\n"
        return data

    def next(self) -> Json | None:
        """The next message; None at the end of the reply."""
        while b"\n\n" not in self.text:
            data = self.chunk()
            if not data:
                assert not self.text
                return None
            self.text += data
        block, _, self.text = self.text.partition(b"\n\n")
        if block == b":":
            self.comments += 1
            return self.next()
        kind, data = block.split(b"\n")
        assert kind == b"event: message" and data.startswith(b"data: ")
        found: Json = json.loads(data.removeprefix(b"data: "))
        self.events.append(found)
        return found

    def rest(self) -> list[Json]:
        while self.next() is not None:
            continue
        return self.events


def ask(streams: Fixture, method: str, params: Json) -> Any:
    with streams.dial() as peer:
        peer.send(sent(message(method, params)))
        return peer.reply().json["result"]  # type: ignore[index]


def until(where: Fixture, **expected: int) -> Json:
    """The server's state once it is as expected."""
    limit = time.monotonic() + PATIENCE
    while True:
        state: Json = ask(where, "state", {})
        if expected.items() <= state.items():
            return state
        assert time.monotonic() < limit, state
        time.sleep(0.02)


def listen(peer: Peer) -> Reading:
    body = message("subscriptions/listen", {"notifications": {"toolsListChanged": True}, "_meta": META}, "s")
    peer.send(sent(body, headers={**MODERN, "Mcp-Method": "subscriptions/listen"}))
    reading = Reading(peer)
    first = reading.next()
    assert first is not None and first["method"] == "notifications/subscriptions/acknowledged"
    return reading


def resident(streams: Fixture) -> int:
    """KiB."""
    lines = Path(f"/proc/{streams.process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


# form ------------------------------------------------------------------------------------------------------------------------------


def test_the_form_of_a_stream(streams: Fixture) -> None:
    with streams.dial() as peer:
        peer.send(sent(message("flood", {"count": 3})) + sent(message("state", id="next")))
        reading = Reading(peer)
        assert reading.status == "HTTP/1.1 200 OK"
        assert reading.headers["content-type"] == "text/event-stream" and reading.headers["transfer-encoding"] == "chunked"
        assert reading.headers["cache-control"] == "no-cache, no-transform" and reading.headers["x-accel-buffering"] == "no"
        assert "content-length" not in reading.headers
        *notes, last = reading.rest()
        assert [note["params"]["data"].split()[0] for note in notes] == ["0", "1", "2"]
        assert last == {"jsonrpc": "2.0", "id": 1, "result": {"sent": 3}}
        assert peer.reply().json["id"] == "next"  # type: ignore[index]


def test_an_old_client_reads_to_the_end_of_the_connection(streams: Fixture) -> None:
    with streams.dial() as peer:
        peer.send(sent(message("flood", {"count": 2})).replace(b"HTTP/1.1", b"HTTP/1.0", 1))
        reading = Reading(peer, chunked=False)
        assert reading.headers["connection"] == "close" and "transfer-encoding" not in reading.headers
        assert len(reading.rest()) == 3


def test_who_takes_no_stream_gets_the_answer_alone(streams: Fixture) -> None:
    with streams.dial() as peer:
        peer.send(sent(message("flood", {"count": 3}), headers={"Accept": "application/json"}))
        reply = peer.reply()
        assert reply.headers["content-type"] == "application/json" and reply.json == {"jsonrpc": "2.0", "id": 1, "result": {"sent": 3}}


def test_who_takes_only_a_stream_gets_one(streams: Fixture) -> None:
    with streams.dial() as peer:
        peer.send(sent(message("ping2"), headers={"Accept": "text/event-stream"}))
        assert Reading(peer).rest() == [{"jsonrpc": "2.0", "id": 1, "result": {}}]


# readers ---------------------------------------------------------------------------------------------------------------------------


def test_a_reader_that_takes_its_time_costs_nothing(streams: Fixture) -> None:
    """Two hundred megabytes are offered; what isn't read isn't made."""
    before = resident(streams)
    started = ask(streams, "state", {})["sent"]
    with streams.dial() as peer:
        peer.send(sent(message("flood", {"count": 200_000})))
        reading = Reading(peer)
        made = 0
        while made != (made := until(streams, running=1)["sent"] - started):
            time.sleep(0.2)
        assert made < 20_000
        assert resident(streams) < before + 4 * 1024
        for _ in range(5_000):
            assert reading.next() is not None
        assert resident(streams) < before + 4 * 1024
    state = until(streams, running=0)
    assert state["left"] >= 1 and state["sent"] - started < 200_000


def test_a_fast_reader_leaves_others_their_turn(streams: Fixture) -> None:
    before = ask(streams, "state", {})["sent"]
    with streams.dial() as peer:
        peer.send(sent(message("flood", {"count": 30_000})))
        reading = Reading(peer)
        reader = threading.Thread(target=reading.rest)
        reader.start()
        seen = []
        while reader.is_alive():
            seen.append(ask(streams, "state", {})["sent"] - before)
        reader.join()
        assert [number for number in seen if 0 < number < 30_000]
        assert reading.events[-1]["result"] == {"sent": 30_000}
    until(streams, running=0)


def test_a_reader_that_stalls_is_cut_off(tmp_path: Path) -> None:
    with Fixture(tmp_path, "STALL_SECONDS=1", module="tests.mcp.streaming") as streams, streams.dial() as peer:
        peer.send(sent(message("flood", {"count": 200_000})))
        until(streams, running=1)
        until(streams, running=0, left=1)
        with pytest.raises((AssertionError, ConnectionError)):
            Reading(peer).rest()


def test_a_reader_that_vanishes_ends_its_handler(streams: Fixture) -> None:
    left = ask(streams, "state", {})["left"]
    for _ in range(5):
        peer = streams.dial()
        peer.send(sent(message("flood", {"count": 200_000})))
        Reading(peer).next()
        peer.close()
    until(streams, running=0, left=left + 5)


# subscriptions ---------------------------------------------------------------------------------------------------------------------


def test_a_subscription_hears_of_changes_once_each(streams: Fixture) -> None:
    with streams.dial() as one, streams.dial() as two:
        readings = [listen(one), listen(two)]
        until(streams, streams=2)
        for times in (1, 1_000):
            ask(streams, "change", {"times": times})
            for reading in readings:
                changed = reading.next()
                assert changed is not None and changed["method"] == "notifications/tools/list_changed"
                assert changed["params"]["_meta"] == {"io.modelcontextprotocol/subscriptionId": "s"}
        assert [len(reading.events) for reading in readings] == [3, 3]
    until(streams, streams=0)


def test_a_silent_stream_is_kept_alive(streams: Fixture) -> None:
    with streams.dial() as peer:
        reading = listen(peer)
        while not reading.comments:
            peer.more()
            if b":\n\n" in peer.pending:
                break
        ask(streams, "change", {})
        assert reading.next() is not None and reading.comments >= 1
    until(streams, streams=0)


def test_a_subscription_says_good_bye_when_the_client_has_shut_its_side(streams: Fixture) -> None:
    with streams.dial() as peer:
        reading = listen(peer)
        peer.half_close()
        last = reading.next()
        assert last is not None and last["id"] == "s"
        assert last["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == "s"
        assert reading.next() is None and peer.closed()
    until(streams, streams=0)


def test_a_subscription_says_good_bye_when_the_server_ends(tmp_path: Path) -> None:
    with Fixture(tmp_path, module="tests.mcp.streaming") as streams:
        with streams.dial() as peer:
            reading = listen(peer)
            streams.process.send_signal(signal.SIGTERM)
            assert reading.rest()[-1]["result"]["resultType"] == "complete"
            assert peer.closed()
        assert streams.process.wait(PATIENCE) == 0


def test_there_is_a_bound_on_subscriptions(tmp_path: Path) -> None:
    with Fixture(tmp_path, "MCP_STREAMS=2", module="tests.mcp.streaming") as streams:
        held = [streams.dial() for _ in range(2)]
        for peer in held:
            listen(peer)
        with streams.dial() as peer:
            body = message("subscriptions/listen", {"notifications": {}, "_meta": META})
            peer.send(sent(body, headers={**MODERN, "Mcp-Method": "subscriptions/listen"}))
            assert peer.reply().json["error"]["code"] == -32603  # type: ignore[index]
        for peer in held:
            peer.close()
        until(streams, streams=0)
