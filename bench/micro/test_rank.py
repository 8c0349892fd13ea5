"""Ranking kernels, in one run: `python -m pytest bench/micro/test_rank.py --benchmark-enable`.

Memories are 31 words: English ones by the frequency of the shipped rank list, every tenth an invented one by a Zipf law; one seed.
Questions are five content words. `plain` is a Python loop that adds postings, for scale.
"""

from __future__ import annotations

import itertools
import os
import random
import tempfile

import pytest

from memory_wire.kernels import fuse, rank, text
from memory_wire.kernels.postings import Live, Parts, Segment, merge
from memory_wire.retrieve import analyse

RANKS = os.path.join(os.path.dirname(__file__), "..", "..", "csrc", "tables", "english-ranks.txt")
WORDS, STEP = 31, 20_000
STORE = b"m" * 16


def english() -> list[str]:
    with open(RANKS, encoding="ascii") as lines:
        return [line.strip() for line in lines if not line.startswith("#")]


def invented(number: int) -> str:
    return "".join("bcdfgklmnprstv"[number // 14**i % 14] + "aeiou"[number // 5**i % 5] for i in range(3))


def memories(count: int) -> list[str]:
    common, draw = english(), random.Random(1)
    rare = [invented(number) for number in range(max(200, count // 3))]
    of_common = list(itertools.accumulate(1 / (place + 2.7) for place in range(1, len(common) + 1)))
    of_rare = list(itertools.accumulate(1 / (place + 10) for place in range(len(rare))))
    found = []
    for _ in range(count):
        words = draw.choices(common, cum_weights=of_common, k=WORDS - 3) + draw.choices(rare, cum_weights=of_rare, k=3)
        found.append(" ".join(words))
    return found


def segment(folder: str, texts: list[str], session: int) -> Segment:
    """One segment over the texts; `session` > 0 groups so many of them."""
    pieces = []
    for start in range(0, len(texts), STEP):
        piece = texts[start : start + STEP]
        live = Live(len(piece), 1, sum(len(one) // 300 + 3 for one in piece))
        for at, memory in enumerate(piece, start):
            place = (at // session, at % session) if session else (-1, -1)
            assert live.append(at + 1, at, 0, *place, [b"\x02even"] if at % 2 else [], text.analyse(memory))
        live.write(os.path.join(folder, f"{start}.segment"), STORE)
        pieces.append(Segment.open(os.path.join(folder, f"{start}.segment")))
    if len(pieces) > 1:
        merge([(piece, piece.n_units, None) for piece in pieces], os.path.join(folder, "all.segment"), STORE)
        return Segment.open(os.path.join(folder, "all.segment"))
    return pieces[0]


def questions(parts: Parts, count: int = 64) -> list[rank.Query]:
    words = [word for word in english()[60:2500] if not text.is_stop(word) and len(word) > 3]
    draw = random.Random(2)
    return [analyse.query(" ".join([*draw.sample(words, 4), invented(draw.randrange(200))]), 1, {}, parts) for _ in range(count)]


@pytest.fixture(scope="module")
def banks():
    with tempfile.TemporaryDirectory() as folder:
        texts = memories(100_000)
        made: dict[str, Parts] = {}
        for name, some, session in (
            ("10k notes", texts[:10_000], 0),
            ("100k notes", texts, 0),
            ("100k turns in sessions of 20", texts, 20),
            ("5k documents of 620 words", ["\n".join(texts[i : i + 20]) for i in range(0, len(texts), 20)], 0),
        ):
            place = os.path.join(folder, name)
            os.mkdir(place)
            sealed = segment(place, some, session)
            made[name] = Parts([(sealed, sealed.n_units, None)], len(some) // session if session else 0)
            if name == "100k notes":
                dead = bytearray((sealed.n_units + 63) // 64 * 8)
                dead[7] = 1
                made["100k notes, one deleted"] = Parts([(sealed, sealed.n_units, bytes(dead))], 0)
        yield made


NAMES = ["10k notes", "100k notes", "100k notes, one deleted", "100k turns in sessions of 20", "5k documents of 620 words"]


@pytest.mark.benchmark(group="search, five words, k = 50")
@pytest.mark.parametrize("name", NAMES)
def test_search(benchmark, banks, name):
    asked = itertools.cycle(questions(banks[name]))
    hits = benchmark(lambda: rank.search(banks[name], next(asked), 50))
    assert len(hits) == 50


@pytest.mark.benchmark(group="search, five words, k = 50")
def test_search_filtered(benchmark, banks):
    parts = banks["100k notes"]
    asked, allowed = itertools.cycle(questions(parts)), rank.allow(parts, [b"\x02even"])
    assert len(benchmark(lambda: rank.search(parts, next(asked), 50, allowed))) == 50


@pytest.mark.benchmark(group="filter of 100k notes: half have the tag")
def test_allow(benchmark, banks):
    assert benchmark(rank.allow, banks["100k notes"], [b"\x02even"]).count == 50_000


@pytest.mark.benchmark(group="nearest spellings of an unknown word")
@pytest.mark.parametrize("name", ["10k notes", "100k notes"])
def test_fuzzy(benchmark, banks, name):
    unknown = itertools.cycle(
        b"governm%c%c" % pair for pair in itertools.product(b"abcdefghijklmnopqrstuvwxyz", repeat=2)
    )  # more than are remembered
    assert benchmark(lambda: rank.fuzzy(banks[name], next(unknown)))


@pytest.mark.benchmark(group="analysis of a 10-word question, all words known")
def test_analyse(benchmark, banks):
    question = "What did the government say about the water last week?"
    assert len(benchmark(analyse.query, question, 1, {}, banks["100k notes"]).words) == 5


@pytest.mark.benchmark(group="100k postings added one by one")
def test_plain(benchmark, banks):
    postings = [(number, 1) for number in range(100_000)]

    def add() -> list[float]:
        scores = [0.0] * 100_000
        for number, tf in postings:
            scores[number] += tf * 2.2 / (tf + 1.2)
        return scores

    benchmark(add)


RANKINGS = [list(range(1, 101)), list(range(50, 150))]
SCORED = [(ident, 1.0 / ident) for ident in range(1, 101)]
DOCUMENTS = [[b"w%d" % (i * j % 97) for j in range(30)] for i in range(250)]


@pytest.mark.benchmark(group="fusion of two lists of 100")
def test_rrf(benchmark):
    assert len(benchmark(fuse.rrf, RANKINGS, [1.0, 0.25])) == 149


@pytest.mark.benchmark(group="fusion of two lists of 100")
def test_convex(benchmark):
    assert len(benchmark(fuse.convex, SCORED, SCORED[50:], 0.3)) == 100


@pytest.mark.benchmark(group="token overlap with 250 documents of 30 words")
def test_overlap(benchmark):
    assert len(benchmark(fuse.overlap, [b"w3", b"w5", b"w7", b"w11", b"w3"], DOCUMENTS)) == 250
