"""The ledger itself: one decision for hosts that fire at once, its bounds, and what goes with a bank."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

from memory_wire import Client, config
from memory_wire import types as t
from tests.inject.conftest import HOUR, Desk
from tests.serve.serving import Serving

DAY = 24 * HOUR


def test_hosts_that_fire_at_once_inject_once(tmp_path: Path) -> None:
    with Serving(tmp_path) as server, Client(f"http://{server.found['addr']}", bank="atlas") as client:
        for number in range(12):
            client.retain(f"Advisory locks guard queue {number}.")
        answers: list[t.Injected] = []

        def fire(prompt: str, host: str) -> None:
            with Client(client.url, bank="atlas") as own:
                answers.append(own.inject(t.Inject(event="prompt", session="s", host=host, prompt=prompt)))

        for asked in ("which advisory locks guard the queue?", "what do advisory locks guard?"):
            hosts = [threading.Thread(target=fire, args=(asked, f"host-{number}")) for number in range(8)]
            for host in hosts:
                host.start()
            for host in hosts:
                host.join()
        given = [entry.id for answer in answers for entry in answer.entries]
        assert len(answers) == 16 and len(given) == len(set(given)) == 10  # five for each question
        assert sum(bool(answer.text) for answer in answers) == 2
        assert client.injections().total == 10
        assert server.stop() == 0


def test_old_sessions_are_forgotten(desk: Desk) -> None:
    desk.retain("Advisory locks guard the queue.")
    desk.prompt("what do advisory locks guard?", session="old")
    desk.capture(("why do advisory locks guard the queue?", "Because jobs were lost."), session="old")
    desk.now += (config.LEDGER_DAYS + 1) * DAY
    assert desk.memory.injections().total == 1
    desk.prompt("what do advisory locks guard?", session="new")
    assert {row.session for row in desk.memory.injections().injections} == {"new"}
    assert counts(desk)["captured_turn"] == 0


def test_a_bank_keeps_so_many_sessions(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memory_wire.store.ledger.LEDGER_SESSIONS", 3)
    desk.retain("Advisory locks guard the queue.")
    for number in range(6):
        desk.prompt("what do advisory locks guard?", session=f"s{number}")
    assert [row.session for row in desk.memory.injections().injections] == ["s5", "s4", "s3"]
    assert counts(desk)["hook_session"] == 3


def test_a_session_gets_so_many_memories(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "SESSION_INJECTIONS", 7)
    for number in range(20):
        desk.retain(f"Advisory locks guard queue {number}.")
    sizes = [len(desk.prompt(f"{word} do advisory locks guard?").entries) for word in ("what", "which", "whom", "where")]
    assert sizes == [5, 5, 0, 0]  # the limit stops the next one, it cuts none


def test_the_log_is_paged_newest_first(desk: Desk) -> None:
    ids = [desk.retain(f"Advisory locks guard queue {number}.") for number in range(3)]
    for id in ids:
        desk.prompt("what do advisory locks guard?", session=id)
    log = desk.memory.injections(limit=2, offset=1)
    assert log.total == 9 and [row.session for row in log.injections] == [ids[2]] * 2
    assert desk.memory.injections(limit=0).injections == []
    long = desk.retain("queue " * 200)
    desk.prompt("queue queue queue?", session="long")
    texts = [row.text for row in desk.memory.injections(session="long").injections if row.id == long]
    assert [len(text or "") for text in texts] == [config.SHOWN_CHARS]


def test_a_deleted_bank_leaves_nothing(desk: Desk) -> None:
    desk.retain("Advisory locks guard the queue.")
    desk.prompt("what do advisory locks guard?")
    desk.capture(("why do advisory locks guard the queue?", "Because jobs were lost."))
    assert all(counts(desk).values())
    desk.memory.delete_bank("atlas", confirm="atlas")
    assert not any(counts(desk).values())


def counts(desk: Desk) -> dict[str, int]:
    """Rows of each table of the ledger."""
    with sqlite3.connect(desk.memory.service.path) as connection:
        return {
            name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0]
            for name in ("hook_session", "injection", "captured_turn")
        }
