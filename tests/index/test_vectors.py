"""index/vectors against a store of rows in memory: what lives is found whatever is written, damaged, cut off, lost or done by others."""

from __future__ import annotations

import os
import struct
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from memory_wire import config
from memory_wire.errors import Corrupt, StorageError
from memory_wire.index.manifest import FolderLock
from memory_wire.index.vector_file import listed, name_of, opened
from memory_wire.index.vectors import Vectors
from memory_wire.kernels.vec import Piece
from tests.oracle.vec import packed, row

DIMENSION = 3


class Table:
    """The store's rows, as the Source of one space."""

    def __init__(self, space: int = 1) -> None:
        self.store_id, self.space, self.model, self.dimension = b"s" * 16, space, b"m" * 16, DIMENSION
        self.kept: dict[int, tuple[int, bytes, bytes]] = {}
        self.sequence = self.reads = 0

    def add(self, unit: int, *vector: float) -> None:
        self.sequence += 1
        self.kept[self.sequence] = (unit, os.urandom(16), row(vector or (1.0, unit, self.sequence)))

    def newest(self) -> int:
        return max(self.kept, default=0)

    def given(self) -> int:
        return self.sequence

    def count(self, after: int) -> int:
        return sum(id > after for id in self.kept)

    def after(self, id: int, limit: int) -> list[tuple[int, int, bytes, bytes]]:
        found = [(number, *self.kept[number]) for number in sorted(self.kept) if number > id][:limit]
        self.reads += len(found)
        return found

    def keys(self, ids: list[int]) -> dict[int, bytes]:
        return {id: self.kept[id][1] for id in ids if id in self.kept}

    def renew(self) -> None:
        pass

    def rows(self) -> list[tuple[int, bytes]]:
        return sorted((unit, kept) for unit, _, kept in self.kept.values())


def rows_of(vectors: Vectors, table: Table) -> list[tuple[int, bytes]]:
    pieces = vectors.pieces(table)
    assert pieces is not None
    return sorted(found for piece in pieces for found in piece.rows())


@pytest.fixture
def table() -> Table:
    found = Table()
    for unit in range(1, 40):
        found.add(unit)
    return found


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path / "7-vectors")


def damage(path: str, at: int = -200) -> None:
    with open(path, "r+b") as file:
        file.seek(at, os.SEEK_END)
        byte = file.read(1)
        file.seek(at, os.SEEK_END)
        file.write(bytes([byte[0] ^ 8]))


def test_a_file_says_what_the_store_says(table: Table, folder: str) -> None:
    vectors = Vectors(folder, 1)
    assert rows_of(vectors, table) == table.rows()
    assert vectors.loose == 39
    assert vectors.build(table)
    assert rows_of(vectors, table) == table.rows()
    assert vectors.loose == 0
    table.reads = 0
    assert rows_of(Vectors(folder, 1), table) == table.rows()
    assert table.reads == 0
    (piece,) = opened(folder, table)
    assert (piece.after, piece.upto, piece.n_rows, piece.dimension) == (0, 39, 39, DIMENSION)
    assert piece.witnesses == [(id, table.kept[id][1]) for id in (39, 38, 37, 36)]
    assert oct(os.stat(piece.path).st_mode & 0o777) == "0o600"
    assert not vectors.build(table)


def test_what_comes_later_is_read_and_joined(table: Table, folder: str) -> None:
    vectors = Vectors(folder, 1)
    vectors.build(table)
    for unit in range(50, 50 + 3 * config.VECTORS_PIECES):
        table.add(unit)
        assert rows_of(vectors, table) == table.rows()
    assert len(vectors.pieces(table) or []) <= config.VECTORS_PIECES + 1


def test_files_grow_by_powers_and_obsolete_ones_go(table: Table, folder: str) -> None:
    vectors, sizes = Vectors(folder, 1), []
    for round in range(40):
        for unit in range(10):
            table.add(1_000 + round * 10 + unit)
        vectors.build(table)
        sizes.append(len(listed(folder, 1)))
        assert rows_of(vectors, table) == table.rows()
    assert max(sizes) <= 6
    assert sorted(os.listdir(folder)) == sorted(["LOCK", *(name_of(1, *found) for found in listed(folder, 1))])


def test_rows_that_are_gone_leave_the_files(table: Table, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "VECTORS_INLINE", 10)
    vectors = Vectors(folder, 1)
    vectors.build(table)
    for id in range(1, 30):
        del table.kept[id]
    table.add(99)
    vectors.build(table)
    assert rows_of(vectors, table) == table.rows()
    unit, _, _ = table.kept.pop(35)
    vectors.build(table, whole=True)
    assert unit not in {found for piece in opened(folder, table) for found, _ in piece.rows()}


def test_damage_costs_reading_alone(table: Table, folder: str) -> None:
    vectors = Vectors(folder, 1)
    vectors.build(table)
    for unit in range(100, 110):
        table.add(unit)
    vectors.build(table)
    assert sorted(listed(folder, 1)) == [(0, 39), (39, 49)]
    damage(os.path.join(folder, name_of(1, 0, 39)))
    table.reads = 0
    assert rows_of(Vectors(folder, 1), table) == table.rows()
    assert table.reads < 60
    assert vectors.build(table)
    assert rows_of(Vectors(folder, 1), table) == table.rows()
    assert all(piece.path for piece in opened(folder, table))


def test_every_byte_of_a_file_is_checked(table: Table, folder: str) -> None:
    Vectors(folder, 1).build(table)
    path = os.path.join(folder, name_of(1, 0, 39))
    whole = Path(path).read_bytes()
    for length in range(0, len(whole), 61):
        Path(path).write_bytes(whole[:length])
        with pytest.raises(Corrupt):
            Piece.open(path)
    padding = set(range(256 + 32 * 39, 256 + 32 * 39 + (-(256 + 32 * 39) % 64)))
    for at in range(0, len(whole), 7):
        Path(path).write_bytes(whole[:at] + bytes([whole[at] ^ 16]) + whole[at + 1 :])
        try:
            assert Piece.open(path).rows() == [(unit, kept) for unit, _, kept in table.kept.values()]
            assert not any(whole[at : at + 1]) or at in padding
        except Corrupt:
            continue


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -1.0])
def test_a_scale_that_makes_no_sense_is_damage(bad: float, folder: str) -> None:
    table = Table()
    table.kept[1] = (1, bytes(16), struct.pack("<f", bad) + b"\1\2\3")
    table.sequence = 1
    Vectors(folder, 1).build(table)
    with pytest.raises(Corrupt):
        Piece.open(os.path.join(folder, name_of(1, 0, 1)))


def test_files_of_another_store_model_or_time_are_not_used(table: Table, folder: str) -> None:
    Vectors(folder, 1).build(table)
    for name, value in (("store_id", b"t" * 16), ("model", b"n" * 16), ("dimension", 4), ("sequence", 38)):
        kept = getattr(table, name)
        setattr(table, name, value)
        assert opened(folder, table) == []
        setattr(table, name, kept)
    unit, _, kept = table.kept[39]
    table.kept[39] = (unit, bytes(16), kept)  # the store lost its end and went on
    assert opened(folder, table) == []
    del table.kept[39]
    assert len(opened(folder, table)) == 1
    for id in (36, 37, 38):
        del table.kept[id]
    assert opened(folder, table) == []  # none of the rows it saw last is there: it may be of another time


def test_spaces_do_not_meet(table: Table, folder: str) -> None:
    other = Table(space=2)
    other.add(5)
    Vectors(folder, 1).build(table)
    assert rows_of(Vectors(folder, 2), other) == other.rows()
    Vectors(folder, 2).build(other)
    assert (listed(folder, 1), listed(folder, 2)) == ([], [(0, 1)])  # the former space's files go with the next one's


def test_too_much_to_read_is_left_to_the_builder(table: Table, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "VECTORS_INLINE", 20)
    monkeypatch.setattr(config, "INDEX_PAGE", 5)
    vectors = Vectors(folder, 1)
    assert vectors.pieces(table) is None
    assert (vectors.due, vectors.loose) == (True, 0)
    table.reads = 0
    assert vectors.pieces(table) is None
    assert table.reads == 0
    vectors.build(table)
    assert rows_of(vectors, table) == table.rows()
    assert not vectors.due


def test_who_holds_the_lock_is_not_disturbed(table: Table, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "LOCK_SECONDS", 0.05)
    vectors = Vectors(folder, 1)
    with FolderLock(folder) as lock:
        assert lock.held
        assert not vectors.build(table)
        with pytest.raises(StorageError):
            vectors.build(table, whole=True)
    assert vectors.build(table)


def test_what_a_kill_left_is_cleaned(table: Table, folder: str) -> None:
    vectors = Vectors(folder, 1)
    vectors.build(table)
    os.link(os.path.join(folder, name_of(1, 0, 39)), os.path.join(folder, "kept"))
    for unit in range(60, 130):
        table.add(unit)
    vectors.build(table)
    os.rename(os.path.join(folder, "kept"), os.path.join(folder, name_of(1, 0, 39)))  # killed before it removed this
    Path(folder, "1-39-99.vec.tmp").write_bytes(b"half")
    assert rows_of(Vectors(folder, 1), table) == table.rows()
    table.add(200)
    vectors.build(table)
    assert not [name for name in os.listdir(folder) if name.endswith(".tmp") or name == name_of(1, 0, 39)]


class Life(RuleBasedStateMachine):
    """Two processes follow one store, which may lose its end; files may be damaged at any time."""

    @initialize()
    def begin(self) -> None:
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = os.path.join(self.scratch.name, "7-vectors")
        self.table = Table()
        self.both = [Vectors(self.folder, 1), Vectors(self.folder, 1)]
        self.unit = 0

    @rule(n=st.integers(1, 30))
    def write(self, n: int) -> None:
        for _ in range(n):
            self.unit += 1
            self.table.add(self.unit // 2, 1.0, self.unit % 50, 2.0)

    @rule(chance=st.randoms())
    def delete(self, chance: object) -> None:
        for id in list(self.table.kept):
            if chance.random() < 0.2:  # type: ignore[attr-defined]
                del self.table.kept[id]

    @rule(who=st.integers(0, 1), whole=st.booleans())
    def build(self, who: int, whole: bool) -> None:
        self.both[who].build(self.table, whole)

    @rule(who=st.integers(0, 1))
    def restart(self, who: int) -> None:
        self.both[who] = Vectors(self.folder, 1)

    @precondition(lambda self: listed(self.folder, 1))
    @rule(which=st.integers(0, 9), at=st.integers(-400, -1))
    def spoil(self, which: int, at: int) -> None:
        ranges = sorted(listed(self.folder, 1))
        path = os.path.join(self.folder, name_of(1, *ranges[which % len(ranges)]))
        fresh = f"{path}.new"  # what others have mapped stays as it is: files aren't written in place
        Path(fresh).write_bytes(Path(path).read_bytes())
        damage(fresh, max(at, -os.path.getsize(fresh)))
        os.rename(fresh, path)

    @precondition(lambda self: self.table.sequence > 3)
    @rule(back=st.integers(1, 3))
    def lose(self, back: int) -> None:
        self.table.sequence -= back
        self.table.kept = {id: kept for id, kept in self.table.kept.items() if id <= self.table.sequence}
        self.both = [Vectors(self.folder, 1), Vectors(self.folder, 1)]  # another file to the store's users
        for _ in range(back):
            self.table.add(1_000 + self.unit, 3.0, 2.0, 1.0)

    @invariant()
    def what_lives_is_found(self) -> None:
        if hasattr(self, "table"):
            for vectors in self.both:
                assert set(self.table.rows()) <= set(rows_of(vectors, self.table))

    def teardown(self) -> None:
        if hasattr(self, "scratch"):
            self.scratch.cleanup()


TestLife = Life.TestCase
TestLife.settings = settings(deadline=None, max_examples=30, stateful_step_count=20)


def test_the_question_meets_rows_of_files_and_memory_alike(table: Table, folder: str) -> None:
    vectors = Vectors(folder, 1)
    vectors.build(table)
    table.add(500, 1.0, 0.0, 0.0)
    found = [piece.search(packed([1.0, 0.0, 0.0]), 1) for piece in vectors.pieces(table) or []]
    assert [len(one) for one in found] == [1, 1]
    assert found[1][0][0] == 500
