"""analyse(): the packed passages against tests/oracle/text.py, and the passage rule by example."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_wire.kernels import text
from tests.kernels.test_text_strategies import long_text, odd_text
from tests.oracle import text as oracle


def cut(sample: str, header: str = "") -> list[oracle.Passage]:
    return oracle.unpack(text.analyse(sample, 0, header))


def sentence(n: int) -> str:
    return " ".join(["word"] * n) + ". "


@settings(deadline=None)
@given(long_text | odd_text, st.sampled_from([0, 1]), st.just("") | odd_text | long_text)
def test_analyse_equals_the_oracle(sample, language, header):
    assert oracle.unpack(text.analyse(sample, language, header)) == oracle.passages(sample, language, header)


@settings(deadline=None)
@given(long_text | odd_text, odd_text)
def test_bytes_equal_the_oracles(sample, header):
    assert text.analyse(sample, 1, header) == oracle.analyse(sample, 1, header)


@settings(deadline=None)
@given(long_text)
def test_passages_hold_every_word_once_and_keep_the_bounds(sample):
    passages = cut(sample)
    assert [term for passage in passages for term in passage.counted] == text.terms(sample, 0)
    assert all(len(passage.counted) <= 90 for passage in passages)
    assert all(0 <= passage.start <= passage.end <= len(sample) for passage in passages)


@pytest.mark.parametrize(
    ("lengths", "passages"),
    [
        ([20, 20, 20, 20], [80]),  # a text of up to 90 words is one passage
        ([20, 20, 20, 31], [60, 31]),
        ([60, 20, 5, 30], [60, 55]),
        ([60, 10, 10, 71], [60, 20, 71]),
        ([59, 30, 5], [89, 5]),
        ([59, 31], [90]),
        ([59, 32], [59, 32]),
        ([60, 1], [61]),
        ([60, 31], [60, 31]),
        ([40, 60, 1], [40, 60, 1]),
        ([30, 95], [30, 90, 5]),
        ([95, 40], [90, 45]),
        ([200], [90, 90, 20]),
        ([90, 90], [90, 90]),
        ([91], [90, 1]),
    ],
)
def test_sentences_fill_passages(lengths, passages):
    assert [len(passage.counted) for passage in cut("".join(map(sentence, lengths)))] == passages


@pytest.mark.parametrize(
    ("sample", "sentences"),
    [
        ("One two. Three? Four!", ["One two.", "Three?", "Four!"]),
        ('He said "stop." Then (really!) left', ['He said "stop."', "Then (really!)", "left"]),
        ("a turn\nanother\r\n third", ["a turn", "another", "third"]),
        ("v1.2 is 3.5 x.y", ["v1.2 is 3.5 x.y"]),
        ("wait… what?! no", ["wait…", "what?!", "no"]),
        ("会議をした。次は金曜！", ["会議をした。", "次は金曜！"]),
        ("समय बदल दी। ठीक है।", ["समय बदल दी।", "ठीक है।"]),
        ("  \n \t ", []),
    ],
)
def test_sentences_by_example(sample, sentences):
    assert [sample[start:end] for start, end in oracle.sentences(sample)] == sentences


@pytest.mark.parametrize("stop", [". ", "? ", '." ', "…\n", "\n", "。", "。」", "।\t", "!) "])
def test_a_passage_is_closed_at_a_sentence(stop):
    sample = "w " * 30 + f"w{stop}" + "w " * 70
    assert [len(passage.counted) for passage in cut(sample)] == [31, 70]
    first, second = cut(sample)
    assert sample[first.start : first.end] == ("w " * 30 + f"w{stop}").rstrip()
    assert sample[second.start : second.end] == ("w " * 70).rstrip()


def test_a_run_cut_between_passages_shares_its_grapheme():
    first, second = cut("中" * 100)
    assert (first.start, first.end, len(first.counted), len(first.extra)) == (0, 91, 90, 90)
    assert (second.start, second.end, len(second.counted), len(second.extra)) == (90, 100, 9, 10)


def test_the_header_is_in_every_passage_and_bounded():
    passages = cut(sentence(70) * 2, "Monday June 会議を")
    assert [passage.counted[:4] for passage in passages] == [[w.encode() for w in ("monday", "june", "会議", "議を")]] * 2
    assert [passage.extra for passage in passages] == [[w.encode() for w in "会議を"]] * 2
    assert [len(passage.counted) for passage in passages] == [74, 74]
    assert [len(passage.counted) for passage in cut("word", "head " * 100)] == [65]
    assert len(cut("中" * 200, "文" * 200)[0].counted) == 154


def test_text_without_words_is_one_empty_passage():
    assert cut("") == [(0, 0, [], [])]
    assert cut(" ... \u0301") == [(0, 6, [], [])]
    assert cut("!", "head") == [(0, 1, [b"head"], [])]


def test_a_long_text_is_analysed_without_the_gil_the_same():
    sample = "The meeting moved. " * 300 + "会議" * 500
    assert text.analyse(sample) == oracle.analyse(sample)
    assert text.terms(sample) == oracle.terms(sample)
    assert text.words(sample) == oracle.words(sample)
    assert text.fold(sample) == oracle.fold(sample)
