"""Vectors of one document or bundle: what the counters say, and that an embedder isn't asked for what it has embedded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_wire import documents as d
from memory_wire import questions as q
from memory_wire.client import Memory
from memory_wire.errors import OutsideFailed, UnknownBundle, UnknownDocument
from tests.embed.endpoint import Endpoint
from tests.hub.library import guide, section


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint() as server:
        yield server


@pytest.fixture
def memory(tmp_path: Path, endpoint: Endpoint) -> Iterator[Memory]:
    with Memory(tmp_path / "memory.db", bank="notes", sync="normal") as found:
        found.retain("so that there is a bank")
        found.put_config({"embedder": endpoint.model()})
        yield found


def vectors(embedded: int, reused: int, pruned: int, moved: int) -> q.DocVectors:
    return q.DocVectors(total=embedded + reused, embedded=embedded, reused=reused, pruned=pruned, moved=moved)


@pytest.fixture
def made(memory: Memory, endpoint: Endpoint) -> str:
    """A guide of fifty sections with its vectors."""
    id = memory.create_doc(guide(50)).id
    assert memory.embed_doc(id) == q.EmbeddedDoc(doc_embedded=True, chunks=vectors(50, 0, 0, 0))
    endpoint.calls, endpoint.texts = 0, []
    return id


def test_what_is_unchanged_asks_no_embedder(memory: Memory, endpoint: Endpoint, made: str) -> None:
    unchanged = q.EmbeddedDoc(doc_embedded=False, chunks=vectors(0, 50, 0, 0), skipped="unchanged")
    assert memory.embed_doc(made) == unchanged
    memory.set_access(made, is_draft=True)
    assert memory.embed_doc(made) == unchanged
    memory.run_jobs()
    assert memory.embed_doc(made) == unchanged
    assert "".join(endpoint.texts).count("About") == 0


def test_editing_one_section_of_fifty_embeds_one(memory: Memory, endpoint: Endpoint, made: str) -> None:
    memory.update_doc(made, replace_section=d.ReplaceSection(heading="Part 20", markdown="About zebras."))
    assert memory.embed_doc(made) == q.EmbeddedDoc(doc_embedded=True, chunks=vectors(1, 49, 1, 0))
    assert ["zebras" in text for text in endpoint.texts] == [True]


def test_inserting_on_top_embeds_one_and_moves_the_others(memory: Memory, endpoint: Endpoint, made: str) -> None:
    memory.update_doc(made, replace=guide(50).replace("# Guide\n\n", "# Guide\n\n## New\n\nAbout zebras.\n\n"))
    assert memory.embed_doc(made).chunks == vectors(1, 50, 0, 50)
    assert len(endpoint.texts) == 1


def test_swapping_two_sections_embeds_none(memory: Memory, endpoint: Endpoint, made: str) -> None:
    one, other = section(10), section(30)
    memory.update_doc(made, replace=guide(50).replace(one, "\0").replace(other, one).replace("\0", other))
    assert memory.embed_doc(made).chunks == vectors(0, 50, 0, 2)
    assert endpoint.calls == 0


def test_deleting_a_section_prunes_it(memory: Memory, endpoint: Endpoint, made: str) -> None:
    memory.update_doc(made, replace=guide(49))
    assert memory.embed_doc(made).chunks == vectors(0, 49, 1, 0)
    assert endpoint.calls == 0


def test_reverting_embeds_none(memory: Memory, endpoint: Endpoint, made: str) -> None:
    memory.update_doc(made, replace_section=d.ReplaceSection(heading="Part 7", markdown="About zebras."))
    memory.embed_doc(made)
    memory.run_jobs()  # which forgets the rows of units that are gone
    endpoint.calls = 0
    memory.revert_doc(made, 1)
    assert memory.embed_doc(made) == q.EmbeddedDoc(doc_embedded=True, chunks=vectors(0, 50, 1, 0))
    assert endpoint.calls == 0


def test_renaming_a_title_embeds_what_stands_below_it(memory: Memory, endpoint: Endpoint) -> None:
    id = memory.create_doc("# A\n\n## B\n\n### C\n\none\n\n## D\n\ntwo\n").id
    memory.embed_doc(id)
    memory.update_doc(id, replace="# A\n\n## X\n\n### C\n\none\n\n## D\n\ntwo\n")
    assert memory.embed_doc(id).chunks == vectors(1, 1, 1, 0)


def test_equal_sections_are_told_apart_by_their_occurrence(memory: Memory, endpoint: Endpoint) -> None:
    id = memory.create_doc("# A\n\n## B\n\nsame\n\n## B\n\nsame\n").id
    assert memory.embed_doc(id).chunks == vectors(2, 0, 0, 0)
    memory.update_doc(id, append="## B\n\nsame\n")
    assert memory.embed_doc(id).chunks == vectors(0, 3, 0, 0)


def test_nothing_to_embed_and_nobody_who_could(memory: Memory, endpoint: Endpoint) -> None:
    empty = memory.create_doc(" ").id
    assert memory.embed_doc(empty) == q.EmbeddedDoc(doc_embedded=False, chunks=q.DocVectors(), skipped="empty")
    id = memory.create_doc("# A\n\none\n").id
    endpoint.bad = 500
    with pytest.raises(OutsideFailed):
        memory.embed_doc(id)
    memory.put_config({})
    assert memory.embed_doc(id) == q.EmbeddedDoc(doc_embedded=False, chunks=q.DocVectors(total=1), degraded="no embedder is configured")
    memory.delete_doc(id)
    with pytest.raises(UnknownDocument):
        memory.embed_doc(id)


def test_a_bundle_is_its_words_and_the_titles_that_everybody_sees(memory: Memory, endpoint: Endpoint) -> None:
    one, two = memory.create_doc("# Lions\n\nroar\n").id, memory.create_doc("# Tigers\n\nburn\n").id
    hidden = memory.create_doc("# Unicorns\n\nsecret\n", is_draft=True).id
    memory.put_hub("notes", public=True)
    bundle = memory.create_bundle("Cats", [one, two, hidden], description="Large ones.").id
    memory.embed_doc(one)
    endpoint.texts = []
    assert memory.embed_bundle(bundle) == q.EmbeddedBundle(bundle_embedded=True)
    assert endpoint.texts == ["Cats\nLarge ones.\nLions\nTigers"]
    assert memory.embed_bundle(bundle) == q.EmbeddedBundle(bundle_embedded=False, skipped="unchanged")
    memory.update_bundle(bundle, title="Felines")
    assert memory.embed_bundle(bundle).bundle_embedded
    memory.set_access(hidden, is_draft=False)
    assert memory.embed_bundle(bundle).bundle_embedded
    assert endpoint.texts[1:] == ["Felines\nLarge ones.\nLions\nTigers", "Felines\nLarge ones.\nLions\nTigers\nUnicorns"]
    memory.delete_bundle(bundle)
    with pytest.raises(UnknownBundle):
        memory.embed_bundle(bundle)


def test_what_is_purged_leaves_no_vector(memory: Memory, made: str) -> None:
    bundle = memory.create_bundle("All", [made]).id
    memory.embed_bundle(bundle)
    memory.delete_bundle(bundle, purge=True)
    memory.delete_doc(made, purge=True)
    with memory.service.store.read() as reader:
        for table in ("kept_vector", "embedded_document"):
            assert reader.connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
