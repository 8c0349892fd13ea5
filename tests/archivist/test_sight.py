"""Whom the archivist reads for, and who is told: what the author sees when it runs, and both ends of a link."""

from __future__ import annotations

import pytest

from memory_wire import types as t
from memory_wire.client import Memory
from memory_wire.ops import BY_NAME
from memory_wire.types import Caller, Scope

OLD = "The Harbor registry keeps container images for 14 days."
NEW = "The Harbor registry keeps container images for 35 days."
NAMES = ("ann", "bob")


@pytest.fixture
def team(memory: Memory) -> dict[str, Scope]:
    """Two members of one unit, by number of their making."""
    memory.create_unit("platform")
    for name in NAMES:
        memory.set_member(name, unit="platform", role="member")
    callers = {
        name: Caller("k", 1, "default", "write", project="default", member=number, name=name, role="member", unit=1, units=(1,))
        for number, name in enumerate(NAMES, 1)
    }
    return {name: Scope(caller=caller) for name, caller in callers.items()}


def remember(memory: Memory, scope: Scope, content: str, visibility: str | None = None) -> str:
    answer = memory.service.call(BY_NAME["remember"], scope, t.Remember(content=content, visibility=visibility))
    assert isinstance(answer, t.Remembered)
    return answer.id


def links(memory: Memory, scope: Scope, id: str) -> list[tuple[str, str]]:
    found = memory.service.call(BY_NAME["get_record"], scope, t.GetRecord(id=id))
    assert isinstance(found, t.RecordDetail)
    return [(link.type, link.id) for link in found.graph_relations]


def stored(memory: Memory) -> int:
    """Links in the store, whoever may see them."""
    with memory.service.read() as reader:
        return int(reader.connection.execute("SELECT count(*) FROM link").fetchone()[0])


def test_what_the_author_does_not_see_is_not_read(memory: Memory, team: dict[str, Scope]) -> None:
    remember(memory, team["ann"], OLD, "author")
    remember(memory, team["bob"], NEW)
    memory.run_jobs()
    assert stored(memory) == 0


def test_a_link_is_told_to_who_sees_both_ends(memory: Memory, team: dict[str, Scope]) -> None:
    old = remember(memory, team["ann"], OLD)
    new = remember(memory, team["ann"], NEW, "author")
    memory.run_jobs()
    assert links(memory, team["ann"], old) == [("contradicted_by", new)]
    assert links(memory, team["bob"], old) == []


def test_a_draft_of_nobody_is_read_for_nobody_else(memory: Memory, team: dict[str, Scope]) -> None:
    """A key of no member reads no member's drafts."""
    remember(memory, team["ann"], OLD, "author")
    remember(memory, Scope(caller=Caller("k", 1, "default", "write", project="default")), NEW)
    memory.run_jobs()
    assert stored(memory) == 0


def test_an_author_who_has_left_sees_nothing_any_more(memory: Memory, team: dict[str, Scope]) -> None:
    remember(memory, team["ann"], OLD)
    remember(memory, team["bob"], NEW)
    memory.depart("bob", heir="ann")
    memory.run_jobs()
    assert stored(memory) == 0


def test_what_cant_be_seen_changes_no_link(memory: Memory, team: dict[str, Scope]) -> None:
    """The same links, types and ends, whether or not there are drafts of others about the same."""
    for number in range(20):
        remember(memory, team["ann"], f"{OLD} Draft {number}.", "author")
    old = remember(memory, team["bob"], OLD)
    new = remember(memory, team["bob"], NEW)
    for number in range(20):
        remember(memory, team["ann"], f"{NEW} Later draft {number}.", "author")
    memory.run_jobs()
    assert links(memory, team["bob"], new) == [("contradicts", old)]
    assert links(memory, team["bob"], old) == [("contradicted_by", new)]
