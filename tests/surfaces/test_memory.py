"""The embedded store as a program uses it: threads, asyncio, forks, several processes, misuse; and what importing it costs."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import memory_wire
from memory_wire import Client, Memory
from memory_wire.errors import Invalid, StorageError, StoreMissing, Unreachable, WrongType

FORBIDDEN = [
    "argparse", "asyncio", "concurrent.futures", "dataclasses", "hashlib", "http.client", "inspect", "json", "logging", "numpy", "pathlib",
    "pyroaring", "ssl", "subprocess", "tempfile", "threading", "traceback", "typing", "unittest", "uuid", "uvloop",
]  # fmt: skip


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def run(code: str, *arguments: str) -> str:
    """Output of a fresh interpreter."""
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_the_package_is_light() -> None:
    code = """
import sys
before = set(sys.modules)
import memory_wire, threading
assert threading.active_count() == 1
print([name for name in sorted(set(sys.modules) - before) if name.split('.')[0] not in ('memory_wire', '__future__', 'threading')])
print([name for name in sys.modules if name.startswith('memory_wire')])
"""
    others, ours = run(code).splitlines()
    assert ours == "['memory_wire']" and not set(eval(others)) & set(FORBIDDEN) - {"threading"}


def test_using_it_loads_nothing_heavy(db: Path) -> None:
    code = """
import sys
import msgspec, sqlite3, datetime  # what they bring is theirs
before = set(sys.modules)
import memory_wire
with memory_wire.Memory(sys.argv[1]) as store:
    store.retain('a memory ghp_abcdefghijklmnop1234', tags=['t'], session='s', document_id='d', created_at='2026-01-02')
    store.recall('memory', tags=['t'], session='s', since='2026-01-01', k=3)
    store.recall('memory')
    store.stats(), store.memories(), store.banks()
print(sorted(set(sys.modules) - before))
"""
    loaded = eval(run(code, str(db)))
    assert not set(loaded) & set(FORBIDDEN)


def test_public_names() -> None:
    assert sorted(memory_wire.__all__) == memory_wire.__all__
    for name in memory_wire.__all__:
        assert getattr(memory_wire, name) is not None
    with pytest.raises(AttributeError):
        memory_wire.nothing  # noqa: B018


def test_reading_makes_no_store(db: Path) -> None:
    with Memory(db) as store:
        assert store.recall("x") == [] and store.memories().total == 0 and store.banks() == []
        assert store.recall("x", tags=["t", "ghp_abcdefghijklmnop1234"], exclude_tags=["u"], session="s", since="2026-01-01") == []
        assert store.stats().memories == 0 and store.reflect("x") == "no relevant memories"
        assert list(db.parent.iterdir()) == []
        store.retain("now it is made")
        assert len(store.recall("made")) == 1 and db.exists()


def test_a_store_that_was_there_is_missed(db: Path) -> None:
    (db.parent / "memory.db.index").mkdir()
    with Memory(db) as store:
        for call in (lambda: store.recall("x"), lambda: store.retain("x"), lambda: store.forget("x")):
            with pytest.raises(StoreMissing, match=r"^store missing: "):
                call()


def test_create_can_be_forbidden(db: Path) -> None:
    with Memory(db, create=False) as store, pytest.raises(StoreMissing):
        store.retain("x")


def test_closing(db: Path) -> None:
    store = Memory(db)
    with store:
        store.retain("x")
    store.close()
    for call in (lambda: store.retain("y"), lambda: store.recall("x"), store.stats):
        with pytest.raises(StorageError):
            call()
    with Memory(db) as again:
        assert len(again.recall("x")) == 1


def test_misuse_is_told(db: Path) -> None:
    with Memory(db) as store:
        calls: list[tuple[Any, dict[str, Any], str]] = [
            (store.retain, {"content": 7}, "content: expected a string"),
            (store.retain, {"content": "x", "tags": "work"}, "tags: expected an array of strings"),
            (store.retain, {"content": "x", "tags": [1]}, "tags: expected a string"),
            (store.retain, {"content": "x", "created_at": 3}, "created_at: expected a string"),
            (store.retain, {"content": "x", "context": b"y"}, "context: expected a string"),
            (store.retain, {"content": "x", "update_mode": 1}, "update_mode: expected a string"),
            (store.retain, {"content": "x", "bank": 1}, "bank: expected a string"),
            (store.recall, {"query": None}, "query: expected a string"),
            (store.recall, {"query": "x", "budget": 1.0}, "budget: expected an unsigned integer"),
            (store.recall, {"query": "x", "budget": 1 << 64}, "budget: expected an unsigned integer"),
            (store.recall, {"query": "x", "k": True}, "k: expected an unsigned integer"),
            (store.recall, {"query": "x", "min_score": "1"}, "min_score: expected a number"),
            (store.recall, {"query": "x", "explain": 1}, "explain: expected a boolean"),
            (store.memories, {"limit": -1}, "limit: expected an unsigned integer"),
            (store.put_config, {"config": b""}, ""),
        ]
        for method, values, text in calls[:-1]:
            with pytest.raises(WrongType) as caught:
                method(**values)
            assert str(caught.value).endswith(text)
        with pytest.raises(WrongType, match=r"\$\.items\[1\]\.content: expected a string"):
            store.retain_batch([{"content": "x"}, {"content": 1}])
        assert store.stats().memories == 0
        for method in (store.retain, store.recall):
            with pytest.raises(TypeError):
                method("x", colour="red")
        with pytest.raises(TypeError):
            store.retain_batch([{"content": "x", "colour": "red"}])
        with pytest.raises(Invalid, match=r"^invalid content: must be valid Unicode"):
            store.retain("lone \ud800")
        with pytest.raises(Invalid, match=r"^invalid query: must be valid Unicode"):
            store.recall("lone \ud800")
        with pytest.raises(Invalid, match=r"^invalid bank id$"):
            store.recall("x", bank="")


def test_threads(db: Path) -> None:
    failures: list[BaseException] = []

    def work(store: Memory, name: int) -> None:
        try:
            for turn in range(25):
                store.retain(f"worker {name} turn {turn}", session=str(name))
                assert store.recall(f"worker {name} turn {turn}", session=str(name))[0].content == f"worker {name} turn {turn}"
                if turn % 5 == 4:
                    store.forget(store.retain(f"worker {name} scrap {turn}").id)
        except BaseException as error:
            failures.append(error)

    with Memory(db) as store:
        threads = [threading.Thread(target=work, args=(store, name)) for name in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        assert store.stats().memories == 200
        assert all(len(store.recall("worker", session=str(name))) == 25 for name in range(8))
        assert store.recall("scrap") == []
        assert store.service.gauges()["index_faults"] == 0


def test_a_document_is_never_missing_while_it_is_replaced(db: Path) -> None:
    seen: list[list[str]] = []
    done = threading.Event()

    def read(store: Memory) -> None:
        while not done.is_set():
            seen.append([hit.content for hit in store.recall("page about colour", k=5)])

    with Memory(db, sync="normal") as store:
        store.retain("page about colour 0", document_id="page")
        reader = threading.Thread(target=read, args=(store,))
        reader.start()
        for turn in range(1, 400):
            store.retain(f"page about colour {turn}", document_id="page")
        done.set()
        reader.join()
        assert seen and {len(found) for found in seen} == {1}
        turns = [int(found[0].split()[-1]) for found in seen]
        assert turns == sorted(turns)


def test_asyncio(db: Path) -> None:
    async def main() -> list[int]:
        with Memory(db) as store:
            await asyncio.gather(*(asyncio.to_thread(store.retain, f"note {i}") for i in range(20)))
            found = await asyncio.gather(*(asyncio.to_thread(store.recall, f"note {i}", k=1) for i in range(20)))
            return [int(hits[0].content.split()[1]) for hits in found]

    assert asyncio.run(main()) == list(range(20))


def test_two_stores_on_one_path_see_each_other(db: Path) -> None:
    with Memory(db) as one, Memory(db) as two:
        first = one.retain("written by one").id
        assert [hit.id for hit in two.recall("written")] == [first]
        second = two.retain("written by two").id
        assert {hit.id for hit in one.recall("written")} == {first, second}
        assert one.forget(second) and [hit.id for hit in two.recall("written")] == [first]
        two.put_config({"recallMaxTokens": 1})
        assert one.recall("written")[0].content == "writ"
        two.delete_bank("default", confirm="default")
        assert one.recall("written") == []
        one.retain("written anew")
        assert [hit.content for hit in two.recall("written")] == ["written anew"]


def test_another_process(db: Path) -> None:
    code = """
import sys, memory_wire
with memory_wire.Memory(sys.argv[1]) as store:
    print(store.recall('here')[0].content, store.retain('there').deduplicated)
"""
    with Memory(db) as store:
        store.retain("here")
        assert run(code, str(db)) == "here False\n"
        assert store.recall("there")[0].content == "there"


def test_after_a_fork_both_go_on(db: Path) -> None:
    with Memory(db) as store:
        store.retain("before the fork")
        store.recall("fork")
        child = os.fork()
        if child == 0:
            code = 1
            try:
                assert store.recall("before")[0].content == "before the fork"
                store.retain("by the child, after the fork")
                assert store.recall("child")[0].content == "by the child, after the fork"
                code = 0
            finally:
                os._exit(code)
        store.retain("by the parent, after the fork")
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert len(store.recall("fork")) == 3
        assert store.service.gauges()["index_faults"] == 0


def test_projects_are_apart(db: Path) -> None:
    with Memory(db) as one, Memory(db, project="other") as two:
        one.retain("only here")
        assert two.recall("here") == [] and two.banks() == []
        two.retain("here too")
        assert [row.memories for row in two.banks()] == [1]
        assert [hit.content for hit in one.recall("here")] == ["only here"]


def test_idle_and_on(db: Path) -> None:
    with Memory(db) as store:
        store.service.idle()
        store.retain_batch([{"content": f"row {i}"} for i in range(300)])
        before = store.recall("row 7")
        for _ in range(3):
            store.service.idle()
            assert store.recall("row 7") == before
            store.service.idle()
            store.retain("row 7")
        assert store.service.ready().ready


def test_no_server() -> None:
    with Client("unix:///nowhere/s") as client, pytest.raises(Unreachable):
        client.recall("x")
