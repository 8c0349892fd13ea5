"""Runs a set through the public API: one embedded store, one bank per group, questions asked verbatim."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.quality.datasets import Bank, Question
from bench.quality.metrics import mean, score
from memory_wire import Memory
from memory_wire.config import BATCH_ITEMS

UNLIMITED = 10**12


class Loaded:
    """A bank in the store: `key` maps memory ids back to the names that gold uses."""

    def __init__(self, store: Memory, bank: Bank) -> None:
        self.store, self.bank = store, bank
        self.key: dict[str, str] = {}
        self.alias: dict[str, str] = {}
        for at in range(0, len(bank.memories), BATCH_ITEMS):
            chunk = bank.memories[at : at + BATCH_ITEMS]
            items = [{name: value for name, value in vars(m).items() if name != "key" and value not in (None, [])} for m in chunk]
            answer = store.retain_batch(items, bank=bank.name)
            for memory, result in zip(chunk, answer.results, strict=True):
                self.alias[memory.key] = self.key.setdefault(result.id, memory.key)

    def gold(self, question: Question) -> set[str]:
        """Gold names; memories that dedup made one are one."""
        return {self.alias.get(key, key) for key in question.gold}

    def ranked(self, question: Question) -> list[str]:
        """Names in rank order, nothing trimmed."""
        return [self.key[hit.id] for hit in self.store.recall(question.text, bank=self.bank.name, budget=UNLIMITED)]


@contextmanager
def loaded(banks: list[Bank]) -> Iterator[list[Loaded]]:
    """The banks in a scratch store."""
    with tempfile.TemporaryDirectory() as folder, Memory(str(Path(folder) / "memory.db"), sync="normal") as store:
        yield [Loaded(store, bank) for bank in banks]


def measure(banks: list[Loaded], match: Callable[[Question], bool] = lambda question: True) -> tuple[float, ...]:
    """Mean metrics over the questions that have gold."""
    return mean(score(bank.ranked(q), bank.gold(q)) for bank in banks for q in bank.bank.questions if q.gold and match(q))


def with_fusion(banks: list[Loaded], fusion: str) -> None:
    """Sets the ranking of every bank."""
    for bank in banks:
        bank.store.put_config({"fusion": fusion}, bank=bank.bank.name)


def served(banks: list[Loaded]) -> Counter[str]:
    """At the default budget: is the first gold memory served whole, cut, or not at all."""
    found: Counter[str] = Counter()
    for bank in banks:
        contents = {memory.key: memory.content for memory in bank.bank.memories}
        for question in bank.bank.questions:
            gold = bank.gold(question)
            if not gold:
                continue
            hits = [hit for hit in bank.store.recall(question.text, bank=bank.bank.name) if bank.key[hit.id] in gold]
            whole = any(len(hit.content) == len(contents[bank.key[hit.id]]) for hit in hits)
            found["whole" if whole else "cut" if hits else "absent"] += 1
    return found


def top_relevance(banks: list[Loaded], positive: bool) -> list[float]:
    """Relevance of the best hit for each question with (or without) gold; 0 when nothing came back."""
    values = []
    for bank in banks:
        for question in bank.bank.questions:
            if bool(question.gold) == positive:
                hits = bank.store.recall(question.text, bank=bank.bank.name, k=1)
                values.append(hits[0].relevance if hits else 0.0)
    return values
