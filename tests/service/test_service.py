"""The service where no surface reaches: groups of calls, rows written as records, deleted banks, the clock."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_wire import errors
from memory_wire import types as t
from memory_wire.kernels.text import content_hash
from memory_wire.ops import BY_NAME
from memory_wire.service.service import Service
from memory_wire.store.ids import new_uid, show
from memory_wire.store.protocol import Tx
from memory_wire.store.rows import RECORD, NewUnit

HERE = t.Scope(bank="b")
NOON = 1_790_000_000_000


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with Service(str(tmp_path / "memory.db"), sync="normal", now=lambda: NOON) as made:
        yield made
        assert made.gauges()["index_faults"] == 0


def call(service: Service, name: str, request: t.Struct, scope: t.Scope = HERE) -> object:
    return service.call(BY_NAME[name], scope, request)


def recalled(service: Service, query: str, scope: t.Scope = HERE) -> list[str]:
    answer = call(service, "recall", t.Recall(query=query, format="full"), scope)
    assert isinstance(answer, t.Recalled)
    return [hit.content for hit in answer.hits]


def test_a_group_of_calls_is_one_commit(service: Service) -> None:
    service.open()
    before = service.store.commits
    calls = [
        ("retain", HERE, t.Retain(content="one")),
        ("retain", t.Scope(bank="other"), t.Retain(content="two")),
        ("retain", HERE, t.Retain(content=" ")),
        ("forget", HERE, t.Forget(id="nothing")),
        ("put_config", t.Scope(bank="never"), t.PutConfig(body=b"{}")),
        ("retain", HERE, t.Retain(content="one")),
        ("retain_batch", HERE, t.RetainBatch(items=[t.Retain(content="three"), t.Retain(content="one")])),
        ("stats", HERE, t.Empty()),
        ("retain", HERE, t.Retain(content=7)),  # type: ignore[arg-type]
    ]
    answers = service.call_many([(BY_NAME[name], scope, request) for name, scope, request in calls])
    assert service.store.commits == before + 1
    assert [type(answer).__name__ for answer in answers] == [
        "Retained", "Retained", "Invalid", "Deleted", "UnknownBank", "Retained", "BatchRetained", "Stats", "WrongType",
    ]  # fmt: skip
    first, again, batch = answers[0], answers[5], answers[6]
    assert isinstance(first, t.Retained) and isinstance(again, t.Retained) and isinstance(batch, t.BatchRetained)
    assert again.id == first.id and again.deduplicated
    assert isinstance(batch.results[1], t.Retained) and batch.results[1].id == first.id
    assert sorted(recalled(service, "one three")) == ["one", "three"] and recalled(service, "two", t.Scope(bank="other")) == ["two"]
    assert service.call_many([]) == []


def test_records_are_immune(service: Service) -> None:
    call(service, "retain", t.Retain(content="a memory"))
    uid = new_uid()

    def work(tx: Tx) -> None:
        bank = tx.bank("default", "b")
        assert bank is not None
        text = "a record that stays"
        tx.insert(bank, NewUnit(uid=uid, hash=content_hash(text.encode()), content=text, created=NOON, kind=RECORD))

    service.store.submit(work)
    service.catch_up("default", "b")
    again = call(service, "retain", t.Retain(content="a record that stays"))
    assert isinstance(again, t.Retained) and not again.deduplicated and again.id != show(uid)
    call(service, "retain", t.Retain(content="a document that stays", document_id="a record that stays"))
    assert recalled(service, "record stays").count("a record that stays") == 2
    assert call(service, "forget", t.Forget(id=show(uid))) == t.Deleted(deleted=True)
    assert recalled(service, "record stays").count("a record that stays") == 1
    with sqlite3.connect(service.path) as base:  # only marked
        assert base.execute("SELECT count(*) FROM unit WHERE kind = ?", (RECORD,)).fetchone() == (1,)
    base.close()


def test_the_clock_gives_dates(service: Service) -> None:
    call(service, "retain", t.Retain(content="now"))
    page = call(service, "memories", t.Memories())
    assert isinstance(page, t.Page) and page.items[0].created_at == "2026-09-21T14:13:20.000Z"


def test_a_large_deleted_bank_is_emptied_in_the_end(service: Service) -> None:
    for start in range(0, 18_000, 1_000):
        call(service, "retain_batch", t.RetainBatch(items=[t.Retain(content=f"r{i}") for i in range(start, start + 1_000)]))
    assert call(service, "delete_bank", t.DeleteBank(confirm="b")) == t.BankDeleted(deleted=True, memories=18_000)
    assert recalled(service, "r7") == []
    service.idle()
    base = sqlite3.connect(service.path)
    assert base.execute("SELECT count(*) FROM unit").fetchone() == (0,)
    base.close()
    assert [path.name for path in Path(f"{service.path}.index").iterdir()] == []


def test_ready(service: Service, tmp_path: Path) -> None:
    assert service.ready() == t.Ready(ready=True, store="ok", index="ok")
    service.open()
    call(service, "retain", t.Retain(content="x"), t.Scope())
    assert service.ready().ready
    service.idle()
    (tmp_path / "memory.db").rename(tmp_path / "moved.db")
    with pytest.raises(errors.NotReady, match=r"^not ready: store missing: "):
        service.ready()


def test_a_damaged_database_is_an_error_of_ours(service: Service, tmp_path: Path) -> None:
    call(service, "retain", t.Retain(content="x" * 1000))
    service.close()
    path = tmp_path / "memory.db"
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (path.stat().st_size - 4096))
    with Service(str(path)) as hurt:
        for name, request in (("recall", t.Recall(query="x")), ("retain", t.Retain(content="y")), ("stats", t.Empty())):
            with pytest.raises(errors.StorageError, match=r"^storage error$"):
                call(hurt, name, request)
        assert all(isinstance(answer, errors.StorageError) for answer in hurt.call_many([(BY_NAME["retain"], HERE, t.Retain(content="y"))]))
