"""`fusion: reference` against the oracle, to the digit."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_wire import Memory
from tests.oracle import reference as oracle

WORDS = ["auth", "jose", "jwt", "a", "7", "deploy", "Émile", "naïve", "東京"]
TEXT = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
FEW = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def fill(memory: Memory, bank: str, documents: list[str], tags: dict[int, list[str]] | None = None) -> list[str]:
    """Stores the documents as rows of their own and turns the reference ranking on; returns the ids."""
    items = [{"content": text, "document_id": str(place), "tags": (tags or {}).get(place)} for place, text in enumerate(documents)]
    ids = [one.id for one in memory.retain_batch(items, bank=bank).results]
    memory.put_config({"fusion": "reference"}, bank=bank)
    return ids


def ranked(memory: Memory, bank: str, query: str, **options: object) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in memory.recall(query, bank=bank, budget=10**9, **options)]


def test_a_sole_hit_scores_as_the_contract_says(memory: Memory, fresh: Callable[[], str]) -> None:
    bank = fresh()
    ids = fill(memory, bank, ["auth uses jose"])
    ((found, score),) = ranked(memory, bank, "auth")
    assert found == ids[0] and f"{score:.16g}" == "0.02049180327868853"


@FEW
@given(st.lists(TEXT, min_size=1, max_size=12), TEXT)
def test_scores_and_order(memory: Memory, fresh: Callable[[], str], documents: list[str], query: str) -> None:
    bank = fresh()
    ids = fill(memory, bank, documents)
    assert ranked(memory, bank, query) == [(ids[place], score) for place, score in oracle.fused(documents, ids, query)]


def test_limits_of_both_streams(memory: Memory, fresh: Callable[[], str]) -> None:
    bank = fresh()
    documents = [f"deploy {place} " + "pad " * (place % 7) for place in range(260)]
    ids = fill(memory, bank, documents)
    wanted = [(ids[place], score) for place, score in oracle.fused(documents, ids, "deploy deploy 7")]
    assert len(wanted) > 100
    assert ranked(memory, bank, "deploy deploy 7") == wanted[:100]


def test_exclusion_works_after_the_limits(memory: Memory, fresh: Callable[[], str]) -> None:
    bank = fresh()
    documents = ["deploy"] * 60 + ["deploy with much more text around it"]
    ids = fill(memory, bank, documents, {place: ["skip"] for place in range(60)})
    dropped = frozenset(range(60))
    assert ranked(memory, bank, "deploy", exclude_tags=["skip"]) == [
        (ids[place], score) for place, score in oracle.fused(documents, ids, "deploy", dropped)
    ]


def test_filters_before_the_limits(memory: Memory, fresh: Callable[[], str]) -> None:
    bank = fresh()
    ids = fill(memory, bank, ["deploy"] * 60 + ["deploy with much more text around it"], {60: ["keep"]})
    assert [found for found, _ in ranked(memory, bank, "deploy", tags=["keep"])] == [ids[60]]


def test_synonyms_are_further_passes(memory: Memory, fresh: Callable[[], str]) -> None:
    bank = fresh()
    ids = fill(memory, bank, ["automobile here", "vehicle there", "nothing else"])
    entry = {"car": {"terms": ["automobile"]}, "auto": {"terms": ["vehicle"], "weight": 0.2}}
    memory.put_config({"fusion": "reference", "recallSynonyms": entry}, bank=bank)
    assert [found for found, _ in ranked(memory, bank, "car auto")] == ids[:2]
    assert ranked(memory, bank, "bus") == []


def test_it_follows_the_bank(memory: Memory, fresh: Callable[[], str]) -> None:
    bank = fresh()
    ids = fill(memory, bank, ["auth one", "auth two"])
    assert len(ranked(memory, bank, "auth")) == 2
    memory.forget(ids[0], bank=bank)
    late = memory.retain("auth three", bank=bank).id
    assert {found for found, _ in ranked(memory, bank, "auth")} == {ids[1], late}
    memory.put_config({}, bank=bank)
    assert memory.recall("auth", bank=bank)[0].score != pytest.approx(1.25 / 61)


@pytest.mark.parametrize("query", ["समय सीमा", "காலக்கெடு", '"', "NEAR(a b)", "*", "auth'", "😀"])
def test_any_query_is_answered(memory: Memory, fresh: Callable[[], str], query: str) -> None:
    bank = fresh()
    fill(memory, bank, ["हमने परियोजना की समय सीमा बदल दी", "auth"])
    memory.recall(query, bank=bank)


def test_long_queries_are_answered_in_bounded_time(memory: Memory, fresh: Callable[[], str]) -> None:
    """FTS5 alone would take minutes for each of these."""
    bank = fresh()
    ids = fill(memory, bank, [f"auth {place}" for place in range(200)])
    for query in ("auth " * 25_000, " ".join([f"auth{number} auth" for number in range(10_000)]), '"' * 100_000 + " auth"):
        assert {found for found, _ in ranked(memory, bank, query)} <= set(ids)
    memory.put_config({"fusion": "reference", "recallSynonyms": {"car": {"terms": ["auth"] * 25_000}}}, bank=bank)
    assert len(ranked(memory, bank, "car")) == 50  # of the BM25 stream


def test_explained(memory: Memory, fresh: Callable[[], str]) -> None:
    bank = fresh()
    fill(memory, bank, ["auth uses jose"])
    (hit,) = memory.recall("auth", bank=bank, explain=True)
    assert hit.explain == {"fusion": "reference", "bm25_rank": 1, "overlap_rank": 1, "score": hit.score} and hit.relevance == 1.0
