"""The graph of a hub: likeness against plain loops, places, caps, the picture."""

from __future__ import annotations

from array import array
from math import dist, hypot, sqrt
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import json

from memory_wire.client import Memory
from memory_wire.hub.chunk import chunks
from memory_wire.hub.gist import gist
from memory_wire.kernels import vec
from memory_wire.public import graph, layout, nearness, picture
from memory_wire.public.atlas import Shown
from tests.oracle import weave
from tests.public.test_concepts import texts

SVG = "{http://www.w3.org/2000/svg}"


def drawn(memory: Memory) -> graph.Graph:
    return json.decode(memory.hub_graph("notes").body, type=graph.Graph)


@settings(max_examples=8)
@given(st.lists(texts(), min_size=2, max_size=9))
def test_documents_are_alike_as_plain_loops_say(tmp_path_factory: pytest.TempPathFactory, notes: list[str]) -> None:
    with Memory(tmp_path_factory.mktemp("alike") / "m.db", bank="notes", sync="normal") as memory:
        ids = [memory.create_doc(text, title=f"Doc {number}").id for number, text in enumerate(notes)]
        memory.put_hub("notes", public=True)
        found = {frozenset((edge.source, edge.target)): edge.weight for edge in drawn(memory).edges if edge.type == "lexical"}
    documents = []
    for number, (id, text) in enumerate(zip(ids, notes, strict=True)):
        parts = [(chunk.part, chunk.text) for chunk in chunks(text, f"Doc {number}")]
        documents.append(weave.Document(id, gist(f"Doc {number}", [], parts)))
    wanted = {pair: weight for pair, weight in weave.alike(documents).items() if weight >= graph.LEXICAL}
    kept = {pair for id in ids for _, pair in sorted((-weight, pair) for pair, weight in wanted.items() if id in pair)[: graph.NEIGHBOURS]}
    assert found.keys() <= {frozenset(pair) for pair in wanted}
    if len(notes) <= graph.NEIGHBOURS + 1:
        assert found.keys() == {frozenset(pair) for pair in kept}
    for pair, weight in wanted.items():
        if frozenset(pair) in found:
            assert abs(found[frozenset(pair)] - min(weight, 1.0)) < 0.002


def test_edges_are_symmetric_once_and_never_to_oneself(memory: Memory) -> None:
    one = memory.create_doc("# Engine\n\nThe **engine** and the **pump**. [[Engine]]\n").id
    two = memory.create_doc(f"# Pump\n\nA **pump** for the **engine**. /{one}\n").id
    memory.create_doc("# Bread\n\nFlour.\n")
    bundle = memory.create_bundle("Both", [(two, None), (one, None)]).id
    found = drawn(memory)
    assert [(edge.source, edge.target, edge.type, edge.basis) for edge in found.edges] == [
        (bundle, two, "bundle_member", ""),
        (bundle, one, "bundle_member", ""),
        (one, two, "lexical", "lexical"),
    ]
    assert [(node.title, node.type, node.degree) for node in found.nodes] == [
        ("Both", "bundle", 2), ("Bread", "document", 0), ("Engine", "document", 2), ("Pump", "document", 2),
    ]  # fmt: skip
    assert (found.basis, found.truncated) == ("lexical", False)
    memory.service.idle()
    assert drawn(memory) == found


def test_the_newest_are_drawn_when_there_are_too_many(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph, "DOCUMENTS", 4)
    monkeypatch.setattr(graph, "BUNDLES", 1)
    ids = [memory.create_doc(f"# Doc {number}\n\nx\n").id for number in range(6)]
    for number in range(2):
        memory.create_bundle(f"Bundle {number}", [(ids[0], None), (ids[5], None)])
    found = drawn(memory)
    assert [node.title for node in found.nodes] == ["Bundle 0", "Doc 2", "Doc 3", "Doc 4", "Doc 5"]
    assert found.truncated and [edge.target for edge in found.edges if edge.type == "bundle_member"] == [ids[5]]


# vectors ---------------------------------------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(st.lists(st.lists(st.integers(-9, 9), min_size=8, max_size=8).filter(any), min_size=1, max_size=8))
def test_nearness_is_the_cosine(numbers: list[list[int]]) -> None:
    unit = [[value / sqrt(sum(each * each for each in row)) for value in row] for row in numbers]
    vectors = {place: array("f", row).tobytes() for place, row in enumerate(unit)}
    found = nearness.near(vectors, 0.42, 100)
    for one in range(len(unit)):
        for other in range(one + 1, len(unit)):
            cosine = sum(a * b for a, b in zip(unit[one], unit[other], strict=True))
            if abs(cosine - 0.58) > 0.02:  # rounding to int8
                assert ((one, other) in found) == (cosine > 0.58)
            if (one, other) in found:
                assert abs(found[one, other] - cosine) < 0.02


def test_a_documents_vector_is_the_mean_of_its_chunks() -> None:
    rows = vec.quantise(array("f", [1.0, 0.0, 0.0, 1.0]).tobytes(), 2)
    width = len(rows) // 2
    found = nearness.mean([rows[:width], rows[width:]])
    assert found is not None and [round(value, 2) for value in memoryview(found).cast("f")] == [0.71, 0.71]
    assert nearness.mean([]) is None


def test_of_each_end_the_heaviest_pairs_stay() -> None:
    pairs = {(1, 2): 0.9, (1, 3): 0.8, (1, 4): 0.7, (2, 3): 0.1}
    assert nearness.nearest(pairs, 1) == {(1, 2): 0.9, (1, 3): 0.8, (1, 4): 0.7}
    assert nearness.nearest({(1, 2): 0.5, (1, 3): 0.5, (2, 4): 0.6, (3, 4): 0.6}, 1) == {(1, 2): 0.5, (2, 4): 0.6, (3, 4): 0.6}


def test_vectors_decide_where_every_document_has_some(memory: Memory) -> None:
    ids = [memory.create_doc(f"# Doc {number}\n\nwords {number}\n").id for number in range(3)]
    rows = {0: [1.0, 0.0], 1: [0.9, 0.1], 2: [-1.0, 0.2]}

    def embed(tx: object) -> None:
        execute = tx.graph._execute  # type: ignore[attr-defined]
        execute("INSERT INTO space (bank, model, config, name, dimension) VALUES (2, x'00', x'00', 'test', 2)")
        for number, id in enumerate(ids):
            row = vec.quantise(array("f", rows[number]).tobytes(), 2)
            unit = execute("SELECT c.unit FROM chunk c JOIN document d ON d.id = c.document WHERE d.public_id = ?", (id,)).fetchone()[0]
            execute("INSERT INTO embedding (space, unit, passage, key, row) VALUES (1, ?, 0, x'00', ?)", (unit, row))

    memory.service.store.submit(embed)
    found = drawn(memory)
    assert found.basis == "vectors"
    assert [(edge.source, edge.target, edge.type, edge.basis) for edge in found.edges] == [(ids[0], ids[1], "semantic", "vectors")]
    memory.create_doc("# Not embedded\n\nyet\n")
    assert drawn(memory).basis == "lexical"


# layout ----------------------------------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 40), max_size=12), st.integers(0, 90))
@settings(max_examples=40)
def test_nodes_stand_on_their_rings_and_apart(sizes: list[int], loose: int) -> None:
    groups = [[f"{at}-{number}" for number in range(size)] for at, size in enumerate(sizes)]
    orphans = [f"loose-{number}" for number in range(loose)]
    centres, places = layout.placed(groups, orphans)
    assert layout.placed(groups, orphans) == (centres, places)
    radii = [hypot(*centre) for centre in centres]
    assert all(radius >= layout.OUTER - 0.2 and abs(radius - radii[0]) < 0.2 for radius in radii)
    for centre, members in zip(centres, groups, strict=True):
        for member in members:
            assert (dist(centre, places[member]) - layout.ORBIT) % layout.GAP < 0.2 or (
                layout.GAP - (dist(centre, places[member]) - layout.ORBIT) % layout.GAP < 0.2
            )
    every = [*centres, *places.values()]
    assert len(set(every)) == len(every)
    if every and len(every) < 120:
        assert min((dist(a, b) for at, a in enumerate(every) for b in every[at + 1 :]), default=99.0) > 10


# picture ---------------------------------------------------------------------------------------------------------------------------


def test_the_picture_is_xml_with_words_and_links_and_nothing_that_runs(memory: Memory) -> None:
    id = memory.create_doc('# <script>alert("1")</script> & so on\n\nx\n').id
    memory.create_bundle("A & B\x0b", [(id, None)])
    text = memory.hub_picture("notes").body.decode()
    tree = ElementTree.fromstring(text)
    assert tree.tag == f"{SVG}svg"
    title, desc = tree.find(f"{SVG}title"), tree.find(f"{SVG}desc")
    assert title is not None and desc is not None
    assert (title.text, desc.text) == ("Notes", "1 document and 1 bundle, 1 connection between them.")
    assert tree.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"
    links = tree.findall(f".//{SVG}a")
    assert [link.get("href", "").partition("/")[2][:2] for link in links] == ["b/", id[:2]]
    assert all(link.find(f"{SVG}title") is not None for link in links)
    assert {node.tag.removeprefix(SVG) for node in tree.iter()} == {"svg", "title", "desc", "g", "line", "a", "circle", "text"}
    with Shown(memory.service, "notes") as shown:
        inline = picture.svg(graph.of(memory.service, shown))
    assert "xmlns" not in inline and ElementTree.fromstring(inline) is not None


def test_an_empty_hub_has_a_picture(memory: Memory) -> None:
    assert ElementTree.fromstring(memory.hub_picture("notes").body).findall(f".//{SVG}a") == []
