"""The log: whatever is changed in it or taken out of it shows, and it never holds content."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memory_wire import Memory
from memory_wire.grants import AuditVerdict
from memory_wire.ops import BY_NAME
from memory_wire.service import audit, importing, transfer

SECRET = "the quarterly figures are seventeen"
CHANGES = {
    "a line in the middle": "DELETE FROM audit WHERE seq = 3",
    "the first line": "DELETE FROM audit WHERE seq = 1",
    "the last lines": "DELETE FROM audit WHERE seq > 3",
    "every line": "DELETE FROM audit",
    "an actor": "UPDATE audit SET actor = 'key:0' WHERE seq = 2",
    "a time": "UPDATE audit SET at = at + 1 WHERE seq = 2",
    "a target": "UPDATE audit SET target = NULL WHERE seq = 5",
    "a chain": "UPDATE audit SET chain = x'00' WHERE seq = 4",
    "two lines swapped": "UPDATE audit SET seq = CASE seq WHEN 2 THEN -3 WHEN 3 THEN -2 END WHERE seq IN (2, 3)",
}
TRIGGERS = ("audit_stays", "audit_holds")


def filled(memory: Memory) -> str:
    """Six lines; the chain of the last."""
    for number in range(3):
        record = memory.remember(f"{SECRET} {number}", source="a colleague", fact_key="figures")
        memory.forget_record(record.id)
    return memory.verify_audit().head


@contextmanager
def tampering(path: str) -> Iterator[sqlite3.Connection]:
    """A connection to the database without what protects the log in it."""
    connection = sqlite3.connect(path, isolation_level=None)
    for name in TRIGGERS:
        connection.execute(f"DROP TRIGGER {name}")
    try:
        yield connection
    finally:
        connection.close()


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_shows(memory: Memory, change: str) -> None:
    filled(memory)
    assert memory.verify_audit().whole
    with tampering(memory.path) as connection:
        connection.execute(CHANGES[change])
    verdict = memory.verify_audit()
    assert not verdict.whole and verdict.fault is not None


@pytest.mark.parametrize("page", [1, 2, 3, 6, 7])
def test_it_is_looked_through_page_by_page(memory: Memory, page: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever falls on the edge of a page; a line that comes in between two of them is looked at as well."""
    monkeypatch.setattr(audit, "PAGE", page)
    noted = filled(memory)
    assert memory.verify_audit(noted) == AuditVerdict(whole=True, events=6, head=noted, fault=None)
    with tampering(memory.path) as connection:
        connection.execute("DELETE FROM audit WHERE seq = 3")
    assert memory.verify_audit().fault == "line 3 is missing"


def test_a_server_answers_others_while_it_is_looked_through() -> None:
    assert BY_NAME["verify_audit"].apart


def test_a_cut_end_with_mended_numbers_shows_to_who_noted_the_chain(memory: Memory) -> None:
    noted = filled(memory)
    with tampering(memory.path) as connection:
        connection.execute("DELETE FROM audit WHERE seq > 4")
        connection.execute("UPDATE sqlite_sequence SET seq = 4 WHERE name = 'audit'")
    assert memory.verify_audit().whole
    assert memory.verify_audit(noted).fault == "the chain that was noted is not in it"


def test_the_store_refuses_to_change_it(memory: Memory) -> None:
    filled(memory)
    connection = sqlite3.connect(memory.path)
    for change in CHANGES.values():
        with pytest.raises(sqlite3.DatabaseError, match="only added to"):
            connection.execute(change)
    connection.close()


def test_it_goes_on_after_its_end_was_cut(memory: Memory) -> None:
    filled(memory)
    with tampering(memory.path) as connection:
        connection.execute("DELETE FROM audit WHERE seq > 4")
    memory.forget_record(memory.remember("after").id)
    assert memory.verify_audit().fault == "line 5 is missing"


def test_it_never_holds_content(memory: Memory) -> None:
    filled(memory)
    record = memory.remember(f"{SECRET} and key AKIAIOSFODNN7EXAMPLE", aliases=["seventeen"], scope="finance", source=SECRET)
    memory.forget_record(record.id)
    memory.set_member("ann")
    memory.create_key("seventeen")
    shown = json.dumps([str(event) for event in memory.audit(limit=500).events])
    rows = sqlite3.connect(memory.path).execute("SELECT * FROM audit").fetchall()
    for word in ("quarterly", "seventeen", "colleague", "figures", "finance", "AKIA"):
        assert word not in shown and word not in str(rows)


def test_deleted_banks_are_in_it(memory: Memory) -> None:
    memory.retain("x", bank="old")
    memory.delete_bank("old", confirm="old")
    [event] = memory.audit(kind="bank").events
    assert (event.action, event.target, event.bank, event.project) == ("bank.delete", "old", None, "default")


def test_pages_and_filters(memory: Memory) -> None:
    filled(memory)
    every = memory.audit(limit=500).events
    found, cursor = [], None
    while True:
        page = memory.audit(limit=1, cursor=cursor)
        found += page.events
        cursor = page.cursor
        if cursor is None:
            break
    assert found == every and len(every) == 6
    assert [event.action for event in memory.audit(kind="record.forget").events] == ["record.forget"] * 3
    assert memory.audit(actor="key:0").events == [] and len(memory.audit(actor="local").events) == 6
    assert memory.audit(since="2999-01-01").events == []


def test_the_command_line_exports_and_tells(memory: Memory, tmp_path: Path) -> None:
    head = filled(memory)
    memory.close()

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "memory_wire", "audit", "--db", memory.path, *words]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

    assert run("--verify").stdout == f"whole: 6 lines, chain {head}\n"
    target = tmp_path / "log.jsonl"
    assert run("--export", str(target)).returncode == 0
    assert target.stat().st_mode & 0o777 == 0o600
    lines = [json.loads(line) for line in target.read_text().splitlines()]
    assert [line["action"] for line in lines] == ["record.remember", "record.forget"] * 3 and lines[-1]["chain"] == head
    with tampering(memory.path) as connection:
        connection.execute(CHANGES["a line in the middle"])
    done = run("--verify", "--head", head)
    assert (done.returncode, done.stdout.partition(";")[0]) == (1, "not whole: line 3 is missing")


def test_whole_banks_and_their_rules_are_in_the_log(tmp_path: Path) -> None:
    path, file = tmp_path / "memory.db", tmp_path / "all.jsonl"
    with Memory(path) as memory:
        memory.remember("The mast leans.", bank="one")
        memory.put_config({"guard": "off"}, bank="one")
        memory.copy_bank("one", "two")
        memory.rename_bank("two", "three")
        memory.merge_bank("three", "one")
        transfer.export(str(path), str(file), None, lambda done, total: None)
        found = [(event.action, event.bank, event.target, event.detail) for event in memory.audit(kind="bank").events]
        assert found == [
            ("bank.config", "one", "one", None),
            ("bank.copy", None, "one", "1 memories"),
            ("bank.rename", None, "two", None),
            ("bank.merge", "one", "three", "1 memories"),
        ], "a bank that is gone has no name; the target says what it was"
        assert memory.verify_audit().whole
    for expected in (1, 1):  # the second time there is nothing new
        importing.import_(str(tmp_path / "other.db"), str(file), lambda done, total: None)
        with Memory(tmp_path / "other.db") as memory:
            events = memory.audit(kind="bank.import").events
            assert len(events) == expected and (events[0].bank, events[0].detail) == ("one", "2 memories")
