"""A store against a model in plain lists, through random operations, undone parts, idle periods and reopening."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from memory_wire.errors import UnknownMemory
from memory_wire.store import banks
from memory_wire.store.check import check
from memory_wire.store.rows import NewUnit
from memory_wire.store.sqlite import Store
from memory_wire.store.tx import Tx
from tests.store.make import T0, put, the, unit

TAGS = st.lists(st.sampled_from(["a", "b", "c"]), unique=True, max_size=3)
UNITS = st.builds(lambda text, tags, at: unit(text, tags=tags, created=T0 + at), st.sampled_from("uvwxyz"), TAGS, st.integers(0, 5))
NAMES = st.sampled_from(["default", "other"])


class StoreModel(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = str(Path(self.folder.name) / "memory.db")
        self.tail, banks.TALLY_TAIL = banks.TALLY_TAIL, 3  # a tally that moves on all the time
        self.store = Store(self.path, create=True)
        self.model: dict[str, dict[int, NewUnit]] = {"default": {}}  # insertion order
        self.ever: dict[str, list[int]] = {"default": []}
        self.follower: dict[str, tuple[set[int], int, int]] = {}  # what an index would hold: ids, covered, removal seq

    def teardown(self) -> None:
        banks.TALLY_TAIL = self.tail
        assert check(self.store) == []
        self.store.close()
        self.folder.cleanup()

    def _add(self, name: str, id: int, new: NewUnit) -> None:
        self.model.setdefault(name, {})[id] = new
        self.ever.setdefault(name, []).append(id)

    @rule(name=NAMES, new=UNITS)
    def insert(self, name: str, new: NewUnit) -> None:
        made = self.store.submit(put(new, name))
        ever = self.ever.get(name, [])
        assert made.after == (ever[-1] if ever else 0) < made.id
        self._add(name, made.id, new)

    @rule(name=NAMES, news=st.lists(UNITS, max_size=5))
    def insert_group(self, name: str, news: list[NewUnit]) -> None:
        for new, made in zip(news, self.store.write([put(new, name) for new in news]), strict=True):
            self._add(name, made.id, new)  # type: ignore[attr-defined]

    @rule(name=NAMES, new=UNITS)
    def retain(self, name: str, new: NewUnit) -> None:
        known = [id for id, old in self.model.get(name, {}).items() if old.hash == new.hash]
        found = self.store.submit(lambda tx: tx.duplicate(the(tx, name), new.hash))
        assert (found and found[0]) == (known[0] if known else None)
        self.model.setdefault(name, {})
        self.ever.setdefault(name, [])

    @rule(name=NAMES, pick=st.integers(0, 8))
    def delete(self, name: str, pick: int) -> None:
        ids = list(self.model.get(name, {})) or [99_999]
        gone = ids[pick % len(ids)]
        removed = self.store.submit(lambda tx: tx.delete(the(tx, name), gone))
        assert (removed is None) == (self.model.setdefault(name, {}).pop(gone, None) is None)
        self.ever.setdefault(name, [])

    @rule(name=NAMES)
    def fail(self, name: str) -> None:
        def work(tx: Tx) -> None:
            tx.insert(the(tx, name), unit("never"))
            raise UnknownMemory

        results = self.store.write([work, work])
        assert [type(result) for result in results] == [UnknownMemory, UnknownMemory]

    @rule(name=NAMES)
    def recount(self, name: str) -> None:
        self.store.submit(lambda tx: tx.recount(the(tx, name)))
        self.model.setdefault(name, {})
        self.ever.setdefault(name, [])

    @rule(name=NAMES)
    def prune(self, name: str) -> None:
        _, covered, seq = self.follower.get(name, (set(), 0, 0))
        if seq:
            self.store.submit(lambda tx: tx.prune(the(tx, name), seq, keep=[covered]))

    @rule()
    def drop_bank(self) -> None:
        if "other" in self.model:
            assert self.store.submit(lambda tx: tx.delete_bank(the(tx, "other"))) == len(self.model.pop("other"))
            del self.ever["other"]
            self.follower.pop("other", None)

    @rule()
    def go_idle(self) -> None:
        self.store.idle()

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = Store(self.path)

    @rule()
    def follow(self) -> None:
        """What an index does: takes the rows after what it covers, takes out what was removed."""
        with self.store.read() as reader:
            for name in self.model:
                bank = reader.bank("default", name)
                assert bank is not None
                ids, covered, seq = self.follower.get(name, (set(), 0, 0))
                fresh = {row.id for row in reader.rows(bank, covered, None, 1_000_000)}
                removals, newest_seq = reader.removed(bank, seq)
                ids = (ids | fresh) - {id for _, id in removals}
                self.follower[name] = (ids, max(covered, bank.newest), newest_seq)
                assert ids == set(self.model[name])

    @invariant()
    def agrees(self) -> None:
        with self.store.read() as reader:
            for name, units in self.model.items():
                bank = reader.bank("default", name)
                assert bank is not None
                assert [(row.id, row.uid, row.tags) for row in reader.page(bank, 1_000)] == [(i, u.uid, u.tags) for i, u in units.items()]
                tally = reader.tally(bank)
                times = [new.created for new in units.values()]
                assert (tally.memories, tally.oldest, tally.newest) == (len(units), min(times, default=None), max(times, default=None))
                assert tally.tags == len({tag for new in units.values() for tag in new.tags})
                assert bank.newest == (self.ever[name][-1] if self.ever[name] else 0)
                assert (reader.identity(bank, bank.newest) is not None) == bool(self.ever[name])
            assert [summary.name for summary in reader.banks()] == sorted(self.model)


TestStoreModel = StoreModel.TestCase
TestStoreModel.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
