"""Bundles that are suggested: groups against their rules, states that are kept, what is never proposed again."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_wire.client import Memory
from memory_wire.errors import UnknownHub, UnknownSuggestion
from memory_wire.public import suggest
from memory_wire.service.dates import DAY_MS
from memory_wire.types import Scope

PAIRS = st.dictionaries(
    st.tuples(st.integers(0, 11), st.integers(0, 11)).filter(lambda pair: pair[0] < pair[1]), st.sampled_from((0.4, 0.5, 0.9)), max_size=40
)


@settings(max_examples=100)
@given(PAIRS, st.permutations(range(12)))
def test_groups_are_apart_near_their_seed_and_none_is_left_out(pairs: dict[tuple[int, int], float], documents: list[int]) -> None:
    found = suggest.clusters(documents, pairs)
    assert found == suggest.clusters(documents, dict(reversed(pairs.items())))
    members = [document for group in found for document in group]
    assert len(set(members)) == len(members)
    near = {document: {end for pair in pairs for end in pair if document in pair and end != document} for document in documents}
    for group in found:
        assert suggest.LEAST <= len(group) <= suggest.MOST
        assert group == sorted(group, key=documents.index)
        assert any(set(group) - {seed} <= near[seed] for seed in group)
    for document in set(documents) - set(members):
        assert len(near[document] - set(members)) + 1 < suggest.LEAST


def note(topic: str, number: int) -> str:
    return f"# {topic} part {number}\n\nThe **{topic}** and the **{topic} box**, number {number}.\n"


def test_what_was_decided_is_not_proposed_again(memory: Memory) -> None:
    for number in range(3):
        memory.create_doc(note("Gearbox", number))
        memory.create_doc(note("Orchard", number), is_draft=True)
    first = memory.suggestions("notes")
    assert memory.suggestions("notes") == first
    by_title = {one.title: one for one in first.suggestions}
    assert set(by_title) == {"Gearbox", "Orchard"} and {one.basis for one in first.suggestions} == {"lexical"}
    assert "Gearbox" in by_title["Gearbox"].reason
    memory.dismiss_suggestion("notes", by_title["Gearbox"].id)
    bundle = memory.accept_suggestion("notes", by_title["Orchard"].id)
    assert (bundle.title, bundle.is_draft, [row.title for row in bundle.members]) == (
        "Orchard", True, [f"Orchard part {number}" for number in range(3)],
    )  # fmt: skip
    after = memory.suggestions("notes")
    assert (after.suggestions, after.accepted, after.dismissed) == ([], 1, 1)
    memory.delete_bundle(bundle.id)
    memory.create_doc(note("Gearbox", 3))
    assert memory.suggestions("notes").suggestions == []  # nor with one more
    for word in "Amber Birch Cedar Delta Ember Fjord Grove Heron Inlet Jetty Knoll Larch".split():
        memory.create_doc(f"# {word}\n\nAll about {word}.\n")
    for number in range(4, 9):
        memory.create_doc(note("Gearbox", number))
    assert [len(one.docs) for one in memory.suggestions("notes").suggestions] == [9]  # another one by now
    for id in (by_title["Gearbox"].id, by_title["Orchard"].id, "x", ""):
        with pytest.raises(UnknownSuggestion):
            memory.dismiss_suggestion("notes", id)


def test_only_recent_documents_that_are_in_no_bundle(memory: Memory) -> None:
    ids = [memory.create_doc(note("Gearbox", number)).id for number in range(4)]
    assert len(memory.suggestions("notes").suggestions[0].docs) == 4
    memory.create_bundle("Mine", [(ids[0], None)])
    assert len(memory.suggestions("notes").suggestions[0].docs) == 3
    now = memory.service.now()
    memory.service.now = lambda: now + 15 * DAY_MS
    assert memory.suggestions("notes").suggestions == []


def test_at_most_four_at_once(memory: Memory) -> None:
    for topic in ("Gearbox", "Orchard", "Lantern", "Harbour", "Meadow", "Thicket"):
        for number in range(3):
            memory.create_doc(note(topic, number))
    assert len(memory.suggestions("notes").suggestions) == suggest.PASS


def test_they_are_of_ones_own_project(memory: Memory) -> None:
    from memory_wire import relations as r
    from memory_wire.ops import BY_NAME

    for scope in (Scope("notes", "another"), Scope("notes", "default", keyless=True)):
        with pytest.raises(UnknownHub):
            memory.service.call(BY_NAME["suggestions"], scope, r.ListSuggestions(slug="notes"))
