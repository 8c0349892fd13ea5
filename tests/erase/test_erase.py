"""Erasing: no byte of it is left in the folder of the store, what was derived and copied is named, a killed process is no way out."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from memory_wire import Client, Memory
from memory_wire import types as t
from memory_wire.errors import Forbidden
from memory_wire.service import maintenance
from tests import package

NEEDLE = "Quetzalcoatlus"


def holds(folder: Path, needle: str = NEEDLE) -> list[str]:
    """Files under a folder that have the word, in any case: terms are folded."""
    found = []
    for path in folder.rglob("*"):
        if path.is_file() and needle.lower().encode() in path.read_bytes().lower():
            found.append(path.name)
    return found


def fill(memory: Memory) -> tuple[str, str, str]:
    """(a memory, a record, a record made from it) that say the word in every place for words, among hundreds that don't."""
    for number in range(400):
        memory.retain(f"Note {number} about cafeteria menus and parking rotations.", session=f"s{number % 7}")
    plain = memory.retain(f"{NEEDLE} landed.", tags=[NEEDLE], speaker=NEEDLE, session=f"talk of {NEEDLE}", context=NEEDLE).id
    record = memory.remember(
        f"The {NEEDLE} deploys.",
        source_id=f"{NEEDLE}.md",
        source_hash="ab12",
        source=NEEDLE,
        aliases=[NEEDLE],
        fact_key=NEEDLE,
        scope=NEEDLE,
    ).id
    summary = memory.remember("In short: it deploys.", derived_from=[record]).id
    memory.service.work_jobs(100)
    return plain, record, summary


def test_no_byte_is_left(tmp_path: Path) -> None:
    path = tmp_path / "store" / "memory.db"
    with Memory(path) as memory:
        plain, record, summary = fill(memory)
    maintenance.reindex(str(path), None, lambda done, total: None)
    copy = tmp_path / "copy.db"
    maintenance.backup(str(path), str(copy), lambda done, total: None)
    assert holds(path.parent)
    with Memory(path) as memory:
        done = memory.erase(subject=NEEDLE)
        assert sorted(unit.id for unit in done.erased) == sorted([plain, record]) and done.derived == [summary]
        assert [row.path for row in done.backups] == [str(copy)] and holds(tmp_path, NEEDLE)
        assert holds(path.parent) == []
        assert memory.get_record(summary).statuses == ["stale"] and memory.recall(NEEDLE) == []
        assert memory.stats().memories == 401
        assert {event.action for event in memory.audit().events} >= {"record.remember", "erase"}
        assert memory.remember("later", source_id=f"{NEEDLE}2.md").statuses == ["unverified"]
    assert maintenance.check(str(path), lambda done, total: None) == []


def test_what_was_forgotten_before_is_erased_too(tmp_path: Path) -> None:
    path = tmp_path / "store" / "memory.db"
    with Memory(path) as memory:
        _, record, _ = fill(memory)
        memory.forget_record(record)
        assert memory.erase(id=record).count == 1 and memory.erase(id=record).count == 0
        assert memory.erase(subject=NEEDLE).count == 1
    assert holds(path.parent) == []


def test_beside_a_reader_that_holds_the_log(tmp_path: Path) -> None:
    path = tmp_path / "store" / "memory.db"
    with Memory(path) as memory:
        fill(memory)
        with memory.service.read() as reader:
            assert reader.bank("default", "default") is not None
        assert memory.erase(subject=NEEDLE).count == 2
        assert holds(path.parent) == []


@pytest.mark.parametrize("stage", ["rebuild", "empty_log"])
def test_a_killed_process_leaves_it_to_the_next(tmp_path: Path, stage: str) -> None:
    path = tmp_path / "store" / "memory.db"
    with Memory(path) as memory:
        fill(memory)
    maintenance.reindex(str(path), None, lambda done, total: None)
    program = f"""
import os, signal
from memory_wire import Memory
from memory_wire.index.bank import BankIndex
from memory_wire.store.sqlite import Store
kill = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
(BankIndex if {stage!r} == "rebuild" else Store).{stage} = kill
Memory({str(path)!r}).erase(subject={NEEDLE!r})
"""
    environment = {**os.environ, "PYTHONPATH": str(package.FOLDER)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    with Memory(path) as memory:
        assert memory.recall(NEEDLE) == []
        (waiting,) = [row for row in memory.jobs().jobs if row.kind == "expunge"]
        assert waiting.waiting == 1
        assert memory.run_jobs().jobs == []
    assert holds(path.parent) == []


def test_erasing_is_for_administrators(tmp_path: Path) -> None:
    path, socket = tmp_path / "memory.db", tmp_path / "s.sock"
    with Memory(path) as memory:
        memory.retain(f"{NEEDLE} landed.")
        key = memory.create_key("agent").key
    command = [sys.executable, "-m", "memory_wire", "serve", "--addr", "127.0.0.1:0", "--socket", str(socket), "--db", str(path)]
    with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(package.FOLDER)}, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            url = next(line for line in server.stderr if "serving" in line).rpartition(" at ")[2].split()[0]
            with Client(url, key=key) as client, pytest.raises(Forbidden):
                client.erase(subject=NEEDLE, content=True)
            with Client(f"unix://{socket}") as client:
                assert client.erase(subject=NEEDLE, content=True).count == 1
        finally:
            server.terminate()
            server.communicate(timeout=30)
    assert holds(tmp_path) == []


def test_a_captured_turn_is_gone_and_not_captured_again(tmp_path: Path) -> None:
    path = tmp_path / "store" / "memory.db"
    turn = t.Capture(
        event="stop", session=f"talk of {NEEDLE}", turns=[t.Turn(user=f"Where did the {NEEDLE} land?", assistant="In the sea.")]
    )
    with Memory(path) as memory:
        assert memory.capture(turn).stored == 1
        memory.inject(t.Inject(event="session-start", session=f"talk of {NEEDLE}"))
        assert memory.erase(subject=f"talk of {NEEDLE}").count == 1
        assert holds(path.parent) == [] and memory.injections().total == 0
        assert memory.capture(turn).stored == 0 and memory.stats().memories == 0
    assert holds(path.parent) == []
