"""Oracle of the vocabulary match: which index terms a word that the bank does not know may stand for."""

from __future__ import annotations

from collections.abc import Iterable

DICE = 0.45
BEST = 3
WEIGHT = 0.8


def trigrams(term: bytes) -> set[str]:
    """The distinct three-character windows of the term with one sentinel on each side."""
    padded = f"\0{term.decode()}\0"
    return {padded[i : i + 3] for i in range(len(padded) - 2)}


def alternates(term: bytes, vocabulary: Iterable[bytes], best: int = BEST) -> tuple[tuple[bytes, float], ...]:
    """Index terms an unknown word may stand for, with weights: the best three by Dice over trigrams, then by bytes."""
    wanted = trigrams(term)
    scored = []
    for known in vocabulary:
        grams = trigrams(known)
        dice = 2.0 * len(wanted & grams) / (len(wanted) + len(grams))
        if dice >= DICE:
            scored.append((-dice, known))
    return tuple((known, WEIGHT * -dice) for dice, known in sorted(scored)[:best])
