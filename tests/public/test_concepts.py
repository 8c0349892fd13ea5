"""Concepts and relations gathered from documents, against plain loops; their order, caps and addresses."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory_wire.client import Memory
from memory_wire.hub.chunk import chunks
from memory_wire.hub.gist import Gist, gist
from memory_wire.hub.kinds import RULES, key_of
from memory_wire.public import atlas, concepts, ties
from memory_wire.public.atlas import Shown
from memory_wire.service import gists
from memory_wire.store.graph import Page
from tests.oracle import weave

NAMES = "Segment Manifest Tombstone Posting Quorum Ledger Shard Replica Beacon Harbor".split()
WORDS = "granite lantern orchard thicket meadow copper violet saddle".split()


@st.composite
def texts(draw: st.DrawFn) -> str:
    parts = []
    for _ in range(draw(st.integers(1, 4))):
        names, words = draw(st.lists(st.sampled_from(NAMES), max_size=3)), draw(st.lists(st.sampled_from(WORDS), max_size=6))
        heading = f"## {draw(st.sampled_from(NAMES))}\n\n" if draw(st.booleans()) else ""
        marked = " and ".join(f"**{name.lower()}**" if draw(st.booleans()) else f"the {name}" for name in names)
        parts.append(f"{heading}We say {marked or 'nothing'} with {' '.join(words)}.\n")
    return "\n".join(parts)


def read(number: int, text: str) -> tuple[weave.Document, concepts.Read]:
    parts = [(chunk.part, chunk.text) for chunk in chunks(text)]
    found: Gist = gist("", [], parts)
    page = Page(number, f"doc{number}", f"Doc {number}", 1, number, number, 1, "notes")
    return weave.Document(page.public_id, found), concepts.read(page, gists.msgpack.encode(gists.packed(found, len(parts))))


SAID = "We say the Segment and the Segment with .\n"


@settings(max_examples=60)
@example(["## Segment\n\nWe say nothing with .\n", *[SAID] * 4])
@given(st.lists(texts(), min_size=1, max_size=12))
def test_concepts_and_relations_are_those_of_plain_loops(notes: list[str]) -> None:
    pairs = [read(number, text) for number, text in enumerate(notes)]
    documents, rows = [document for document, _ in pairs], [row for _, row in pairs]
    told = concepts.gather(rows, [], [])
    assert [(one.label, one.type, one.weight, one.documents) for one in told.concepts] == weave.concepts(documents)
    assert (told.total, told.truncated) == (len(told.concepts), False)
    labels = {key_of(one.label): one.label for one in told.concepts}
    shown = {one.label for one in told.concepts if one.told is not None}
    assert {(one.source, one.target): one.weight for one in told.relations} == weave.together(documents, labels, shown)
    order = [(-one.weight, one.source, one.target) for one in told.relations]
    assert order == sorted(order)


def test_of_one_document_among_others_only_the_heaviest_count() -> None:
    text = (
        "# Notes\n\n"
        + " ".join(f"**{name.lower()}** lantern lantern" for name in NAMES)
        + " `alpha_one` `beta_two` `gamma_three` `delta_four`\n"
    )
    document, row = read(0, text)
    assert len(document.gist.concepts) > concepts.DOCUMENT == row.size == len(row.weights) == len(row.kinds)
    assert row.keys == [*(own.key for own in document.gist.concepts[: concepts.DOCUMENT]), *(stem for stem, _, _ in document.gist.words)]
    assert len(row.chunks) == len(row.keys) == len(row.labels)


def test_the_heaviest_stay_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        read(number, f"# {NAMES[number % 10]} number{number}\n\n**{NAMES[number % 7]}** and *{NAMES[number % 5]}*.\n")[1]
        for number in range(40)
    ]
    whole = concepts.gather(rows, [], [])
    monkeypatch.setattr(concepts, "MOST", 6)
    monkeypatch.setattr(ties, "RELATIONS", 3)
    cut = concepts.gather(rows, [], [])
    assert [one.label for one in cut.concepts] == [one.label for one in whole.concepts[:6]] and cut.truncated
    assert (cut.total, len(cut.relations)) == (whole.total, 3)


def test_documents_that_link_relate_what_they_are_about() -> None:
    rows = [read(0, "# Segment\n\nx\n")[1], read(1, "# Manifest\n\ny\n")[1]]
    told = concepts.gather(rows, [(0, 1)], [])
    assert [(one.source, one.label, one.target, one.documents) for one in told.relations] == [("Segment", "links to", "Manifest", ["doc0"])]


def test_addresses_are_unique_and_found_however_they_are_written() -> None:
    used: dict[str, int] = {}
    assert [concepts.slug_of(label, used) for label in ("C", "C++", "Grind size", "全文検索", "!")] == [
        "c",
        "c-2",
        "grind-size",
        "全文検索",
        "-",
    ]


def test_a_concept_is_found_by_other_spellings(memory: Memory) -> None:
    memory.create_doc("# Grind sizes\n\nA grind size is a number. **C++** too.\n")
    with Shown(memory.service, "notes") as shown:
        for written in ("grind-sizes", "Grind sizes", "grind_sizes", "grind-size", "GRIND SIZE"):
            found = shown.atlas.concept(written)
            assert found is not None and found.label == "Grind sizes"
        assert shown.atlas.concept("grind") is None and shown.atlas.concept("") is None


def test_what_is_kept_is_what_is_read(memory: Memory) -> None:
    """The background makes gists, readers make missing ones, and both are alike; an older text's or title's is never shown."""
    ids = [memory.create_doc(f"# Note {number}\n\nAbout **{name}**.\n").id for number, name in enumerate(NAMES)]
    with memory.service.store.read() as reader:
        assert len(reader.graph.missing("public", 1 + 1, RULES)) == len(ids)
    first = memory.raw_hub("notes")
    with memory.service.store.read() as reader:
        assert reader.graph.missing("public", 2, RULES) == []
    memory.service.store.submit(lambda tx: tx.graph._execute("DELETE FROM gist"))
    while memory.service.work_jobs(8).now:
        continue
    with memory.service.store.read() as reader:
        assert reader.graph.missing("public", 2, RULES) == []
    memory.service.idle()
    assert memory.raw_hub("notes") == first
    memory.update_doc(ids[0], replace="# Other\n\nAbout **Zebra**.\n")
    assert b"Zebra" in memory.raw_hub("notes").body
    memory.update_doc(ids[0], title="Quagga")
    assert b"Quagga" in memory.raw_hub("notes").body
    memory.delete_doc(ids[0], purge=True)
    with memory.service.store.read() as reader:
        assert reader.graph._execute("SELECT count(*) FROM gist").fetchone()[0] == len(ids) - 1
    assert b"Zebra" not in memory.raw_hub("notes").body


def test_an_atlas_is_kept_until_something_that_is_shown_changes(memory: Memory) -> None:
    def drawn() -> atlas.Atlas:
        with Shown(memory.service, "notes") as shown:
            return shown.atlas

    id = memory.create_doc("# A\n\nThe **engine**.\n").id
    first = drawn()
    memory.retain("something else")
    memory.create_doc("# B\n\nhidden\n", is_draft=True)
    assert drawn() is first
    memory.update_doc(id, append="more")
    second = drawn()
    assert second is not first
    memory.put_hub("notes", description="Of engines.")
    assert drawn() is not second
    memory.service.idle()
    assert drawn() is not second


def test_documents_have_concepts_by_themselves(memory: Memory) -> None:
    id = memory.create_doc("# Engine\n\nThe **pump** drives the engine.\n\n## Valve\n\nA valve is a door.\n").id
    with Shown(memory.service, "notes") as shown:
        (page,) = [page for page in shown.atlas.documents if page.public_id == id]
        told = concepts.of_document(memory.service, shown.reader, page.id, limit=2)
        assert [one.label for one in told.concepts] == ["Engine", "Valve"] and told.total == 3 and told.truncated
        assert told.concepts[1].description == "A valve is a door."
        whole = concepts.of_documents(memory.service, shown.reader, [page.id, 10_000])
        assert [(one.source, one.target) for one in whole.relations] == [("Engine", "pump")]
