"""How near bundles are to a question: a bundle is its title, its description and the titles of the members that everybody may see.

A hub has few of them, so they are scored one by one: BM25 with k1 1.2 and b 0.75 over the bundles of the public projection, or cosine.
"""

from __future__ import annotations

from math import log

from memory_wire.kernels import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_wire.service.near import Question
    from memory_wire.service.projection import Public
    from memory_wire.service.service import Service

K1, B = 1.2, 0.75


def scores(question: str, texts: Sequence[str], language: int) -> list[float]:
    """A score for each text; 0 for one without any of the question's words."""
    asked = words(question, language, True) or words(question, language, False)
    bags = [counted(words(one, language, False)) for one in texts]
    lengths = [sum(bag.values()) for bag in bags]
    average = sum(lengths) / len(lengths) if lengths else 0.0
    found = [0.0] * len(texts)
    for term in sorted(set(asked)):
        holding = sum(term in bag for bag in bags)
        weight = log(1 + (len(bags) - holding + 0.5) / (holding + 0.5))
        for at, bag in enumerate(bags):
            if tf := bag.get(term, 0):
                found[at] += weight * tf * (K1 + 1) / (tf + K1 * (1 - B + B * lengths[at] / average))
    return found


def words(given: str, language: int, telling: bool) -> list[bytes]:
    """The stems of a text; `telling`: without those of words that say nothing."""
    stems, spelt = text.terms(given, language), text.words(given)
    return [stem for stem, (word, _, _) in zip(stems, spelt, strict=True) if not telling or not text.is_stop(word)]


def counted(terms: Sequence[bytes]) -> dict[bytes, int]:
    found: dict[bytes, int] = {}
    for term in terms:
        found[term] = found.get(term, 0) + 1
    return found


def nearest(service: Service, place: Public, question: Question, texts: Sequence[str]) -> list[float] | None:
    """The cosine of each text, or None when one of them has no vector of the question's model."""
    from memory_wire.service import doc_vectors, models

    model = models.of(service.settings_of(place.bank, place.reader), "embedder")
    return doc_vectors.cosines(place.reader, model, question, texts) if model is not None else None
