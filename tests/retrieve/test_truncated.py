"""Recall says when its budget left something out, and only then."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memory_wire import Memory
from memory_wire import types as t

LONG = "heron " + "x" * 94  # 100 characters


@pytest.mark.parametrize(
    ("budget", "k", "truncated"),
    [
        (75, 3, False),  # all three fit
        (75, 2, False),  # k is no budget
        (74, 3, True),  # the last is passed over
        (50, 3, True),  # used up exactly
        (50, 2, False),
        (20, 3, True),  # the first is cut
        (0, 3, True),
    ],
)
def test_the_budget_left_something_out(memory: Memory, fresh: Callable[[], str], budget: int, k: int, truncated: bool) -> None:
    bank = fresh()
    for number in range(3):
        memory.retain(f"{LONG[:-1]}{number}", bank=bank)
    found: t.Recalled = memory.call("recall", t.Recall(query="heron", budget=budget, k=k), bank)
    assert found.truncated is truncated


def test_nothing_found_is_all_there_is(memory: Memory, fresh: Callable[[], str]) -> None:
    bank = fresh()
    memory.retain(LONG, bank=bank)
    for query in ("stork", "", " "):
        assert not memory.call("recall", t.Recall(query=query, budget=0), bank).truncated


def test_the_reference_ranking_says_so_too(memory: Memory, fresh: Callable[[], str]) -> None:
    bank = fresh()
    memory.retain(LONG, bank=bank)
    memory.put_config({"fusion": "reference"}, bank=bank)
    assert memory.call("recall", t.Recall(query="heron", budget=20), bank).truncated
    assert not memory.call("recall", t.Recall(query="heron"), bank).truncated
