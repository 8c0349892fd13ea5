"""Who cites whom: counts against what the texts were made of, over several hubs; titles, files and paths as targets."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_wire.client import Memory
from memory_wire.public import crossrefs
from memory_wire.public.atlas import Shown
from memory_wire.public.targets import joined, stem

FORMS = ("/{}", "[it](/{})", "<https://notes.example/{}>", "[it](http://localhost:8888/d/{}#part)", "(example.org/raw/{}.md)", "/d/{}?x=1,")


def counts(memory: Memory) -> dict[str, int]:
    found = memory.cross_refs(limit=100)
    return {row.id: row.count for row in (*found.docs, *found.bundles, *found.hubs)}


@settings(max_examples=8)
@given(
    st.lists(st.lists(st.tuples(st.integers(0, 6), st.sampled_from(FORMS)), max_size=5), min_size=7, max_size=7), st.sets(st.integers(0, 6))
)
def test_counts_are_those_of_the_citations_that_the_texts_were_made_of(
    tmp_path_factory: pytest.TempPathFactory, plan: list[list[tuple[int, str]]], hidden: set[int]
) -> None:
    """Seven documents in two hubs, each citing some of the seven in some form; a few aren't public."""
    with Memory(tmp_path_factory.mktemp("refs") / "m.db", sync="normal") as memory:
        banks = ["one" if number % 2 else "two" for number in range(7)]
        ids = [memory.create_doc("x\n", bank=bank, is_draft=number in hidden).id for number, bank in enumerate(banks)]
        for bank in ("one", "two"):
            memory.put_hub(f"hub-{bank}", bank=bank, public=True)
        for number, cited in enumerate(plan):
            text = "\n\n".join(f"words {form.format(ids[target])} more" for target, form in cited)
            memory.update_doc(ids[number], replace=f"# Doc {number}\n\n{text}\n", bank=banks[number])
        sources = [{target for target, _ in cited} - {number} for number, cited in enumerate(plan)]
        wanted = {
            ids[target]: sum(target in cited and number not in hidden for number, cited in enumerate(sources))
            for target in range(7)
            if target not in hidden
        }
        assert counts(memory) == {id: count for id, count in wanted.items() if count}
        rows = memory.cross_refs(limit=100).docs
        assert [(-row.count, row.title) for row in rows] == sorted((-row.count, row.title) for row in rows)
        with memory.service.read() as reader:
            for target in range(7):
                page = reader.documents.holder(ids[target])
                assert page is not None
                citing = {row.id for row in crossrefs.backlinks(memory.service, reader, page.id)}
                seen = {ids[number] for number, cited in enumerate(sources) if target in cited and number not in hidden}
                assert citing == (set() if target in hidden else seen)


def test_titles_files_and_paths_lead_to_documents_of_the_same_hub(memory: Memory) -> None:
    plan = memory.create_doc("# Weekly plan\n\nx\n", source="vault/work/Daily plan.md").id
    other = memory.create_doc("# Weekly Plan\n\nthe younger one\n", source="vault/other.md").id
    memory.create_doc("# One\n\n[[weekly PLAN]] [[One]]\n", source="vault/one.md")  # the older of two
    memory.create_doc("# Two\n\n[[work/Daily plan|that]] [[Nobody]]\n")
    memory.create_doc("# Three\n\n[plan](<../work/Daily plan.md>) [gone](nowhere.md)\n", source="vault/notes/three.md")
    memory.create_doc("# Four\n\n[plan](Daily%20plan.md) [home](/hub/notes)\n", source="vault/work/four.md")
    memory.create_doc("# Five\n\n[no file of its own](other.md)\n")
    memory.create_doc("# Elsewhere\n\n[[Weekly plan]]\n", bank="elsewhere")
    memory.put_hub("elsewhere", bank="elsewhere", public=True)
    assert counts(memory) == {plan: 4, "notes": 1}
    with Shown(memory.service, "notes") as shown:
        assert [page.title for page in shown.atlas.backlinks(plan)] == ["Four", "One", "Three", "Two"]
        assert shown.atlas.backlinks(other) == []
        assert [reference for _, reference in shown.atlas.dead] == ["w:Nobody", "r:nowhere.md"]


def test_bundles_and_hubs_are_cited_and_a_limit_says_so(memory: Memory) -> None:
    id = memory.create_doc("x\n").id
    bundle = memory.create_bundle("All", [(id, None)]).id
    hidden = memory.create_bundle("Hidden", [(id, None)], is_draft=True).id
    for number in range(3):
        memory.create_doc(f"note {number}: /b/{bundle} and /b/{hidden} in /hub/notes, /hub/nobody\n")
    memory.create_doc(f"[[x]] /b/{bundle}\n")
    found = memory.cross_refs()
    assert [(row.id, row.title, row.url, row.count) for row in found.bundles] == [(bundle, "All", f"/b/{bundle}", 4)]
    assert [(row.id, row.title, row.url, row.count) for row in found.hubs] == [("notes", "Notes", "/hub/notes", 3)]
    assert (found.totals.sources, found.totals.docs, found.totals.bundles, found.totals.hubs, found.truncated) == (4, 1, 1, 1, False)
    memory.create_doc(f"/{id} [[note 0: /b/{bundle} and /b/{hidden} in /hub/notes, /hub/nobody]]\n")
    assert len(memory.cross_refs(limit=1).docs) == 1


@pytest.mark.parametrize(
    ("folder", "path", "found"),
    [
        ("a/b", "c.md", "a/b/c.md"),
        ("a/b", "../c.md", "a/c.md"),
        ("a", "../../c.md", ""),
        ("a", "./x/../c.md", "a/c.md"),
        ("a", "b//c.md", "a/b/c.md"),
    ],
)
def test_paths_from_a_folder(folder: str, path: str, found: str) -> None:
    assert joined(folder.split("/"), path) == found


def test_stems() -> None:
    assert [stem(name) for name in ("a.md", "a.b.md", "a", ".md")] == ["a", "a.b", "a", ".md"]


def test_a_store_that_is_only_read_shows_them_too(memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = memory.create_doc("x\n").id
    memory.create_doc(f"/{target}\n")
    monkeypatch.setattr("memory_wire.service.gists.frozen", lambda path: True)
    assert counts(memory) == {target: 1}
    with memory.service.read() as reader:
        assert reader.graph._execute("SELECT count(*) FROM gist").fetchone()[0] == 0
