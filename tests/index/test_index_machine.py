"""A bank's index under everything at once: two processes, seals, merges, crashes, damaged and vanished files, pruned removals, a lost tail.

Whatever happened, a recall sees exactly the rows of its read transaction, and the folder passes `check` in the end.
"""

from __future__ import annotations

import os
import random
import shutil
from contextlib import suppress
from tempfile import mkdtemp

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from memory_wire import config
from memory_wire.errors import Corrupt
from memory_wire.index.bank import BankIndex
from memory_wire.index.manifest import read_newest
from memory_wire.index.merge import DamagedSegments, merge_folder
from tests.oracle.postings import Facts, expected, observed, unit_of
from tests.oracle.truth import Row, Truth, View

MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None
SMALL = {"LIVE_UNITS": 6, "IDLE_KEEP": 3, "REBUILD_INLINE": 60, "STEP_UNITS": 25, "INDEX_PAGE": 7, "REINDEX_UNITS": 30}

processes = st.sampled_from([0, 1])
texts = st.lists(st.sampled_from("red green blue running runner the a 2023 日本 été".split()), max_size=12).map(" ".join)


class IndexMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.root = mkdtemp(dir=MEMORY)
        self.folder = os.path.join(self.root, "index", "1")
        self.truth = Truth()
        self.indexes = [BankIndex(self.folder, 1), BankIndex(self.folder, 1)]

    def teardown(self) -> None:
        try:
            for index in self.indexes:
                self.recall_all(index)
                index.close()
            fresh = BankIndex(self.folder, 1)
            fresh.rebuild(View(self.truth))
            self.recall_all(fresh)
            assert fresh.check(View(self.truth)) == []
            fresh.close()
        finally:
            shutil.rmtree(self.root)

    # writing -----------------------------------------------------------------------------------------------------------------------

    def insert(self, process: int, text: str, session: int, position: int, tag: str, tell: bool) -> Row:
        fields = (b"\x02" + tag.encode(),) if tag else ()
        row, after = self.truth.insert(text, len(text) * 86_400_000, session, position, fields, len(text) % 8)
        if tell:
            self.indexes[process].append(row, None, after)
        return row

    def remove(self, process: int, unit_id: int, tell: bool) -> None:
        seq, after = self.truth.remove(unit_id)
        if tell:
            self.indexes[process].remove([unit_id], seq, after)

    @rule(process=processes, text=texts, session=st.integers(-1, 3), tag=st.sampled_from("xy"), tell=st.booleans(), n=st.integers(1, 9))
    def put(self, process: int, text: str, session: int, tag: str, tell: bool, n: int) -> None:
        for number in range(n):
            self.insert(process, f"{text} {number}", session, number if session >= 0 else -1, tag, tell)

    @rule(process=processes, text=texts, data=st.data(), tell=st.booleans())
    def replace(self, process: int, text: str, data: st.DataObject, tell: bool) -> None:
        if self.truth.units:
            old = self.truth.units[data.draw(st.sampled_from(sorted(self.truth.units)))]
            self.remove(process, old[0], tell)
            self.insert(process, text, old[3], old[4], "", tell)

    @rule(process=processes, data=st.data(), n=st.integers(1, 12), tell=st.booleans())
    def forget(self, process: int, data: st.DataObject, n: int, tell: bool) -> None:
        for _ in range(min(n, len(self.truth.units))):
            self.remove(process, data.draw(st.sampled_from(sorted(self.truth.units))), tell)

    @rule(n=st.integers(1, 200))
    def other_banks_write(self, n: int) -> None:
        self.truth.skip(n)

    # upkeep ------------------------------------------------------------------------------------------------------------------------

    @rule(process=processes, force=st.booleans())
    def maintain(self, process: int, force: bool) -> None:
        view = View(self.truth)
        self.indexes[process].catch_up(view)
        self.indexes[process].maintain(view, force)

    @rule(process=processes)
    def maintain_with_an_older_transaction(self, process: int) -> None:
        view = View(self.truth)
        self.insert(process, "newer", -1, -1, "", True)
        self.indexes[process].maintain(view, True)

    @rule()
    def merge(self) -> None:
        with suppress(DamagedSegments):  # what the damage rules did and no recall has found yet
            merge_folder(self.folder)

    @rule(process=processes)
    def rebuild(self, process: int) -> None:
        self.indexes[process].rebuild(View(self.truth))

    @rule(process=processes)
    def expunge(self, process: int) -> None:
        self.indexes[process].expunge(View(self.truth))
        manifest = read_newest(self.folder)
        assert manifest is not None and not any(entry.n_dead for entry in manifest.segments)

    @rule(process=processes)
    def prune(self, process: int) -> None:
        self.truth.prune(self.indexes[process].kept()[0])

    # trouble -----------------------------------------------------------------------------------------------------------------------

    @rule(process=processes)
    def idle(self, process: int) -> None:
        self.indexes[process].idle()

    @rule(process=processes)
    def crash(self, process: int) -> None:
        self.indexes[process] = BankIndex(self.folder, 1)

    def crash_all(self) -> None:
        self.indexes = [BankIndex(self.folder, 1), BankIndex(self.folder, 1)]

    def files(self) -> list[str]:
        """In an order that doesn't depend on their random names."""
        names = os.listdir(self.folder) if os.path.isdir(self.folder) else []
        sizes = {name: os.path.getsize(os.path.join(self.folder, name)) for name in names if name != "LOCK"}
        return sorted(sizes, key=lambda name: (name[:4], sizes[name]))

    @rule(seed=st.integers(0, 2**32))
    def damage(self, seed: int) -> None:
        self.crash_all()
        if files := self.files():
            chance = random.Random(seed)
            path = os.path.join(self.folder, chance.choice(files))
            with open(path, "rb") as file:
                data = bytearray(file.read())
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            with open(f"{path}.new", "wb") as file:
                file.write(data)
            os.rename(f"{path}.new", path)

    @rule(number=st.integers(0, 20))
    def lose_a_file(self, number: int) -> None:
        self.crash_all()
        if files := self.files():
            os.unlink(os.path.join(self.folder, files[number % len(files)]))

    @rule(crashed=st.booleans())
    def lose_the_folder(self, crashed: bool) -> None:
        """Also under processes that have its files mapped."""
        if crashed:
            self.crash_all()
        shutil.rmtree(self.folder, ignore_errors=True)

    @rule()
    def save(self) -> None:
        self.truth.save()

    @rule(n=st.integers(0, 5))
    def lose_the_tail(self, n: int) -> None:
        self.crash_all()
        self.truth.lose()
        for number in range(n):
            self.insert(0, f"after the loss {number}", -1, -1, "z", False)

    # reading -----------------------------------------------------------------------------------------------------------------------

    def facts(self) -> Facts:
        return expected(unit_of(row) for row in self.truth.units.values())

    def answer(self, index: BankIndex, view: View, facts: Facts) -> Facts:
        parts = index.snapshot(view)
        for _ in range(4):
            try:
                return observed(parts, facts)
            except Corrupt:
                parts = index.repair(view, parts)
        raise AssertionError("still damaged after four repairs")

    def recall_all(self, index: BankIndex) -> None:
        """A rebuild of more than fits one call shows progress and ends after some calls."""
        view, facts = View(self.truth), self.facts()
        for _ in range(100):
            index.snapshot(view)
            if index.progress() is None:
                assert self.answer(index, view, facts) == facts
                if index.progress() is None:
                    return
        raise AssertionError("never caught up")

    @rule(process=processes)
    def recall(self, process: int) -> None:
        self.recall_all(self.indexes[process])

    @rule(process=processes)
    def step_to_the_end(self, process: int) -> None:
        for _ in range(100):
            if not self.indexes[process].step(View(self.truth)):
                return
        raise AssertionError("no end")

    @invariant()
    def no_write_failed(self) -> None:
        assert [index.fault for index in self.indexes] == ["", ""]

    @invariant()
    def the_folder_stays_small(self) -> None:
        segments = [name for name in self.files() if name.startswith("seg-") and "." not in name]
        assert len(segments) <= 40


TestIndexMachine = IndexMachine.TestCase
TestIndexMachine.settings = settings(max_examples=int(os.environ.get("MEMORY_WIRE_EXAMPLES", "150")), stateful_step_count=40, deadline=None)


@pytest.fixture(autouse=True)
def small_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SMALL.items():
        monkeypatch.setattr(config, name, value)
