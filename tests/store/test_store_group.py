"""Group commit: one transaction, one answer each, whatever fails."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from memory_wire.errors import StorageError, UnknownMemory
from memory_wire.store.sqlite import Store
from memory_wire.store.tx import Tx
from tests.store.make import contents, digest, put, retain, the, unit


def broken(tx: Tx) -> None:
    tx.insert(the(tx), unit("half"))
    tx.session(the(tx, "made by a failure"), digest("s"), "s")
    raise UnknownMemory


def test_a_failing_member_undoes_only_itself(store: Store) -> None:
    before = store.commits, store.acknowledged
    results = store.write([put(unit("one")), broken, retain(unit("one")), put(unit("two"))])
    assert isinstance(results[1], UnknownMemory)
    assert results[2] == (1, True)  # members see earlier members
    assert contents(store) == ["one", "two"]
    assert (store.commits - before[0], store.acknowledged - before[1]) == (1, 3)
    with store.read() as reader:
        assert reader.bank("default", "made by a failure") is None


def test_a_database_error_undoes_only_its_member(store: Store) -> None:
    taken = {"document": (digest("d"), "d")}
    results = store.write([put(unit("one"), **taken), put(unit("two"), **taken), put(unit("three"))])
    assert isinstance(results[1], StorageError)
    assert contents(store) == ["one", "three"]


def test_a_group_that_only_fails_commits_nothing(store: Store) -> None:
    before = store.commits
    assert [type(result) for result in store.write([broken, broken])] == [UnknownMemory, UnknownMemory]
    assert isinstance(store.write([broken])[0], UnknownMemory)
    assert store.write([]) == []
    assert (store.commits, contents(store)) == (before, [])


def test_a_mistake_in_a_work_is_not_hidden(store: Store) -> None:
    with pytest.raises(ZeroDivisionError):
        store.submit(lambda tx: tx.insert(the(tx), unit("x")).id // 0)
    assert contents(store) == []


def test_an_interrupt_leaves_no_transaction(store: Store) -> None:
    def interrupted(tx: Tx) -> None:
        tx.insert(the(tx), unit("x"))
        raise KeyboardInterrupt

    for works in ([interrupted], [put(unit("y")), interrupted]):
        with pytest.raises(KeyboardInterrupt):
            store.write(works)
    assert store.submit(put(unit("z"))).id == 1
    assert contents(store) == ["z"]


def test_a_failed_commit_fails_every_member(store: Store) -> None:
    """A deferred reference that dangles is found by COMMIT, which then leaves the transaction open."""

    def dangling(tx: Tx) -> None:
        tx._execute("PRAGMA defer_foreign_keys = ON")
        tx._execute("INSERT INTO document_key (unit, bank, key, shown) VALUES (999, 1, x'00', '')")

    results = store.write([retain(unit("one")), retain(unit("one")), broken, dangling])
    assert [type(result) for result in results] == [StorageError, StorageError, UnknownMemory, StorageError]
    assert results[0] is not results[1]
    assert isinstance(store.write([dangling])[0], StorageError)
    assert contents(store) == []
    assert store.submit(put(unit("next"))).id == 1


def test_a_full_database_answers_each_member_for_itself(store: Store) -> None:
    """SQLITE_FULL drops the whole transaction in the middle of the group."""
    store.submit(put(unit("first")))
    store.checkpoint()
    assert store._writer is not None
    (pages,) = store._writer.execute("PRAGMA page_count").fetchone()
    store._writer.execute(f"PRAGMA max_page_count = {pages + 2}").fetchall()
    runs: list[str] = []

    def noted(text: str) -> object:
        def work(tx: Tx) -> str:
            runs.append(text[:1])
            tx.insert(the(tx), unit(text))
            return text[:1]

        return work

    works = [noted("a"), noted("b" * 100_000), retain(unit("first")), noted("c" * 500), broken]
    results = store.write(works)  # type: ignore[arg-type]
    assert (results[0], results[2], results[3]) == ("a", (1, True), "c")
    assert isinstance(results[1], StorageError) and "full" in results[1].detail
    assert isinstance(results[4], UnknownMemory)
    assert runs == ["a", "b", "a", "b", "c"]
    assert [text[:5] for text in contents(store)] == ["first", "a", "ccccc"]
    store._writer.execute("PRAGMA max_page_count = 1000000").fetchall()
    store.submit(put(unit("b" * 100_000)))


@contextmanager
def file_limit(size: int) -> Iterator[None]:
    """No file may grow beyond `size`: the write that would fails, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_fails_the_commit_and_loses_nothing(store: Store) -> None:
    for n in range(20):
        store.submit(put(unit(f"m{n}")))
    with file_limit(300_000):  # the log has some 200 kB
        results = store.write([put(unit("x" * 40_000)), put(unit("y" * 200_000)), retain(unit("m1"))])
        assert [type(result) for result in results] == [StorageError, StorageError, StorageError] or results[2] == (2, True)
        with pytest.raises(StorageError):
            store.submit(put(unit("z" * 400_000)))
        assert [text for text in contents(store) if text[:1] == "m"] == [f"m{n}" for n in range(20)]
    kept = contents(store)
    assert [text for text in kept if text[0] in "yz"] == []
    store.submit(put(unit("after")))
    store.idle()
    assert contents(store) == [*kept, "after"]


def test_a_foreign_lock_is_an_error_after_the_wait(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.submit(put(unit("one")))
    with Store(store.path) as other:
        other.open()
        assert other._writer is not None and store._writer is not None
        store._writer.execute("PRAGMA busy_timeout = 20").fetchall()
        other._writer.execute("BEGIN IMMEDIATE")
        results = store.write([put(unit("two")), put(unit("three"))])
        assert [type(result) for result in results] == [StorageError, StorageError]
        with pytest.raises(StorageError):
            store.submit(put(unit("two")))
        assert contents(store) == ["one"]  # readers don't wait
        other._writer.execute("ROLLBACK")
    assert store.submit(put(unit("two"))).id == 2
