"""Background work of a server: done in the pauses of its writes and before it rests, then nothing is armed."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from bench.footprint import probe
from memory_wire import Client, Memory
from tests.serve.serving import Serving

OLD = "The billing API listens on port 8443."
NEW = "The billing API listens on port 9443."
PATIENCE = 10.0


def soon(found: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not found():
        assert time.monotonic() < end
        time.sleep(0.02)


def url(server: Serving) -> str:
    return "http://{}:{}".format(*server.address)


def test_links_come_by_themselves(server: Serving) -> None:
    with Client(url(server)) as client:
        old, new = client.remember(OLD).id, client.remember(NEW).id
        soon(lambda: bool(client.get_record(new).graph_relations))
        assert [(link.type, link.id) for link in client.get_record(old).graph_relations] == [("contradicted_by", new)]
        assert client.jobs().jobs == []


def test_writes_that_never_pause_do_not_hold_it_back_for_good(tmp_path: Path) -> None:
    with Serving(tmp_path, config={"JOB_PATIENCE_SECONDS": 0.4, "JOB_PAUSE_SECONDS": 0.2}) as server, Client(url(server)) as client:
        client.remember(OLD)
        new = client.remember(NEW).id
        end = time.monotonic() + PATIENCE
        while not client.get_record(new).graph_relations:
            client.retain(f"another one at {time.monotonic_ns()}")
            assert time.monotonic() < end


def test_what_an_earlier_process_left_is_done_before_it_rests(tmp_path: Path) -> None:
    db = tmp_path / "memory.db"
    with Memory(db) as memory:
        old, new = memory.remember(OLD).id, memory.remember(NEW).id
        memory.service.work_jobs = lambda *_: None  # type: ignore[assignment, method-assign, return-value]  # as if it had been killed
    with Serving(tmp_path, "--quiet", "0.2") as server:
        with Memory(db, create=False) as memory:
            soon(lambda: memory.jobs().jobs == [])
            assert [link.id for link in memory.get_record(new).graph_relations] == [old]
        soon(lambda: "memory.db" not in probe.files(server.process.pid))
        time.sleep(1.0)  # the files are closed first, then the thread ends and memory is given back
        before = probe.wakeups(server.process.pid)
        time.sleep(1.0)
        assert probe.wakeups(server.process.pid) == before
