"""Incremental re-indexing: what a change of a document means for the index, exactly."""

from __future__ import annotations

from memory_wire.documents import ReplaceSection
from tests.hub.library import Library, guide, section, word


def test_a_new_document_is_indexed_whole(library: Library) -> None:
    assert library.counters(library.memory.create_doc(guide(50))) == (50, 50, 0, 0, 0)


def test_editing_one_section_of_fifty_indexes_one(library: Library) -> None:
    id = library.make(guide(50))
    saved = library.memory.update_doc(id, replace_section=ReplaceSection(heading="Part 20", markdown="About zebras."))
    assert library.counters(saved) == (50, 1, 49, 1, 0)
    assert library.found("zebras") == ["Guide > Part 20"]
    assert library.found(word(20)) == []


def test_inserting_on_top_indexes_one_and_moves_the_others(library: Library) -> None:
    id = library.make(guide(50))
    text = library.text(id).replace("# Guide\n\n", "# Guide\n\n## New\n\nAbout zebras.\n\n")
    assert library.counters(library.memory.update_doc(id, replace=text)) == (51, 1, 50, 0, 50)


def test_swapping_two_sections_indexes_none(library: Library) -> None:
    id = library.make(guide(50))
    one, other = section(10), section(30)
    text = library.text(id).replace(one, "\0").replace(other, one).replace("\0", other)
    assert library.counters(library.memory.update_doc(id, replace=text)) == (50, 0, 50, 0, 2)


def test_deleting_a_section_prunes_it(library: Library) -> None:
    id = library.make(guide(50))
    text = library.text(id).replace(section(49), "")
    assert library.counters(library.memory.update_doc(id, replace=text)) == (49, 0, 49, 1, 0)
    assert library.found(word(49)) == []


def test_reverting_indexes_what_had_changed(library: Library) -> None:
    id = library.make(guide(50))
    library.memory.update_doc(id, replace_section=ReplaceSection(heading="Part 7", markdown="About zebras."))
    assert library.counters(library.memory.revert_doc(id, 1)) == (50, 1, 49, 1, 0)
    assert library.text(id) == guide(50)
    assert library.found(word(7)) == ["Guide > Part 7"]


def test_the_same_text_again_is_no_version(library: Library) -> None:
    id = library.make(guide(5))
    saved = library.memory.update_doc(id, replace=guide(5))
    assert (saved.version, saved.skipped, library.counters(saved)) == (1, "unchanged", (5, 0, 5, 0, 0))


def test_renaming_a_parent_indexes_what_is_below_it(library: Library) -> None:
    id = library.make("# A\n\ntext\n\n## B\n\nb\n\n## C\n\nc\n\n# D\n\nd\n")
    saved = library.memory.update_doc(id, replace=library.text(id).replace("# A\n", "# Z\n"))
    assert library.counters(saved) == (4, 3, 1, 3, 0)


def test_renaming_a_section_indexes_it_alone_and_what_is_below_it(library: Library) -> None:
    id = library.make("# T\n\n## A\n\na\n\n### B\n\nb\n\n## C\n\nc\n")
    saved = library.memory.update_doc(id, replace=library.text(id).replace("## A\n", "## Z\n"))
    assert library.counters(saved) == (3, 2, 1, 2, 0)


def test_another_title_indexes_everything_anew_without_a_version(library: Library) -> None:
    id = library.make(guide(4), title="One")
    saved = library.memory.update_doc(id, title="Two")
    assert (saved.version, saved.title, library.counters(saved)) == (1, "Two", (4, 4, 0, 4, 0))
    assert library.found(word(2)) == ["Two > Guide > Part 2"]


def test_equal_sections_are_told_apart_by_occurrence(library: Library) -> None:
    text = "# T\n\n" + "## Same\n\nsame words\n\n" * 3
    id = library.make(text)
    saved = library.memory.update_doc(id, replace=text + "## Same\n\nsame words\n\n")
    assert library.counters(saved) == (4, 1, 3, 0, 0)
    saved = library.memory.update_doc(id, replace=text.replace("## Same\n\nsame words\n\n", "", 2))
    assert library.counters(saved) == (1, 0, 1, 3, 0)


def test_other_tags_in_the_front_matter_index_anew(library: Library) -> None:
    id = library.make("---\ntags: [red]\n---\n# T\n\n## A\n\nzebra\n")
    assert [hit.tags for hit in library.memory.recall("zebra", tags=["red"])] == [["red"]]
    saved = library.memory.update_doc(id, replace="---\ntags: [blue]\n---\n# T\n\n## A\n\nzebra\n")
    assert library.counters(saved) == (1, 1, 0, 1, 0)
    assert not library.memory.recall("zebra", tags=["red"])
    assert library.memory.recall("zebra", tags=["blue"])


def test_gates_index_nothing(library: Library) -> None:
    id = library.make(guide(3))
    before = library.memory.search_docs(word(1)).results[0].id
    library.memory.put_hub("notes", public=True)
    library.memory.set_access(id, is_draft=True)
    library.memory.set_access(id, is_draft=False)
    assert library.memory.search_docs(word(1)).results[0].id == before


def test_an_empty_document_is_skipped(library: Library) -> None:
    saved = library.memory.create_doc(" \n")
    assert (saved.skipped, library.counters(saved)) == ("empty", (0, 0, 0, 0, 0))
