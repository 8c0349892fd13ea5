"""Who sees which records: every kind of caller, every visibility, every way to ask, against a model that can be read at a glance."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from memory_wire import Memory
from memory_wire import types as t
from memory_wire.client import Surface
from memory_wire.errors import Forbidden, Invalid, MemoryWireError, UnknownMemory, UnknownRecord
from memory_wire.ops import BY_NAME
from memory_wire.service.gate import Gate
from memory_wire.service.service import Service

PARENTS = {"holding": None, "north": "holding", "south": "holding", "docks": "north", "mill": "north"}
LEVELS = {"holding": "holding", "north": "branch", "south": "branch", "docks": "team", "mill": "team"}
PEOPLE = {  # member -> (unit, role)
    "root": ("holding", "admin"),
    "hilda": ("north", "head"),
    "ann": ("docks", "member"),
    "bob": ("mill", "member"),
    "sue": ("south", "member"),
    "con": ("docks", "contractor"),
    "aud": ("holding", "auditor"),
    "leo": ("mill", "member"),  # leaves, ann is the heir
    "mia": ("docks", "member"),  # leaves, nobody is
}
GONE = {"leo": "ann", "mia": None}
WRITERS = [*(name for name in PEOPLE if name not in ("aud",)), "robot"]  # robot: a key without a member
READERS = [*(name for name in PEOPLE if name not in GONE), "robot", "operator"]
VISIBILITIES = (None, "author", "unit", "project", "organization")
Record = tuple[str, str | None]


def above(unit: str) -> set[str]:
    """The unit and those that it is part of."""
    found = set()
    at: str | None = unit
    while at is not None:
        found.add(at)
        at = PARENTS[at]
    return found


def sees(reader: str, record: Record) -> bool:
    """The rule, said once more."""
    author, visibility = record
    if reader == "operator":  # a key with the right `admin`, of nobody
        return visibility != "author" or author in GONE or author == "robot"
    if author == reader or GONE.get(author) == reader:
        return reader != "aud"
    role = PEOPLE[reader][1] if reader in PEOPLE else "robot"
    if role == "auditor":
        return False
    if role == "admin":
        return visibility != "author" or author in GONE
    if visibility in (None, "project"):
        return True
    if visibility == "organization":
        return role != "contractor"
    if author == "robot" or role in ("contractor", "robot"):
        return False
    at, of = PEOPLE[reader][0], PEOPLE[author][0]
    heads = role == "head" and at in above(of)
    return heads and author in GONE if visibility == "author" else heads or of in above(at)


class Keyed(Surface):
    """The store as a server with keys serves it to one caller."""

    def __init__(self, service: Service, gate: Gate, key: str, project: str = "default") -> None:
        self.service, self.gate, self.key, self.project, self.bank = service, gate, key, project, "b"

    def call(self, name: str, request: Any, bank: str | None = None) -> Any:
        caller = self.gate.caller(self.key.encode())
        assert caller is not None
        return self.service.call(BY_NAME[name], t.Scope(bank or self.bank, caller.project or self.project, caller), request)

    def close(self) -> None:
        return


class World:
    """The people with their records: `ids` by author and visibility."""

    def __init__(self, path: Path) -> None:
        self.memory = Memory(path / "memory.db", bank="b", sync="normal")
        for name, parent in PARENTS.items():
            self.memory.create_unit(name, level=LEVELS[name], parent=parent)
        for name, (unit, role) in PEOPLE.items():
            self.memory.set_member(name, unit=unit, role=role, days=30 if role == "contractor" else None)
        keys = {name: self.memory.create_key(name, member=name).key for name in PEOPLE}
        keys |= {"robot": self.memory.create_key("robot").key, "operator": self.memory.create_key("operator", rights="admin").key}
        gate = Gate(self.memory.service)
        self.by = {name: Keyed(self.memory.service, gate, key) for name, key in keys.items()}
        self.ids: dict[Record, str] = {}
        for author, visibility in itertools.product(WRITERS, VISIBILITIES):
            if visibility == "unit" and author == "robot":
                continue
            request = t.Remember(
                content=f"harbour note of {author} for {visibility}",
                fact_key=f"note {author} {visibility}",
                source_id="harbour.md",
                source_hash="ab12",
                visibility=visibility,
            )
            self.ids[author, visibility] = self.by[author].call("remember", request).id
        for name, heir in GONE.items():
            self.memory.depart(name, heir=heir)

    def seen_by(self, reader: str) -> set[str]:
        return {id for record, id in self.ids.items() if sees(reader, record)}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Any:
    found = World(tmp_path_factory.mktemp("people"))
    yield found
    found.memory.close()


@pytest.mark.parametrize("reader", [name for name in READERS if name != "aud"])
def test_every_way_to_ask(world: World, reader: str) -> None:
    s, seen = world.by[reader], world.seen_by(reader)
    assert {hit.id for hit in s.search("harbour note", limit=50).results} == seen
    assert {hit.id for hit in s.recall("harbour note", budget=100_000)} == seen
    page = s.memories(limit=500)
    assert ({item.id for item in page.items}, page.total) == (seen, len(seen))
    assert s.stats().memories == len(seen)
    assert [row.memories for row in s.banks() if row.bank == "b"] == [len(seen)]
    checked = s.validate_memory("harbour.md", "ab12")
    assert (checked.checked, set(checked.fresh)) == (len(seen), seen)
    told = s.reflect("harbour note")
    assert set() < {id for id in world.ids.values() if id in told} <= seen
    for event in ("session-start", "prompt"):
        block = s.inject(t.Inject(event=event, session=f"{reader} {event}", prompt="harbour note of ann for author"))
        assert block.entries and {entry.id for entry in block.entries} <= seen
    log = s.injections(limit=500).injections
    assert {line.id for line in log} <= {*seen, None}
    for record, id in world.ids.items():
        assert asked(lambda id=id: s.get_record(id), UnknownRecord) == (id in seen), record
        assert asked(lambda id=id: s.get(id), UnknownMemory) == (id in seen), record
        assert asked(lambda id=id: s.history(id), UnknownMemory) == (id in seen), record


def test_the_owner_without_a_key_sees_everything(world: World) -> None:
    ids = set(world.ids.values())
    assert {hit.id for hit in world.memory.search("harbour note", limit=50).results} <= ids
    assert {item.id for item in world.memory.memories(limit=500).items} == ids
    assert all(world.memory.get_record(id).id == id for id in ids)


def asked(call: Any, refusal: type[MemoryWireError]) -> bool:
    try:
        call()
    except refusal:
        return False
    return True


def test_an_auditor_reads_the_log_and_nothing_else(world: World) -> None:
    s = world.by["aud"]
    assert s.audit(limit=1).events
    for call in (lambda: s.search("harbour"), s.memories, s.stats, s.banks, lambda: s.remember("no"), s.keys, s.verify_audit):
        with pytest.raises(Forbidden):
            call()


def test_who_has_left_has_no_key(world: World) -> None:
    for name in GONE:
        assert world.by[name].gate.caller(world.by[name].key.encode()) is None


def test_reads_of_what_was_handed_over_are_in_the_log(tmp_path: Path) -> None:
    world = World(tmp_path)
    ann, left = world.by["ann"], {id for (author, _), id in world.ids.items() if author == "leo"}
    ann.get_record(world.ids["leo", "author"])
    ann.get_record(world.ids["ann", "author"])
    lines = world.memory.audit(kind="record.read", limit=500).events
    assert [(line.actor, line.target, line.detail) for line in lines] == [("member:ann", world.ids["leo", "author"], "of leo")]
    for ask in (
        lambda: ann.search("harbour note", limit=50),
        lambda: ann.recall("harbour", budget=100_000),
        lambda: ann.memories(limit=500),
    ):
        before = len(world.memory.audit(kind="record.read", limit=500).events)
        ask()
        assert {line.target for line in world.memory.audit(kind="record.read", limit=500).events[before:]} == left
    world.by["bob"].search("harbour note", limit=50)
    assert len(world.memory.audit(kind="record.read", limit=500).events) == 1 + 3 * len(left)
    assert world.memory.verify_audit().whole
    world.memory.close()


def test_forgetting_and_naming_reach_no_further_than_seeing(tmp_path: Path) -> None:
    world = World(tmp_path)
    for reader in ("bob", "con", "sue", "robot"):
        s, hidden = world.by[reader], set(world.ids.values()) - world.seen_by(reader)
        for id in hidden:
            assert not s.forget_record(id).forgotten and not s.forget(id)
            for request in (t.Remember(content="x", derived_from=[id]), t.Remember(content="x", supersedes=id)):
                with pytest.raises(Invalid):
                    s.call("remember", request)
        before = world.memory.stats().memories
        gone = set(s.forget_record(source_id="harbour.md").ids)
        assert gone.isdisjoint(hidden) and world.memory.stats().memories == before - len(gone)
    world.memory.close()


def test_conflicts_are_between_what_is_seen(tmp_path: Path) -> None:
    world = World(tmp_path)
    draft = world.by["ann"].call("remember", t.Remember(content="The crane is red.", fact_key="crane", visibility="author"))
    told = world.by["bob"].remember("The crane is blue.", fact_key="crane")
    assert told.conflict_with == [] and told.status == "unverified"
    assert world.by["ann"].get_record(draft.id).conflict_with == [told.id]
    assert world.by["bob"].get_record(told.id).statuses == ["unverified"] and len(world.by["bob"].get_record(told.id).versions) == 1
    summary = world.by["ann"].remember("Cranes have colours.", derived_from=[draft.id, told.id])
    with pytest.raises(UnknownRecord):
        world.by["bob"].get_record(summary.id)  # it shows no more than its parts
    assert summary.id not in {item.id for item in world.by["bob"].memories(limit=500).items}
    world.memory.close()


def test_visibility_that_says_nothing_is_refused(world: World) -> None:
    for s, visibility in ((world.by["robot"], "unit"), (world.by["ann"], "everybody")):
        with pytest.raises(Invalid, match="invalid visibility"):
            s.call("remember", t.Remember(content="x", visibility=visibility))


def test_a_contractors_term_ends(tmp_path: Path) -> None:
    now = [1_800_000_000_000]
    service = Service(str(tmp_path / "memory.db"), sync="normal", now=lambda: now[0])
    operator = Memory.__new__(Memory)
    operator.bank, operator.project, operator.service = "b", "default", service
    operator.create_unit("docks")
    operator.set_member("con", unit="docks", role="contractor", days=2)
    gate = Gate(service)
    key = operator.create_key("con", member="con").key.encode()
    assert gate.caller(key) is not None
    now[0] += 2 * 86_400_000 - 1
    assert gate.caller(key) is not None
    now[0] += 1
    assert gate.caller(key) is None
    operator.set_member("con", unit="docks", role="contractor", days=1)
    assert gate.caller(key) is not None
    gate.idle()
    service.close()
