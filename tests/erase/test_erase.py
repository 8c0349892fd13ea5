"""Erasing: no byte of it is left in the folder of the store, what was derived and copied is named, a killed process is no way out."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from memory_wire import Client, Memory
from memory_wire import types as t
from memory_wire.erasure import Erase
from memory_wire.errors import Forbidden
from memory_wire.ops import BY_NAME
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


@pytest.mark.parametrize("stage", ["expunge", "empty_log"])
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
(BankIndex if {stage!r} == "expunge" else Store).{stage} = kill
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
                assert client.forget_record(client.remember(f"The {NEEDLE} deploys.").id, purge=True).count == 1
                limit = time.monotonic() + 20
                while holds(tmp_path):  # a pause of the writes does the rest
                    assert time.monotonic() < limit
                    time.sleep(0.05)
        finally:
            server.terminate()
            server.communicate(timeout=30)
    assert holds(tmp_path) == []


def test_what_speaks_of_it_in_any_of_its_words(tmp_path: Path) -> None:
    path = tmp_path / "store" / "memory.db"
    fields: list[dict[str, Any]] = [
        {"aliases": ["where is home?", f"where does {NEEDLE} live?"]},
        {"source": f"mail of {NEEDLE} Smith"},
        {"source_id": f"notes/{NEEDLE}.md"},
        {"fact_key": f"{NEEDLE}.home"},
        {"scope": f"people/{NEEDLE}"},
        {"kind": NEEDLE},
        {"source_id": "a", "source_hash": f"v1-{NEEDLE}"},
        {"source_id": "a", "source_revision": f"branch/{NEEDLE}"},
    ]
    with Memory(path) as memory:
        kept = memory.remember("lives in Rome", aliases=["where does Ann live?"]).id
        records = [memory.remember("lives in Rome", **more).id for more in fields]
        units = [
            memory.retain(f"was here, {name}", **more).id
            for name, more in (
                ("by tag", {"tags": [f"call {NEEDLE}"]}),
                ("by session", {"session": f"call with {NEEDLE} 3"}),
                ("by speaker", {"speaker": f"{NEEDLE} Smith"}),
                ("by document", {"document_id": f"{NEEDLE}-7"}),
            )
        ]
        assert memory.erase(subject=NEEDLE).kinds == {"record": 1}, "a name is what is kept under it whole"
        done = memory.erase(subject=NEEDLE, content=True)
        assert sorted(item.id for item in done.erased) == sorted({*records, *units} - {records[5]})
        assert memory.get_record(kept).content == "lives in Rome"
    assert holds(path.parent) == []


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


def test_an_administrator_erases_what_it_may_see(tmp_path: Path) -> None:
    path = tmp_path / "store" / "memory.db"
    with Memory(path) as memory:
        memory.remember("anything")
        memory.set_member("ann")

        def call(name: str, request: object, caller: t.Caller | None) -> Any:
            return memory.service.call(BY_NAME[name], t.Scope("default", "default", caller), request)

        ann = t.Caller(key="a", account=1, account_name="default", rights="write", member=1)
        draft = call("remember", t.Remember(content=f"My {NEEDLE}.", scope=NEEDLE, visibility="author"), ann).id
        shared = call("remember", t.Remember(content=f"Our {NEEDLE}.", scope=NEEDLE), ann).id
        summary = call("remember", t.Remember(content="Both.", derived_from=[draft, shared], visibility="author"), ann).id
        head = t.Caller(key="b", account=1, account_name="default", rights="admin", project="default")
        seen = call("erase", Erase(subject=NEEDLE), head)
        assert ([unit.id for unit in seen.erased], seen.derived) == ([shared], [])
        whole = memory.erase(subject=NEEDLE, dry_run=True)
        assert ([unit.id for unit in whole.erased], whole.derived) == ([draft], [summary])


def test_a_subject_is_a_fact_key_as_it_is_compared(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db") as memory:
        id = memory.remember("On Tuesday.", fact_key="Staging Deploy_Day").id
        (unit,) = memory.erase(subject="staging-deploy-day", dry_run=True).erased
        assert (unit.id, unit.why) == (id, "fact key")


def test_forgetting_with_purge(tmp_path: Path) -> None:
    path = tmp_path / "store" / "memory.db"
    with Memory(path) as memory:
        _, record, summary = fill(memory)
        assert memory.forget_record(source_id=f"{NEEDLE}.md", purge=True).ids == [record]
        assert memory.get_record(summary).statuses == ["stale"]
        assert memory.erase(subject=NEEDLE).count == 1
        writer = t.Caller(key="a", account=1, account_name="default", rights="write")
        with pytest.raises(Forbidden):
            memory.service.call(
                BY_NAME["forget_record"], t.Scope("default", "default", writer), t.ForgetRecord(memory_id=summary, purge=True)
            )
    assert holds(path.parent) == []


def test_a_purge_is_finished_by_the_work_it_asks_for(tmp_path: Path) -> None:
    path = tmp_path / "store" / "memory.db"
    with Memory(path) as memory:
        record = memory.remember(f"The {NEEDLE} deploys.").id
        memory.forget_record(record, purge=True)
        memory.run_jobs()
        assert holds(path.parent) == []


def test_what_was_forgotten_is_purged_when_its_bank_says_so(tmp_path: Path) -> None:
    path = tmp_path / "store" / "memory.db"
    with Memory(path) as memory:
        _, record, summary = fill(memory)
        memory.forget_record(record)
        memory.put_config({"purge_after_days": 7})
        assert memory.sweep().banks[0].purged == 0
        later = memory.service.now() + 8 * 86_400_000
        memory.service.now = lambda: later
        assert memory.sweep(dry_run=True).banks[0].purged == 1
        assert (memory.sweep().banks[0].purged, memory.sweep().banks[0].purged) == (1, 0)
        memory.run_jobs()
        assert memory.erase(id=record).count == 0 and memory.get_record(summary).statuses == ["stale"]
        assert "record.purge" in {event.action for event in memory.audit().events}
        assert memory.erase(subject=NEEDLE).count == 1
    assert holds(path.parent) == []
