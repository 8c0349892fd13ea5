"""What becomes of the items of a source, at the limits of batches and of what is named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_wire import Memory, config
from memory_wire.cli.intake import Intake
from memory_wire.sources.items import Found, Ignored, Item, Skipped


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "memory.db", bank="b") as made:
        yield made


def item(number: int, text: str = "text", **more: str) -> Item:
    return Item(place=f"item {number}", document_id=f"d{number}", content=f"{text} {number}", **more)  # type: ignore[arg-type]


def commits(store: Memory) -> int:
    return store.service.gauges()["commits"]


@pytest.mark.parametrize(("count", "transactions"), [(1, 1), (config.IMPORT_BATCH, 1), (config.IMPORT_BATCH + 1, 2)])
def test_a_transaction_holds_so_many(count: int, transactions: int, store: Memory) -> None:
    store.retain("first")
    before = commits(store)
    intake = Intake(store, "b")
    assert intake.take(item(number) for number in range(count)) == count
    assert commits(store) - before == transactions
    assert (intake.read, intake.stored, intake.known, intake.skipped) == (count, count, 0, 0)


def test_a_transaction_holds_so_many_bytes(store: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    store.retain("first")
    monkeypatch.setattr(config, "IMPORT_BATCH_BYTES", 10_000)
    before = commits(store)
    Intake(store, "b").take(item(number, "x" * 1_400) for number in range(4))
    assert commits(store) - before == 2
    Intake(store, "b").take([item(9, "x" * 20_000)])
    assert store.stats().memories == 6


def test_once_and_again(store: Memory) -> None:
    first = Intake(store, "b")
    first.take([item(1), item(2)])
    again = Intake(store, "b")
    assert again.take([item(1, "other"), item(2)], once=True) == 0 and again.known == 2
    assert again.take([item(1, "other"), item(2)]) == 1 and again.known == 3
    assert sorted(each.content for each in store.memories().items) == ["other 1", "text 2"]


def test_what_is_left_out_is_counted_and_named_up_to_a_limit(store: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "IMPORT_NAMED", 3)
    found: list[Found] = [
        Ignored("attachments", 2),
        Ignored("attachments"),
        *(Skipped(f"place {n}", "no text") for n in range(5)),
        item(1),
        item(2, " "),
    ]
    found.append(Item(place="bad", document_id="d", content=" "))
    intake = Intake(store, "b")
    intake.take(found)
    facts = intake.facts()
    assert (facts["read"], facts["stored"], facts["skipped"], facts["ignored"]) == (8, 2, 6, {"attachments": 3})
    assert intake.problems == [Skipped(f"place {n}", "no text") for n in range(3)]


def test_one_bad_text_costs_only_itself(store: Memory) -> None:
    intake = Intake(store, "b")
    intake.take([item(1), item(2, "lone \ud800"), item(3, session="s" * 2_000), item(4)])
    assert (intake.stored, intake.skipped) == (2, 2)
    assert [each.place for each in intake.problems] == ["item 2", "item 3"]


def test_without_a_target_nothing_is_stored(store: Memory) -> None:
    intake = Intake(None, "b")
    assert intake.take([item(1), Skipped("x", "y")]) == 1
    assert intake.facts()["stored"] == 1 and store.stats().memories == 0
