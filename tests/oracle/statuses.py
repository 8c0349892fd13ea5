"""What statuses of records are, said slowly: every question looks at everything. For tests; shares no code with the product.

A bank is a list of facts in the order of writing. Names stand for ids.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field


@dataclass
class Fact:
    name: str
    content: str
    fact_key: str | None = None
    source: str | None = None
    hash: str | None = None
    derived: list[str] = field(default_factory=list)
    forgotten: bool = False


@dataclass
class Bank:
    facts: list[Fact] = field(default_factory=list)
    heads: dict[str, str] = field(default_factory=dict)

    def fact(self, name: str) -> Fact:
        return next(fact for fact in self.facts if fact.name == name)

    def remember(self, fact: Fact) -> None:
        self.facts.append(fact)
        if fact.source is not None and fact.hash is not None:
            self.heads[fact.source] = fact.hash

    def forget(self, name: str) -> None:
        self.fact(name).forgotten = True

    def live(self) -> list[Fact]:
        return [fact for fact in self.facts if not fact.forgotten]

    def group(self, fact: Fact) -> list[Fact]:
        """The live facts of the same key, the newest first."""
        if fact.fact_key is None:
            return []
        return [other for other in reversed(self.live()) if other.fact_key is not None and key(other.fact_key) == key(fact.fact_key)]

    def conflicts(self, fact: Fact) -> list[str]:
        return [other.name for other in self.group(fact) if said(other.content) != said(fact.content)]

    def also(self, fact: Fact) -> list[str]:
        return [other.name for other in self.group(fact) if said(other.content) == said(fact.content) and other is not fact]

    def is_stale(self, fact: Fact, compared: dict[str, str]) -> bool:
        if any(self.fact(source).forgotten for source in fact.derived):
            return True
        if fact.source is None or fact.hash is None:
            return False
        now = {**self.heads, **compared}.get(fact.source)
        return now is not None and not same(now, fact.hash)

    def ancestors(self, fact: Fact) -> list[Fact]:
        """The live facts that it comes from, through live facts, to any depth."""
        found: list[Fact] = []
        for name in fact.derived:
            source = self.fact(name)
            if not source.forgotten and source not in found:
                found.append(source)
                found += [other for other in self.ancestors(source) if other not in found]
        return found

    def statuses(self, fact: Fact, compared: dict[str, str] | None = None) -> list[str]:
        """The worst first."""
        all_of = [fact, *self.ancestors(fact)]
        held = []
        if any(self.conflicts(one) for one in all_of):
            held.append("conflict")
        if any(self.is_stale(one, compared or {}) for one in all_of):
            held.append("stale")
        return held or ["unverified"]

    def inherited_from(self, fact: Fact) -> list[str]:
        return [name for name in fact.derived if self.fact(name).forgotten or self.statuses(self.fact(name)) != ["unverified"]]


def key(raw: str) -> str:
    return re.sub(r"[\s_]+", "-", unicodedata.normalize("NFC", raw).casefold().strip())


def said(content: str) -> str:
    return re.sub(r"\s+", " ", unicodedata.normalize("NFC", content)).strip()


def same(one: str, other: str) -> bool:
    """Hashes are the same but for the case of hex digits, and for an algorithm that only one names."""
    first, second = one.partition(":"), other.partition(":")
    names = {part[0].lower() for part in (first, second) if part[1]}
    values = {part[2] if part[1] else part[0] for part in (first, second)}
    if all(re.fullmatch(r"[0-9a-fA-F]+", value) for value in values):
        values = {value.lower() for value in values}
    return len(values) == 1 and len(names) < 2
