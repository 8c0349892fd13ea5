"""What of ranked rows may be served: records the caller may see, in the scope asked for, each fact said once. Loaded with the first record.

Used by recall, search and injection between the ranking and the answer, so that what is left out makes room for the next.
"""

from __future__ import annotations

from msgspec import json

from memory_wire.kernels.text import is_stop, terms, words
from memory_wire.service import statuses
from memory_wire.service.answers import Answers
from memory_wire.store.rows import RECORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_wire.retrieve.pipeline import Served
    from memory_wire.service.statuses import Hashes, Standing
    from memory_wire.store.records import Records, Sight
    from memory_wire.store.rows import Bank, Found

    Rows = dict[int, Found]


def says(asked: set[bytes], aliases: list[str]) -> bool:
    """Whether all words of one of the aliases are among those asked for."""
    return any(words and asked.issuperset(words) for words in (terms(alias) for alias in aliases))


def calls(heard: dict[bytes, str], aliases: list[str]) -> bool:
    """As `says`, of telling words, and a near spelling counts that is one slip from the alias's word: near by trigrams are others, too."""
    for alias in aliases:
        spelt = [(term, word) for term, (word, _, _) in zip(terms(alias), words(alias), strict=True)]
        telling = [pair for pair in spelt if not is_stop(pair[1])] or spelt
        if telling and all(term in heard and (not heard[term] or slip(heard[term], word)) for term, word in telling):
            return True
    return False


def slip(one: str, other: str) -> bool:
    """Whether two words differ by a letter that is missing, too many, another one or swapped with its neighbour."""
    most = min(len(one), len(other))
    start = next((at for at in range(most) if one[at] != other[at]), most)
    end = next((at for at in range(most - start) if one[-1 - at] != other[-1 - at]), most - start)
    here, there = one[start : len(one) - end], other[start : len(other) - end]
    return max(len(here), len(there)) <= 1 or (len(here) == 2 and here == there[::-1])


class Sieve:
    """The rules of one call. `only`: nothing but records; `scope` and `kind` narrow them; `heard` are the terms that the search takes the
    query for, and of records only those that it names may be served; `current`: none that others supersede. `standings` has what was looked
    at.
    """

    def __init__(
        self,
        records: Records,
        bank: Bank,
        sight: Sight,
        hashes: Hashes,
        fresh: bool,
        only: bool = False,
        scope: str | None = None,
        kind: str | None = None,
        query: str = "",
        heard: dict[bytes, str] | None = None,
        current: bool = False,
    ) -> None:
        self.records, self.bank, self.sight, self.hashes = records, bank, sight, hashes
        self.fresh, self.only, self.scope, self.kind, self.query = fresh, only, scope, kind, query
        self.heard, self.current = heard, current
        self.standings: dict[int, Standing] = {}
        self.taken: dict[tuple[object, object], int] = {}  # what a fact key says -> the record that says it

    def __call__(self, found: Rows) -> Rows:
        """The rows that may be served."""
        ids = [id for id, unit in found.items() if unit.kind == RECORD]
        if ids:
            self.standings.update(statuses.standings(self.records, self.bank, self.sight, ids, self.hashes))
            ids = self.fitting([id for id in ids if id in self.standings])
            if self.fresh:
                ids = [id for id in ids if not self.standings[id].flags & statuses.STALE]
            if self.current:
                former = self.records.superseded(ids, self.sight)
                ids = [id for id in ids if id not in former]
        kept = set(self.once(ids))
        return {id: unit for id, unit in found.items() if id in kept or (unit.kind != RECORD and not self.only)}

    def fitting(self, ids: Sequence[int]) -> list[int]:
        """The records of the scope and kind that are asked for, and of the names."""
        if self.scope is None and self.kind is None and self.heard is None:
            return list(ids)
        rows = self.records.rows(ids)
        ids = [id for id in ids if self.scope in (None, rows[id].scope) and self.kind in (None, rows[id].kind)]
        if self.heard is None:
            return ids
        heard = {**self.heard, **dict.fromkeys(terms(self.query), "")}
        return [id for id in ids if (aliases := rows[id].aliases) and calls(heard, json.decode(aliases))]

    def once(self, ids: list[int]) -> list[int]:
        """Of the records that say the same under the same fact key the newest; one that was served already stays the one."""
        kept = []
        for id in sorted(ids, reverse=True):
            standing = self.standings[id]
            if not standing.peers or self.taken.setdefault((standing.peers[0][0], standing.sameness), id) == id:
                kept.append(id)
        return kept

    def sorted(self, served: list[Served]) -> list[Served]:
        """The hits, named ones first; those of one fact key, and those that supersede one another, newest first in the places they have."""
        records = [one.unit.id for one in served if one.unit.id in self.standings]
        if len(served) < 2 or not records:
            return served
        served = self.named(served, records)
        family = {id: self.standings[id].peers[0][0] if self.standings[id].peers else id for id in records}
        for older, newer in self.records.superseded(records, self.sight).items():
            if newer in family:
                family = {id: family[newer] if name == family[older] else name for id, name in family.items()}
        places: dict[int, list[int]] = {}
        for place, one in enumerate(served):
            if one.unit.id in family:
                places.setdefault(family[one.unit.id], []).append(place)
        result = list(served)
        for group in places.values():
            newest = sorted([served[place] for place in group], key=lambda one: (one.unit.created, one.unit.id), reverse=True)
            for place, one in zip(group, newest, strict=True):
                result[place] = one
        return result

    def named(self, served: list[Served], records: list[int]) -> list[Served]:
        """The hits, those first of which the query says an alias whole, unless another one matches more of the query."""
        asked = set(terms(self.query))
        found = {id for id, row in self.records.rows(records).items() if row.aliases and says(asked, json.decode(row.aliases))}
        most = max(one.relevance for one in served)
        return sorted(served, key=lambda one: one.unit.id not in found or one.relevance < most)  # stable: by score otherwise

    def answers(self, served: Sequence[Served]) -> Answers:
        """What is told of the records among the hits."""
        ids = [one.unit.id for one in served if one.unit.id in self.standings]
        return Answers(self.records, self.bank, self.sight, ids, self.hashes, self.standings)
