"""What a store must hold after a run of `load` was cut off: what was acknowledged exactly, what was under way wholly or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterable

from memory_wire import Memory
from tests.crash.load import Event

PAGE = 500


class Model:
    """Texts by bank, with their ids where an answer told them. One model follows one store through many runs."""

    def __init__(self) -> None:
        self.banks: dict[str, dict[str, str | None]] = {}
        self.documents: dict[tuple[str, str], str] = {}  # (bank, document) -> text
        self.acknowledged = 0

    def victims(self, most: int) -> list[tuple[str, str, str]]:
        """(bank, text, id) of memories that no document holds: the next run may forget them."""
        held = set(self.documents.values())
        known = [(bank, text, id) for bank, texts in self.banks.items() for text, id in texts.items() if id and text not in held]
        return [one for one in known if not one[0].startswith("short-")][-most:]

    def follow(self, lines: Iterable[bytes], store: Memory) -> None:
        """Takes in a run's journal and asserts that the store agrees."""
        open_ones = self.take(lines)
        found = contents(store)
        for event in open_ones:
            self.settle(event, found)
        assert set(found) == set(self.banks)
        for bank, texts in self.banks.items():
            assert found[bank].keys() == texts.keys(), differences(found[bank].keys(), texts.keys())
            for text, id in texts.items():
                assert id is None or found[bank][text] == id, (bank, text)
                texts[text] = found[bank][text]

    def take(self, lines: Iterable[bytes]) -> list[Event]:
        """Takes in what a journal says was acknowledged; returns what was under way at its end."""
        open_ones: dict[tuple[int, int], Event] = {}
        for line in lines:
            if not line.endswith(b"\n"):
                break  # cut off in the middle
            entry = json.loads(line)
            if "begin" in entry:
                event = Event(**entry["begin"])
                open_ones[event.lane, event.step] = event
            else:
                lane, step = entry["done"]
                event = open_ones.pop((lane, step))
                event.ids = entry["ids"]
                self.apply(event)
                self.acknowledged += 1
        return list(open_ones.values())

    def apply(self, event: Event) -> None:
        """An acknowledged operation."""
        if event.op == "short":
            return
        bank = self.banks.setdefault(event.bank, {})
        if event.op == "replace":
            old = self.documents.get((event.bank, event.gone))
            if old is not None:
                del bank[old]
            self.documents[event.bank, event.gone] = event.texts[0]
        elif event.gone:
            del bank[event.gone]
        bank.update(zip(event.texts, event.ids or [None] * event.count, strict=True))

    def settle(self, event: Event, found: dict[str, dict[str, str]]) -> None:
        """An operation under way: asserts that it happened wholly or not at all and takes in which."""
        present = [text in found.get(event.bank, {}) for text in event.texts]
        assert all(present) or not any(present), f"half a {event.op}: {event.key}"
        if event.op == "short":
            if event.bank in found:
                self.banks[event.bank] = dict.fromkeys(event.texts if any(present) else [])
            return
        if event.op == "forget":
            if event.gone not in found[event.bank]:
                self.apply(event)
        elif any(present):
            self.apply(event)
        elif event.bank in found:
            self.banks.setdefault(event.bank, {})


def contents(store: Memory) -> dict[str, dict[str, str]]:
    """bank -> text -> id of all that a store lists; no text and no id twice. The default bank, which nobody writes, is left out."""
    found: dict[str, dict[str, str]] = {}
    for row in store.banks():
        texts: dict[str, str] = {}
        while len(texts) < row.memories:
            page = store.memories(bank=row.bank, limit=PAGE, offset=len(texts))
            assert page.items and page.total == row.memories
            before = len(texts)
            texts.update((item.content, item.id) for item in page.items)
            assert len(texts) == before + len(page.items), f"bank {row.bank} holds a text twice"
        assert len(set(texts.values())) == len(texts)
        found[row.bank] = texts
    found.pop("default", None)
    return found


def differences(found: Iterable[str], expected: Iterable[str]) -> str:
    found, expected = set(found), set(expected)
    return f"missing: {sorted(expected - found)[:5]}; not expected: {sorted(found - expected)[:5]}"
