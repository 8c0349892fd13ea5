"""Several processes, and what becomes of one when another dies: stdio servers on one store, servers killed in the middle of calls."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from memory_wire import Memory
from tests.mcp.child import Child
from tests.serve.serving import Serving

SERVERS = 10
EACH = 30


def contents(db: Path, bank: str = "child") -> set[str]:
    with Memory(db) as memory:
        found: set[str] = set()
        while len(page := memory.memories(bank=bank, limit=500, offset=len(found)).items):
            found |= {item.content for item in page}
    return found


def stores(child: Child, name: str, count: int = EACH) -> set[str]:
    """Contents whose storing was answered."""
    told = set()
    for number in range(count):
        content = f"{name} stored number {number}."
        assert child.call("memory_retain", content=content)["isError"] is False, child.stderr
        told.add(content)
    return told


def together(work: list[threading.Thread]) -> None:
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()


def test_ten_servers_write_into_one_store(tmp_path: Path) -> None:
    children = [Child(tmp_path) for _ in range(SERVERS)]
    told: list[set[str]] = []
    try:
        together(
            [
                threading.Thread(target=lambda at=at, child=child: told.append(stores(child, f"Server {at}")))
                for at, child in enumerate(children)
            ]
        )
        assert len(told) == SERVERS
        for at, child in enumerate(children):
            other = (at + 1) % SERVERS
            found = child.call("memory_recall", query=f"Server {other} stored number {EACH - 1}.")
            assert f"Server {other} stored number {EACH - 1}." in str(found["structuredContent"])
        assert [child.end() for child in children] == [0] * SERVERS
        assert [child.stderr for child in children] == [""] * SERVERS
    finally:
        for child in children:
            child.__exit__()
    assert contents(tmp_path / "memory.db") == set().union(*told)


def test_what_was_answered_survives_a_kill(tmp_path: Path) -> None:
    """Five servers on one store, two of them killed in the middle: theirs is what was answered, at most one more each."""
    children = [Child(tmp_path) for _ in range(5)]
    told: dict[int, set[str]] = {}

    def write(at: int) -> None:
        told[at] = set()
        for number in range(EACH):
            content = f"Server {at} stored number {number}."
            if at < 2 and number == 10 + at:
                children[at].send("tools/call", {"name": "memory_retain", "arguments": {"content": content}}, number)
                children[at].process.send_signal(signal.SIGKILL)
                return
            assert children[at].call("memory_retain", content=content)["isError"] is False
            told[at].add(content)

    try:
        together([threading.Thread(target=write, args=(at,)) for at in range(5)])
        assert [children[at].end() for at in (2, 3, 4)] == [0, 0, 0]
    finally:
        for child in children:
            child.__exit__()
    stored = contents(tmp_path / "memory.db")
    assert set().union(*told.values()) <= stored
    assert len(stored) <= sum(map(len, told.values())) + 2


def test_it_goes_on_when_the_server_it_speaks_through_is_killed(tmp_path: Path) -> None:
    """And when there is a new one: a call that was under way may fail as a result the model can read, the next one doesn't."""
    first = Serving(tmp_path)
    with first, Child(tmp_path) as child:
        child.begin()
        told = stores(child, "Before", 3)
        stop = threading.Event()
        failed: list[object] = []

        def keep_writing() -> None:
            number = 0
            while not stop.is_set():
                content = f"During, number {number}."
                answer = child.call("memory_retain", content=content)
                if answer["isError"]:
                    failed.append(answer)
                else:
                    told.add(content)
                number += 1

        thread = threading.Thread(target=keep_writing)
        thread.start()
        time.sleep(0.2)
        first.process.send_signal(signal.SIGKILL)
        first.process.wait()
        time.sleep(0.3)
        with Serving(tmp_path):
            time.sleep(0.3)
            stop.set()
            thread.join()
            told |= stores(child, "After", 3)
        told |= stores(child, "Alone", 3)
        assert len(failed) <= 1, failed
        assert child.end() == 0
    assert told <= contents(tmp_path / "memory.db")


def test_a_reader_that_takes_its_time_loses_nothing(tmp_path: Path) -> None:
    """Answers of 8 MB wait in the pipe while nobody reads; calls sent meanwhile are answered afterwards."""
    with Child(tmp_path) as child:
        child.begin()
        id = child.call("memory_retain", content="heron " * 30_000)["structuredContent"]["id"]  # type: ignore[index]
        child.process.send_signal(signal.SIGSTOP)  # what is sent now waits, and is then answered at once
        for number in range(40):
            child.send("resources/read", {"uri": f"memory://child/{id}"}, number)
        with child.news:
            child.process.send_signal(signal.SIGCONT)
            time.sleep(0.5)  # our reader can't note anything: the pipe fills up
        for number in range(40):
            assert len(child.answer(number)["result"]["contents"][0]["text"]) == 180_000  # type: ignore[index]
        assert child.end() == 0


def test_nobody_reads_its_answers_any_more(tmp_path: Path) -> None:
    """It ends, without a word of its own accord on a stream that hosts show to people."""
    command = [sys.executable, "-m", "memory_wire", "mcp", "--db", str(tmp_path / "memory.db"), "--bank", "b"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path) as process:
        assert process.stdin and process.stdout and process.stderr
        process.stdout.close()
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        process.stdin.flush()
        assert process.wait(20) is not None
        assert process.stderr.read() == b""
