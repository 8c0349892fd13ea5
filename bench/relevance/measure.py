"""Runs the battery through the public API and measures it. Deterministic but for the latency."""

from __future__ import annotations

import random
import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from bench.quality import datasets
from bench.quality.runs import Loaded, loaded
from bench.relevance.battery import Prompt, memories, prompts
from memory_wire import Memory
from memory_wire import types as t

BANK = "atlas"
LIMITS = {
    "gold": 0.90,  # at least
    "junk": 0.10,  # at most
    "continue": 1_450,
    "start": 2_265,
    "capsules": 0.41,  # at least
}


class Case(msgspec.Struct):
    """What one prompt brought: names of memories in order, bytes as they are and as capsules."""

    prompt: Prompt
    found: list[str]
    bytes: int
    capsule_bytes: int
    same: bool

    def right(self) -> bool:
        return bool(set(self.found) & set(self.prompt.gold)) if self.prompt.gold else not self.found


class Figures(msgspec.Struct):
    cases: list[Case]
    heldout: list[Case]
    continue_bytes: int
    start_bytes: int
    start_bare: int

    def share(self, gold: bool) -> float:
        """Share of the prompts with gold that got it, or of those without that got something."""
        chosen = [case.right() == gold for case in self.cases if bool(case.prompt.gold) == gold]
        return sum(chosen) / len(chosen)

    def saved(self) -> float:
        """Share of the bytes that capsules save."""
        return 1 - sum(case.capsule_bytes for case in self.cases) / sum(case.bytes for case in self.cases)

    def misses(self) -> list[str]:
        """What doesn't hold."""
        rows = (
            ("gold injected", self.share(True), LIMITS["gold"], inf),
            ("junk injected", self.share(False), -inf, LIMITS["junk"]),
            ("bytes of a bare Continue", self.continue_bytes, -inf, LIMITS["continue"]),
            ("bytes of a session's start", self.start_bytes, -inf, LIMITS["start"]),
            ("bytes saved by capsules", self.saved(), LIMITS["capsules"], inf),
        )
        found = [f"{name}: {value:.4g}" for name, value, least, most in rows if not least <= value <= most]
        return found + [f"capsules change what is injected: {case.prompt.id}" for case in self.cases if not case.same]


class Battery:
    """The battery's bank in a scratch store."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.rows = memories()
        items = [t.Retain(content=row.text, created_at=row.date, tags=[row.style]) for row in self.rows]
        results = memory.retain_batch(items, bank=BANK).results
        self.key = {result.id: row.key for result, row in zip(results, self.rows, strict=True) if isinstance(result, t.Retained)}

    def inject(self, event: str = "prompt", **more: str | None) -> t.Injected:
        return self.memory.inject(t.Inject(event=event, **more), bank=BANK)  # type: ignore[arg-type]

    def case(self, prompt: Prompt) -> Case:
        whole, short = (self.inject(prompt=prompt.prompt, previous=prompt.previous, format=form) for form in ("full", "summary"))
        return Case(
            prompt=prompt,
            found=[self.key[entry.id] for entry in whole.entries],
            bytes=len(whole.text.encode()),
            capsule_bytes=len(short.text.encode()),
            same=whole.entries == short.entries,
        )

    def figures(self) -> Figures:
        """What is the same in every run: the prompts, a "Continue" after each memory as the previous answer, a start for each prompt."""
        asked = prompts()
        starts = [self.inject("session-start"), *(self.inject("session-start", prompt=prompt.prompt) for prompt in asked)]
        answers = [*(row.text for row in self.rows), *(prompt.previous for prompt in asked if prompt.previous)]
        return Figures(
            cases=[self.case(prompt) for prompt in asked],
            heldout=[self.case(prompt) for prompt in prompts("heldout")],
            continue_bytes=max(len(self.inject(prompt="Continue", previous=said).text.encode()) for said in answers),
            start_bytes=max(len(start.text.encode()) for start in starts),
            start_bare=len(starts[0].text.encode()),
        )


@contextmanager
def battery() -> Iterator[Battery]:
    with TemporaryDirectory() as folder, Memory(Path(folder) / "memory.db", sync="normal") as memory:
        yield Battery(memory)


def transfer(data: Path, each: int = 40) -> tuple[float, float, int]:
    """The rule on data it wasn't made for, LoCoMo's turns: (share of a conversation's own questions whose gold is injected, share of
    another conversation's questions that bring something, questions of each kind)."""
    chance = random.Random(1)
    own: list[bool] = []
    other: list[bool] = []
    with loaded(datasets.locomo_turn(data)) as held:
        for bank in held:
            asked = [question for question in bank.bank.questions if question.gold]
            foreign = [question for one in held if one is not bank for question in one.bank.questions if question.gold]
            own += [bool(injected(bank, question.text) & bank.gold(question)) for question in chance.sample(asked, each)]
            other += [bool(injected(bank, question.text)) for question in chance.sample(foreign, each)]
    return statistics.mean(own), statistics.mean(other), len(own)


def injected(bank: Loaded, prompt: str) -> set[str]:
    """Names of the memories that a prompt brings."""
    done = bank.store.inject(t.Inject(event="prompt", prompt=prompt), bank=bank.bank.name)
    return {bank.key[entry.id] for entry in done.entries}
