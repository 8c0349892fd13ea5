"""A load of writes on a store or a server, to be cut off at any moment, with a journal of what was begun and what was acknowledged.

`python -m tests.crash.load` reads a Plan as JSON from stdin and writes the journal to stdout, one line per event, an operation's line
before it is sent and its `done` line after it was acknowledged. Every text says what wrote it, so that the journal need not carry texts.
"""

from __future__ import annotations

import json
import os
import random
import sys
import threading
import time
from dataclasses import asdict, dataclass, field

from memory_wire import Client, Memory
from memory_wire.client import Surface
from memory_wire.errors import DocumentExists, Unreachable

BANKS = ("alpha", "beta", "gamma")
OFTEN = ("alpha", "alpha", "alpha", "beta", "gamma")  # one grows large enough to be merged beside the writers
DOCUMENTS = 4  # of one lane and bank
SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split()
WORDS = [a + b + c for a in SYLLABLES for b in SYLLABLES[::3] for c in ("", "n")]


@dataclass
class Plan:
    """What one run does: `lanes` threads on `target` (a URL or a database) until `steps` or `seconds` are over or it is killed.

    Runs at the same time have lanes of other numbers, from `first` on. `victims` are (bank, text, id) of memories from earlier runs that
    may be forgotten.
    """

    target: str
    run: int
    lanes: int = 4
    steps: int = 1_000_000
    seconds: float = 1e9
    first: int = 0
    sync: str = "full"
    victims: list[tuple[str, str, str]] = field(default_factory=list)


@dataclass
class Event:
    """One operation of the journal: `texts` come in and `gone` goes (a text, or the document that is replaced), together or not at all.

    `ids` are known when it was acknowledged.
    """

    lane: int
    step: int
    op: str
    bank: str
    key: str = ""
    count: int = 0
    gone: str = ""
    ids: list[str] | None = None

    @property
    def texts(self) -> list[str]:
        return [text_of(self.key, place) for place in range(self.count)]


def text_of(key: str, place: int) -> str:
    """The text that an operation writes at a place of its batch; no two are equal."""
    chance = random.Random(f"{key}/{place}")
    length = chance.choice((6, 12, 12, 25, 25, 150))
    words = [WORDS[int(len(WORDS) * chance.random() ** 3)] for _ in range(length)]
    for end in range(11, length, 12):
        words[end] += "."
    return f"{' '.join(words)} {key.replace('.', 'x')}x{place}"


def fields_of(key: str, place: int) -> dict[str, object]:
    """Session, tags, date of a text."""
    chance = random.Random(f"fields {key}/{place}")
    return {
        "session": chance.choice((None, None, "s1", "s2", f"s{chance.randrange(40)}")),
        "tags": chance.choice((None, ["red"], ["red", "blue"], [f"t{chance.randrange(9)}"])),
        "created_at": f"2026-{1 + chance.randrange(12):02}-{1 + chance.randrange(28):02}",
    }


class Lane:
    """One thread's operations, each journalled before it begins and after it was acknowledged."""

    def __init__(self, surface: Surface, plan: Plan, number: int, journal: Journal) -> None:
        self.surface, self.plan, self.number, self.journal = surface, plan, number, journal
        self.chance = random.Random(f"{plan.run}/{number}")
        self.mine = plan.victims[number - plan.first :: plan.lanes]

    def go(self) -> None:
        end = time.monotonic() + self.plan.seconds
        for step in range(self.plan.steps):
            if time.monotonic() > end:
                return
            often = self.retain, self.retain, self.batch, self.batch
            op = self.chance.choice((*often, self.replace, self.append, self.forget, self.short_lived))
            try:
                op(step, self.chance.choice(OFTEN))
            except Unreachable:  # the server was killed; what is under way stays without its `done`
                return

    def begin(self, step: int, op: str, bank: str, count: int = 0, gone: str = "") -> Event:
        event = Event(self.number, step, op, bank, f"r{self.plan.run}.{self.number}.{step}", count, gone)
        self.journal.write({"begin": asdict(event)})
        return event

    def done(self, event: Event, ids: list[str]) -> None:
        self.journal.write({"done": [event.lane, event.step], "ids": ids})
        self.mine += zip([event.bank] * len(ids), event.texts, ids, strict=True)
        del self.mine[:-60]

    def retain(self, step: int, bank: str) -> None:
        event = self.begin(step, "retain", bank, 1)
        answer = self.surface.retain(event.texts[0], bank=bank, **fields_of(event.key, 0))  # type: ignore[arg-type]
        assert not answer.deduplicated
        self.done(event, [answer.id])
        again = self.surface.retain(event.texts[0], bank=bank, **fields_of(event.key, 0))  # type: ignore[arg-type]
        assert again.deduplicated and again.id == answer.id

    def batch(self, step: int, bank: str) -> None:
        event = self.begin(step, "batch", bank, self.chance.choice((2, 10, 50, 200, 400)))
        items = [{"content": text, **fields_of(event.key, place)} for place, text in enumerate(event.texts)]
        results = self.surface.retain_batch(items, bank=bank).results
        self.done(event, [one.id for one in results])  # type: ignore[union-attr]

    def replace(self, step: int, bank: str) -> None:
        document = f"{self.number}.{self.chance.randrange(DOCUMENTS)}"
        event = self.begin(step, "replace", bank, 1, gone=document)
        answer = self.surface.retain(
            event.texts[0],
            bank=bank,
            document_id=document,
            update_mode="replace",
            **fields_of(event.key, 0),  # type: ignore[arg-type]
        )
        self.journal.write({"done": [event.lane, event.step], "ids": [answer.id]})

    def append(self, step: int, bank: str) -> None:
        event = self.begin(step, "append", bank, 1)
        for _ in range(2):
            try:
                answer = self.surface.retain(event.texts[0], bank=bank, document_id=event.key, update_mode="append")
                self.done(event, [answer.id])
            except DocumentExists:
                return
        raise AssertionError("a document was appended twice")

    def forget(self, step: int, bank: str) -> None:
        if not self.mine:
            return
        bank, text, id = self.mine.pop(self.chance.randrange(len(self.mine)))
        event = self.begin(step, "forget", bank, gone=text)
        assert self.surface.forget(id, bank=bank)
        self.done(event, [])

    def short_lived(self, step: int, _: str) -> None:
        """A bank of its own, filled and deleted, or an idle moment."""
        if self.chance.random() < 0.5:
            return
        bank = f"short-{self.plan.run}-{self.number}-{step}"
        event = self.begin(step, "short", bank, self.chance.choice((3, 1_000)))
        self.surface.retain_batch([{"content": text} for text in event.texts], bank=bank)
        self.surface.delete_bank(bank, confirm=bank)
        self.journal.write({"done": [event.lane, event.step], "ids": []})
        if isinstance(self.surface, Memory):
            self.surface.service.idle()


class Journal:
    """Whole lines to stdout, from any thread."""

    def __init__(self) -> None:
        self.lock = threading.Lock()

    def write(self, line: dict[str, object]) -> None:
        data = json.dumps(line).encode() + b"\n"
        with self.lock:
            while data:
                data = data[os.write(1, data) :]


def run(plan: Plan) -> None:
    """All lanes to their end. Exits with status 1 when something was answered wrong."""
    failed: list[BaseException] = []
    threading.excepthook = lambda hook: failed.append(hook.exc_value or SystemExit()) or threading.__excepthook__(hook)  # type: ignore[func-returns-value]
    surface: Surface = Client(plan.target) if "://" in plan.target else Memory(plan.target, sync=plan.sync)
    journal = Journal()
    with surface:
        lanes = [Lane(surface, plan, plan.first + number, journal) for number in range(plan.lanes)]
        threads = [threading.Thread(target=lane.go) for lane in lanes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if failed:
        sys.exit(1)


if __name__ == "__main__":
    run(Plan(**json.load(sys.stdin)))
