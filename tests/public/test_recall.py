"""Recall over a hub without an embedder: levels, fields, bounds, errors; what isn't public is nowhere."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from memory_wire import questions as q
from memory_wire.client import Memory
from memory_wire.errors import (
    HubNotPublic,
    Invalid,
    InvalidSlug,
    LevelInvalid,
    MemoryWireError,
    QuestionRequired,
    QuestionTooLong,
    WrongType,
)
from memory_wire.public.bundle_words import scores

JOURNEY = """# Journey

It began with notes.

## March

Built the MCP server. It took a week.

### Tools

Four of them, no more.

## April

The server of the hub learned to serve. ```x``` MCP was mentioned.
"""


def chunks(found: q.HubRecalled) -> list[q.ChunkFound]:
    assert all(isinstance(row, q.ChunkFound) for row in found.results)
    return found.results  # type: ignore[return-value]


def docs(found: q.HubRecalled) -> list[q.DocFound]:
    assert all(isinstance(row, q.DocFound) for row in found.results)
    return found.results  # type: ignore[return-value]


def bundles(found: q.HubRecalled) -> list[q.BundleFound]:
    assert all(isinstance(row, q.BundleFound) for row in found.results)
    return found.results  # type: ignore[return-value]


def test_a_chunk_and_where_it_stands(memory: Memory) -> None:
    id = memory.create_doc(JOURNEY).id
    found = memory.hub_recall("notes", "  Built the MCP server ")
    assert (found.hub, found.question, found.level) == (q.HubName(slug="notes", display_name="Notes"), "Built the MCP server", "chunk")
    first = chunks(found)[0]
    assert (first.doc_id, first.chunk_idx, first.heading, first.heading_path) == (id, 1, "March", "Journey > March")
    assert first.markdown == "## March\n\nBuilt the MCP server. It took a week."
    assert (first.doc_title, first.doc_url, first.raw_url, first.anchor) == ("Journey", f"/{id}", f"/raw/{id}", "march")
    assert (first.distance, first.fts_rank) == (None, 1)
    meta = found.meta
    assert (meta.retrieval, meta.model, meta.dim, meta.k, meta.hybrid, meta.reranked) == ("fts", None, None, 5, False, False)
    assert found.degraded and not found.truncated
    assert meta.timing_ms.embed == meta.timing_ms.rerank == 0 and meta.timing_ms.total >= meta.timing_ms.search > 0


def test_hybrid_without_vectors_has_the_ranks_of_the_words(memory: Memory) -> None:
    memory.create_doc(JOURNEY)
    found = memory.hub_recall("notes", "MCP server", hybrid=True)
    assert "Built the MCP server" in chunks(found)[0].markdown
    assert [(row.vector_rank, row.fts_rank, row.rrf_score) for row in chunks(found)] == [
        (None, rank, round(1 / (60 + rank), 5)) for rank in range(1, len(found.results) + 1)
    ]
    assert (found.meta.retrieval, found.meta.hybrid, found.degraded) == ("fts", True, True)


def test_documents_by_their_best_chunk(memory: Memory) -> None:
    long = memory.create_doc("# Long\n\n" + "".join(f"## Zebra {number}\n\nzebra zebra {number}\n\n" for number in range(150))).id
    other = memory.create_doc("# Other\n\nA lion. `code`\n\n```\nhidden\n```\n\nOne zebra among many other animals of the steppe.\n").id
    found = memory.hub_recall("notes", "zebra", level="doc", k=2)
    assert {row.id for row in docs(found)} == {long, other}  # though the first hundred chunks are one document's
    (lion,) = [row for row in docs(found) if row.id == other]
    assert lion.snippet == "A lion. `code` One zebra among many other animals of the steppe."
    assert [row.fts_rank for row in docs(found)] == [1, 2]
    assert found.meta.hybrid is False
    assert memory.hub_recall("notes", "zebra", level="doc", k=2, hybrid=True).meta.hybrid is False


def test_bundles_by_what_everybody_sees_of_them(memory: Memory) -> None:
    one, two = memory.create_doc("# Lions\n\nroar\n").id, memory.create_doc("# Tigers\n\nburn\n").id
    hidden = memory.create_doc("# Unicorns\n\nsecret\n", is_draft=True).id
    cats = memory.create_bundle("Cats", [one, two, hidden], description="Large ones.").id
    memory.create_bundle("Empty", [])
    memory.create_bundle("Draft of tigers", [two], is_draft=True)
    found = memory.hub_recall("notes", "tigers", level="bundle")
    assert [(row.id, row.title, row.description, row.document_count) for row in bundles(found)] == [(cats, "Cats", "Large ones.", 2)]
    assert bundles(found)[0].url == f"/b/{cats}" and bundles(found)[0].raw_url == f"/raw/bundle/{cats}"
    assert memory.hub_recall("notes", "unicorns", level="bundle").results == []


def test_scores_of_bundles_are_bm25_by_hand() -> None:
    first, second = scores("lion", ["lion lion cat", "lion"], 1)
    idf = math.log(1 + (2 - 2 + 0.5) / (2 + 0.5))
    assert first == pytest.approx(idf * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / 2)))
    assert second == pytest.approx(idf * 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 1 / 2)))
    assert scores("the", ["the cat", "a dog"], 1)[0] > 0  # nothing telling: every word counts
    assert scores("x", [], 1) == []


def test_a_section_with_all_below_it(memory: Memory) -> None:
    memory.create_doc(JOURNEY.replace("\n", "\r\n"))
    found = memory.hub_recall("notes", "Built the MCP server", expand="subtree", k=1)
    assert chunks(found)[0].markdown == "## March\n\nBuilt the MCP server. It took a week.\n\n### Tools\n\nFour of them, no more."


def test_a_budget_bounds_the_texts(memory: Memory) -> None:
    memory.create_doc(JOURNEY)
    whole = memory.hub_recall("notes", "server")
    cut = memory.hub_recall("notes", "server", budget_tokens=12)
    assert sum(len(row.markdown) for row in chunks(cut)) <= 48 < sum(len(row.markdown) for row in chunks(whole))
    assert cut.truncated and not whole.truncated


def test_why_a_result_is_where_it_is(memory: Memory) -> None:
    memory.create_doc(JOURNEY)
    (row,) = chunks(memory.hub_recall("notes", "MCP server", explain=True, k=1))
    assert isinstance(row.explain, dict)
    assert row.explain["matched"] == ["mcp", "server"]
    assert set(row.explain["query"]) == {"words", "df", "idf", "dropped", "n_dropped"}  # type: ignore[call-overload]


@pytest.mark.parametrize(("k", "most"), [(0, 1), (-3, 1), (20, 20), (99, 20), (None, 5)])
def test_k_is_kept_within_its_bounds(memory: Memory, k: int | None, most: int) -> None:
    memory.create_doc("# Z\n\n" + "".join(f"## Part {number}\n\nzebra {number}\n\n" for number in range(30)))
    found = memory.hub_recall("notes", "zebra", k=k)
    assert (len(found.results), found.meta.k) == (most, most)


REFUSED: list[tuple[dict[str, object], type[MemoryWireError], str]] = [
    ({"question": " "}, QuestionRequired, "question_required"),
    ({"question": "x" * 2001}, QuestionTooLong, "question_too_long"),
    ({"level": "page"}, LevelInvalid, "level_invalid"),
    ({"slug": "No"}, InvalidSlug, "invalid_slug"),
    ({"slug": "nobody"}, HubNotPublic, "hub_not_public"),
    ({"slug": "hidden"}, HubNotPublic, "hub_not_public"),
    ({"expand": "all"}, Invalid, "invalid"),
    ({"budget_tokens": 0}, Invalid, "invalid"),
    ({"k": "5"}, WrongType, "wrong_type"),
]


@pytest.mark.parametrize(("wrong", "kind", "code"), REFUSED)
def test_what_is_wrong_has_a_code(memory: Memory, wrong: dict[str, object], kind: type[MemoryWireError], code: str) -> None:
    memory.create_doc("x", bank="other")
    memory.put_hub("hidden", bank="other")
    asked = {"slug": "notes", "question": "x", **wrong}
    with pytest.raises(kind) as raised:
        memory.call("hub_recall", q.HubRecall(**asked))  # type: ignore[arg-type]
    assert raised.value.code == code


def test_no_word_that_says_something_finds_nothing(memory: Memory) -> None:
    memory.create_doc(JOURNEY)
    assert memory.hub_recall("notes", "?!").results == []


def test_it_is_searched_in_the_same_request_as_saved_and_found_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with Memory(path, bank="notes", sync="normal") as memory:
        memory.create_doc("# A\n\nzebra\n")
        memory.put_hub("notes", public=True)
        ids = [row.chunk_id for row in chunks(memory.hub_recall("notes", "zebra"))]
    with Memory(path, bank="notes", sync="normal") as memory:
        assert [row.chunk_id for row in chunks(memory.hub_recall("notes", "zebra"))] == ids
        memory.create_doc("# B\n\nzebra too\n")
        assert len(memory.hub_recall("notes", "zebra").results) == 2
