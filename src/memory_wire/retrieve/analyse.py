"""From the text of a question to a rank.Query: its telling words, dates, synonyms, near spellings of unknown words. Used by the pipeline.

A slot is one distinct stem of the query; the terms searched for it are its alternates. Text is never parsed as an operator language.
"""

from __future__ import annotations

from math import exp, log

from memory_wire.config import QUERY_TERMS
from memory_wire.kernels import rank, text
from memory_wire.retrieve import when

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.kernels.postings import Parts

    Synonyms = dict[str, tuple[list[str], float]]
    Alternate = tuple[bytes, float, float]

CONSIDERED = 512  # distinct words of a query looked at when there are more than it may have
BACKGROUND = 300.0  # as in the kernel's idf
FUZZY_WORDS = 3
FUZZY_WEIGHT = 0.8
FUZZY_CHARS = 4
ALTERNATES = 16  # per slot

# Scripts without spaces between words: what they are searched by are pairs of graphemes, which have no spelling to be near to.
SPACELESS = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1100, 0x11FF),  # Hangul
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x9FFF),  # Han, kana
    (0xA960, 0xA97F),
    (0xAC00, 0xD7FF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)


class Slot:
    """One distinct stem: the first word that had it, how often it occurs, its date term if any, whether it searches text."""

    __slots__ = ("count", "date", "searched", "word")

    def __init__(self, word: str) -> None:
        self.word = word
        self.count = 0
        self.date: bytes | None = None
        self.searched = False


def query(asked: str, language: int, synonyms: Synonyms, parts: Parts) -> rank.Query:
    """The query as the kernel ranks it; `truncated` names the words left out because there were more than QUERY_TERMS.

    Synonyms: {word: (texts searched as well, weight)}. Raises ValueError for a lone surrogate, Corrupt.
    """
    words, terms = text.words(asked), text.terms(asked, language)
    dates = when.dates(asked, words)
    extra = {text.fold(trigger): rest for trigger, rest in synonyms.items()} if synonyms else synonyms
    kept = [at for at, (word, _, _) in enumerate(words) if not text.is_stop(word) or word in extra]
    if not kept:
        kept = list(range(len(words)))
    slots, run = slots_of(words, terms, kept, dates)
    dropped: tuple[str, ...] = ()
    if len(slots) > QUERY_TERMS:
        slots, dropped = most_telling(slots, language, parts)
    return rank.Query(
        rows(slots, language, extra, parts), pairs(slots, run), words=tuple([slot.word for slot in slots.values()]), truncated=dropped
    )


def slots_of(words: list[when.Word], terms: list[bytes], kept: list[int], dates: dict[int, bytes]) -> tuple[dict[bytes, Slot], list[bytes]]:
    """The slots by stem in order of first occurrence, and the stems of the kept words in order. Other date words search no text."""
    slots: dict[bytes, Slot] = {}
    for at in kept if not dates else sorted({*kept, *dates}):
        slot = slots.get(terms[at])
        if slot is None:
            slot = slots[terms[at]] = Slot(words[at][0])
        slot.count += 1
        if at in dates and slot.date is None:
            slot.date = dates[at]
    run = [terms[at] for at in kept]
    for term in run:
        slots[term].searched = True
    return slots, run


def pairs(slots: dict[bytes, Slot], run: list[bytes]) -> list[tuple[int, int]]:
    """Distinct pairs of neighbours among the kept words, by slot number."""
    number = {term: i for i, term in enumerate(slots)}
    distinct = dict.fromkeys(zip(run, run[1:]))  # noqa: B905, RUF007 (itertools is not worth an import here)
    return [(number[first], number[second]) for first, second in distinct if first in number and second in number]


def rows(slots: dict[bytes, Slot], language: int, synonyms: Synonyms, parts: Parts) -> list[rank.Slot]:
    """The slots as the kernel takes them. A word that no live memory has stands for the nearest spellings the bank knows."""
    known = dict(zip(slots, rank.present(parts, list(slots)), strict=True))
    found: list[rank.Slot] = []
    guesses = 0
    for term, slot in slots.items():
        own = prior(term, language)
        alternates: list[Alternate] = [(term, 1.0, own)] if slot.searched else []
        if slot.word in synonyms:
            alternates += likewise(slot.word, term, language, synonyms)
        elif slot.searched and not known[term] and guesses < FUZZY_WORDS and slot.date is None and has_spelling(term):
            guesses += 1
            near = rank.fuzzy(parts, term)
            alternates = [(key, FUZZY_WEIGHT * dice, prior(key, language)) for key, dice in near] or alternates
        found.append((term, slot.count, own, slot.date, alternates))
    return found


def likewise(word: str, term: bytes, language: int, synonyms: Synonyms) -> list[Alternate]:
    """What a configured synonym adds to a word: the terms of its texts; those of a text of several words share its weight."""
    texts, weight = synonyms[word]
    found: dict[bytes, Alternate] = {}
    for other in texts:
        terms = [key for key, (spelt, _, _) in zip(text.terms(other, language), text.words(other), strict=True) if not text.is_stop(spelt)]
        for key in terms:
            if key != term and key not in found:
                found[key] = (key, weight / len(terms), prior(key, language))
    return list(found.values())[: ALTERNATES - 1]


def has_spelling(term: bytes) -> bool:
    """May a word be meant for another? Letters only, not too short, of a script that spells."""
    word = term.decode()
    if len(word) < FUZZY_CHARS or not word[0].isalpha():
        return False
    return (word.isascii() and word.isalpha()) or not any(letter.isnumeric() or is_spaceless(ord(letter)) for letter in word)


def is_spaceless(point: int) -> bool:
    return any(first <= point <= last for first, last in SPACELESS)


def prior(term: bytes, language: int) -> float:
    """Frequency in general English; other languages start without."""
    return text.prior(term) if language == 1 else 0.0


def most_telling(slots: dict[bytes, Slot], language: int, parts: Parts) -> tuple[dict[bytes, Slot], tuple[str, ...]]:
    """The QUERY_TERMS slots with the highest idf, in their order, and the words of the others. Words the bank has not come last."""
    looked = list(slots)[:CONSIDERED]
    counts = rank.known(parts, looked)
    passages = parts.n_passages
    average = parts.n_tokens / passages if parts.n_tokens and passages else 1.0

    def weight(at: int) -> tuple[bool, float]:
        expected = BACKGROUND * (1.0 - exp(-prior(looked[at], language) * average))
        df = counts[at] + expected
        return counts[at] > 0, log(1.0 + (passages + BACKGROUND - df + 0.5) / (df + 0.5))

    best = sorted(range(len(looked)), key=weight, reverse=True)[:QUERY_TERMS]  # stable: equal ones in their order
    chosen = {looked[at] for at in best}
    return (
        {term: slot for term, slot in slots.items() if term in chosen},
        tuple([slot.word for term, slot in slots.items() if term not in chosen]),
    )
