"""retrieve/analyse: which words of a question are searched, with what weight; date phrases; synonyms; spellings; the limit of a query."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_wire.config import QUERY_TERMS
from memory_wire.kernels import rank, text
from memory_wire.kernels.postings import Live, Parts
from memory_wire.retrieve import analyse, when

EMPTY = Parts([], 0)


def bank(*memories: str) -> Parts:
    live = Live(len(memories), 1)
    for ident, memory in enumerate(memories, 1):
        assert live.append(ident, 0, 0, -1, -1, [], text.analyse(memory))
    return Parts([(live, len(memories), None)], 0)


def terms(asked: str, parts: Parts = EMPTY, language: int = 1) -> list[bytes]:
    return list(analyse.query(asked, language, {}, parts).terms)


def named(asked: str) -> dict[str, str]:
    """The words of a question that name dates: {word: date term}."""
    words = text.words(asked)
    return {words[at][0]: term[1:].decode() for at, term in when.dates(asked, words).items()}


def test_function_words_are_dropped_unless_nothing_is_left():
    assert terms("What did Caroline's friends say about the hikes?") == [b"carolin", b"friend", b"say", b"hike"]
    assert terms("I told you my plans and we agreed") == [b"i", b"told", b"you", b"my", b"plan", b"we", b"agre"]
    assert terms("What is it about?") == [b"what", b"is", b"it", b"about"]
    assert terms("") == []
    assert terms(" ?! ") == []


def test_without_a_language_words_stay_as_they_are():
    assert terms("hikes and hiking", language=0) == [b"hikes", b"hiking"]
    query = analyse.query("time", 0, {}, EMPTY)
    assert query.alternates == [[(b"time", 1.0)]]


def test_repeated_words_are_one_slot():
    query = analyse.query("Hiking hikes hike, pottery", 1, {}, bank("a hike", "pottery"))
    assert query.words == ("hiking", "pottery")
    assert query.terms == (b"hike", b"potteri")
    hits = rank.search(bank("hike", "pottery"), query, 10)
    assert hits.scores()[0] > hits.scores()[1]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("on 16 June 2023", {"16": "d16", "june": "m6", "2023": "y2023"}),
        ("June 16th, 2023", {"16th": "d16", "june": "m6", "2023": "y2023"}),
        ("the 3rd of March", {"3rd": "d3", "march": "m3"}),
        ("June 2023", {"june": "m6", "2023": "y2023"}),
        ("2023-06-16", {"2023": "y2023", "06": "m6", "16": "d16"}),
        ("2023-06-16T10:30:00Z", {"2023": "y2023", "06": "m6", "16t10": "d16"}),
        ("2023-06", {"2023": "y2023", "06": "m6"}),
        ("2023-13-40", {"2023": "y2023"}),
        ("2023-06-32", {"2023": "y2023", "06": "m6"}),
        ("2023/06", {"2023": "y2023"}),
        ("2023- 06", {"2023": "y2023"}),
        ("in 1899, 1900, 2099 and 2100", {"1900": "y1900", "2099": "y2099"}),
        ("what may happen", {}),
        ("we march on", {}),
        ("in May", {"may": "m5"}),
        ("late march", {"march": "m3"}),
        ("May 7", {"may": "m5", "7": "d7"}),
        ("7 may", {"may": "m5", "7": "d7"}),
        ("since Dec", {"dec": "m12"}),
        ("a sept of the clan", {}),
        ("sept 2020", {"sept": "m9", "2020": "y2020"}),
        ("January", {"january": "m1"}),
        ("99 June 32", {"june": "m6"}),
        ("June ²", {"june": "m6", "2": "d2"}),
        ("12345 June 16ths", {"june": "m6"}),
        ("room 16 of June", {"16": "d16", "june": "m6"}),
    ],
)
def test_date_phrases(asked, found):
    assert named(asked) == found


def test_date_words_carry_their_term_and_still_search_text():
    units = [("note", [b"\x01d16", b"\x01m6"]), ("16 june", []), ("note", [b"\x01m5"])]
    live = Live(3, 1)
    for ident, (memory, fields) in enumerate(units, 1):
        assert live.append(ident, 0, 0, -1, -1, fields, text.analyse(memory))
    parts = Parts([(live, 3, None)], 0)
    assert sorted(rank.search(parts, analyse.query("on 16 June", 1, {}, parts), 10).ids()) == [1, 2]
    query = analyse.query("in May", 1, {}, parts)
    assert (query.words, query.alternates) == (("in", "may"), [[(b"in", 1.0)], [(b"may", 1.0)]])  # nothing else was left
    query = analyse.query("notes in May", 1, {}, parts)
    assert (query.words, query.alternates) == (("notes", "may"), [[(b"note", 1.0)], []])
    assert rank.search(parts, query, 1).ids() == [3]


def test_unknown_words_stand_for_the_nearest_spellings():
    parts = bank("Caroline went hiking", "Melanie likes pottery", "日本語の本")
    query = analyse.query("Carolnie hiikng Melanie", 1, {}, parts)
    assert query.terms == (b"carolni", b"hiikng", b"melani")
    assert query.alternates[0] == [(b"carolin", pytest.approx(0.8 * 8 / 14))]
    assert query.alternates[1] == [(b"hiikng", 1.0)]  # nothing is near enough
    assert query.alternates[2] == [(b"melani", 1.0)]
    assert rank.search(parts, query, 10).ids() == [2, 1]


def test_words_that_are_never_taken_for_others():
    parts = bank("abcd1234 caroline colors 2023 日本語日本語")
    for word in ("abcd1235", "col", "2022", "日本誤日", "naïvety"):
        for term, alternates in zip(terms(word, parts), analyse.query(word, 1, {}, parts).alternates, strict=True):
            assert alternates == [(term, 1.0)]
    query = analyse.query("carolina carolino caroliny caroline carolinu", 1, {}, parts)
    assert sum(weight < 1 for slot in query.alternates for _, weight in slot) <= analyse.FUZZY_WORDS


def test_synonyms_are_searched_beside_the_word():
    synonyms = {"PTO": (["vacation", "the paid leave"], 0.5), "who": (["person"], 0.7)}
    query = analyse.query("pto and food", 1, synonyms, bank("pto", "food"))
    assert query.words == ("pto", "food")
    assert query.alternates[0] == [(b"pto", 1.0), (b"vacat", 0.5), (b"paid", 0.25), (b"leav", 0.25)]
    assert query.alternates[1] == [(b"food", 1.0)]
    parts = bank("vacation in June", "sick days")
    assert rank.search(parts, analyse.query("PTO", 1, synonyms, parts), 10).ids() == [1]
    assert analyse.query("who", 1, synonyms, parts).alternates == [[(b"who", 1.0), (b"person", 0.7)]]
    assert analyse.query("who ate", 1, synonyms, parts).words == ("who", "ate")
    spelt = {"vacatoin": (["leave"], 0.5)}
    assert analyse.query("vacatoin", 1, spelt, parts).alternates == [[(b"vacatoin", 1.0), (b"leav", 0.5)]]  # configured, so no slip
    many = {"pto": ([f"word{i}" for i in range(50)], 1.0)}
    assert len(analyse.query("pto", 1, many, parts).alternates[0]) == analyse.ALTERNATES


def test_too_many_words_keep_the_telling_ones():
    common = [f"common{i}" for i in range(60)]
    parts = bank("rare gem", *[" ".join(common) for _ in range(30)])
    asked = " ".join([*common, *(f"unknown{i}" for i in range(600)), "rare gem"])
    query = analyse.query(asked, 1, {}, parts)
    assert len(query.terms) == QUERY_TERMS == rank.MAX_SLOTS
    assert set(common) <= set(query.words)
    assert set(query.truncated) | set(query.words) == set(asked.split())
    assert not set(query.truncated) & set(query.words)
    first = analyse.query("rare gem " + asked, 1, {}, parts)
    assert {"rare", "gem"} <= set(first.words)
    assert 1 in rank.search(parts, first, 100).ids()


def test_a_huge_query_is_answered():
    asked = "".join(f"word{i % 9000} " for i in range(10_000))
    began = time.thread_time()
    query = analyse.query(asked, 1, {}, bank("word1 word2"))
    assert len(query.terms) == QUERY_TERMS
    assert len(query.terms) + len(query.truncated) == 9000
    assert time.thread_time() - began < 30  # a guard against hanging, not a measure


def test_adjacent_words_make_pairs():
    parts = bank("paid time off", "time paid off", "paid leave, time spent")
    found = rank.search(parts, analyse.query("the paid time", 1, {}, parts), 10)
    bigrams = {found.row(i)[0]: found.row(i)[11] for i in range(len(found))}
    assert bigrams[1] > 0
    assert bigrams[2] == bigrams[3] == 0


def test_lone_surrogates_are_refused():
    with pytest.raises(ValueError, match="surrogate"):
        analyse.query("a \ud800", 1, {}, EMPTY)


@settings(deadline=None)
@given(st.text(max_size=200), st.integers(0, 1))
def test_any_text_makes_a_query(asked, language):
    query = analyse.query(asked, language, {}, EMPTY)
    spelt = text.terms(asked, language)
    assert set(query.terms) <= set(spelt)
    assert bool(query.terms) == bool(spelt)
    assert len(query.words) == len(query.terms)
    assert rank.search(EMPTY, query, 10).ids() == []
