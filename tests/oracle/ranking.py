"""Brute-force oracle of the ranking: every live passage is scored from its token list, nothing is indexed or skipped.

Takes analysed text only (terms as bytes, counted lengths) and returns the ordered hits with every part of their score.
The kernels are compared against it, so it is written for reading: one function per quantity of the formula, plain Python
floats, no dependency. Sources: BM25 as in Robertson and Zaragoza 2009, the idf as in Lucene, the sum of document and best
passage and the weights as measured on LoCoMo sessions, turns and mixed banks by bench/quality.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field

K1 = 1.2
B = 0.75
BACKGROUND = 300.0
CANDIDATES = 100
GROUP = 0.3
BIGRAM = 0.3
PREVIOUS = 0.3
NEXT = 0.15
DATE = 3.0
SPEAKER = 1.0
USER = 1.2


@dataclass(frozen=True)
class Passage:
    """A passage: its tokens in order; the first `counted` make its length and its adjacency, the rest (extras) are only matched."""

    tokens: tuple[bytes, ...]
    counted: int

    def adjacent(self, first: bytes, second: bytes) -> int:
        """How often `second` directly follows `first` among the counted tokens."""
        run = self.tokens[: self.counted]
        return sum(1 for pair in itertools.pairwise(run) if pair == (first, second))


@dataclass(frozen=True)
class Unit:
    """One memory. `session` None means that it stands alone; `position` orders the members of a session (ties: id)."""

    id: int
    passages: tuple[Passage, ...]
    session: Hashable | None = None
    position: int = 0
    dates: frozenset[bytes] = frozenset()
    speaker: frozenset[bytes] = frozenset()
    user: bool = False
    dead: bool = False
    allowed: bool = True


@dataclass(frozen=True)
class Slot:
    """One distinct word of the query.

    `term` is its stem, `count` its occurrences in the query, `alternates` the index terms it stands for with their
    weights: ((term, 1.0),) for an exact word, up to three (known term, 0.8 x Dice) for a word that the bank does not
    know, () for a word that searches no content. `date` is the date term of a word inside a date phrase.
    """

    term: bytes
    count: int = 1
    alternates: tuple[tuple[bytes, float], ...] = ()
    date: bytes | None = None


@dataclass(frozen=True)
class Query:
    """An analysed query: its slots in order of first occurrence and the distinct pairs of adjacent words without stop words."""

    slots: tuple[Slot, ...]
    bigrams: tuple[tuple[bytes, bytes], ...] = ()


@dataclass(frozen=True)
class Hit:
    """A ranked unit and the parts of its score: score = own + date + group + previous + next + speaker."""

    id: int
    score: float
    own: float
    date: float
    group: float
    previous: float
    next: float
    speaker: float
    best: int
    passage: float
    coverage: float
    bigram: float
    relevance: float
    selection: float


@dataclass
class Level:
    """Statistics of one level (passages or groups): number of entries, total length, document frequencies."""

    prior: Callable[[bytes], float]
    count: int = 0
    total: int = 0
    frequency: Counter[bytes] = field(default_factory=Counter)

    def add(self, length: int, terms: Iterable[bytes]) -> None:
        """Count one entry of this length that holds these distinct terms."""
        self.count += 1
        self.total += length
        self.frequency.update(set(terms))

    @property
    def average(self) -> float:
        """Mean length, 1 when there is none."""
        return self.total / self.count if self.total else 1.0

    def idf(self, term: bytes) -> float:
        """Lucene's idf over the observed entries plus BACKGROUND pseudo-entries of general English."""
        expected = BACKGROUND * (1.0 - math.exp(-self.prior(term) * self.average))
        df = self.frequency[term]
        return math.log(1.0 + (self.count + BACKGROUND - df - expected + 0.5) / (df + expected + 0.5))

    def saturate(self, tf: float, length: int) -> float:
        """BM25's term-frequency factor, (k1 + 1) in the numerator."""
        return tf * (K1 + 1.0) / (tf + K1 * (1.0 - B + B * length / self.average))

    def score(self, query: Query, frequencies: Counter[bytes], length: int) -> float:
        """BM25 of one entry; the alternates of a slot are added."""
        total = 0.0
        for slot in query.slots:
            for term, weight in slot.alternates:
                tf = frequencies[term]
                if tf:
                    total += slot.count * weight * self.idf(term) * self.saturate(tf, length)
        return total


def plain_idf(count: int, df: int) -> float:
    """Lucene's idf without a background (dates and bigrams)."""
    return math.log(1.0 + (count - df + 0.5) / (df + 0.5))


class Ranking:
    """Ranks the units of one bank. `prior` gives a term's frequency in general English (0.0 for none)."""

    def __init__(self, units: Sequence[Unit], prior: Callable[[bytes], float] = lambda term: 0.0) -> None:
        self.live = sorted((unit for unit in units if not unit.dead), key=lambda unit: unit.id)
        self.passages = Level(prior)
        self.groups = Level(prior)
        self.dates: Counter[bytes] = Counter()
        self.members: dict[Hashable, list[Unit]] = {}
        for unit in self.live:
            self.dates.update(unit.dates)
            self.members.setdefault(self.group(unit), []).append(unit)
            for passage in unit.passages:
                self.passages.add(passage.counted, passage.tokens)
        for members in self.members.values():
            members.sort(key=lambda unit: (unit.position, unit.id))
            self.groups.add(self.length(members), self.frequencies(members))

    @staticmethod
    def group(unit: Unit) -> Hashable:
        """The key of the unit's group: its session, or itself."""
        return ("unit", unit.id) if unit.session is None else ("session", unit.session)

    @staticmethod
    def length(members: Iterable[Unit]) -> int:
        """Counted tokens of all passages of these units."""
        return sum(passage.counted for unit in members for passage in unit.passages)

    @staticmethod
    def frequencies(members: Iterable[Unit]) -> Counter[bytes]:
        """Summed term frequencies of all passages of these units."""
        total: Counter[bytes] = Counter()
        for unit in members:
            for passage in unit.passages:
                total.update(passage.tokens)
        return total

    # Parts of the score.

    def passage(self, query: Query, passage: Passage) -> float:
        """P: BM25 of one passage."""
        return self.passages.score(query, Counter(passage.tokens), passage.counted)

    def best(self, query: Query, unit: Unit) -> tuple[int, float]:
        """Ordinal and P of the unit's best passage (the first of equals)."""
        scores = [self.passage(query, passage) for passage in unit.passages]
        ordinal = max(range(len(scores)), key=lambda i: (scores[i], -i))
        return ordinal, scores[ordinal]

    def vouch(self, query: Query, unit: Unit) -> float:
        """V: BM25 of the unit's group plus the best P among the group's passages."""
        members = self.members[self.group(unit)]
        document = self.groups.score(query, self.frequencies(members), self.length(members))
        return document + max(self.best(query, member)[1] for member in members)

    @staticmethod
    def shortness(unit: Unit) -> float:
        """x: 1 for a member of a session or a memory of one passage, towards 0 for a long lone document."""
        return 1.0 if unit.session is not None else 1.0 / len(unit.passages)

    def date(self, query: Query, unit: Unit) -> float:
        """T: the query's distinct date terms that are the unit's, at three times their idf among live units."""
        wanted = {slot.date for slot in query.slots if slot.date is not None}
        return DATE * sum(plain_idf(len(self.live), self.dates[term]) for term in sorted(wanted & unit.dates))

    def selection(self, query: Query, unit: Unit) -> float:
        """What the candidates are chosen by: the score as far as it is known without looking into the passage."""
        x, vouch, (_, best) = self.shortness(unit), self.vouch(query, unit), self.best(query, unit)
        return x * (best + GROUP * vouch) + (1.0 - x) * vouch + self.date(query, unit)

    @staticmethod
    def coverage(query: Query, passage: Passage) -> float:
        """Share of the slots found in the passage; a fuzzy one counts with its best alternate's weight."""
        present = Counter(passage.tokens)
        found = sum(max((w for term, w in slot.alternates if present[term]), default=0.0) for slot in query.slots)
        return found / len(query.slots) if query.slots else 0.0

    def bigram(self, query: Query, passage: Passage) -> float:
        """BM25 of the query's adjacent pairs in the passage; a pair's df is the smaller of its words'."""
        total = 0.0
        for first, second in query.bigrams:
            tf = passage.adjacent(first, second)
            if tf:
                df = min(self.passages.frequency[first], self.passages.frequency[second])
                total += plain_idf(self.passages.count, df) * self.passages.saturate(tf, passage.counted)
        return total

    def own(self, query: Query, unit: Unit, role: bool) -> float:
        """The unit's own text: coverage x P when short, D + P when long, plus the bigrams of its best passage."""
        ordinal, best = self.best(query, unit)
        passage, x = unit.passages[ordinal], self.shortness(unit)
        text = x * self.coverage(query, passage) * best + (1.0 - x) * self.vouch(query, unit) + BIGRAM * self.bigram(query, passage)
        return text * USER if role and unit.user else text

    def speaker(self, query: Query, unit: Unit) -> float:
        """A bonus when the query names who said it and the text matches at all."""
        named = any(slot.term in unit.speaker for slot in query.slots if slot.alternates)
        return SPEAKER * self.shortness(unit) if named and self.best(query, unit)[1] > 0.0 else 0.0

    def relevance(self, query: Query, unit: Unit) -> float:
        """Share (0-1) of the query's group idf, unknown words included, that the best passage or the unit's date matches."""
        present = Counter(unit.passages[self.best(query, unit)[0]].tokens)
        wanted = matched = 0.0
        for slot in query.slots:
            idf = self.groups.idf(slot.term)
            weight = max((w for term, w in slot.alternates if present[term]), default=0.0)
            wanted += idf
            matched += idf * (1.0 if slot.date is not None and slot.date in unit.dates else weight)
        return matched / wanted if wanted > 0.0 else 0.0

    def neighbours(self, unit: Unit) -> tuple[Unit | None, Unit | None]:
        """The previous and the next live member of the unit's session."""
        if unit.session is None:
            return None, None
        members = self.members[self.group(unit)]
        at = members.index(unit)
        return (members[at - 1] if at else None), (members[at + 1] if at + 1 < len(members) else None)

    # The whole.

    def candidates(self, query: Query, limit: int = CANDIDATES) -> dict[int, Unit]:
        """The `limit` best allowed units by selection score and their neighbours, by id; neighbours may be units that are not allowed."""
        scored = [(self.selection(query, unit), unit.id, unit) for unit in self.live if unit.allowed]
        top = sorted((entry for entry in scored if entry[0] > 0.0), key=lambda entry: (-entry[0], -entry[1]))[:limit]
        chosen = {unit.id: unit for _, _, unit in top}
        for _, _, unit in top:
            chosen.update((near.id, near) for near in self.neighbours(unit) if near is not None)
        return chosen

    def rank(self, query: Query, role: bool = False, limit: int = CANDIDATES) -> list[Hit]:
        """All allowed candidates, best first; equal scores: the newer (higher id) first. `role` turns the bonus for user messages on."""
        chosen = self.candidates(query, limit)
        own = {id: self.own(query, unit, role) for id, unit in chosen.items()}
        hits = [self.hit(query, unit, own) for unit in chosen.values() if unit.allowed]
        return sorted(hits, key=lambda hit: (-hit.score, -hit.id))

    def hit(self, query: Query, unit: Unit, own: dict[int, float]) -> Hit:
        """Score one candidate; `own` holds the own scores of all candidates, a neighbour outside adds nothing."""
        before, after = self.neighbours(unit)
        ordinal, best = self.best(query, unit)
        parts = {
            "own": own[unit.id],
            "date": self.date(query, unit),
            "group": GROUP * self.shortness(unit) * self.vouch(query, unit),
            "previous": PREVIOUS * own.get(before.id, 0.0) if before else 0.0,
            "next": NEXT * own.get(after.id, 0.0) if after else 0.0,
            "speaker": self.speaker(query, unit),
        }
        return Hit(
            id=unit.id,
            score=sum(parts.values()),
            **parts,
            best=ordinal,
            passage=best,
            coverage=self.coverage(query, unit.passages[ordinal]),
            bigram=BIGRAM * self.bigram(query, unit.passages[ordinal]),
            relevance=self.relevance(query, unit),
            selection=self.selection(query, unit),
        )
