"""Live arenas, sealed segments, merges and snapshots over any mix of them answer what the units say, whatever the segmentation."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_wire.kernels.postings import NO_SESSION, Live, Parts, Segment, merge, tag_counts
from tests.oracle.packed import pack
from tests.oracle.postings import Unit, expected, observed

STORE = b"sixteen bytes id"
WORDS = [b"a", b"b", b"auth", b"authors", b"authoriz", "müll".encode(), "日本".encode(), b"x" * 255]
FIELDS = [b"\x01d16", b"\x01m6", b"\x02red", b"\x02blue", b"\x03ann"]
MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None  # syncs cost nothing there
examples = settings(max_examples=40, deadline=None)

words = st.sampled_from(WORDS)
passage = st.tuples(st.lists(words, max_size=8), st.lists(words, max_size=3)).map(lambda pair: (pair[0] + pair[1], len(pair[0])))
place = st.one_of(st.just((-1, -1)), st.tuples(st.integers(0, 5), st.integers(0, 40)))


@st.composite
def units(draw: st.DrawFn, most: int = 40) -> list[Unit]:
    found, unit_id = [], draw(st.sampled_from([0, 2**32 - 3, 2**63 - 2**33]))
    for _ in range(draw(st.integers(1, most))):
        unit_id += draw(st.integers(1, 70))
        session, position = draw(place)
        fields = draw(st.lists(st.sampled_from(FIELDS), max_size=3))
        passages = draw(st.lists(passage, min_size=1, max_size=draw(st.sampled_from([1, 1, 3]))))
        found.append(Unit(unit_id, draw(st.integers(0, 2**32 - 1)), draw(st.integers(0, 7)), session, position, fields, passages))
    return found


def add(live: Live, unit: Unit) -> None:
    packed = pack([(terms[:counted], terms[counted:]) for terms, counted in unit.passages])
    assert live.append(unit.id, unit.time, unit.flags, unit.session, unit.position, list(unit.fields), packed)


def live_of(some: list[Unit], room: int = 64) -> Live:
    live = Live(room)
    for unit in some:
        add(live, unit)
    return live


def bitset(some: list[Unit], dead: set[int]) -> bytes | None:
    bits = sum(1 << number for number, unit in enumerate(some) if unit.id in dead)
    return bits.to_bytes(64, "little") if bits else None


def cut(some: list[Unit], cuts: set[int]) -> list[list[Unit]]:
    edges = [0, *sorted(at for at in cuts if 0 < at < len(some)), len(some)]
    return [some[start:end] for start, end in pairwise(edges)]


@examples
@given(units(), st.data())
def test_any_segmentation_answers_alike(some: list[Unit], data: st.DataObject) -> None:
    with TemporaryDirectory(dir=MEMORY) as folder:
        any_segmentation_answers_alike_in(Path(folder), some, data)


def any_segmentation_answers_alike_in(tmp_path: Path, some: list[Unit], data: st.DataObject) -> None:
    dead = data.draw(st.sets(st.sampled_from([unit.id for unit in some])))
    members: list[tuple[Segment | Live, int, bytes | None]] = []
    for number, part in enumerate(cut(some, data.draw(st.sets(st.integers(1, 39), max_size=4)))):
        live, bits = live_of(part), bitset(part, dead)
        if data.draw(st.booleans()):
            members.append((live, len(part), bits))
            continue
        path = str(tmp_path / f"part-{number}")
        live.write(path, STORE)
        segment = Segment.open(path)
        segment.verify()
        members.append((segment, len(part), bits))
    facts = expected(unit for unit in some if unit.id not in dead)
    parts = Parts(members, 0)
    assert observed(parts, facts) == facts
    assert dict(tag_counts(parts, b"\x02")) == {key: len(found) for key, found in facts["postings"].items() if key[0] == 2}
    for unit_id in dead:
        with pytest.raises(KeyError):
            parts.unit(unit_id)


@examples
@given(units(), st.data())
def test_sealing_drops_the_dead_and_keeps_the_rest(some: list[Unit], data: st.DataObject) -> None:
    with TemporaryDirectory(dir=MEMORY) as folder:
        sealing_drops_the_dead_and_keeps_the_rest_in(Path(folder), some, data)


def sealing_drops_the_dead_and_keeps_the_rest_in(tmp_path: Path, some: list[Unit], data: st.DataObject) -> None:
    visible = data.draw(st.integers(1, len(some)))
    dead = data.draw(st.sets(st.sampled_from([unit.id for unit in some])))
    left = [unit for unit in some[:visible] if unit.id not in dead]
    path = str(tmp_path / "sealed")
    live = live_of(some)
    if not left:
        with pytest.raises(ValueError, match="sealed"):
            live.write(path, STORE, bitset(some, dead), visible)
        assert not Path(path).exists()
        return
    live.write(path, STORE, bitset(some, dead), visible)
    segment = Segment.open(path)
    segment.verify()
    facts = expected(left)
    assert segment.ids() == [unit.id for unit in left]
    assert (segment.min_id, segment.max_id, segment.n_units) == (left[0].id, left[-1].id, len(left))
    assert observed(Parts([(segment, len(left), None)], 0), facts) == facts
    assert [segment.find_unit(unit.id) for unit in left] == list(range(len(left)))
    assert all(segment.find_unit(unit_id) == -1 for unit_id in dead)


@examples
@given(units(), st.data())
def test_a_merge_equals_one_segment(some: list[Unit], data: st.DataObject) -> None:
    with TemporaryDirectory(dir=MEMORY) as folder:
        a_merge_equals_one_segment_in(Path(folder), some, data)


def a_merge_equals_one_segment_in(tmp_path: Path, some: list[Unit], data: st.DataObject) -> None:
    dead = data.draw(st.sets(st.sampled_from([unit.id for unit in some])))
    members: list[tuple[Segment | Live, int, bytes | None]] = []
    for number, part in enumerate(cut(some, data.draw(st.sets(st.integers(1, 39), max_size=5)))):
        live, bits = live_of(part), bitset(part, dead)
        if data.draw(st.booleans()):
            members.append((live, len(part), bits))
            continue
        live.write(str(tmp_path / f"source-{number}"), STORE)
        members.append((Segment.open(str(tmp_path / f"source-{number}")), len(part), bits))
    left = [unit for unit in some if unit.id not in dead]
    target = str(tmp_path / "merged")
    if not left:
        with pytest.raises(ValueError, match="merged"):
            merge(members, target, STORE)
        return
    merge(members, target, STORE)
    live_of(left).write(str(tmp_path / "whole"), STORE)
    merged = Segment.open(target)
    merged.verify()
    assert Path(target).read_bytes() == (tmp_path / "whole").read_bytes()
    facts = expected(left)
    assert observed(Parts([(merged, len(left), None)], 0), facts) == facts
    assert sorted(tmp_path.glob("merged*")) == [tmp_path / "merged"]


@examples
@given(units(), st.data())
def test_statistics_derived_from_the_snapshot_before(some: list[Unit], data: st.DataObject) -> None:
    """Growth, deaths, sealing and loss of a part, each step derived from the one before, always equal to counting anew."""
    with TemporaryDirectory(dir=MEMORY) as folder:
        statistics_derived_from_the_snapshot_before_in(Path(folder), some, data)


def statistics_derived_from_the_snapshot_before_in(tmp_path: Path, some: list[Unit], data: st.DataObject) -> None:
    first, second = some[: len(some) // 2], some[len(some) // 2 :]
    live, parts, dead = live_of(first), None, set[int]()
    steps: list[list[tuple[Segment | Live, int, bytes | None]]] = []
    for upto in sorted(data.draw(st.sets(st.integers(0, len(first)), min_size=1, max_size=4))):
        dead |= data.draw(st.sets(st.sampled_from([unit.id for unit in some]), max_size=4))
        steps.append([(live, upto, bitset(first, dead))])
    path = str(tmp_path / "second")
    live_of(second).write(path, STORE)
    segment = Segment.open(path)
    steps.append([*steps[-1], (segment, len(second), bitset(second, dead))])
    steps.append([(segment, len(second), None)])
    for members in steps:
        parts = Parts(members, 0, parts)
        fresh = Parts(members, 0)
        totals = [(one.n_units, one.n_passages, one.n_tokens, one.n_groups, [one.session(s) for s in range(6)]) for one in (parts, fresh)]
        assert totals[0] == totals[1]


def test_a_snapshot_does_not_move() -> None:
    live = Live(16)
    add(live, Unit(1, 0, 0, 3, 1, [b"\x02red"], [([b"a"], 1)]))
    before = Parts([(live, 1, None)], 0)
    add(live, Unit(2, 0, 0, 3, 2, [b"\x02red"], [([b"a", b"new"], 2)]))
    assert before.postings(b"a") == [(1, 0, 1)]
    assert before.postings(b"\x02red") == [(1, 0, 1)]
    assert before.postings(b"new") == []
    assert before.terms() == [b"\x02red", b"a"]
    assert before.neighbour(3, 2) == -1
    assert (before.n_units, before.n_groups, before.session(3)) == (1, 1, (1, 1))


def test_the_newest_living_unit_holds_a_place() -> None:
    """A replaced memory keeps session and position: its dead predecessor must not answer for it."""
    some = [Unit(unit_id, 0, 0, 1, 7, [], [([b"a"], 1)]) for unit_id in (1, 2, 3)]
    for dead, holder in (({1, 2}, 3), ({1, 3}, 2), ({1, 2, 3}, -1), (set(), 3)):
        assert Parts([(live_of(some), 3, bitset(some, dead))], 0).neighbour(1, 7) == holder


def test_long_lists_and_frequent_terms(tmp_path: Path) -> None:
    texts = {number: [b"w", *([b"often"] * (number % 300)), b"n%d" % number] for number in range(1, 1500)}
    some = [Unit(number * 3, number, 0, -1, -1, [b"\x02all"], [(terms, 1)]) for number, terms in texts.items()]
    live = live_of(some, 2000)
    live.write(str(tmp_path / "long"), STORE)
    segment = Segment.open(str(tmp_path / "long"))
    segment.verify()
    facts = expected(some)
    for part in (live, segment):
        assert observed(Parts([(part, len(some), None)], 0), facts) == facts


@pytest.mark.parametrize(
    ("unit_id", "fields", "packed"),
    [
        (5, [], pack([((b"a",), ())])),  # not above the last id
        (4, [], pack([((b"a",), ())])),
        (2**63, [], pack([((b"a",), ())])),
        (9, [], b""),
        (9, [], b"\0\0\0\0"),
        (9, [], pack([((b"a",), ())]) + b"x"),
        (9, [], pack([((b"a",), ())])[:-1]),
        (9, [], pack([((b"\x02a",), ())])),  # a content term may not look like a field
        (9, [], pack([((b"a",) * 256, ())])),
        (9, [], pack([((b"a",), (b"b",) * 512)])),
        (9, [b"red"], pack([((b"a",), ())])),  # a field must
        (9, [b""], pack([((b"a",), ())])),
        (9, [b"\x02" + b"t" * 255], pack([((b"a",), ())])),
        (9, [b"\x02a"] * 257, pack([((b"a",), ())])),
    ],
)
def test_malformed_units_are_refused_and_leave_no_trace(unit_id: int, fields: list[bytes], packed: bytes) -> None:
    live = Live(8)
    add(live, Unit(5, 0, 0, -1, -1, [], [([b"a"], 1)]))
    with pytest.raises(ValueError):
        live.append(unit_id, 0, 0, -1, -1, fields, packed)
    add(live, Unit(10, 0, 0, -1, -1, [], [([b"b"], 1)]))
    parts = Parts([(live, 2, None)], 0)
    assert parts.terms() == [b"a", b"b"]
    assert live.ids() == [5, 10]


def test_an_arena_says_when_it_is_full() -> None:
    live = Live(2, max_passages=3)
    packed = pack([((b"a",), ()), ((b"a",), ())])
    assert live.append(1, 0, 0, -1, -1, [], packed)
    assert not live.append(2, 0, 0, -1, -1, [], packed)  # passages
    assert live.append(2, 0, 0, -1, -1, [], pack([((b"a",), ())]))
    assert not live.append(3, 0, 0, -1, -1, [], pack([((b"a",), ())]))  # units
    assert not live_of([Unit(1, 0, 0, -1, -1, [], [([], 0)])]).append(2**32 + 1, 0, 0, -1, -1, [], packed)  # ids span more than 32 bits
    assert live.ids() == [1, 2]


def test_ids_that_span_too_much_are_not_merged(tmp_path: Path) -> None:
    members: list[tuple[Segment | Live, int, bytes | None]] = []
    for unit_id in (1, 2**32 + 1):
        live_of([Unit(unit_id, 0, 0, -1, -1, [], [([b"a"], 1)])]).write(str(tmp_path / str(unit_id)), STORE)
        members.append((Segment.open(str(tmp_path / str(unit_id))), 1, None))
    for some in ([*members], members[::-1], [], [(members[0][0], 2, None)]):
        with pytest.raises(ValueError):
            merge(some, str(tmp_path / "merged"), STORE)
    assert not (tmp_path / "merged").exists()
    parts = Parts(members, 0)
    assert parts.postings(b"a") == [(1, 0, 1), (2**32 + 1, 0, 1)]


def test_a_merge_can_be_watched_and_stopped(tmp_path: Path) -> None:
    some = [Unit(number, 0, 0, -1, -1, [], [([b"n%d" % number], 1)]) for number in range(1, 20000)]
    live_of(some, 20000).write(str(tmp_path / "source"), STORE)
    segment = Segment.open(str(tmp_path / "source"))
    seen: list[float] = []
    merge([(segment, segment.n_units, None)], str(tmp_path / "merged"), STORE, seen.append)
    assert seen == sorted(seen) and seen and 0 < seen[0] <= seen[-1] <= 1

    def stop(done: float) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        merge([(segment, segment.n_units, None)], str(tmp_path / "stopped"), STORE, stop)
    assert not (tmp_path / "stopped").exists()


def test_a_target_that_cannot_be_written(tmp_path: Path) -> None:
    live = live_of([Unit(1, 0, 0, -1, -1, [], [([b"a"], 1)])])
    with pytest.raises(OSError, match="nowhere"):
        live.write(str(tmp_path / "nowhere" / "file"), STORE)
    with pytest.raises(OSError, match="nowhere"):
        Segment.open(str(tmp_path / "nowhere"))


def test_a_closed_segment_lives_on_in_its_snapshots(tmp_path: Path) -> None:
    live_of([Unit(1, 0, 0, -1, -1, [], [([b"a"], 1)])]).write(str(tmp_path / "one"), STORE)
    segment = Segment.open(str(tmp_path / "one"))
    parts = Parts([(segment, 1, None)], 0)
    (tmp_path / "one").unlink()
    segment.page_drop()
    segment.close()
    segment.close()
    assert parts.postings(b"a") == [(1, 0, 1)]
    assert segment.closed and segment.n_units == 1
    for call in (segment.ids, segment.verify, segment.page_drop, lambda: Parts([(segment, 1, None)], 0)):
        with pytest.raises(ValueError, match="closed"):
            call()


def test_snapshots_refuse_nonsense(tmp_path: Path) -> None:
    some = [Unit(1, 0, 0, -1, -1, [], [([b"a"], 1)]), Unit(5, 0, 0, -1, -1, [], [([b"a"], 1)])]
    live = live_of(some)
    live.write(str(tmp_path / "one"), STORE)
    segment = Segment.open(str(tmp_path / "one"))
    wrong: list[tuple[Segment | Live, int, bytes | None]] = [(live, 3, None), (segment, 1, None), (live, 2, b"\0" * 7), (live, 2, b"")]
    for members in ([(live, 2, None), (segment, 2, None)], *([one] for one in wrong)):
        with pytest.raises(ValueError):
            Parts(members, 0)
    parts = Parts([(live, 2, None)], 0)
    with pytest.raises(RuntimeError):
        parts.__init__([], 0)  # type: ignore[misc]


def test_values_at_the_edges() -> None:
    live = Live(8)
    packed = pack([((b"a",), ())])
    for unit_id, time in enumerate((-1, 2**32, 2**62, 0), 1):
        assert live.append(unit_id, time, 255, NO_SESSION, NO_SESSION, [], packed)
    parts = Parts([(live, 4, None)], 0)
    assert [parts.unit(unit_id)[0] for unit_id in range(1, 5)] == [0, 2**32 - 1, 2**32 - 1, 0]
    assert parts.unit(1)[1:4] == (255, -1, -1)
    for session, position in ((-2, 0), (2**32, 0), (0, -1), (0, -2)):
        with pytest.raises(ValueError):
            live.append(9, 0, 0, session, position, [], packed)
