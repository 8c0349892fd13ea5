"""What a key costs a request: `python -m pytest bench/micro/test_entry.py --benchmark-enable`.

The whole of `Entry.enter` is measured: the header, the store's number of the keys read, the caller, the counted call.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_wire import Memory
from memory_wire.serve.entry import Entry
from memory_wire.service import secrets

LIMIT_US = 20


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "memory.db", sync="normal") as memory:
        memory.retain("something")
        yield memory


def test_before_the_first_key(memory: Memory, benchmark: object) -> None:
    entry = Entry(memory.service)
    assert benchmark(entry.enter, {}, False, False).caller is None  # type: ignore[operator]


def test_a_known_key(memory: Memory, benchmark: object) -> None:
    entry, headers = keyed(memory)
    assert benchmark(entry.enter, headers, False, False).caller.rights == "read"  # type: ignore[operator]
    best = min(timed(entry, headers) for _ in range(20))
    print(f"a known key: {best:.1f} us")
    assert best <= LIMIT_US
    entry.idle()


def test_a_key_seen_for_the_first_time(memory: Memory, benchmark: object) -> None:
    key = secrets.make(memory.service.store.secret)
    assert benchmark(secrets.stretched, key.key.encode(), key.salt) == key.digest  # type: ignore[operator]


def keyed(memory: Memory) -> tuple[Entry, dict[bytes, bytes]]:
    """An entry and the headers of a key of a member, in a project, of an account with a limit of calls."""
    memory.create_unit("docks")
    memory.set_member("ann", unit="docks")
    memory.set_account("default", calls_per_minute=1_000_000_000)
    for number in range(200):
        memory.create_key(f"other {number}")
    made = memory.create_key("ann", rights="read", project=memory.create_project("p").name, member="ann")
    return Entry(memory.service), {b"authorization": b"Bearer " + made.key.encode()}


def timed(entry: Entry, headers: dict[bytes, bytes]) -> float:
    """Microseconds of one call, over a thousand."""
    begun = time.perf_counter()
    for _ in range(1_000):
        entry.enter(headers, False, False)
    return (time.perf_counter() - begun) * 1e3
