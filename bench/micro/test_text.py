"""Text kernels beside what one would use instead, in one run: `python -m pytest bench/micro --benchmark-enable`.

Memories are 25 English words drawn by the frequency of the shipped rank list, one seed; peers are PyStemmer, unicodedata and re.
"""

from __future__ import annotations

import hashlib
import os
import random
import re
import unicodedata

import pytest
import Stemmer

from memory_wire.kernels import text

RANKS = os.path.join(os.path.dirname(__file__), "..", "..", "csrc", "tables", "english-ranks.txt")
QUESTION = "What did Caroline say about the adoption agency last week?"
WORD = re.compile(r"[^\W_]+")
PHRASES = {"en": "the release moved to friday ", "ru": "мы решили перенести Релиз ", "fr": "le Café déménage à Orléans "}


def english() -> list[str]:
    with open(RANKS, encoding="ascii") as lines:
        return [line.strip() for line in lines if not line.startswith("#")]


@pytest.fixture(scope="module")
def memories() -> list[str]:
    ranks, draw = english(), random.Random(1)
    weights = [1 / (rank + 2.7) for rank in range(1, len(ranks) + 1)]
    return [" ".join(draw.choices(ranks, weights, k=25)).capitalize() + "." for _ in range(1000)]


def plain_terms(sample: str, stem) -> list[str]:
    folded = unicodedata.normalize("NFD", sample.casefold())
    return stem(WORD.findall("".join(char for char in folded if not unicodedata.combining(char))))


@pytest.mark.benchmark(group="analyse 1000 memories of 25 words")
def test_analyse(benchmark, memories):
    benchmark(lambda: [text.analyse(memory) for memory in memories])


@pytest.mark.benchmark(group="analyse 1000 memories of 25 words")
def test_analyse_peer_re_unicodedata_pystemmer(benchmark, memories):
    stem = Stemmer.Stemmer("english").stemWords
    benchmark(lambda: [plain_terms(memory, stem) for memory in memories])


@pytest.mark.benchmark(group="terms of a 10-word question")
def test_terms(benchmark):
    assert benchmark(text.terms, QUESTION) == [b"what", b"did", b"carolin", b"say", b"about", b"the", b"adopt", b"agenc", b"last", b"week"]


@pytest.mark.benchmark(group="terms of a 10-word question")
def test_terms_peer_re_unicodedata_pystemmer(benchmark):
    benchmark(plain_terms, QUESTION, Stemmer.Stemmer("english").stemWords)


@pytest.mark.benchmark(group="stem 3000 words")
def test_stem(benchmark):
    words = [word.encode() for word in english()]
    benchmark(lambda: [text.stem(word) for word in words])


@pytest.mark.benchmark(group="stem 3000 words")
@pytest.mark.parametrize("cache", [0, 10_000], ids=["no cache", "cached"])
def test_stem_peer_pystemmer(benchmark, cache):
    words, stem = english(), Stemmer.Stemmer("english", cache).stemWord
    benchmark(lambda: [stem(word) for word in words])


@pytest.mark.benchmark(group="fold 170 characters")
@pytest.mark.parametrize("sample", PHRASES.values(), ids=PHRASES)
def test_fold(benchmark, sample):
    benchmark(text.fold, (sample * 7)[:170])


@pytest.mark.benchmark(group="fold 170 characters")
@pytest.mark.parametrize("sample", PHRASES.values(), ids=PHRASES)
def test_fold_peer_nfkc_casefold(benchmark, sample):
    benchmark(lambda sample: unicodedata.normalize("NFKC", sample).casefold(), (sample * 7)[:170])


@pytest.mark.benchmark(group="hash 170 bytes")
def test_content_hash(benchmark):
    benchmark(text.content_hash, b"x" * 170)


@pytest.mark.benchmark(group="hash 170 bytes")
def test_content_hash_peer_hashlib(benchmark):
    benchmark(lambda data: hashlib.sha256(data).digest()[:16], b"x" * 170)
