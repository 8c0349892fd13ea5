"""One bank's index, scene by scene: bounds, damage, rebuilding with progress, read-only folders, threads, forks."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from memory_wire import config
from memory_wire.errors import Corrupt
from memory_wire.index.bank import BankIndex
from memory_wire.index.cache import IndexCache
from memory_wire.index.manifest import FolderLock, read_newest
from tests.oracle.postings import expected, observed, unit_of
from tests.oracle.truth import Truth, View


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path / "index" / "1")


def fill(truth: Truth, n: int, index: BankIndex | None = None) -> None:
    for number in range(n):
        row, after = truth.insert(f"note {number} about topic {number % 7}", number * 1000, number % 3 - 1, number, (b"\x02all",))
        if index is not None:
            assert index.append(row, None, after)


def same(index: BankIndex, truth: Truth) -> bool:
    facts = expected(unit_of(row) for row in truth.units.values())
    return observed(index.snapshot(View(truth)), facts) == facts


def segments(folder: str) -> list[int]:
    manifest = read_newest(folder)
    return [] if manifest is None else [entry.units for entry in manifest.segments]


def test_reading_makes_nothing_on_disk(folder: str) -> None:
    truth = Truth()
    fill(truth, 50)
    index = BankIndex(folder, 1)
    assert same(index, truth)
    index.close()
    assert not os.path.exists(os.path.dirname(folder))


def test_an_append_is_seen_by_the_next_snapshot_without_reading_the_store(folder: str) -> None:
    truth, index = Truth(), BankIndex(folder, 1)
    index.snapshot(View(truth))
    row, after = truth.insert("first")
    assert index.append(row, None, after)

    class NoReading(View):
        def rows(self, after: int, upto: int | None, limit: int) -> list[tuple[int, int, int, int, int, list[bytes], str, str]]:
            raise AssertionError("read again")

        removed = rows  # type: ignore[assignment]

    view = NoReading(truth)
    parts = index.snapshot(view)
    assert parts.postings(b"first") == [(row[0], 0, 1)]
    assert index.snapshot(view) is parts
    seq, before = truth.remove(row[0])
    assert index.remove([row[0]], seq, before)
    assert index.snapshot(NoReading(truth)).postings(b"first") == []
    assert parts.postings(b"first") == [(row[0], 0, 1)]


def test_writes_out_of_order_are_not_taken(folder: str) -> None:
    truth, index = Truth(), BankIndex(folder, 1)
    assert not index.append(*pair(truth.insert("before anything was read")))
    index.snapshot(View(truth))
    second, third = truth.insert("second"), truth.insert("third")
    assert not index.append(*pair(third))
    seq, before = truth.remove(third[0][0])
    assert not index.remove([third[0][0]], seq, before)  # a unit the index has yet to see
    assert index.append(*pair(second))
    assert same(index, truth)


def pair(inserted: tuple[tuple[int, int, int, int, int, list[bytes], str, str], int]) -> tuple[object, None, int]:
    return inserted[0], None, inserted[1]


def test_over_the_bound_it_is_sealed(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "LIVE_UNITS", 100)
    truth, index = Truth(), BankIndex(folder, 1)
    index.snapshot(View(truth))
    fill(truth, 100, index)
    assert not index.over and not index.maintain(View(truth))
    fill(truth, 1, index)
    assert index.over and index.maintain(View(truth))
    assert (index.over, index.live_units, segments(folder)) == (False, 0, [101])
    assert same(index, truth)
    assert index.kept() == (0, [101])


def test_a_large_unit_has_an_arena_of_its_own_and_is_sealed_at_once(folder: str) -> None:
    truth, index = Truth(), BankIndex(folder, 1)
    index.snapshot(View(truth))
    fill(truth, 20, index)
    assert not index.over
    row, after = truth.insert(" ".join(f"word{number}." for number in range(30_000)))
    assert index.append(row, None, after)
    fill(truth, 3, index)
    assert [piece.n_units for piece in index._state.pieces.all] == [20, 1, 3]
    assert index.over and index.maintain(View(truth)) and not index.over
    assert segments(folder) == [20, 4]
    assert same(index, truth)


def test_many_removals_are_entered_into_the_manifest(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "LIVE_UNITS", 30)
    truth, index = Truth(), BankIndex(folder, 1)
    fill(truth, 1000)
    index.catch_up(View(truth))
    assert index.maintain(View(truth))
    for unit_id in range(2, 64, 2):
        seq, before = truth.remove(unit_id)
        assert index.remove([unit_id], seq, before)
    assert index.over and index.maintain(View(truth))
    manifest = read_newest(folder)
    assert manifest is not None and (manifest.removed, manifest.segments[0].n_dead) == (31, 31)
    truth.prune(index.kept()[0])
    again = BankIndex(folder, 1)
    assert same(index, truth) and same(again, truth)


def test_idle_keeps_what_is_worth_it(folder: str) -> None:
    truth, cache = Truth(), IndexCache(os.path.dirname(folder))
    index = cache.open(1, 1)
    index.snapshot(View(truth))
    fill(truth, config.IDLE_KEEP - 1, index)
    sealed: list[BankIndex] = []
    cache.idle(sealed.append)
    assert sealed == [] and index.live_units == 0 and same(index, truth)
    fill(truth, 1, index)
    cache.idle(lambda one: one.maintain(View(truth), force=True))
    assert segments(folder) == [config.IDLE_KEEP]
    assert same(index, truth)
    cache.close()


def test_the_lock_is_waited_for_only_far_over_the_bound(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "LIVE_UNITS", 20)
    monkeypatch.setattr(config, "LOCK_SECONDS", 30.0)
    truth, index = Truth(), BankIndex(folder, 1)
    index.snapshot(View(truth))
    fill(truth, 50, index)
    with FolderLock(folder) as lock:
        assert lock.held
        assert not index.maintain(View(truth))  # at once
        fill(truth, 40, index)
        waiting = threading.Thread(target=index.maintain, args=(View(truth),))
        waiting.start()
    waiting.join()
    assert sum(segments(folder)) == 90
    assert same(index, truth)


def test_a_folder_that_cannot_be_written_costs_only_memory(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "LIVE_UNITS", 20)
    os.makedirs(os.path.dirname(folder))
    Path(folder).write_text("a file where the folder should be")
    truth, index = Truth(), BankIndex(folder, 1)
    fill(truth, 300)
    assert same(index, truth)
    assert index.over and not index.maintain(View(truth))
    assert index.fault
    fill(truth, 10, index)
    assert same(index, truth)


def damage(path: str, at: int) -> None:
    with open(path, "rb") as file:
        data = bytearray(file.read())
    data[at] ^= 0x10
    os.unlink(path)
    Path(path).write_bytes(data)


def sealed(folder: str, truth: Truth, n: int) -> str:
    """A bank of n units in one segment; its path."""
    index = BankIndex(folder, 1)
    fill(truth, n)
    index.rebuild(View(truth))
    index.close()
    (name,) = (name for name in os.listdir(folder) if name.startswith("seg-"))
    return os.path.join(folder, name)


def test_damage_found_by_a_search_is_repaired_at_once(folder: str) -> None:
    truth = Truth()
    path = sealed(folder, truth, 500)
    damage(path, os.path.getsize(path) - 1000)  # in the forward index
    index, view = BankIndex(folder, 1), View(truth)
    parts = index.snapshot(view)
    with pytest.raises(Corrupt):
        for unit_id in truth.units:
            parts.forward(unit_id)
    repaired = index.repair(view, parts)
    assert repaired is not parts and index.repair(view, parts) is repaired  # a second thread that met the same damage
    assert same(index, truth) and index.progress() is None
    assert index.check(View(truth)) == []
    assert not os.path.exists(path) or os.path.basename(path) not in str(read_newest(folder))


def test_damaged_columns_never_reach_a_snapshot(folder: str) -> None:
    truth = Truth()
    damage(sealed(folder, truth, 500), 600)
    index = BankIndex(folder, 1)
    assert same(index, truth)


def test_check_names_what_is_wrong_and_changes_nothing(folder: str) -> None:
    truth = Truth()
    path = sealed(folder, truth, 500)
    index = BankIndex(folder, 1)
    assert index.check(View(truth)) == []
    damage(path, os.path.getsize(path) - 1000)
    before = sorted(os.listdir(folder))
    (finding,) = BankIndex(folder, 1).check(View(truth))[:1]
    assert os.path.basename(path) in finding and "damaged" in finding
    os.unlink(path)
    assert "can't be opened" in BankIndex(folder, 1).check(View(truth))[0]
    newest = max(name for name in before if name.startswith("manifest-"))
    damage(os.path.join(folder, newest), 3)
    assert "can't be read" in BankIndex(folder, 1).check(View(truth))[0]


def test_check_compares_every_unit_with_its_row(folder: str) -> None:
    truth = Truth()
    sealed(folder, truth, 50)
    whole = dict(truth.units)
    for number, change in ((5, {7: "other words"}), (6, {5: [b"\x02other"]}), (7, {1: 10**12}), (8, {3: 2, 4: 99})):
        row = list(whole[number])
        for at, value in change.items():
            row[at] = value
        truth.units = {**whole, number: tuple(row)}  # type: ignore[dict-item]
        assert len(BankIndex(folder, 1).check(View(truth))) == 1, change
    truth.units = {number: row for number, row in whole.items() if number != 9}
    assert BankIndex(folder, 1).check(View(truth)) == [
        "50 units are indexed, 49 are stored",
        "the counts of field terms differ from the store's",
    ]
    truth.units = whole
    assert BankIndex(folder, 1).check(View(truth)) == []


def test_check_says_that_the_index_was_ahead_of_the_store(folder: str) -> None:
    truth = Truth()
    fill(truth, 100)
    truth.save()
    sealed(folder, truth, 100)
    truth.lose()
    fill(truth, 200)
    index = BankIndex(folder, 1)
    assert "ahead" in index.check(View(truth))[0]
    assert same(index, truth)


def test_a_long_rebuild_shows_progress_and_answers_meanwhile(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"LIVE_UNITS": 20, "REBUILD_INLINE": 100, "STEP_UNITS": 50, "REINDEX_UNITS": 120}.items():
        monkeypatch.setattr(config, name, value)
    truth, index = Truth(), BankIndex(folder, 1)
    fill(truth, 1000)
    view, counts, said = View(truth), [], []
    for _ in range(100):
        counts.append(index.snapshot(view).n_units)
        if (progress := index.progress()) is None:
            break
        said.append(progress)
    assert counts[0] == 50 and counts == sorted(counts) and counts[-1] == 1000
    assert said[:2] == ["rebuilding 5%", "rebuilding 10%"] and said[-1] == "rebuilding 90%"
    assert len(segments(folder)) > 1  # sealed on the way: memory is bounded
    assert same(index, truth)
    stepped = BankIndex(str(Path(folder).with_name("2")), 1)
    while stepped.step(View(truth)):
        continue
    assert same(stepped, truth)
    assert stepped.check(View(truth)) == []


def test_a_rebuild_is_found_again_after_a_crash(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"LIVE_UNITS": 20, "REBUILD_INLINE": 100, "STEP_UNITS": 50, "REINDEX_UNITS": 120}.items():
        monkeypatch.setattr(config, name, value)
    truth, index = Truth(), BankIndex(folder, 1)
    fill(truth, 1000)
    for _ in range(10):
        index.step(View(truth))
    done = sum(segments(folder))
    assert 0 < done < 1000
    again = BankIndex(folder, 1)
    assert again.snapshot(View(truth)).n_units >= done
    while again.step(View(truth)):
        continue
    assert same(again, truth)


def test_large_merges_run_aside(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "LIVE_UNITS", 40)
    monkeypatch.setattr(config, "MERGE_INLINE", 1)
    truth, index = Truth(), BankIndex(folder, 1)
    index.snapshot(View(truth))
    for _ in range(6):
        fill(truth, 41, index)
        assert index.maintain(View(truth)) or index.live_units
        assert same(index, truth)
    index.close()
    for _ in range(10):
        again = BankIndex(folder, 1)
        again.snapshot(View(truth))
        again.maintain(View(truth), force=True)
        again.close()
    assert len(segments(folder)) <= 2
    assert same(index, truth)


def test_rebuilding_reports_and_replaces_everything(folder: str) -> None:
    truth, index = Truth(), BankIndex(folder, 1)
    fill(truth, 1300)
    for unit_id in range(1, 1300, 3):
        truth.remove(unit_id)
    view = View(truth)
    index.snapshot(view)
    seen: list[tuple[int, int]] = []
    index.rebuild(view, lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen) and seen[-1] == (1300, 1300)
    assert segments(folder) == [len(truth.units)]
    assert index.live_units > 0 and same(index, truth) and index.live_units == 0


def test_expunging_writes_only_the_segments_that_held_it(folder: str) -> None:
    truth, index = Truth(), BankIndex(folder, 1)
    fill(truth, 700)
    index.rebuild(View(truth))
    row, after = truth.insert("quetzalcoatlus deploys")
    index.snapshot(View(truth))
    assert index.append(row, None, after) or index.snapshot(View(truth))
    fill(truth, config.IDLE_KEEP, index)
    assert index.maintain(View(truth), force=True)
    before = read_newest(folder)
    assert before is not None and [entry.units for entry in before.segments] == [700, config.IDLE_KEEP + 1]
    seq, newest = truth.remove(row[0])
    assert index.remove([row[0]], seq, newest)
    index.expunge(View(truth))
    manifest = read_newest(folder)
    assert manifest is not None and [(entry.units, entry.n_dead) for entry in manifest.segments] == [(700, 0), (config.IDLE_KEEP, 0)]
    assert manifest.segments[0].file == before.segments[0].file
    assert all(b"quetzal" not in path.read_bytes() for path in Path(folder).iterdir())
    again = BankIndex(folder, 1)
    assert same(index, truth) and same(again, truth) and again.check(View(truth)) == []


def test_expunging_makes_a_damaged_folder_anew(folder: str) -> None:
    truth = Truth()
    path = sealed(folder, truth, 500)
    damage(path, os.path.getsize(path) - 1000)
    truth.remove(7)
    index = BankIndex(folder, 1)
    index.expunge(View(truth))
    assert segments(folder) == [499] and not os.path.exists(path)
    assert same(index, truth) and index.check(View(truth)) == []


def test_another_language_makes_the_index_anew(folder: str) -> None:
    truth, cache = Truth(), IndexCache(os.path.dirname(folder))
    truth.insert("running")
    english = cache.open(1, 1)
    english.rebuild(View(truth))
    assert english.snapshot(View(truth)).terms() == [b"run"]
    plain = cache.open(1, 0)
    assert plain is not english and plain.snapshot(View(truth)).terms() == [b"running"]
    assert cache.open(1, 0) is plain


def test_the_cache_holds_so_many_banks(tmp_path: Path) -> None:
    cache, truth = IndexCache(str(tmp_path), 3), Truth()
    fill(truth, 5)
    banks = [cache.open(bank, 1) for bank in range(4)]
    for index in banks:
        index.snapshot(View(truth))
    cache.open(1, 1)
    fifth = cache.open(5, 1)
    assert cache.opened() == [banks[3], banks[1], fifth]
    assert banks[2].live_units == 0 and same(banks[2], truth)


def test_a_dropped_bank_leaves_nothing(tmp_path: Path) -> None:
    cache, truth = IndexCache(str(tmp_path)), Truth()
    fill(truth, 5)
    cache.open(3, 1).rebuild(View(truth))
    assert os.listdir(tmp_path) == ["3"]
    cache.drop(3)
    cache.drop(4)
    assert os.listdir(tmp_path) == []


def test_a_forked_child_opens_its_own(tmp_path: Path) -> None:
    cache, truth = IndexCache(str(tmp_path)), Truth()
    fill(truth, 300)
    index = cache.open(1, 1)
    index.snapshot(View(truth))
    with index._lock:  # a thread that the child doesn't have
        child = os.fork()
        if child == 0:
            fine = False
            try:
                fine = cache.open(1, 1) is not index and same(cache.open(1, 1), truth)
            finally:
                os._exit(0 if fine else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert same(cache.open(1, 1), truth)


def test_threads_read_while_one_writes_and_seals(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every snapshot is a prefix of what was written, whole: note n is there for every n below its count."""
    monkeypatch.setattr(config, "LIVE_UNITS", 50)
    truth, index = Truth(), BankIndex(folder, 1)
    index.snapshot(View(truth))
    stop, wrong = threading.Event(), list[str]()

    def read() -> None:
        while not stop.is_set():
            parts = index.snapshot(View(truth))
            notes = [unit_id for unit_id, _, _ in parts.postings(b"note")]
            if notes != list(range(1, parts.n_units + 1)):
                wrong.append(f"{parts.n_units} units, {len(notes)} notes")
            time.sleep(0)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for _ in range(400):
        row, after = truth.insert("note")
        if not index.append(row, None, after):
            index.catch_up(View(truth))
        if index.over:
            index.maintain(View(truth))
    stop.set()
    for reader in readers:
        reader.join()
    assert wrong == []
    assert index.snapshot(View(truth)).n_units == 400 and index.fault == ""
    index.close()


def test_an_arena_is_over_its_bytes_before_its_units(folder: str) -> None:
    truth, index = Truth(), BankIndex(folder, 1)
    index.snapshot(View(truth))
    for number in range(config.LIVE_UNITS):
        row, after = truth.insert(" ".join(f"word{number}x{place}" for place in range(50)))
        assert index.append(row, None, after)
        used = sum(piece.live.n_bytes for piece in index._state.pieces.live())
        assert index.over == (used > config.LIVE_BYTES)
        if index.over:
            break
    assert 1 < index.live_units < config.LIVE_UNITS // 2
    assert index.maintain(View(truth)) and not index.over
    assert same(index, truth)


def test_the_default_number_of_open_banks(tmp_path: Path) -> None:
    cache = IndexCache(str(tmp_path))
    banks = [cache.open(bank, 1) for bank in range(config.OPEN_BANKS + 1)]
    assert cache.opened() == banks[1:]
