"""kernels/rank.search against the brute-force oracle: every part of every score, candidates, order, independence of segmentation."""

from __future__ import annotations

import itertools
import tempfile
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memory_wire.errors import Corrupt
from memory_wire.kernels import rank
from memory_wire.kernels.postings import Parts, Segment
from tests.kernels.rank_banks import (
    ALLOWED,
    DATES,
    PROPERTY,
    REACH,
    STORE,
    VOCABULARY,
    banks,
    kernel_query,
    live_of,
    parts_of,
    prior,
    queries,
)
from tests.oracle.ranking import Passage, Query, Ranking, Slot, Unit

NAMES = ["score", "own", "date", "group", "previous", "next", "speaker", "best", "passage", "coverage", "bigram", "relevance", "selection"]
CLOSE = 2e-5


def close(a: float, b: float) -> bool:
    return abs(a - b) <= CLOSE * max(1.0, abs(a), abs(b))


def clear(ranking: Ranking, query: Query, limit: int) -> bool:
    """Does no choice hang on the last digits: neither the cut nor the best passage of a unit?"""
    scores = sorted((ranking.selection(query, unit) for unit in ranking.live if unit.allowed), reverse=True)
    if any(close(a, b) for a, b in itertools.pairwise(scores[limit - 1 : limit + 1])):
        return False
    for unit in ranking.live:
        ordinal, best = ranking.best(query, unit)
        first = unit.passages[ordinal]
        for other in unit.passages:
            same = sorted(other.tokens) == sorted(first.tokens) and other.counted == first.counted
            if not same and best > 0 and close(ranking.passage(query, other), best):
                return False
    return True


def found(hits: rank.Hits) -> list[tuple]:
    return [hits.row(index) for index in range(len(hits))]


def oracle(units: list[Unit], filtered: bool) -> Ranking:
    return Ranking(units if filtered else [replace(unit, allowed=True) for unit in units], prior)


def agree(ranking: Ranking, query: Query, parts: Parts, limit: int, role: bool, filtered: bool) -> None:
    wanted = {hit.id: hit for hit in ranking.rank(query, role, limit)}
    hits = rank.search(parts, kernel_query(query), 100, rank.allow(parts, [ALLOWED]) if filtered else None, limit, role)
    rows = found(hits)
    assert {row[0] for row in rows} == set(wanted)
    for row in rows:
        for name, value in zip(NAMES, row[1:], strict=False):
            assert close(value, getattr(wanted[row[0]], name)), (row[0], name, value, getattr(wanted[row[0]], name))
    assert rows == sorted(rows, key=lambda row: (-row[1], -row[0]))
    assert (hits.ids(), hits.scores(), hits.relevance(), hits.best()) == tuple([row[i] for row in rows] for i in (0, 1, 12, 8))
    assert hits.df == [ranking.passages.frequency[slot.term] for slot in query.slots]
    for slot, idf in zip(query.slots, hits.idf, strict=True):
        assert close(idf, ranking.groups.idf(slot.term))


def check(units: list[Unit], query: Query, parts: Parts, limit: int, role: bool, filtered: bool) -> None:
    ranking = oracle(units, filtered)
    assume(clear(ranking, query, limit))
    agree(ranking, query, parts, limit, role, filtered)


CUTS = st.lists(st.integers(0, 24), max_size=3)
LIMITS = st.integers(1, 30)


@PROPERTY
@given(banks(), queries(), CUTS, LIMITS, st.booleans(), st.booleans(), st.integers(0, 2))
def test_search_equals_the_oracle(units, query, cuts, limit, role, filtered, beyond):
    with tempfile.TemporaryDirectory() as folder:
        check(units, query, parts_of(units, cuts, Path(folder), beyond), limit, role, filtered)


@PROPERTY
@given(banks(sessions=False, most_passages=1), queries(), CUTS, LIMITS, st.booleans())
def test_search_equals_the_oracle_in_a_bank_of_short_notes(units, query, cuts, limit, filtered):
    with tempfile.TemporaryDirectory() as folder:
        check(units, query, parts_of(units, cuts, Path(folder)), limit, False, filtered)


@PROPERTY
@given(banks(sessions=False, most_passages=1), queries(dates=False), CUTS, LIMITS)
def test_search_equals_the_oracle_without_dates(units, query, cuts, limit):
    with tempfile.TemporaryDirectory() as folder:
        check(units, query, parts_of(units, cuts, Path(folder)), limit, False, True)


@PROPERTY
@given(banks(), queries(), CUTS, CUTS)
def test_scores_do_not_depend_on_segmentation_or_tombstones(units, query, cuts, others):
    kept = [unit for unit in units if not unit.dead]
    assume(kept)
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two, tempfile.TemporaryDirectory() as three:
        rows = [
            found(rank.search(parts_of(bank, places, Path(folder)), kernel_query(query), 100))
            for bank, places, folder in ((units, cuts, one), (units, others, two), (kept, [], three))
        ]
    assert rows[0] == rows[1] == rows[2]


@PROPERTY
@given(banks(), queries(), st.integers(0, 30))
def test_k_cuts_the_same_order(units, query, k):
    with tempfile.TemporaryDirectory() as folder:
        parts = parts_of(units, [7], Path(folder))
        assert found(rank.search(parts, kernel_query(query), k)) == found(rank.search(parts, kernel_query(query), 100))[:k]


def note(ident: int, *tokens: bytes, **other) -> Unit:
    return Unit(ident, (Passage(tokens, len(tokens)),), **other)


def exact(*terms: bytes, bigrams: tuple[tuple[bytes, bytes], ...] = ()) -> rank.Query:
    return kernel_query(Query(tuple(Slot(term, 1, ((term, 1.0),)) for term in terms), bigrams))


def test_equal_scores_are_cut_and_ordered_newest_first(tmp_path):
    units = [note(ident, b"ant", b"bee") for ident in range(1, 400)]
    parts = parts_of(units, [100, 300], tmp_path)
    assert rank.search(parts, exact(b"ant"), 100, candidates=10).ids() == list(range(399, 389, -1))
    sessions = [note(ident, b"ant", b"bee", session=ident % 7, position=ident) for ident in range(1, 400)]
    ids = rank.search(parts_of(sessions, [100], tmp_path), exact(b"ant"), 400, candidates=10).ids()
    assert set(range(390, 400)) <= set(ids)


def test_a_bank_larger_than_a_page_is_cleared_between_searches(tmp_path):
    units = [note(ident, [b"ant", b"bee", b"cow"][ident % 3], b"dog") for ident in range(1, 2001)]
    parts = parts_of(units, [900], tmp_path)
    first = found(rank.search(parts, exact(b"ant", b"dog"), 100))
    rank.search(parts, exact(b"bee", b"cow"), 100)
    small = parts_of(units[:40], [], tmp_path)
    rank.search(small, exact(b"bee", b"cow"), 100)
    assert found(rank.search(parts, exact(b"ant", b"dog"), 100)) == first
    rank.trim()
    assert rank.kept() == 0
    assert found(rank.search(parts, exact(b"ant", b"dog"), 100)) == first
    assert rank.kept() > 0


def test_term_frequencies_beyond_the_table(tmp_path):
    units = [note(1, *([b"ant"] * 40)), note(2, *([b"ant"] * 9), b"bee"), note(3, b"ant", *([b"bee"] * 200))]
    query = Query((Slot(b"ant", 1, ((b"ant", 1.0),)), Slot(b"bee", 1, ((b"bee", 1.0),))))
    agree(oracle(units, False), query, parts_of(units, [1], tmp_path), 100, False, False)


def test_filtered_neighbours_vouch_and_dead_ones_do_not(tmp_path):
    def bank(dead: bool, allowed: bool) -> list[Unit]:
        return [
            note(1, b"ant", b"bee", session=0, position=0, dead=dead, allowed=allowed),
            note(2, b"ant", session=0, position=1),
            note(3, b"cow", session=1, position=0),
        ]

    def previous(units: list[Unit]) -> float:
        parts = parts_of(units, [], tmp_path)
        rows = {row[0]: row for row in found(rank.search(parts, exact(b"ant", b"bee"), 10, rank.allow(parts, [ALLOWED])))}
        assert (1 in rows) == (units[0].allowed and not units[0].dead)
        return rows[2][5]

    assert previous(bank(False, False)) == previous(bank(False, True)) > 0
    assert previous(bank(True, True)) == 0


def test_a_neighbour_is_looked_for_a_few_places_away(tmp_path):
    def previous(gone: int) -> float:
        units = [note(ident, b"ant", session=0, position=ident, dead=1 < ident <= gone + 1) for ident in range(1, gone + 3)]
        hits = rank.search(parts_of(units, [3], tmp_path), exact(b"ant"), 10)
        return {row[0]: row[5] for row in found(hits)}[gone + 2]

    assert previous(0) > 0
    assert previous(REACH - 1) > 0
    assert previous(REACH) == 0


@PROPERTY
@given(st.data())
def test_damage_is_found_and_leaves_nothing_behind(data):
    units = [note(ident, *[VOCABULARY[(ident * k) % 8] for k in range(1, 6)], session=ident % 9, position=ident) for ident in range(1, 300)]
    query = exact(b"ant", b"bee", b"yak", bigrams=((b"ant", b"bee"),))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "whole"
        live_of(units).write(str(path), STORE)
        sound = bytearray(path.read_bytes())
        healthy = Parts([(Segment.open(str(path)), len(units), None)], 9)
        wanted = found(rank.search(healthy, query, 100))
        for _ in range(5):
            sick = bytearray(sound)
            sick[data.draw(st.integers(0, len(sound) - 1))] ^= 1 << data.draw(st.integers(0, 7))
            (Path(folder) / "sick").write_bytes(sick)
            try:
                parts = Parts([(Segment.open(f"{folder}/sick"), len(units), None)], 9)
                rank.fuzzy(parts, b"anty", 3, 0.1)
                assert found(rank.search(parts, query, 100)) == wanted
            except Corrupt:
                pass
            assert found(rank.search(healthy, query, 100)) == wanted


def test_dates_alone_find_units(tmp_path):
    units = [note(1, b"ant", dates=frozenset([DATES[0]])), note(2, b"ant")]
    query = kernel_query(Query((Slot(b"may", 1, (), DATES[0]),)))
    hits = rank.search(parts_of(units, [], tmp_path), query, 10)
    assert hits.ids() == [1]
    assert hits.relevance() == [1.0]


def test_a_query_of_the_largest_size(tmp_path):
    words = [b"w%d" % i for i in range(rank.MAX_SLOTS)]
    units = [note(1, *words), note(2, *words[:3]), note(3, *reversed(words))]
    pairs = tuple(itertools.pairwise(words))
    query = Query(tuple(Slot(word, 1, ((word, 1.0),)) for word in words), pairs)
    agree(oracle(units, False), query, parts_of(units, [2], tmp_path), 100, False, False)
    assert rank.search(parts_of(units, [2], tmp_path), kernel_query(query), 1).row(0)[14] == 2**64 - 1


def test_nothing_to_find(tmp_path):
    empty = Parts([], 0)
    assert rank.search(empty, exact(b"ant"), 10).ids() == []
    parts = parts_of([note(1, b"ant"), note(2)], [], tmp_path)
    assert rank.search(parts, rank.Query([], []), 10).ids() == []
    assert rank.search(parts, exact(b"yak"), 10).ids() == []
    assert rank.search(parts, exact(b"ant"), 10, candidates=0).ids() == []
    assert rank.search(parts, exact(b"ant"), 0).ids() == []
    assert rank.search(parts, exact(b"ant"), 2**40, candidates=2**40).ids() == [1]
    assert rank.search(parts_of([note(1, b"ant", dead=True)], [], tmp_path), exact(b"ant"), 10).ids() == []


def test_bad_arguments_are_refused(tmp_path):
    parts = parts_of([note(1, b"ant")], [], tmp_path)
    word = (b"a", 1, 0.0, None, [(b"a", 1.0, 0.0)])
    with pytest.raises(ValueError, match="limits"):
        rank.Query([word] * (rank.MAX_SLOTS + 1), [])
    with pytest.raises(ValueError, match="limits"):
        rank.Query([(b"a", 1, 0.0, None, [(b"a", 1.0, 0.0)] * (rank.MAX_ALTERNATES + 1))], [])
    with pytest.raises(ValueError, match="two slots"):
        rank.Query([word], [(0, 1)])
    for weight in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="positive"):
            rank.Query([(b"a", 1, 0.0, None, [(b"a", weight, 0.0)])], [])
    with pytest.raises(ValueError, match="frequency"):
        rank.Query([(b"a", 1, -1.0, None, [])], [])
    for key in (b"", b"x" * 256):
        with pytest.raises(ValueError, match="255 bytes"):
            rank.Query([(key, 1, 0.0, None, [])], [])
    with pytest.raises(TypeError, match="bytes"):
        rank.Query([("a", 1, 0.0, None, [])], [])
    query = rank.Query([word], [])
    with pytest.raises(TypeError, match="changed"):
        query.__init__([word], [])
    with pytest.raises(ValueError, match="k must"):
        rank.search(parts, query, -1)
    with pytest.raises(ValueError, match="candidates"):
        rank.search(parts, query, 1, candidates=-1)
    other = parts_of([note(1, b"ant")], [], tmp_path)
    with pytest.raises(ValueError, match="other parts"):
        rank.search(parts, query, 1, rank.allow(other))
    with pytest.raises(ValueError, match="content terms"):
        rank.search(parts, exact(ALLOWED), 1)
    with pytest.raises(IndexError):
        rank.search(parts, exact(b"ant"), 1).row(1)


def test_threads_get_the_answers_of_one(tmp_path):
    def words(ident: int) -> list[bytes]:
        return [VOCABULARY[(ident * 7 + i * i) % 8] for i in range(1 + ident % 5)]

    units = [note(ident, *words(ident), session=ident % 5, position=ident) for ident in range(1, 600)]
    parts = parts_of(units, [100, 400], tmp_path)
    queries_ = [exact(*pair, bigrams=(pair,)) for pair in itertools.permutations(VOCABULARY[:4], 2)]
    alone = [found(rank.search(parts, query, 50)) for query in queries_]
    answers: list[list] = []

    def work() -> None:
        answers.append([found(rank.search(parts, query, 50)) for query in queries_ for _ in range(3)][::3])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [alone] * 4
