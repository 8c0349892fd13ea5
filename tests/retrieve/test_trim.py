"""The budget trim, to the character."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_wire.config import CHARS_PER_TOKEN, RECALL_BUDGET, TRUNCATED
from memory_wire.retrieve.trim import Trim

TEXT = "auth uses jose middleware"


def serve(contents: list[str], budget: int) -> list[str]:
    trim = Trim(budget)
    return [served for content in contents if (served := trim.take(content)) is not None]


def test_small_budgets_as_the_contract_lists_them() -> None:
    wanted = {0: [], 1: ["auth"], 2: ["auth use"], 3: ["auth uses jo"], 4: ["auth…[truncated]"], 5: ["auth use…[truncated]"], 7: [TEXT]}
    assert {budget: serve([TEXT], budget) for budget in wanted} == wanted


def test_a_first_hit_that_is_cut_is_the_only_one() -> None:
    assert serve(["x" * 90, "y"], 20) == ["x" * 68 + TRUNCATED]


def test_a_lower_hit_that_does_not_fit_is_skipped() -> None:
    assert serve(["a" * 10, "b" * 100, "c" * 5], 4) == ["a" * 10, "c" * 5]


def test_a_memory_longer_than_2000_tokens_survives_the_default_budget() -> None:
    gold = "gold " * 2_000  # 2,500 tokens
    assert serve([gold], RECALL_BUDGET) == [gold]
    assert serve(["x" * 9_000, "y" * 9_000, gold], RECALL_BUDGET)[2] == gold
    first = serve(["z" * 50_000], RECALL_BUDGET)
    assert len(first[0]) == RECALL_BUDGET * CHARS_PER_TOKEN and first[0].endswith(TRUNCATED)


def test_characters_count_not_bytes() -> None:
    assert serve(["é" * 40], 5) == ["é" * 8 + TRUNCATED]


@given(st.lists(st.text(min_size=1, max_size=60), max_size=8), st.integers(0, 40))
def test_never_over_the_budget_and_never_out_of_order(contents: list[str], budget: int) -> None:
    served = serve(contents, budget)
    cap = budget * CHARS_PER_TOKEN
    assert sum(map(len, served)) <= cap
    if contents and len(contents[0]) > cap:
        assert len(served) == (cap > 0) and all(len(text) == cap for text in served)
    else:
        rest = iter(contents)
        assert all(text in rest for text in served)  # a subsequence, everything whole
        room = cap
        for content in contents:  # and nothing left out that had room at its turn
            if len(content) <= room:
                room -= len(content)
        assert sum(map(len, served)) == cap - room
