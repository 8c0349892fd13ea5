"""Filters, document frequencies and the vocabulary match of kernels/rank, each against a plain scan of the units."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_wire.kernels import rank
from tests.kernels.rank_banks import ALLOWED, DATES, PROPERTY, VOCABULARY, banks, parts_of
from tests.oracle.ranking import Passage, Unit
from tests.oracle.vocabulary import WEIGHT, alternates

KEYS = [ALLOWED, b"\x02absent", *DATES, *(b"\x03" + word for word in VOCABULARY)]
KEY_LISTS = st.lists(st.sampled_from(KEYS), max_size=2)
SECONDS = st.none() | st.integers(-5, 800)
CUTS = st.lists(st.integers(0, 24), max_size=3)


def keys_of(unit: Unit) -> set[bytes]:
    return {*unit.dates, *(b"\x03" + word for word in unit.speaker), *([ALLOWED] if unit.allowed else [])}


def every(unit: Unit) -> rank.Query:
    terms = {token for passage in unit.passages for token in passage.tokens}
    return rank.Query([(term, 1, 0.0, None, [(term, 1.0, 0.0)]) for term in sorted(terms)], [])


@PROPERTY
@given(banks(), KEY_LISTS, KEY_LISTS, SECONDS, SECONDS, st.none() | st.integers(0, 4), CUTS)
def test_allow_lets_through_what_a_scan_would(units, some, none, since, until, session, cuts):
    def lets(unit: Unit) -> bool:
        time = unit.id * 10
        return (
            (not some or bool(keys_of(unit) & set(some)))
            and not keys_of(unit) & set(none)
            and (since is None or time >= since)
            and (until is None or time <= until)
            and (session is None or unit.session == session)
        )

    wanted = {unit.id for unit in units if lets(unit) and not unit.dead}
    with tempfile.TemporaryDirectory() as folder:
        parts = parts_of(units, cuts, Path(folder))
        filter = rank.allow(parts, some, none, since, until, session)
        assert filter.count == len(wanted)
        for unit in units:
            hits = rank.search(parts, every(unit), 100, filter).ids()
            assert set(hits) <= wanted
            if unit.id in wanted and any(passage.tokens for passage in unit.passages):
                assert unit.id in hits


@PROPERTY
@given(banks(), CUTS, st.integers(0, 2))
def test_known_counts_live_passages_and_units(units, cuts, beyond):
    live = [unit for unit in units if not unit.dead]
    terms = [*VOCABULARY, b"yak"]
    counts = [sum(term in passage.tokens for unit in live for passage in unit.passages) for term in terms]
    counts += [sum(key in keys_of(unit) for unit in live) for key in KEYS]
    with tempfile.TemporaryDirectory() as folder:
        parts = parts_of(units, cuts, Path(folder), beyond)
        assert rank.known(parts, [*terms, *KEYS]) == counts
        assert rank.present(parts, [*terms, *KEYS]) == [count > 0 for count in counts]


def test_filters_refuse_what_is_no_field_key(tmp_path):
    parts = parts_of([Unit(1, (Passage((b"ant",), 1),))], [], tmp_path)
    with pytest.raises(ValueError, match="field keys"):
        rank.allow(parts, [b"ant"])
    with pytest.raises(ValueError, match="field keys"):
        rank.allow(parts, [], [b"ant"])
    with pytest.raises(ValueError, match="255 bytes"):
        rank.allow(parts, [b""])
    with pytest.raises(TypeError, match="bytes"):
        rank.allow(parts, ["tag"])
    with pytest.raises(ValueError, match="number"):
        rank.allow(parts, session=2**32 - 1)
    with pytest.raises(OverflowError):
        rank.allow(parts, session=-1)
    assert rank.allow(parts, since_s=2**40).count == 0
    assert rank.allow(parts, until_s=-1).count == 0
    assert rank.allow(parts, since_s=-(2**70), until_s=2**70).count == 1


# Words near each other, so that there is much to choose from; long ones, whose trigrams share signature bits; other scripts.
NEAR = (
    st.text("abc", min_size=1, max_size=8) | st.text("abcdefghij", min_size=4, max_size=64) | st.text("бвгдежαβ日", min_size=1, max_size=12)
)


@PROPERTY
@given(st.lists(NEAR, min_size=1, max_size=40), NEAR, st.integers(0, 5), CUTS, st.data())
def test_fuzzy_finds_what_a_scan_of_the_vocabulary_finds(words, asked, limit, cuts, data):
    terms = [word.encode()[:60].decode(errors="ignore").encode() for word in words]
    units = [
        Unit(i, (Passage((term,), 1),), dead=data.draw(st.integers(0, 5)) == 0, dates=frozenset(DATES)) for i, term in enumerate(terms, 1)
    ]
    vocabulary = {unit.passages[0].tokens[0] for unit in units if not unit.dead}
    wanted = [(term, weight / WEIGHT) for term, weight in alternates(asked.encode(), vocabulary, limit)]
    with tempfile.TemporaryDirectory() as folder:
        found = rank.fuzzy(parts_of(units, cuts, Path(folder)), asked.encode(), limit)
    assert [term for term, _ in found] == [term for term, _ in wanted]
    assert [dice for _, dice in found] == pytest.approx([dice for _, dice in wanted], abs=1e-12)


def test_fuzzy_takes_the_closest_spellings(tmp_path):
    words = [b"carolin", b"caroli", b"maroon", b"barn", b"lincoln", b"cardinal"]
    units = [Unit(i, (Passage((word,), 1),)) for i, word in enumerate(words, 1)]
    parts = parts_of(units, [3], tmp_path)
    assert [term for term, _ in rank.fuzzy(parts, b"carolne")] == [b"caroli", b"carolin"]  # 8/13, 8/14
    assert rank.fuzzy(parts, b"carolin", 1) == [(b"carolin", 1.0)]
    assert rank.fuzzy(parts, b"zzzz") == []
    assert [term for term, _ in rank.fuzzy(parts, b"carolne", 3, 0.2)] == [b"caroli", b"carolin", b"cardinal"]


def test_fuzzy_answers_again_as_the_first_time(tmp_path):
    words = [b"word%d" % i for i in range(40)]
    parts = parts_of([Unit(i, (Passage((word,), 1),)) for i, word in enumerate(words, 1)], [20], tmp_path)
    asked = [(b"wordy%d" % (i % 300), 1 + i % 2) for i in range(700)]
    first = rank.fuzzy(parts, *asked[0])
    first.clear()
    for word, limit in asked:
        found = rank.fuzzy(parts, word, limit)
        assert len(found) == limit
        assert found == rank.fuzzy(parts, word, 16)[:limit]


def test_fuzzy_survives_bytes_that_are_no_text(tmp_path):
    odd = [b"\xff\xfe\xff", b"\xe2\x82", b"abc\xf0", bytes(range(32, 96))]
    parts = parts_of([Unit(i, (Passage((word,), 1),)) for i, word in enumerate(odd, 1)], [2], tmp_path)
    for word in odd:
        assert {term for term, _ in rank.fuzzy(parts, word, 4, 0.01)} <= set(odd)


def test_fuzzy_refuses_bad_arguments(tmp_path):
    parts = parts_of([Unit(1, (Passage((b"ant",), 1),))], [], tmp_path)
    with pytest.raises(ValueError, match="limit"):
        rank.fuzzy(parts, b"ant", 17)
    with pytest.raises(ValueError, match="least"):
        rank.fuzzy(parts, b"ant", 3, 0.0)
    with pytest.raises(ValueError, match="255 bytes"):
        rank.fuzzy(parts, b"")
