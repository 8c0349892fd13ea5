"""A store in a folder of its own, with a clock that the test moves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_wire import Memory
from memory_wire import types as t
from tests.serve.serving import Serving

START = 1_780_000_000_000  # 2026-05-28
HOUR = 3_600_000


class Desk:
    """Bank `atlas` as a hook's host meets it. Every call is an hour after the one before, so that none counts as fired twice."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.now = START
        memory.service.now = lambda: self.now

    def fire(self, event: str, *, step: int = HOUR, **more: Any) -> t.Injected:
        self.now += step
        return self.memory.inject(t.Inject(event=event, **more))

    def prompt(self, text: str, session: str | None = "s", **more: Any) -> t.Injected:
        return self.fire("prompt", prompt=text, session=session, **more)

    def start(self, session: str | None = "s", **more: Any) -> t.Injected:
        return self.fire("session-start", session=session, **more)

    def capture(self, *turns: tuple[str, str], session: str | None = "s", event: str = "stop", **more: Any) -> t.Captured:
        self.now += HOUR
        said = [t.Turn(user=asked, assistant=answered) for asked, answered in turns]
        return self.memory.capture(t.Capture(event=event, session=session, turns=said, **more))

    def retain(self, content: str, **more: Any) -> str:
        return self.memory.retain(content, **{"created_at": "2026-02-03", **more}).id

    def contents(self) -> list[str]:
        return [item.content for item in self.memory.memories().items]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with Memory(tmp_path / "memory.db", bank="atlas", sync="normal") as memory:
        yield Desk(memory)
        assert memory.service.gauges()["index_faults"] == 0


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with Serving(tmp_path_factory.mktemp("shared")) as serving:
        yield serving
        assert serving.stop() == 0
