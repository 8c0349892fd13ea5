"""What could be better in a hub: duplicates against plain shingles, orphans, titles, dead links; log and questions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_wire.client import Memory
from memory_wire.hub.gist import gist
from memory_wire.hub.kinds import SKETCH
from memory_wire.public import lint, log, queries
from memory_wire.public.atlas import Shown
from tests.oracle.weave import shingles

WORDS = [f"word{chr(97 + one)}{chr(97 + two)}" for one in range(20) for two in range(20)]


def sketch(text: str) -> frozenset[int]:
    return frozenset(gist("", [], [(1, text)]).sketch)


@settings(max_examples=40)
@given(st.lists(st.sampled_from(WORDS[:30]), min_size=1, max_size=40), st.lists(st.sampled_from(WORDS[:30]), min_size=1, max_size=40))
def test_of_short_texts_the_share_is_exact(one: list[str], other: list[str]) -> None:
    mine, others = shingles(" ".join(one)), shingles(" ".join(other))
    found = lint.jaccard(sketch(" ".join(one)), sketch(" ".join(other)))
    share = len(mine & others) / len(mine | others)
    if len(mine | others) <= SKETCH:
        assert found == (share if share >= lint.SAME else 0.0)


@settings(max_examples=20)
@given(st.permutations(WORDS), st.integers(0, 60))
def test_of_long_texts_it_is_about_that(words: list[str], changed: int) -> None:
    one = " ".join(words)
    other = " ".join(["other", *words[:changed][::-1], *words[changed:]])
    mine, others = shingles(one), shingles(other)
    found, share = lint.jaccard(sketch(one), sketch(other)), len(mine & others) / len(mine | others)
    assert abs(found - share) < 0.2 if found else share < 0.95


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 120), st.integers(0, 12)), min_size=2, max_size=6))
def test_no_pair_of_near_duplicates_is_overlooked(plan: list[tuple[int, int, int]]) -> None:
    """Texts that are beginnings of the same three, some words changed: all pairs are compared here, few of them there."""
    texts = []
    for which, size, changed in plan:
        words = WORDS[which * 130 : which * 130 + size]
        texts.append(" ".join([f"x{at}" if at < changed else word for at, word in enumerate(words)]))
    sketches = {number: lint.array("I", sorted(sketch(text))) for number, text in enumerate(texts)}
    wanted = {
        (one, other): round(alike, 2)
        for one in sketches
        for other in range(one + 1, len(texts))
        if (alike := lint.jaccard(frozenset(sketches[one]), frozenset(sketches[other]))) >= lint.SAME
    }
    assert lint.overlapping(sketches) == wanted


def test_of_many_copies_each_is_found_with_the_next() -> None:
    sketches = {number: lint.array("I", range(64)) for number in range(20)}
    assert set(lint.overlapping(sketches)) == {(number, number + 1) for number in range(19)}


def test_findings_by_kind(memory: Memory) -> None:
    text = " ".join(WORDS[:150])
    one, two = memory.create_doc(f"# Long\n\n{text}.\n").id, memory.create_doc(f"# Long too\n\n{text}.\n").id
    memory.create_doc("# Alone\n\nNothing to do with anything.\n")
    memory.create_doc("# Left\n\nThe **engine** with the **pump**. /b/nobody1 [[Nobody]]\n")
    memory.create_doc("# Right\n\nThe **engine** with the **pump**.\n")
    with Shown(memory.service, "notes") as shown:
        found = lint.findings(memory.service, shown.reader, shown.atlas)
    assert [(a.public_id, b.public_id, alike > 0.95) for a, b, alike in found.duplicates] == [(one, two, True)]
    assert [page.title for page in found.orphans] == ["Alone"]
    assert [(page.title, reference) for page, reference in found.dead] == [("Left", "b:nobody1"), ("Left", "w:Nobody")]
    memory.update_doc(one, title="What we did")
    memory.update_doc(two, replace="# Something\n\n**Gearbox**, **Crankshaft** and **Camshaft**.\n", title="Monday")
    with Shown(memory.service, "notes") as shown:
        found = lint.findings(memory.service, shown.reader, shown.atlas)
    assert "Monday" in [page.title for page, _ in found.mistitled] and found.duplicates == []


def test_lists_are_cut_and_say_so(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lint, "LISTED", 2)
    monkeypatch.setattr(log, "EVENTS", 2)
    for number in range(4):
        memory.create_doc(f"# Topic{number}\n\n[[Missing {number}]]\n")
    found = memory.hub_lint("notes").body.decode()
    assert "## Dead links (4)" in found and "_2 of 4 findings are shown._" in found and "Missing 2" not in found
    found = memory.hub_log("notes").body.decode()
    assert "_2 of 4 events are shown._" in found and found.count("doc.created") == 2 and "Topic3" in found


def test_the_log_has_what_was_made_in_order(memory: Memory) -> None:
    clock = iter(range(1_780_000_000_000, 1_790_000_000_000, 1_000))
    memory.service.now = lambda: next(clock)
    one = memory.create_doc("# One\n\nx\n").id
    bundle = memory.create_bundle("Both", [(one, None)]).id
    two = memory.create_doc("# Two\n\nx\n").id
    lines = [line.split(" ", 2)[2] for line in memory.hub_log("notes").body.decode().splitlines() if line.startswith("- ")]
    assert lines == [f"doc.created [One](/{one})", f"bundle.created [Both](/b/{bundle})", f"doc.created [Two](/{two})"]
    memory.update_doc(one, append="more")
    after = [line.split(" ", 2)[2] for line in memory.hub_log("notes").body.decode().splitlines() if line.startswith("- ")]
    assert after == lines
    memory.delete_doc(two)
    assert memory.hub_log("notes").body.decode().count("\n- ") == 2  # the bundle shows still


def test_questions_are_headings_that_ask_then_concepts_then_relations(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    id = memory.create_doc("# Engine\n\nAn engine turns the **pump**.\n\n## How is it started?\n\nBy hand.\n").id
    lines = [line[2:] for line in memory.hub_queries("notes").body.decode().splitlines() if line.startswith("- ")]
    link = f"([Engine](/{id}))"
    assert lines == [
        f"How is it started? {link}", f"What is Engine? {link}", f"What is pump? {link}", f"How do Engine and pump go together? {link}",
    ]  # fmt: skip
    monkeypatch.setattr(queries, "QUERIES", 2)
    assert memory.hub_queries("notes").body.decode().count("\n- ") == 2
