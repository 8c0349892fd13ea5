"""fold() against unicodedata: every code point, alone and among what may combine with it, and random text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings

from memory_wire.kernels import text
from tests.kernels.test_text_strategies import odd_text
from tests.oracle import folding

SURROGATES = {chr(c) for c in range(0xD800, 0xE000)}


def private(char: str) -> bool:
    return unicodedata.category(char) == "Co"


def test_the_tables_version_is_one_this_python_knows():
    assert tuple(map(int, text.UNICODE_VERSION.split("."))) <= tuple(map(int, unicodedata.unidata_version.split(".")))


@pytest.mark.parametrize("frame", ["{}", "a{}", "и{}\u0306\u0323", "{}\u0345\u0301\u0323", "\u1112{}\u11ab", "\u0bc6{}"])
def test_every_code_point_folds_as_unicodedata_says(frame):
    wrong = []
    for char in folding.known() - SURROGATES:
        if private(char):
            continue
        sample = frame.format(char)
        if text.fold(sample) != folding.fold(sample):
            wrong.append(hex(ord(char)))
    assert wrong == []


def test_what_the_tables_do_not_know_stays():
    unknown = "".join(chr(c) for c in range(0x110000) if chr(c) not in folding.known() or private(chr(c)))
    assert text.fold(unknown) == unknown


@settings(deadline=None)
@given(odd_text)
def test_fold_equals_the_oracle(sample):
    assert text.fold(sample) == folding.fold(sample)


@settings(deadline=None)
@given(odd_text)
def test_fold_is_idempotent(sample):
    once = text.fold(sample)
    assert text.fold(once) == once


@pytest.mark.parametrize(
    ("given_text", "folded"),
    [
        ("Café ÅNGSTRÖM", "cafe angstrom"),
        ("ΆΝΘΡΩΠΟΣ", "ανθρωποσ"),
        ("Straße", "strasse"),
        ("ﬁne ｆｕｌｌ ①", "fine full 1"),
        ("Йога и\u0306", "йога й"),
        ("हिन्दी", "हिन्दी"),
        ("قُرآن", "قُرآن"),
        ("שָׁלוֹם", unicodedata.normalize("NFC", "שָׁלוֹם")),
        ("தமிழ்", "தமிழ்"),
        ("ﾄｳｷｮｳ ｶﾞ", "トウキョウ ガ"),
        ("\u1112\u1161\u11ab", "한"),
        ("q\u0323\u0307 б\u0307\u0323", "q б\u0323\u0307"),
        ("İstanbul", "istanbul"),
    ],
)
def test_fold_by_example(given_text, folded):
    assert text.fold(given_text) == folded


def test_marks_without_end_fold_in_linear_order():
    marks = "\u0301\u0323\u0345" * 50_000
    assert text.fold("б" + marks) == "б" + "\u0323" * 50_000 + "\u0301" * 50_000 + "ι" * 50_000
    assert text.fold("b" + marks) == "b" + "ι" * 50_000


def test_lone_surrogates_are_refused_everywhere():
    for function in (text.fold, text.words, text.terms, text.analyse, text.is_stop):
        with pytest.raises(ValueError, match="surrogates"):
            function("bad \ud800 surrogate")
    with pytest.raises(ValueError, match="surrogates"):
        text.analyse("fine", 1, "\udfff")
