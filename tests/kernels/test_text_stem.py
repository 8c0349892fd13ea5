"""stem() against PyStemmer, whose English is Snowball's of release 3.1."""

from __future__ import annotations

import Stemmer
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_wire.kernels import text
from tests.oracle.text import english_ranks

ENDINGS = (
    "' 's 's' s es ies ied sses ss us d ed eed ing edly eedly ingly y ly li ily anci enci ogi bli abli alli fulli lessli ousli entli aliti "
    "biliti iviti tional ational alism ation ization izer ator iveness fulness ousness ogist icate ative alize iciti ical ful ness ic ance "
    "ence able ible ate ive ize iti al ism ion sion er ous ant ent ment ement e ee l ll"
).split()
OPENINGS = (
    "arsen commun emerg gener inter later organ past univers succ proc exc even cann inn earr herr out y by skis skies sky ' 'y "
    "dy ly ty vy add egg off news howe atlas cosmos bias andes idly gently ugly early only singly"
).split()


def differences(words):
    peer = Stemmer.Stemmer("english", 0)
    found = []
    for word in words:
        stem = text.stem(word.encode()).decode()
        if stem != peer.stemWord(word):
            found.append((word, stem, peer.stemWord(word)))
    return found


def test_common_words_and_their_inflections():
    words = {word + ending for word in english_ranks() for ending in ["", *ENDINGS]}
    assert len(words) > 150_000
    assert differences(words) == []


def test_exceptions_under_every_pair_of_endings():
    assert differences(opening + first + second for opening in OPENINGS for first in ["", *ENDINGS] for second in ["", *ENDINGS]) == []


@settings(deadline=None)
@given(st.lists(st.text("abcdeginlosty'", max_size=8) | st.sampled_from(ENDINGS) | st.sampled_from(OPENINGS), max_size=4).map("".join))
def test_stem_equals_pystemmer(word):
    assert differences([word]) == []


@settings(deadline=None)
@given(st.binary(max_size=100))
def test_words_with_anything_else_stay(word):
    if not set(word) <= set(b"abcdefghijklmnopqrstuvwxyz'"):
        assert text.stem(word) == word


@settings(deadline=None)
@given(st.text("abcdefghijklmnopqrstuvwxyz'", max_size=12).map(str.encode))
def test_no_stemming_returns_the_word(word):
    assert text.stem(word, 0) == word
