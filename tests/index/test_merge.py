"""Which segments are merged: adjacent ones, until at most one per power of 8 remains and sizes fall from left to right."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_wire import config
from memory_wire.errors import Corrupt
from memory_wire.index.manifest import Entry, FolderLock, Manifest, publish, read_newest
from memory_wire.index.merge import DamagedSegments, merge_folder, merge_under_lock, plan, planned, settle, tier
from memory_wire.kernels.postings import Live, Segment
from tests.oracle.packed import pack_text

STORE = b"0123456789abcdef"


def entry(units: int, n_dead: int = 0) -> Entry:
    return Entry("seg", 1, 9, units, n_dead)


def test_tiers_are_powers_of_eight() -> None:
    assert [tier(units) for units in (0, 1, 7, 8, 63, 64, 511, 512, 4095, 4096, 2**18)] == [0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 6]


@given(st.lists(st.integers(1, 5000), max_size=30))
def test_merging_ends_with_falling_tiers(sizes: list[int]) -> None:
    segments = [entry(units) for units in sizes]
    for _ in range(len(sizes) + 1):
        found = plan(segments)
        if found is None:
            break
        first, end = found
        assert end - first > 1
        segments[first:end] = [entry(sum(one.units for one in segments[first:end]))]
    tiers = [tier(one.units) for one in segments]
    assert tiers == sorted(set(tiers), reverse=True)
    assert sum(one.units for one in segments) == sum(sizes)


def test_a_unit_is_rewritten_a_few_times_only() -> None:
    """Sealing 1,000 at a time up to 200,000: what merging writes stays below eight times what there is per tier."""
    segments: list[Entry] = []
    written = 0
    for _ in range(200):
        segments.append(entry(1000))
        while (found := plan(segments)) is not None:
            first, end = found
            merged = sum(one.units for one in segments[first:end])
            written += merged
            segments[first:end] = [entry(merged)]
    assert len(segments) <= 4
    assert written < 200_000 * 8 * 3


def test_many_dead_units_cause_a_rewrite() -> None:
    assert plan([entry(1000, 200)]) is None
    assert plan([entry(5000), entry(1000, 201)]) == (1, 2)


def test_the_largest_segments_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert plan([entry(config.MERGE_MAX), entry(config.MERGE_MAX)]) is None
    assert planned([entry(3000), entry(3000)], 4096) is None
    assert planned([entry(3000), entry(1000)], 4096) == (0, 2)
    assert planned([entry(3000), entry(3000)], None) == (0, 2)


def seal(folder: Path, first: int, n: int) -> Entry:
    live = Live(n)
    for unit_id in range(first, first + n):
        assert live.append(unit_id, 0, 0, -1, -1, [], pack_text(f"unit {unit_id}"))
    name = f"seg-{first}"
    live.write(str(folder / f"{name}.tmp"), STORE)
    return settle(str(folder), name)


def test_sources_leave_the_disk_with_the_merge(tmp_path: Path) -> None:
    entries = [seal(tmp_path, first, 10) for first in (1, 11, 21)]
    entries[1].n_dead, entries[1].dead = 2, [0, 2]
    publish(str(tmp_path), Manifest(0, STORE.hex(), 1, 1, covered=30, covered_id="00", segments=entries))
    assert merge_folder(str(tmp_path))
    assert not merge_folder(str(tmp_path))
    manifest = read_newest(str(tmp_path))
    assert manifest is not None
    (merged,) = manifest.segments
    assert (merged.min_id, merged.max_id, merged.units, merged.n_dead) == (1, 30, 28, 0)
    assert manifest.covered == 30
    segment = Segment.open(str(tmp_path / merged.file))
    segment.verify()
    assert segment.ids() == [*range(1, 11), *range(13, 31)]
    assert {path.name for path in tmp_path.iterdir()} == {"LOCK", merged.file, "manifest-0000000002", "manifest-0000000003"}


def test_a_segment_whose_units_are_all_dead_goes(tmp_path: Path) -> None:
    dead = seal(tmp_path, 1, 10)
    dead.n_dead, dead.dead = 10, [0, 10]
    manifest = Manifest(0, STORE.hex(), 1, 1, covered=30, covered_id="00", segments=[dead, seal(tmp_path, 11, 3)])
    publish(str(tmp_path), manifest)
    assert merge_under_lock(str(tmp_path), manifest, None)
    assert [one.min_id for one in manifest.segments] == [11]


@pytest.mark.parametrize("gone", [False, True])
def test_a_damaged_source_is_named_and_nothing_is_published(tmp_path: Path, gone: bool) -> None:
    entries = [seal(tmp_path, first, 10) for first in (1, 11)]
    publish(str(tmp_path), Manifest(0, STORE.hex(), 1, 1, covered=30, covered_id="00", segments=entries))
    bad = tmp_path / entries[1].file
    if gone:
        bad.unlink()
    else:
        data = bytearray(bad.read_bytes())
        data[450] ^= 1  # an id
        bad.write_bytes(data)
    with pytest.raises(DamagedSegments) as caught:
        merge_folder(str(tmp_path))
    assert caught.value.files == [entries[1].file]
    assert isinstance(caught.value, Corrupt)
    manifest = read_newest(str(tmp_path))
    assert manifest is not None and manifest.generation == 1


def test_a_merge_waits_for_nobody(tmp_path: Path) -> None:
    entries = [seal(tmp_path, first, 10) for first in (1, 11)]
    publish(str(tmp_path), Manifest(0, STORE.hex(), 1, 1, covered=30, covered_id="00", segments=entries))
    with FolderLock(str(tmp_path)) as lock:
        assert lock.held
        assert not merge_folder(str(tmp_path))
    assert merge_folder(str(tmp_path))
