"""Searches that bring only what is called by its name, or only what nothing supersedes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_wire import Memory
from memory_wire.errors import WrongType
from memory_wire.service.sieve import slip


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path / "memory.db", sync="normal")


def found(memory: Memory, query: str, **how: object) -> set[str]:
    return {hit.content.partition(" ")[0] for hit in memory.search(query, named=True, **how).results}


def test_only_what_is_called_by_its_name(memory: Memory) -> None:
    memory.remember("Redis is the cache.", aliases=["Redis", "the cache"], scope="code")
    memory.remember("Mara plays with Redis in Lisbon.", aliases=["Mara"], scope="book")
    memory.remember("Failed messages go to a queue.", aliases=["dead letter", "DLQ"], scope="code")
    memory.remember("Nameless facts mention the cache and Redis.", scope="code")
    memory.retain("A plain memory of Redis.")
    assert len(memory.search("what is Redis doing?").results) == 3
    assert found(memory, "what is Redis doing?") == {"Redis"}
    assert found(memory, "REDIS and the DLQs") == {"Redis", "Failed"}
    assert found(memory, "is a letter dead?") == {"Failed"}  # all its words, in whatever order
    assert found(memory, "a letter to Mara", scope="book") == {"Mara"} and found(memory, "a letter to Mara", scope="code") == set()
    assert found(memory, "anything about a cache of messages") == {"Redis"}
    assert found(memory, "of messages and Lisbon") == set()


def test_a_slip_in_spelling_names_what_a_near_word_does_not(memory: Memory) -> None:
    memory.remember("TypeScript is strict.", aliases=["TypeScript"])
    memory.remember("Pipes are composed.", aliases=["compose"])
    for query in ("typescript?", "typscript rules", "typsecript rules", "typescrijpt", "is it tipescript"):
        assert found(memory, query) == {"TypeScript"}, query
    assert len(memory.search("components").results) == 1 and found(memory, "components") == set()


def test_a_synonym_of_the_bank_names(memory: Memory) -> None:
    memory.remember("Postgres holds the orders.", aliases=["database"])
    assert found(memory, "which datastore?") == set()
    memory.put_config({"recallSynonyms": {"datastore": {"terms": ["database"]}}})
    assert found(memory, "which datastore?") == {"Postgres"}


def test_what_is_left_out_makes_room(memory: Memory) -> None:
    for number in range(150):
        memory.remember(f"Crane and gantry number {number} crane gantry.")
    memory.remember("Lifts forty tonnes, far down in any ranking of so many that are rated and painted and greased.", aliases=["gantry"])
    assert found(memory, "crane gantry", limit=1) == {"Lifts"}


def test_what_others_supersede(memory: Memory) -> None:
    first = memory.remember("Deploys on Tuesday.", aliases=["deploys"])
    second = memory.remember("Deploys on Friday.", aliases=["deploys"], supersedes=first.id)
    third = memory.remember("Deploys on Monday.", aliases=["deploys"], supersedes=second.id)
    assert len(memory.search("deploys").results) == 3
    for named in (None, True):
        assert [hit.id for hit in memory.search("deploys", exclude_superseded=True, named=named).results] == [third.id]
    memory.forget_record(third.id)
    assert [hit.id for hit in memory.search("deploys", exclude_superseded=True).results] == [second.id]


@pytest.mark.parametrize("field", ["named", "exclude_superseded"])
def test_they_are_booleans(memory: Memory, field: str) -> None:
    with pytest.raises(WrongType, match=field):
        memory.search("x", **{field: "yes"})


WORDS = st.text("abc", max_size=6)


@given(WORDS, WORDS)
def test_a_slip_is_one_edit(one: str, other: str) -> None:
    missing = {one[:at] + one[at + 1 :] for at in range(len(one))}
    changed = {one[:at] + letter + one[at + 1 :] for at in range(len(one)) for letter in "abc"}
    added = {one[:at] + letter + one[at:] for at in range(len(one) + 1) for letter in "abc"}
    swapped = {one[:at] + one[at + 1] + one[at] + one[at + 2 :] for at in range(len(one) - 1)}
    assert slip(one, other) == (other in {one} | missing | changed | added | swapped)
    assert slip(one, other) == slip(other, one)
