"""The bench's beliefs as records of the product, and what of them a question brings back, tier by tier.

A user is a workspace; a belief's name is the first of its aliases; scope, kind and pin are the fields of those names; what was replaced is
superseded; what was resolved is forgotten; a relation is derived from what it relates. Why a belief matters is kept nowhere. Every tier is
read from the product: the relevant one by `search`, with what a relation found there is derived from, the others from the records.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from memory_wire import Memory
from memory_wire import types as t
from memory_wire.errors import UnknownRecord

Belief = dict[str, Any]

UNIVERSAL = "user:universal"
QUESTION = "open_question"
LIMIT = 20  # of the relevant tier, where a case sets no other


class Tiers:
    """What one case gets: ids of beliefs, and the text that every conversation starts with."""

    def __init__(self) -> None:
        self.pinned: list[str] = []
        self.relevant: list[str] = []
        self.questions: list[str] = []
        self.prelude = ""


class Store:
    """A store with the beliefs of a file in it. `how` are further fields of the search."""

    def __init__(self, memory: Memory, beliefs: list[Belief], how: dict[str, object]) -> None:
        self.memory, self.how = memory, how
        self.beliefs = {belief["_id"]: belief for belief in beliefs}
        self.ids: dict[str, str] = {}  # of records, by belief
        self.names: dict[str, str] = {}  # of beliefs, by record
        for name in self.beliefs:
            self.remember(name)
        for name, belief in self.beliefs.items():
            if belief["resolved_at"]:
                memory.forget_record(self.ids[name], bank=belief["user_id"])

    def learn(self, belief: Belief) -> None:
        """One more belief."""
        self.beliefs[belief["_id"]] = belief
        self.remember(belief["_id"])

    def rename(self, name: str, aliases: list[str]) -> None:
        """More aliases of a belief: records don't change, so that it is remembered anew in the former one's place."""
        belief = self.beliefs[name] = {**self.beliefs[name]}
        belief["aliases"] = [*belief["aliases"], *aliases]
        self.remember(name, self.ids.pop(name))

    def remember(self, name: str, before: str | None = None) -> None:
        """Stores a belief, after the one that it replaces (or the record `before`) and those that it relates."""
        if name in self.ids:
            return
        belief = self.beliefs[name]
        former = next((other for other, found in self.beliefs.items() if found["superseded_by"] == name), None)
        related = belief.get("participants", [])
        for other in [*related, *([former] if former is not None else [])]:
            self.remember(other)
        id = self.memory.remember(
            belief["content"],
            bank=belief["user_id"],
            aliases=[belief["canonical_name"].replace("_", " "), *belief["aliases"]],
            scope=belief["scope"][0],
            kind=belief["type"],
            pinned=belief["pinned"],
            confidence=belief["confidence"],
            supersedes=self.ids[former] if former is not None else before,
            derived_from=[self.ids[other] for other in related] or None,
        ).id
        self.ids[name], self.names[id] = id, name

    def live(self, user: str) -> dict[str, t.RecordDetail]:
        """The user's records that count now, by belief, in the order they were stored."""
        found = {}
        for name, id in self.ids.items():
            if self.beliefs[name]["user_id"] == user:
                try:
                    found[name] = self.memory.get_record(id, bank=user)
                except UnknownRecord:
                    continue
        return {name: record for name, record in found.items() if not record.superseded_by}

    def search(self, user: str, query: str, scopes: list[str]) -> list[t.RecordHit]:
        """What a search in each scope finds, the ranks of all scopes in turn."""
        if not query.strip():
            return []
        lists = [self.memory.search(query, bank=user, scope=scope, limit=LIMIT, **self.how).results for scope in scopes]
        most = max(map(len, lists), default=0)
        return [found[rank] for rank in range(most) for found in lists if rank < len(found)]

    def tiers(self, user: str, query: str, scopes: list[str], most: int) -> Tiers:
        """Everything that a case gets; at most so many beliefs, pinned ones first."""
        tiers, live = Tiers(), self.live(user)
        here = {name: record for name, record in live.items() if record.scope in scopes}
        pins = [name for name, record in here.items() if record.pinned]
        tiers.questions = [name for name in pins if here[name].kind == QUESTION]
        tiers.pinned = [name for name in pins if here[name].kind != QUESTION][:most]
        tiers.prelude = " ".join(record.content for record in live.values() if record.scope == UNIVERSAL and record.pinned)
        hits = self.search(user, query, scopes)
        found = {self.names[hit.id]: hit.kind for hit in hits}
        related = [self.names[id] for hit in hits for id in hit.derived_from]
        found |= {name: here[name].kind for name in related if name in here and name not in found}
        fitting = [name for name, kind in found.items() if name not in pins and kind != QUESTION]
        tiers.relevant = fitting[: max(0, most - len(tiers.pinned))]
        return tiers


def read(folder: Path, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / name).read_text(encoding="utf-8"))
    return found
