"""The telling words of a long text: rare and informative by the idf of the bank that will be searched. Used for prompts."""

from __future__ import annotations

from math import exp, log

from memory_wire.kernels import rank, text
from memory_wire.retrieve.analyse import BACKGROUND, CONSIDERED, prior

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.kernels.postings import Parts

LEAST = 2  # characters of a word
NOISE_DIGITS = 6  # a word with so many digits is a hash, an address or a time stamp


def telling(parts: Parts, asked: str, language: int, limit: int) -> list[str]:
    """At most `limit` words of the text in its order, those of the highest idf: what the text repeats counts a little more.

    Stop words, single letters and machine noise are left out; so are repeats.
    """
    found: dict[bytes, tuple[str, int]] = {}
    for (word, _, _), term in zip(text.words(asked), text.terms(asked, language), strict=True):
        if text.is_stop(word) or len(word) < LEAST or is_noise(word):
            continue
        seen = found.get(term)
        if seen is not None:
            found[term] = (seen[0], seen[1] + 1)
        elif len(found) < CONSIDERED:
            found[term] = (word, 1)
    keys = list(found)
    rarity = idf(parts, keys, language)
    best = sorted(sorted(range(len(keys)), key=lambda at: rarity[at] * (1.0 + log(found[keys[at]][1])), reverse=True)[:limit])
    return [found[keys[at]][0] for at in best]


def idf(parts: Parts, terms: list[bytes], language: int) -> list[float]:
    """How rare each term is among the bank's passages, as the ranking weighs it: with a background of ordinary text."""
    counts = rank.known(parts, terms)
    passages = parts.n_passages
    average = parts.n_tokens / passages if parts.n_tokens and passages else 1.0
    found = []
    for term, count in zip(terms, counts, strict=True):
        df = count + BACKGROUND * (1.0 - exp(-prior(term, language) * average))
        found.append(log(1.0 + (passages + BACKGROUND - df + 0.5) / (df + 0.5)))
    return found


def is_noise(word: str) -> bool:
    return sum(letter.isdigit() for letter in word) >= NOISE_DIGITS
