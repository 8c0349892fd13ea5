"""Which concepts stand together: in the same chunks, or in documents that link to each other. Used by concepts.py.

Concepts are numbers here, the heaviest 0; where a relation was seen is a document's place, below -WIDTH for each time it was seen there.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WIDTH = 1 << 32  # more than there are documents
RELATED = 100  # heaviest concepts that relations are looked for among
HERE = 8  # of them, of one document, the heaviest
RELATIONS = 400
PER_DOCUMENT = 3  # chunks of one document that count
TOGETHER, LINKED = "occurs with", "links to"


class Ties:
    """Relations while documents are gathered."""

    __slots__ = ("_heaviest", "_together")

    def __init__(self) -> None:
        self._together: dict[int, list[int]] = {}  # RELATED * source + target -> where seen
        self._heaviest: dict[int, tuple[int, int]] = {}  # document -> (its heaviest concept, its place)

    def take(self, document: int, place: int, concepts: list[tuple[int, int]]) -> None:
        """Takes a document's concepts with their chunks, a bit each, the heaviest of the document first."""
        here = [one for one in concepts if one[0] < RELATED][:HERE]
        if not here:
            return
        self._heaviest[document] = (here[0][0], place)
        here.sort()
        together = self._together
        for at, (one, chunks) in enumerate(here):
            for other, others in here[at + 1 :]:
                common = chunks & others
                if common:
                    seen = place - min(common.bit_count(), PER_DOCUMENT) * WIDTH
                    pair = RELATED * one + other
                    if pair in together:
                        together[pair].append(seen)
                    else:
                        together[pair] = [seen]

    def told(self, labels: Mapping[int, str], links: Sequence[tuple[int, int]]) -> list[tuple[str, str, str, int, list[int]]]:
        """(source, target, label, weight, places of documents) of the heaviest relations between concepts that have labels, in order.

        One without direction begins with the first by the alphabet. `links` are (document, document it points at).
        """
        linked: dict[int, list[int]] = {}
        for source, target in links:
            one, other = self._heaviest.get(source), self._heaviest.get(target)
            if one is not None and other is not None and one[0] != other[0]:
                linked.setdefault(RELATED * one[0] + other[0], []).append(one[1] - WIDTH)
        found = []
        for relations, kind in ((self._together, TOGETHER), (linked, LINKED)):
            for pair, seen in relations.items():
                first, second = labels.get(pair // RELATED), labels.get(pair % RELATED)
                if first is not None and second is not None:
                    if kind is TOGETHER and second < first:
                        first, second = second, first
                    found.append((sum(place // WIDTH for place in seen), first, second, kind, seen))
        found.sort(key=lambda row: row[:4])
        return [
            (source, target, kind, -weight, [place % WIDTH for place in sorted(set(seen))])
            for weight, source, target, kind, seen in found[:RELATIONS]
        ]
