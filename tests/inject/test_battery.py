"""The labelled battery and the replay: what must hold of them holds, and they are what they were when they were frozen."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from bench.relevance.battery import DATA, memories, prompts
from bench.relevance.measure import Figures, battery
from bench.replay import fixture
from bench.replay.__main__ import misses
from bench.replay.play import play


@pytest.fixture(scope="module")
def figures() -> Figures:
    with battery() as bank:
        return bank.figures()


def test_the_battery_is_large_enough() -> None:
    keys = {row.key for row in memories()}
    assert len(keys) == len(memories()) >= 300
    assert len(prompts()) >= 60 and sum(not prompt.gold for prompt in prompts()) >= 15
    assert {key for prompt in prompts() for key in prompt.gold} <= keys


def test_its_figures_hold(figures: Figures) -> None:
    assert figures.misses() == []


def test_a_second_run_gives_the_same_bytes(figures: Figures) -> None:
    with battery() as bank:
        again = bank.figures()
    assert [(case.found, case.bytes, case.capsule_bytes) for case in again.cases] == [
        (case.found, case.bytes, case.capsule_bytes) for case in figures.cases
    ]


def test_the_replay_holds(tmp_path: Path) -> None:
    done = play(tmp_path)
    assert misses(done) == []
    assert len({event.host for event in fixture.events()}) >= 5 and len(fixture.turns()) >= 200


def test_the_data_are_frozen() -> None:
    files = sorted([*DATA.iterdir(), *fixture.FOLDER.glob("*.jsonl")], key=lambda path: path.name)
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    assert digest.hexdigest()[:16] == "3a75dab2d3b21fd9", "a changed battery measures something else"
