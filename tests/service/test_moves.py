"""Moving banks and sweeping them where no surface reaches: sessions and their order, large banks, records, groups of calls, the index."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from memory_wire import Memory
from memory_wire import types as t
from memory_wire.ops import BY_NAME
from memory_wire.service import maintenance
from memory_wire.service.dates import DAY_MS
from memory_wire.service.service import Service
from memory_wire.store.banks import INLINE_PURGE
from tests.crash.asking import equals_rebuild

NOON = 1_790_000_000_000


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def store(db: Path) -> Iterator[Memory]:
    with Memory(db, sync="normal") as made:
        yield made
        assert made.service.gauges()["index_faults"] == 0
    assert [finding for finding in maintenance.check(str(db), lambda done, total: None) if not finding.startswith("note: ")] == []


def talk(store: Memory, bank: str) -> list[tuple[str, int | None]]:
    """The session `talk` as the store orders it."""
    with store.service.read() as reader:
        found = reader.bank("default", bank)
        assert found is not None
        units = [entry.unit for entry in reader.export(found, -1, 1_000)]
    held = [(unit.content, unit.position) for unit in units if unit.session == "talk"]
    return sorted(held, key=lambda pair: pair[1] or 0)


def test_a_session_goes_on_behind_what_the_target_has_of_it(store: Memory) -> None:
    for line in ("a0", "a1", "a2"):
        store.retain(line, bank="a", session="talk", document_id=line)
    store.retain("a0 changed", bank="a", document_id="a0")  # a newer row in the first place
    store.forget(store.retain("b0", bank="b", session="talk").id, bank="b")
    store.retain("b1", bank="b", session="talk")
    store.copy_bank("a", "copy")
    assert talk(store, "copy") == [("a0 changed", 0), ("a1", 1), ("a2", 2)]
    store.merge_bank("a", "b")
    assert talk(store, "b") == [("b1", 1), ("a0 changed", 2), ("a1", 3), ("a2", 4)]
    store.retain("next", bank="b", session="talk")
    assert talk(store, "b")[-1] == ("next", 5)
    assert store.recall("a1", bank="b", session="talk", k=1)[0].content == "a1"


def test_a_merge_takes_the_configuration_only_where_there_is_none(store: Memory) -> None:
    for bank in ("a", "b", "c"):
        store.retain("x", bank=bank)
    store.put_config({"of": "a"}, bank="a")
    store.merge_bank("a", "b")
    assert store.get_config(bank="b") == b'{"of":"a"}'
    store.put_config({"of": "c"}, bank="c")
    store.merge_bank("b", "c")
    assert store.get_config(bank="c") == b'{"of":"c"}'


def test_large_banks_are_moved_whole(store: Memory, db: Path) -> None:
    """Larger than what is emptied at once, than an arena, and than a slice."""
    chance = random.Random(1)
    words = [f"w{number}" for number in range(500)]
    count = INLINE_PURGE + 700
    for begin in range(0, count, 1_000):
        some = range(begin, min(begin + 1_000, count))
        store.retain_batch([t.Retain(content=f"n{n} {' '.join(chance.choices(words, k=5))}", tags=[f"t{n % 7}"]) for n in some], bank="a")
    store.retain("there before", bank="b")
    assert store.copy_bank("a", "c").memories == count
    assert store.merge_bank("a", "b").memories == count
    assert (store.stats(bank="b").memories, store.stats(bank="b").tags) == (count + 1, 7)
    for bank in ("b", "c"):
        for number in (0, 499, 500, count - 1):
            assert store.recall(f"n{number}", bank=bank, k=1, tags=[f"t{number % 7}"])[0].content.startswith(f"n{number} ")
    store.close()
    equals_rebuild(db, ["b", "c"], ["w1 w2", "w3", "w499 w250 t3", *(f"n{number}" for number in range(0, count, 400))])


def test_moves_and_writes_of_one_group(db: Path) -> None:
    """Calls of one commit see each other in order, whatever becomes of the banks' names in between."""
    with Service(str(db), sync="normal") as service:
        calls: list[tuple[str, str, Struct]] = [
            ("retain", "a", t.Retain(content="first")),
            ("rename_bank", "a", t.RenameBank(to="b")),
            ("retain", "a", t.Retain(content="of the new a")),
            ("retain", "b", t.Retain(content="second")),
            ("rename_bank", "b", t.RenameBank(to="a")),
            ("merge_bank", "a", t.MergeBank(into="b")),
            ("merge_bank", "b", t.MergeBank(into="a")),
            ("retain", "a", t.Retain(content="third")),
            ("copy_bank", "a", t.CopyBank(to="b")),
        ]
        answers = service.call_many([(BY_NAME[name], t.Scope(bank=bank), request) for name, bank, request in calls])
        failures = [type(answer).__name__ for answer in answers if isinstance(answer, Exception)]
        assert failures == ["BankExists", "UnknownBank", "BankExists"]
        for bank, texts in (("a", {"third"}), ("b", {"first", "second", "of the new a"})):
            found = service.call(BY_NAME["recall"], t.Scope(bank=bank), t.Recall(query="first second third new"))
            assert isinstance(found, t.Recalled) and {hit.content for hit in found.hits} == texts
        assert service.gauges()["index_faults"] == 0


def test_records_stay_whatever_their_age(store: Memory) -> None:
    store.remember("a record", bank="a")
    store.retain("x", bank="a")
    assert store.rename_bank("a", "c").memories == 2
    store.put_config({"ttl_days": 1}, bank="c")
    assert store.sweep().deleted == 0  # the memory is young
    assert store.recall("record", bank="c")[0].content == "a record"


def test_the_cutoff(db: Path) -> None:
    """Strictly older goes; a memory of exactly the cutoff stays, and the date is the event's."""
    with Service(str(db), sync="normal", now=lambda: NOON) as service:

        def call(name: str, request: Struct) -> object:
            return service.call(BY_NAME[name], t.Scope(bank="b"), request)

        for ms in (NOON - 2 * DAY_MS - 1, NOON - 2 * DAY_MS, NOON):
            stamp = call("retain", t.Retain(content=f"at {ms}", created_at=iso(ms)))
            assert isinstance(stamp, t.Retained)
        call("put_config", t.PutConfig(body=b'{"ttl_days": 2}'))
        done = call("sweep", t.Sweep())
        assert isinstance(done, t.Swept) and done.deleted == 1
        assert done.banks[-1].cutoff == iso(NOON - 2 * DAY_MS)
        call("put_config", t.PutConfig(body=b'{"ttl_days": 0}'))
        again = call("sweep", t.Sweep())
        assert isinstance(again, t.Swept) and again.deleted == 1
        left = call("memories", t.Memories())
        assert isinstance(left, t.Page) and [item.content for item in left.items] == [f"at {NOON}"]


def iso(ms: int) -> str:
    from memory_wire.service.dates import stamp

    return stamp(ms)


LINES = st.lists(
    st.tuples(st.sampled_from(["alpha", "beta", "gamma"]), st.sampled_from([None, "s", "t"]), st.sampled_from([None, "d", "e"])),
    max_size=12,
)


@given(LINES, LINES)
def test_a_merge_loses_no_text(
    tmp_path_factory: pytest.TempPathFactory, source: list[tuple[str, str, str]], target: list[tuple[str, str, str]]
) -> None:
    """Afterwards each (text, session) of either bank is there; what moved and what was there already add up."""
    with Memory(tmp_path_factory.mktemp("merge") / "memory.db", sync="normal") as store:
        for bank, lines in (("a", source), ("b", target)):
            store.retain("always", bank=bank)
            for text, session, document in lines:
                store.retain(text, bank=bank, session=session, document_id=document)
        had = {(hit.content, hit.session) for bank in ("a", "b") for hit in store.recall("alpha beta gamma always", bank=bank)}
        count, before = store.stats(bank="a").memories, store.stats(bank="b").memories
        done = store.merge_bank("a", "b")
        assert done.memories + done.deduplicated == count and store.stats(bank="b").memories == before + done.memories
        assert {(hit.content, hit.session) for hit in store.recall("alpha beta gamma always", bank="b")} == had
