"""Brings real servers into named states and reads what they hold then. A state is a row: what was done, and the reading right after it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from bench.footprint import load, probe
from bench.footprint.server import Server, handed_over

READS = 8
BANK = 10_000
BANKS = 1_000
CLIENTS = 64
PATIENCE = 60.0


class State(NamedTuple):
    """`limit` is what the README promises in MiB; `note` what else was seen. `detail` is the breakdown by mapping."""

    name: str
    reading: probe.Reading
    limit: float
    note: str
    detail: str


class Course:
    """Servers with their stores in `folder`, quiet after `quiet` seconds and then watched for `asleep` more."""

    def __init__(self, folder: Path, quiet: float = 1.0, asleep: float = 0.0) -> None:
        self.folder = folder
        self.quiet = quiet
        self.asleep = asleep
        self.count = 0

    def server(self, name: str = "", **options: str) -> Server:
        """A server on a store of its own, or on that of the name given before."""
        self.count += 1
        return Server(self.folder / (name or str(self.count)), "--quiet", str(self.quiet), env=options)

    def idle(self, server: Server) -> None:
        """Waits until the quiet time is over and the server has come to rest, then as long as asked."""
        time.sleep(self.quiet)
        end = time.monotonic() + PATIENCE
        before = -1
        while probe.status(server.pid, "Threads") > 1 or probe.wakeups(server.pid) != before:
            if time.monotonic() > end:
                raise RuntimeError("the server doesn't come to rest")
            before = probe.wakeups(server.pid)
            time.sleep(1.2)
        time.sleep(self.asleep)


def state(name: str, server: Server, limit: float, note: str = "") -> State:
    return State(name, probe.reading(server.pid), limit, note, probe.breakdown(server.pid))


def one_memory(course: Course) -> Iterator[State]:
    with course.server() as server:
        yield state("ready, before any retain", server, 13, f"{server.seconds * 1000:.0f} ms from start to /ready")
        server.retain("b", {"content": "The harbour pilot sleeps in Rotterdam."})
        reads = []
        for _ in range(READS):
            reads.append(probe.reading(server.pid).rss / 1024)
            time.sleep(0.02)
        spread = f"{READS} reads {min(reads):.2f} to {max(reads):.2f}, mean {sum(reads) / READS:.2f}"
        yield state("right after one retain, no wait", server, 14, spread)
        course.idle(server)
        before = probe.wakeups(server.pid)
        time.sleep(max(2.0, course.asleep))
        woken = probe.wakeups(server.pid) - before
        yield state("idle after one retain", server, 10.7, f"{woken} wake-ups in {max(2.0, course.asleep):.0f} s")
        begun = time.perf_counter()
        server.recall("b", "harbour pilot")
        yield state("right after one recall out of idle", server, 13, f"{(time.perf_counter() - begun) * 1000:.1f} ms")
        server.recall("b", "harbour pilot", exclude_tags=["absent"])
        course.idle(server)
        yield state("idle after a recall with exclude_tags", server, 10.7)


def large_bank(course: Course) -> Iterator[State]:
    with course.server("large") as server:
        load.fill(server, "b", BANK)
        yield state(f"right after {BANK:,} memories in batches", server, 18, disk(course.folder / "large"))
        server.stop()
    settled = disk(course.folder / "large")
    with course.server("large") as server:
        server.recall("b", next(load.questions(1)))
        course.idle(server)
        yield state(f"idle, bank of {BANK:,} opened and queried once", server, 11, f"{settled} after the server's end")
        begun = time.perf_counter()
        server.recall("b", next(load.questions(1)))
        yield state(f"right after one recall out of idle, bank of {BANK:,}", server, 14, f"{(time.perf_counter() - begun) * 1000:.1f} ms")


def disk(folder: Path) -> str:
    """Bytes of the database with its log, and of the index."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    index = sum(path.stat().st_size for path in files if ".index" in str(path.relative_to(folder)))
    database = sum(path.stat().st_size for path in files if path.name.startswith("memory.db") and path.parent == folder)
    return f"disk: database {database / 1e6:.2f} MB, index {index / 1e6:.2f} MB"


def many_banks(course: Course) -> Iterator[State]:
    with course.server() as server:
        for number in range(BANKS):
            server.retain(f"bank{number}", {"content": f"what bank {number} remembers"})
        opened = len(probe.files(server.pid))
        for number in range(BANKS):
            server.recall(f"bank{number}", "remembers")
        grown = len(probe.files(server.pid)) - opened
        course.idle(server)
        yield state(f"idle, {BANKS:,} banks touched", server, 14, f"{grown:+} descriptors while the banks were recalled from")


def requests(course: Course) -> Iterator[State]:
    with course.server() as server:
        load.use(server, "b", 500, 500)
        yield state("right after 1,000 mixed requests", server, 18)
        course.idle(server)
        yield state("idle after 1,000 mixed requests", server, 13)
    with course.server() as server:
        load.use(server, "b", 5_000, 200)
        yield state("right after 5,000 retains and 200 recalls", server, 18)
        course.idle(server)
        yield state("idle after 5,000 retains and 200 recalls", server, 13)
    with course.server() as server:
        burst(server)
        yield state(f"right after a burst of {CLIENTS} clients", server, 18, f"peak {probe.status(server.pid, 'VmHWM') / 1024:.1f} MiB")
        course.idle(server)
        yield state(f"idle after a burst of {CLIENTS} clients", server, 13)


def burst(server: Server) -> None:
    """So many clients at once, each retaining 20 memories and recalling 20 times over a connection of its own."""
    clients = [threading.Thread(target=load.use, args=(server, "b", 20, 20, seed)) for seed in range(CLIENTS)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()


def agents(course: Course) -> Iterator[State]:
    """A server that agents used: MCP over HTTP, and the two requests of a hook."""
    with course.server() as server:
        talk(server, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})
        talk(server, "tools/list", {})
        talk(server, "tools/call", {"name": "memory_retain", "arguments": {"content": "The harbour pilot sleeps in Rotterdam."}})
        talk(server, "tools/call", {"name": "memory_recall", "arguments": {"query": "harbour pilot"}})
        yield state("right after MCP was used once", server, 15)
        course.idle(server)
        yield state("idle after MCP was used once", server, 10.7)
        said = {"event": "prompt", "host": "codex", "session": "s", "prompt": "Where does the harbour pilot sleep?"}
        assert server.ask("POST", "/v1/banks/default/inject", said)[0] == 200
        turn = {"user": "Where does the pilot sleep?", "assistant": "In Rotterdam, as was decided in spring."}
        assert (
            server.ask("POST", "/v1/banks/default/capture", {"event": "stop", "host": "codex", "session": "s", "turns": [turn]})[0] == 200
        )
        course.idle(server)
        yield state("idle after MCP and a hook were used", server, 10.7)


def talk(server: Server, method: str, params: object) -> None:
    """One request of the Model Context Protocol. Raises AssertionError when it is refused."""
    connection = server.dial()
    head = {"content-type": "application/json", "accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}
    connection.request("POST", "/mcp", json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}), head)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    assert answer.status == 200 and b'"result"' in body and b'"isError":true' not in body, body


def pages(course: Course) -> Iterator[State]:
    """A server of which people have looked at every kind of page once, then programs, against the same server before."""
    with course.server("pages") as server:
        pages, raw = load.publish(server)
        course.idle(server)
        server.stop()
    with course.server("pages") as server:
        server.retain("b", {"content": "The harbour pilot sleeps in Rotterdam."})
        course.idle(server)
        before = probe.reading(server.pid).rss / 1024
        for name, paths in (("every kind of page was looked at", pages), ("programs read its markdown as well", raw)):
            for path in paths:
                assert server.ask("GET", path)[0] == 200, path
            course.idle(server)
            more = probe.reading(server.pid).rss / 1024 - before
            yield state(f"idle after {name}", server, 10.7, f"{more:+.2f} MiB to before" + (", at most +2" if paths is pages else ""))


def activated(course: Course) -> Iterator[State]:
    """A server that a service manager starts for the first request: how long that request takes."""
    with handed_over(course.folder / "activated") as (process, seconds):
        yield State(
            "first request to an activated socket", probe.reading(process.pid), 14, f"{seconds * 1000:.0f} ms", probe.breakdown(process.pid)
        )


COURSES: tuple[Callable[[Course], Iterator[State]], ...] = (one_memory, large_bank, many_banks, requests, agents, pages, activated)


def ladder(course: Course) -> Iterator[State]:
    """The same idle state with the levels of the slim start taken away from the top."""
    steps = {
        "all levels": "1",
        "without `loop`: asyncio's own futures": "launch,packages,tls,library",
        "and without `library`: whole modules": "launch,packages,tls",
        "and without `tls`: ssl loaded": "launch,packages",
        "and without `packages`: whole msgspec, httptools": "launch",
        "nothing (MEMORY_WIRE_SLIM=0)": "0",
    }
    for name, levels in steps.items():
        with course.server(MEMORY_WIRE_SLIM=levels) as server:
            server.retain("b", {"content": "The harbour pilot sleeps in Rotterdam."})
            course.idle(server)
            yield state(name, server, 99)
