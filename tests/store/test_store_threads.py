"""Many threads, forks and processes on one store."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import pytest

from memory_wire.errors import StorageError
from memory_wire.store.check import check
from memory_wire.store.gather import Gathering
from memory_wire.store.permits import Permits
from memory_wire.store.sqlite import Store
from tests.store.make import contents, put, retain, unit

THREADS = 8
pytestmark = pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")  # what is tested here


def run(*functions: Callable[[], None]) -> None:
    failures: list[BaseException] = []

    def guarded(function: Callable[[], None]) -> None:
        try:
            function()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_threads_share_commits_and_see_their_writes(store: Store) -> None:
    before = store.commits, store.acknowledged

    def client(number: int) -> Callable[[], None]:
        def go() -> None:
            for n in range(60):
                text = f"{number}-{n}"
                made, found = store.submit(retain(unit(text)))
                assert not found
                with store.read() as reader:
                    bank = reader.bank("default", "default")
                    assert bank is not None
                    assert reader.units(bank, [made])[made].content == text

        return go

    run(*(client(number) for number in range(THREADS)))
    assert sorted(contents(store)) == sorted(f"{number}-{n}" for number in range(THREADS) for n in range(60))
    assert store.acknowledged - before[1] == THREADS * 60
    assert store.commits - before[0] < THREADS * 60
    assert len(store._pool.readers) <= 4


def test_equal_retains_of_many_threads_are_one_memory(store: Store) -> None:
    answers: list[tuple[int, bool]] = []
    run(*[lambda: answers.append(store.submit(retain(unit("same"))))] * THREADS)
    assert {id for id, _ in answers} == {1}
    assert sum(not found for _, found in answers) == 1


def test_works_that_wait_form_one_group() -> None:
    groups: list[int] = []
    entered, proceed = threading.Event(), threading.Event()

    def write(works: object) -> list[object]:
        groups.append(len(works))  # type: ignore[arg-type]
        if len(groups) == 1:
            entered.set()
            proceed.wait()
        return [work(None) for work in works]  # type: ignore[attr-defined]

    gathering = Gathering(write)
    results: list[object] = []
    threads = [threading.Thread(target=lambda n=n: results.append(gathering.submit(lambda _: n))) for n in range(6)]
    threads[0].start()
    entered.wait()
    for thread in threads[1:]:
        thread.start()
    while len(gathering._waiting) < 5:
        time.sleep(0.001)
    proceed.set()
    for thread in threads:
        thread.join()
    assert groups == [1, 5]
    assert sorted(results) == list(range(6))  # type: ignore[type-var]


def test_a_leader_that_is_interrupted_answers_its_followers() -> None:
    entered, proceed = threading.Event(), threading.Event()
    calls: list[int] = []

    def write(works: object) -> list[object]:
        calls.append(len(works))  # type: ignore[arg-type]
        if len(calls) == 1:
            entered.set()
            proceed.wait()
        if len(calls) == 2:
            raise KeyboardInterrupt
        return [None for _ in works]  # type: ignore[attr-defined]

    gathering = Gathering(write)
    outcomes: list[object] = []

    def client() -> None:
        try:
            outcomes.append(gathering.submit(lambda _: None))
        except KeyboardInterrupt as error:
            outcomes.append(error)

    threads = [threading.Thread(target=client) for _ in range(4)]
    threads[0].start()
    entered.wait()
    for thread in threads[1:]:
        thread.start()
    while len(gathering._waiting) < 3:
        time.sleep(0.001)
    proceed.set()
    for thread in threads:
        thread.join()
    assert calls == [1, 3]
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["KeyboardInterrupt", "NoneType", "StorageError", "StorageError"]
    assert gathering.submit(lambda _: None) is None  # the lead was given up


def test_permits_are_counted_fair_and_can_be_halted() -> None:
    permits = Permits(2)
    permits.take()
    assert permits.take_now() and not permits.take_now()
    order: list[int] = []

    def wait(number: int) -> Callable[[], None]:
        def go() -> None:
            with permits:
                order.append(number)

        return go

    threads = []
    for number in range(5):
        threads.append(threading.Thread(target=wait(number)))
        threads[-1].start()
        while len(permits._waiting) <= number:
            time.sleep(0.001)
    permits.give()
    for thread in threads:
        thread.join()
    assert order == [0, 1, 2, 3, 4]
    assert not permits.halt(0.01)  # one is still taken
    assert not permits.take_now()
    late = threading.Thread(target=wait(9))
    late.start()
    permits.give()
    assert permits.halt(0)
    assert order == [0, 1, 2, 3, 4]
    permits.resume()
    late.join()
    assert order[-1] == 9 and permits.take_now()


def in_child(function: Callable[[], None]) -> None:
    """Runs a function in a forked child that ends as a Python program does, and expects it to end well."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            function()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


def test_fork_under_load(store: Store) -> None:
    """Children of a process whose threads write and read use the store at once; nobody hangs, nothing is lost."""
    store.submit(put(unit("parent")))
    stop = threading.Event()
    written: list[str] = []

    def writer(number: int) -> Callable[[], None]:
        def go() -> None:
            n = 0
            while not stop.is_set():
                store.submit(put(unit(f"w{number}-{n}")))
                written.append(f"w{number}-{n}")
                n += 1

        return go

    def reader() -> None:
        while not stop.is_set():
            with store.read() as snapshot:
                bank = snapshot.bank("default", "default")
                assert bank is not None and snapshot.page(bank, 1)[0].content == "parent"
            time.sleep(0.001)  # or the readers keep the interpreter lock from the writers

    def child(number: int) -> Callable[[], None]:
        def go() -> None:
            assert contents(store)[0] == "parent"
            store.submit(put(unit(f"child{number}")))
            store.idle()
            assert f"child{number}" in contents(store)
            store.close()

        return go

    def forker() -> None:
        try:
            for number in range(12):
                in_child(child(number))
        finally:
            stop.set()

    run(*(writer(number) for number in range(5)), reader, reader, forker)
    found = contents(store)
    assert len(found) == len(set(found))
    assert set(found) == {"parent", *written, *(f"child{number}" for number in range(12))}


def test_a_child_that_ends_leaves_the_store_alone(path: str) -> None:
    """An inherited connection that is closed when nobody else is connected deletes the log by its name, whoever's it is by then."""
    program = f"""
import os, subprocess, sys
from memory_wire.store.sqlite import Store
from tests.store.make import contents, put, unit
store = Store({path!r}, create=True)
store.submit(put(unit("one")))
assert contents(store) == ["one"]
read, write = os.pipe()
if os.fork() == 0:
    os.close(write)
    os.read(read, 1)
    sys.exit(0)  # as a program ends: everything is torn down
if os.fork() == 0:
    store.submit(put(unit("two")))
    sys.exit(0)
os.waitpid(-1, 0)
store.close()
killed = "from tests.store.make import *; import os, sys; s = Store(sys.argv[1]); s.submit(put(unit('three'))); os._exit(0)"
subprocess.run([sys.executable, "-c", killed, {path!r}], check=True)
assert os.path.getsize({path!r} + "-wal") > 0
os.close(write)
os.wait()
with Store({path!r}) as store:
    assert contents(store) == ["one", "two", "three"]
"""
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_fork_inside_a_read_goes_on_after_a_moment(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memory_wire.store.sqlite.FORK_SECONDS", 0.05)
    store.submit(put(unit("one")))
    with store.read():
        in_child(lambda: store.submit(put(unit("two"))) and None)
    assert contents(store) == ["one", "two"]


def test_two_processes_write_and_see_each_other(path: str) -> None:
    """No write is lost, and each sees the other's as soon as it is acknowledged."""
    program = f"""
import sys
from memory_wire.store.sqlite import Store
from tests.store.make import put, unit
with Store({path!r}) as store:
    for n in range(150):
        store.submit(put(unit(f"theirs{{n}}")))
        print(n, flush=True)
"""
    with Store(path, create=True) as store:
        other = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        assert other.stdout is not None
        lines = iter(other.stdout)
        for line in lines:
            assert f"theirs{line.strip()}" in contents(store)
            store.submit(put(unit(f"ours{line.strip()}")))
        assert other.wait() == 0
        other.stdout.close()
        assert sorted(contents(store)) == sorted(f"{who}{n}" for who in ("ours", "theirs") for n in range(150))
        assert check(store) == []


def test_data_version_tells_of_foreign_and_own_commits(store: Store) -> None:
    def version() -> tuple[int, int]:
        with store.read() as reader:
            return reader.version

    first = version()
    assert version() == first
    store.submit(put(unit("own")))
    second = version()
    assert second != first
    with Store(store.path) as other:
        other.submit(put(unit("foreign")))
    third = version()
    assert third not in (first, second) and third[0] == first[0]
    assert version() == third


def test_a_snapshot_stays_as_it_was(store: Store) -> None:
    store.submit(put(unit("one")))
    with store.read() as reader:
        store.submit(put(unit("two")))
        bank = reader.bank("default", "default")
        assert bank is not None and bank.newest == 1
        assert [row.content for row in reader.page(bank, 10)] == ["one"]
        assert reader.version[1] > 0
    assert contents(store) == ["one", "two"]


def test_a_closed_store_says_so(path: str) -> None:
    store = Store(path, create=True)
    store.close()
    store.close()
    for call in (lambda: contents(store), lambda: store.submit(put(unit("x"))), store.open, store.checkpoint):
        with pytest.raises(StorageError, match="storage error") as caught:
            call()
        assert "closed" in caught.value.detail
