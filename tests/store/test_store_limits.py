"""What SQLite is told of the limits, and how many writes go into one commit."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from memory_wire import config
from memory_wire.store import gather
from memory_wire.store.gather import Gathering
from memory_wire.store.sqlite import Store
from tests.store.make import put, unit


def test_connections_keep_the_limits(store: Store) -> None:
    store.submit(put(unit("one")))
    assert store._writer is not None
    with store.read() as reader:
        for connection in (store._writer, reader.connection):
            told = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("busy_timeout", "cache_size", "journal_size_limit")]
            assert told == [config.BUSY_MS, -config.CACHE_KIB, config.JOURNAL_BYTES]


def test_a_group_has_so_many_members(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gather, "GROUP_MAX", 4)
    sizes: list[int] = []
    entered, go = threading.Event(), threading.Event()

    def write(works: Sequence[object]) -> list[object]:
        sizes.append(len(works))
        entered.set()
        assert go.wait(20)
        return list(works)

    gathering = Gathering(write)
    answers: list[object] = []
    threads = [threading.Thread(target=lambda n=n: answers.append(gathering.submit(n))) for n in range(10)]  # type: ignore[misc]
    threads[0].start()
    assert entered.wait(20)
    for thread in threads[1:]:
        thread.start()
    while len(gathering._waiting) < 9:
        threading.Event().wait(0.001)
    go.set()
    for thread in threads:
        thread.join()
    assert sizes == [1, 4, 4, 1]
    assert sorted(answers) == list(range(10))  # type: ignore[type-var]
