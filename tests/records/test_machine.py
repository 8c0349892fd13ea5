"""Records against the slow model: remember, forget, validate and search in any order."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from memory_wire import types as t
from memory_wire.client import Memory
from tests.oracle.statuses import Bank, Fact

CONTENTS = ("Deploys run on Tuesday.", "Deploys run on Friday.", "Deploys  run on\tFriday. ", "Cafe\u0301 deploys.", "Caf\u00e9 deploys.")
KEYS = (None, "deploy day", "Deploy_Day", " deploy-day ", "other")
SOURCES = (None, "docs/a.md", "docs/b.md")
HASHES = (None, "sha256:AB12", "ab12", "cd34", "md5:ab12")


class Machine(RuleBasedStateMachine):
    """The product's records beside the model's; names of the model are the product's ids."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.memory = Memory(Path(self.folder.name) / "memory.db", sync="normal")
        self.model = Bank()

    def teardown(self) -> None:
        self.memory.close()
        self.folder.cleanup()

    @rule(
        content=st.sampled_from(CONTENTS),
        key=st.sampled_from(KEYS),
        source=st.sampled_from(SOURCES),
        hash=st.sampled_from(HASHES),
        derived=st.lists(st.integers(0, 30), max_size=3),
    )
    def remember(self, content: str, key: str | None, source: str | None, hash: str | None, derived: list[int]) -> None:
        live = self.model.live()
        names = list(dict.fromkeys(live[number % len(live)].name for number in derived)) if live else []
        hash = hash if source is not None else None
        done = self.memory.remember(content, fact_key=key, source_id=source, source_hash=hash, derived_from=names)
        fact = Fact(done.id, content, key, source, hash, names)
        self.model.remember(fact)
        assert done.conflict_with == self.model.conflicts(fact)
        assert done.statuses == self.model.statuses(fact)

    @rule(number=st.integers(0, 30))
    def forget(self, number: int) -> None:
        if self.model.facts:
            fact = self.model.facts[number % len(self.model.facts)]
            assert self.memory.forget_record(fact.name).forgotten is not fact.forgotten
            self.model.forget(fact.name)

    @rule(source=st.sampled_from(SOURCES[1:]))
    def forget_source(self, source: str) -> None:
        names = [fact.name for fact in self.model.live() if fact.source == source]
        assert self.memory.forget_record(source_id=source).ids == names
        for name in names:
            self.model.forget(name)

    @rule(source=st.sampled_from(SOURCES[1:]), hash=st.sampled_from(HASHES[1:]))
    def validate(self, source: str, hash: str) -> None:
        found = self.memory.validate_memory(source, hash)
        facts = [fact for fact in self.model.live() if fact.source == source]
        if facts:
            self.model.heads[source] = hash
        stale = [fact.name for fact in facts if fact.hash is not None and self.model.is_stale(without_sources(fact), {})]
        assert found.checked == len(facts)
        assert [record.id for record in found.stale] == stale
        assert found.unhashed == [fact.name for fact in facts if fact.hash is None]
        assert found.fresh == [fact.name for fact in facts if fact.hash is not None and fact.name not in stale]
        assert {name for group in found.conflicts for name in group.ids} == {
            other.name for fact in facts if self.model.conflicts(fact) for other in self.model.group(fact)
        }
        doubted = [fact for fact in facts if self.model.conflicts(fact) or self.model.is_stale(fact, {})]
        assert found.summaries_affected == [
            fact.name for fact in self.model.live() if any(one in self.model.ancestors(fact) for one in doubted)
        ]

    @rule(fresh=st.booleans())
    def search(self, fresh: bool) -> None:
        found = self.memory.search("which deploys?", limit=50, exclude_stale=fresh).results
        facts = [fact for fact in self.model.live() if not fresh or "stale" not in self.model.statuses(fact)]
        shown = {hit.id for hit in found}
        for fact in facts:  # each is there itself or as one that says the same
            assert shown & {fact.name, *self.model.also(fact)}
        for number, hit in enumerate(found):
            fact = self.model.fact(hit.id)
            assert fact in facts and hit.also == self.model.also(fact) and not shown & set(hit.also)
            later = [other.id for other in found[number + 1 :]]
            assert not [other for other in self.model.group(fact) if other.name in later and self.is_newer(other, fact)]

    def is_newer(self, one: Fact, other: Fact) -> bool:
        return self.model.facts.index(one) > self.model.facts.index(other)

    @invariant()
    def every_record_stands_as_the_model_says(self) -> None:
        for fact in self.model.live()[-6:]:
            found = self.memory.get_record(fact.name)
            assert isinstance(found, t.RecordDetail)
            assert found.statuses == self.model.statuses(fact) and found.status == found.statuses[0]
            assert found.conflict_with == self.model.conflicts(fact)
            assert found.inherited_from == self.model.inherited_from(fact)
            assert found.derived_from == [name for name in fact.derived if not self.model.fact(name).forgotten]
            assert found.content == fact.content


def without_sources(fact: Fact) -> Fact:
    return Fact(fact.name, fact.content, fact.fact_key, fact.source, fact.hash)


Machine.TestCase.settings = settings(max_examples=12, stateful_step_count=20, deadline=None)
TestMachine = Machine.TestCase
