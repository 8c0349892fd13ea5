"""Many calls at once, calls given up at any moment, and lines of several megabytes: every answer comes, and nothing stays behind."""

from __future__ import annotations

import asyncio
import json
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

import mcp
import pytest

from tests.mcp.child import Child
from tests.serve.serving import Serving, request

CALLS = 1_000
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Serving]:
    with Serving(tmp_path) as server:
        yield server
        assert server.stop() == 0
        assert "Traceback" not in server.stderr and '"internal"' not in server.stderr, server.stderr


def held(pid: int) -> int:
    """Open descriptors and threads of a process."""
    return len(os.listdir(f"/proc/{pid}/fd")) + len(os.listdir(f"/proc/{pid}/task"))


def used(serving: Serving) -> int:
    """What a server holds that has stored and found something, with one connection open."""
    with serving.dial() as peer:
        for number, (tool, argument) in enumerate((("memory_retain", "content"), ("memory_recall", "query"))):
            peer.send(posted(number, tool, **{argument: "before"}))
            assert peer.reply().status == 200
        return held(serving.process.pid)


def nothing_stays(serving: Serving, before: int) -> None:
    """Connections that were closed are gone, and what was opened for them; a few files of the store may have been opened since."""
    limit = time.monotonic() + 20
    while serving.counter("connections") > 1 and time.monotonic() < limit:
        time.sleep(0.05)
    assert serving.counter("connections") == 1
    assert held(serving.process.pid) <= before + 5


def posted(number: int, tool: str, **arguments: object) -> bytes:
    """A modern tool call as a whole HTTP request."""
    params = {"name": tool, "arguments": arguments, "_meta": META}
    body = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
    headers = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": tool,
    }
    return request("POST", "/mcp/load", body, headers)


def mixed(number: int) -> tuple[str, dict[str, object]]:
    """Every third call stores, the others search."""
    if number % 3 == 0:
        return "memory_retain", {"content": f"Call number {number} was stored."}
    return "memory_recall", {"query": f"call {number}"}


def test_a_thousand_calls_at_once(serving: Serving) -> None:
    """All are sent before the first answer is read: 200 connections with five calls each."""
    before = used(serving)
    peers = [serving.dial() for _ in range(CALLS // 5)]
    try:
        for at, peer in enumerate(peers):
            numbers = range(at * 5, at * 5 + 5)
            peer.send(b"".join(posted(n, mixed(n)[0], **mixed(n)[1]) for n in numbers))
        for at, peer in enumerate(peers):
            for number in range(at * 5, at * 5 + 5):
                reply = peer.reply()
                answer = reply.json
                assert reply.status == 200 and answer["id"] == number and not answer["result"]["isError"], reply
    finally:
        for peer in peers:
            peer.close()
    stats = serving.ask("GET", "/banks/load/stats").json
    assert stats["memories"] == 1 + len(range(0, CALLS, 3))
    nothing_stays(serving, before)


def test_a_thousand_calls_of_one_client(serving: Serving) -> None:
    async def calls() -> None:
        host, port = serving.address
        async with mcp.Client(f"http://{host}:{port}/mcp/load", read_timeout_seconds=60) as agent:
            await agent.list_tools()
            answers = await asyncio.gather(*(agent.call_tool(*mixed(number)) for number in range(CALLS)))
            assert [answer for answer in answers if answer.is_error] == []

    asyncio.run(calls())
    assert serving.ask("GET", "/banks/load/stats").json["memories"] == len(range(0, CALLS, 3))


def test_a_client_that_leaves_takes_nothing_with_it(serving: Serving) -> None:
    """300 calls are cut off at any byte or right after they are sent; those that were whole may or may not be stored."""
    chance = random.Random(7)
    before = used(serving)
    for number in range(1, 301):
        data = posted(number, *mixed(number)[:1], **mixed(number)[1])
        with serving.dial() as peer:
            peer.send(data if number % 2 else data[: chance.randrange(len(data))])
            if number % 5 == 0:
                time.sleep(chance.random() / 1_000)
    nothing_stays(serving, before)
    with serving.dial() as peer:
        peer.send(posted(9, "memory_recall", query="before"))
        assert peer.reply().json["result"]["isError"] is False


@pytest.mark.parametrize("beside", [False, True], ids=["alone", "beside a server"])
def test_calls_that_are_cancelled_at_any_moment(beside: bool, tmp_path: Path) -> None:
    """An answer that was on its way may come, none after the cancellation has been read; all others come exactly once."""
    if beside:
        with Serving(tmp_path):
            cancel_races(tmp_path)
    else:
        cancel_races(tmp_path)


def cancel_races(folder: Path) -> None:
    chance = random.Random(11)
    with Child(folder) as child:
        child.begin()
        child.call("memory_retain", content="the first")
        before = held(child.process.pid)
        cancelled: set[object] = set()
        for number in range(600):
            tool, arguments = mixed(number)
            child.send("tools/call", {"name": tool, "arguments": arguments}, number)
            if chance.random() < 0.5:
                cancelled.add(number)
                if chance.random() < 0.3:
                    time.sleep(chance.random() / 500)
                child.send("notifications/cancelled", {"requestId": number, "reason": "changed my mind"})
            if number % 50 == 49:
                child.ask("ping")  # everything before it has been read
                late = {id: len(found) for id, found in child.answers.items() if id in cancelled}
                for other in set(range(number + 1)) - cancelled:
                    child.answer(other)
                assert {id: len(found) for id, found in child.answers.items() if id in cancelled} == late
        assert all(len(found) == 1 for found in child.answers.values())
        assert "error" not in json.dumps([child.answers[n][0] for n in range(600) if n not in cancelled])
        assert held(child.process.pid) <= before + 10
        assert child.call("memory_recall", query="first")["isError"] is False
        assert child.end() == 0
        assert child.stderr == ""


def test_a_cancellation_of_what_is_unknown_or_done_is_nothing(tmp_path: Path) -> None:
    with Child(tmp_path) as child:
        child.begin()
        for id in (0, "no such", None, [], {}, 1.5, True):
            child.send("notifications/cancelled", {"requestId": id})
        child.send("notifications/cancelled", {})
        child.send("ping", None, 1)
        child.answer(1)
        child.send("notifications/cancelled", {"requestId": 1})
        assert child.ask("ping")["result"] == {}
        assert len(child.answers[1]) == 1
        assert child.end() == 0


def test_a_line_of_five_megabytes(tmp_path: Path) -> None:
    """Content of the largest size, every character escaped, comes back whole; more of it is refused by name, not by the line's length."""
    content = "é" * 899_999 + " heron"
    with Child(tmp_path) as child:
        child.begin()
        stored = child.call("memory_retain", content=content)
        line = json.dumps({"name": "memory_retain", "arguments": {"content": content}})
        assert len(line) > 5_000_000 and stored["isError"] is False
        id = stored["structuredContent"]["id"]  # type: ignore[index]
        read = child.ask("resources/read", {"uri": f"memory://child/{id}"})
        assert content in read["result"]["contents"][0]["text"]  # type: ignore[index]
        over = child.call("memory_retain", content="x" * 5_500_000)
        assert over["isError"] is True and "content" in json.dumps(over["content"])
        assert child.ask("ping")["result"] == {}
        assert child.end() == 0
