"""Concepts, relations, citations and likenesses of documents the slow way: plain loops over what each document says by itself."""

from __future__ import annotations

from collections import Counter
from math import log, sqrt
from typing import NamedTuple

from memory_wire.hub.gist import Gist

FEW, SHARED, CROWD, LONE, WORD = 3, 10, 8, 1.0, 0.3  # LONE of small hubs
TYPES = ("concept", "entity", "tag")


class Document(NamedTuple):
    """A document by its name, with what it says of itself."""

    name: str
    gist: Gist


def concepts(documents: list[Document]) -> list[tuple[str, str, float, list[str]]]:
    """(label, type, weight, documents with the heaviest evidence first) in order."""
    plain = Counter(stem for document in documents for stem, _, _ in document.gist.words)
    keys = {own.key for document in documents for own in document.gist.concepts}
    common = {stem for stem, count in plain.items() if count > max(FEW, len(documents) // SHARED)}
    keys |= {stem for stem, count in plain.items() if stem not in common and count > 1}
    found = []
    for key in keys:
        evidence, forms, types = [], Counter[str](), Counter[int]()
        for place, document in enumerate(documents):
            for own in document.gist.concepts:
                if own.key == key:
                    evidence.append((-own.weight, place))
                    forms[own.label] += round(own.weight * 100)
                    types[own.type] += round(own.weight * 100)
            for stem, word, _ in document.gist.words:
                if stem == key and key not in common:
                    evidence.append((-WORD, place))
                    forms[word] += round(WORD * 100)
        weight = round(-sum(weight for weight, _ in evidence), 2)
        if len(evidence) < 2 and weight < LONE:
            continue
        if len(evidence) > (len(documents) // 2 if len(documents) >= CROWD else len(documents)):
            weight = round(weight * 100) // 2 / 100
        label = sorted(forms, key=lambda form: (-forms[form], form))[0]
        kind = 2 if types[2] else max((0, 1), key=lambda type: (types[type], -type))
        found.append((label, TYPES[kind], weight, [documents[place].name for _, place in sorted(evidence)]))
    return sorted(found, key=lambda row: (-row[2], row[0]))


def together(documents: list[Document], labels: dict[str, str], told: set[str]) -> dict[tuple[str, str], int]:
    """In how many chunks two concepts stand, at most three of one document and among its eight heaviest; `labels` are the hub's, by key."""
    found = Counter[tuple[str, str]]()
    plain = Counter(stem for document in documents for stem, _, _ in document.gist.words)
    common = {stem for stem, count in plain.items() if count > max(FEW, len(documents) // SHARED)}
    for document in documents:
        every = [(own.key, own.chunks) for own in document.gist.concepts]
        every += [(stem, at) for stem, _, at in document.gist.words if stem not in common]
        where = {key: set(at) for key, at in [row for row in every if row[0] in labels][:8]}
        for one, mine in where.items():
            for other, theirs in where.items():
                if labels[one] < labels[other] and {labels[one], labels[other]} <= told:
                    found[labels[one], labels[other]] += min(3, len(mine & theirs))
    return {pair: count for pair, count in found.items() if count}


def alike(documents: list[Document]) -> dict[tuple[str, str], float]:
    """The cosine of two documents over the concepts and words that few documents have."""
    holders = Counter(key for document in documents for key in keys_of(document))
    crowd = len(documents) // 2 if len(documents) >= CROWD else len(documents)
    rare = {key for key, count in holders.items() if 1 < count <= min(crowd, max(20, len(documents) // 5))}
    vectors = {}
    for document in documents:
        weights = {own.key: own.weight for own in document.gist.concepts} | {stem: 0.5 for stem, _, _ in document.gist.words}
        vectors[document.name] = {key: weights[key] * log(1 + len(documents) / holders[key]) for key in weights if key in rare}
    found = {}
    for one, mine in vectors.items():
        for other, theirs in vectors.items():
            lengths = sqrt(sum(value * value for value in mine.values())) * sqrt(sum(value * value for value in theirs.values()))
            if one < other and lengths:
                found[one, other] = sum(mine[key] * theirs[key] for key in mine.keys() & theirs.keys()) / lengths
    return found


def keys_of(document: Document) -> list[str]:
    return [own.key for own in document.gist.concepts] + [stem for stem, _, _ in document.gist.words]


def shingles(text: str, size: int = 4) -> set[tuple[str, ...]]:
    """The runs of so many words in a text of plain words."""
    words = text.lower().split()
    return {tuple(words[at : at + size]) for at in range(max(1, len(words) - size + 1))}
