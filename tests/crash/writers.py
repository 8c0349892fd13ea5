"""Writers that go on while a disk refuses, and what a store must hold after them."""

from __future__ import annotations

import random
import threading
import time
from pathlib import Path

from memory_wire import Memory
from memory_wire.client import Surface
from memory_wire.errors import StorageError
from tests.crash.asking import equals_rebuild, errors, questions
from tests.crash.load import text_of
from tests.crash.model import contents
from tests.serve.serving import Serving

BANKS = ("a", "b")
KIB = 1024
ENOUGH = 12  # refused writes in a row


class Writers:
    """Threads that write so many steps, or until the disk has refused enough in a row. `there` is what was acknowledged, by text."""

    def __init__(self, store: Surface, name: str) -> None:
        self.store, self.name = store, name
        self.there: dict[str, str] = {}
        self.refusals = 0
        self.wrong: list[BaseException] = []

    def run(self, steps: int, threads: int = 3) -> None:
        running = [threading.Thread(target=self.guarded, args=(number, steps)) for number in range(threads)]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
        if self.wrong:
            raise self.wrong[0]

    def guarded(self, number: int, steps: int) -> None:
        try:
            chance, failed = random.Random(f"{self.name}/{number}"), 0
            for step in range(steps):
                if failed == ENOUGH:
                    break
                try:
                    self.step(f"{self.name}.{number}.{step}", chance)
                    failed = 0
                except StorageError as error:
                    assert str(error) == "storage error"
                    failed += 1
                    self.refusals += 1
        except BaseException as error:
            self.wrong.append(error)

    def step(self, key: str, chance: random.Random) -> None:
        """One write, or two. Raises StorageError when the disk refuses."""
        bank = BANKS[chance.randrange(len(BANKS))]
        texts = [text_of(key, place) for place in range(chance.choice((1, 1, 40)))]
        results = self.store.retain_batch([{"content": text} for text in texts], bank=bank).results
        assert len({one.id for one in results}) == len(texts)  # type: ignore[union-attr]
        self.there |= dict.fromkeys(texts, bank)
        if chance.random() < 0.2:
            assert self.store.forget(results[0].id, bank=bank)  # type: ignore[union-attr]
            del self.there[texts[0]]


def holds(store: Surface, writers: list[Writers]) -> None:
    """Asserts that the store holds what was acknowledged and nothing that was refused."""
    stored = {text: bank for bank, texts in contents(store).items() for text in texts}
    expected: dict[str, str] = {}
    for one in writers:
        expected |= one.there
    assert stored == expected


def sound(db: Path, writers: list[Writers]) -> None:
    """Asserts that a closed store holds what it must and that its index is right."""
    assert errors(db) == []
    with Memory(db) as store:
        holds(store, writers)
    equals_rebuild(db, BANKS, questions(db.name))
    assert errors(db) == []


def url(server: Serving) -> str:
    return "http://{}:{}".format(*server.address)


def announced(server: Serving) -> str:
    """Where a server says that it listens, when it can't leave a note."""
    deadline = time.monotonic() + 20
    while " at http://" not in server.stderr:
        assert server.process.poll() is None and time.monotonic() < deadline, server.stderr
        time.sleep(0.02)
    return server.stderr.rpartition(" at ")[2].split()[0]
