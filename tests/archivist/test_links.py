"""What the archivist makes of records: links with reasons, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.archivist.__main__ import PRECISION, measure
from memory_wire.client import Memory
from memory_wire.errors import UnknownRecord
from tests.archivist.conftest import Links
from tests.archivist.pairs import DEV, FRESH, HELD_OUT, LATER, Pair

OLD = "Container images are pushed to the Harbor registry."
NEW = "Container images are no longer pushed to the Harbor registry; they go to ECR."
RECALL = {"DEV": 0.9, "HELD_OUT": 0.9, "LATER": 0.7, "FRESH": 0.8}


@pytest.mark.parametrize("name", RECALL)
def test_strong_links_agree_with_a_reader(tmp_path: Path, name: str) -> None:
    pairs: tuple[Pair, ...] = {"DEV": DEV, "HELD_OUT": HELD_OUT, "LATER": LATER, "FRESH": FRESH}[name]
    found = measure(pairs, tmp_path / "memory.db")
    precision, recall = found.strong
    assert precision >= PRECISION and recall >= RECALL[name]
    assert min(found.linked) >= 0.95


def test_both_ends_tell_of_a_link_and_nothing_else_changes(memory: Memory, links: Links) -> None:
    old = memory.remember(OLD, fact_key="images").id
    before = memory.get_record(old)
    new = memory.remember(NEW, fact_key="images").id
    assert links(new) == [("outdates", old)] and links(old) == [("outdated_by", new)]
    after = memory.get_record(old)
    assert after.content == before.content == OLD
    assert after.statuses == memory.get_record(new).statuses == ["conflict"]  # a link settles nothing
    [relation] = memory.search("container images", limit=1).results[0].graph_relations
    assert relation.reason and 0.0 < (relation.weight or 0.0) <= 1.0


def test_a_memory_with_provenance_is_linked_too_and_one_without_is_not(memory: Memory, links: Links) -> None:
    old = memory.retain(OLD, source_id="docs/images.md").id
    memory.retain("Container images of the Harbor registry are scanned.")
    new = memory.retain(NEW, source="a colleague").id
    assert links(new) == [("outdates", old)]


def test_what_happened_later_outdates_whatever_was_stored_later(memory: Memory, links: Links) -> None:
    new = memory.retain(NEW, source="a colleague", created_at="2026-05-01").id
    old = memory.retain(OLD, source="a colleague", created_at="2024-05-01").id
    assert links(new) == [("outdates", old)] and links(old) == [("outdated_by", new)]


def test_records_of_one_source_are_related(memory: Memory, links: Links) -> None:
    one = memory.remember("Blue is the colour of the header.", source_id="docs/a.md").id
    two = memory.remember("Retries are counted.", source_id="docs/a.md").id
    assert links(two) == [("related", one)]
    assert [link.reason for link in memory.get_record(two).graph_relations] == ["same source"]


def test_the_same_links_once_again(memory: Memory, links: Links) -> None:
    ids = [memory.remember(text).id for pair in DEV[:12] for text in (pair.older, pair.newer)]
    memory.run_jobs()
    before = [memory.get_record(id).graph_relations for id in ids]
    service = memory.service
    with service.read() as reader:
        bank = reader.bank("default", "default")
        assert bank is not None
        units = [unit.id for unit in reader.page(bank, 100)]
    service.store.submit(lambda tx: [tx.jobs.add("archive", bank.id, unit, 0, None) for unit in units])
    memory.run_jobs()
    assert [memory.get_record(id).graph_relations for id in ids] == before
    assert any(before)


def test_links_go_with_what_is_forgotten(memory: Memory, links: Links) -> None:
    old, new = memory.remember(OLD).id, memory.remember(NEW).id
    assert links(new)
    memory.forget_record(old)
    assert links(new) == []


def test_a_job_of_a_forgotten_record_writes_nothing(memory: Memory, links: Links) -> None:
    old, new = memory.remember(OLD).id, memory.remember(NEW).id
    memory.forget_record(new)
    assert links(old) == []
    with pytest.raises(UnknownRecord):
        memory.get_record(new)


def test_a_bank_that_is_ranked_the_references_way_is_looked_through_all_the_same(memory: Memory, links: Links) -> None:
    memory.put_config({"fusion": "reference"})
    old, new = memory.remember(OLD).id, memory.remember(NEW).id
    assert links(new) == [("outdates", old)]


def test_records_that_come_along_are_linked_in_their_new_bank(memory: Memory) -> None:
    memory.remember(OLD, bank="one")
    memory.remember(NEW, bank="two")
    memory.merge_bank("one", into="two")
    memory.copy_bank("two", to="three")
    memory.run_jobs()
    for bank in ("two", "three"):
        found = memory.search("container images", bank=bank).results
        assert sorted(link.type for hit in found for link in hit.graph_relations) == ["outdated_by", "outdates"]
