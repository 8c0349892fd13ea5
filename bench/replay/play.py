"""Plays the fixture against a real server, our injection and the reference's rule side by side on the same bank at the same moment."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import msgspec

from bench.relevance.battery import memories, prompts
from bench.replay import fixture, reference
from bench.replay.clocked import Clocked, clocked
from bench.replay.fixture import Event, Turn, half
from memory_wire import Client, framing
from memory_wire import types as t

BANK = "atlas"
CAPTURES = {"stop", "pre-compact", "session-end"}
CHARS_PER_TOKEN = 4


class Side(msgspec.Struct):
    """What one rule injected. `held`: memories in each session's context; `covered`, `junk`: labels of prompts."""

    bytes: int = 0
    blocks: int = 0
    entries: int = 0
    repeats: int = 0
    held: dict[str, set[str]] = {}
    covered: set[str] = set()
    junk: set[str] = set()


class Outcome(msgspec.Struct):
    ours: Side
    theirs: Side
    alone: Side
    labelled: int
    without_gold: int
    turns_sent: int
    memories: int
    expected: int
    duplicates: list[str]
    broken: list[str]


class Play:
    """One run."""

    def __init__(self, client: Client, server: Clocked) -> None:
        self.client, self.server = client, server
        self.said = fixture.turns()
        self.gold = {prompt.id: set(prompt.gold) for prompt in prompts()}
        self.ours, self.theirs, self.alone = Side(), Side(), Side()
        self.blocks: dict[str, str] = {}
        self.broken: list[str] = []
        self.sent = 0
        self.expected: dict[tuple[str, int], bool] = {}
        self.key = self.load()

    def load(self) -> dict[str, str]:
        """Puts the battery's memories into the bank; their ids and names."""
        rows = memories()
        items = [t.Retain(content=row.text, created_at=row.date, tags=[row.style]) for row in rows]
        results = self.client.retain_batch(items, bank=BANK).results
        return {result.id: row.key for result, row in zip(results, rows, strict=True) if isinstance(result, t.Retained)}

    def fire(self, event: Event) -> None:
        """One firing, as a hook makes it."""
        self.server.set(event.at)
        if event.event in CAPTURES:
            self.capture(event)
            if event.event == "pre-compact":
                self.dropped(event)
            return
        if event.source in ("clear", "compact"):
            self.dropped(event)
        for side, previous in ((self.theirs, event.previous), (self.alone, None)):
            text, ids = reference.inject(self.client, BANK, event.event, event.prompt, previous, self.server.url)
            self.count(side, event, text, ids, replaced=event.frozen)
        done = self.client.inject(
            t.Inject(
                event=event.event,
                host=event.host,
                session=event.session,
                prompt=event.prompt,
                previous=event.previous,
                source=event.source,
                frozen=event.frozen,
                url=self.server.url,
            ),
            bank=BANK,
        )
        text = done.text
        if event.frozen:  # only what grew is new to the model
            before = self.blocks.get(event.session, "")
            if not text.startswith(before):
                self.broken.append(f"{event.at} {event.session}: the block changed before its end")
            self.blocks[event.session], text = text, text[len(before) :]
        self.count(self.ours, event, text, [entry.id for entry in done.entries])

    def count(self, side: Side, event: Event, text: str, ids: list[str], replaced: bool = False) -> None:
        side.bytes += len(text.encode())
        side.blocks += bool(text)
        side.entries += len(ids)
        held = side.held.setdefault(event.session, set())
        side.repeats += len(held.intersection(ids))
        if replaced:
            held.clear()
        held.update(ids)
        if event.label is not None:
            gold = self.gold[event.label]
            if gold & {self.key.get(id, "") for id in held}:
                side.covered.add(event.label)
            if not gold and ids:
                side.junk.add(event.label)

    def dropped(self, event: Event) -> None:
        """The host's context is gone; a host that rebuilds its prompt keeps the block."""
        if not event.frozen:
            self.ours.held.pop(event.session, None)
        self.theirs.held.pop(event.session, None)
        self.alone.held.pop(event.session, None)

    def capture(self, event: Event) -> None:
        turns = [self.turn(self.said[event.session, number], event.half) for number in event.turns]
        self.sent += len(turns)
        for number in event.turns:
            place = (event.session, number)
            self.expected[place] = self.expected.get(place, True) and event.half
        self.client.capture(t.Capture(event=event.event, host=event.host, session=event.session, turns=turns), bank=BANK)

    def turn(self, turn: Turn, cut: bool) -> t.Turn:
        return t.Turn(user=turn.user, assistant=half(turn.assistant) if cut else turn.assistant, at=turn.at, index=turn.index)

    def outcome(self) -> Outcome:
        """What came of it; memories that say the same in one session are duplicates."""
        stored = self.stored()
        said = [self.client.history(id, bank=BANK) for id in stored]
        by_text = Counter((row.session, framing.flat(row.content)) for row in said)
        by_turn: dict[tuple[str | None, str], list[str]] = defaultdict(list)
        for row in said:
            asked, _, answered = framing.flat(row.content).partition("[assistant]")
            by_turn[row.session, asked].append(answered.strip())
        parts = [
            f"{asked}: {one}"
            for (_, asked), answers in by_turn.items()
            for one in answers
            for other in answers
            if one != other and one in other
        ]
        return Outcome(
            ours=self.ours,
            theirs=self.theirs,
            alone=self.alone,
            labelled=sum(bool(gold) for gold in self.gold.values()),
            without_gold=sum(not gold for gold in self.gold.values()),
            turns_sent=self.sent,
            memories=len(stored),
            expected=len(self.expected),
            duplicates=[text for (_, text), n in by_text.items() if n > 1] + parts,
            broken=self.broken,
        )

    def stored(self) -> list[str]:
        """Ids of what was captured."""
        found: list[str] = []
        offset = 0
        while items := self.client.memories(bank=BANK, limit=500, offset=offset).items:
            found += [item.id for item in items if item.id not in self.key]
            offset += len(items)
        return found


def play(folder: Path) -> Outcome:
    """The whole fixture."""
    happened = fixture.events()
    with clocked(folder, happened[0].at) as server, Client(server.url) as client:
        run = Play(client, server)
        for event in happened:
            run.fire(event)
        return run.outcome()
