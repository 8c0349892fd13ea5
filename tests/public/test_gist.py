"""What a document is about: names, lines, links. Precision against a labelled set, and the rules one by one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_wire.hub.chunk import chunks
from memory_wire.hub.gist import CONCEPTS, Gist, gist
from memory_wire.hub.kinds import ENTITY, TAG, key_of
from memory_wire.hub.references import reference, references
from tests.public.labelled import NOTES

BEST = 8  # concepts of a note that are judged


def read(markdown: str, tags: list[str] | None = None, title: str = "") -> Gist:
    return gist(title, tags or [], [(chunk.part, chunk.text) for chunk in chunks(markdown)])


def labels(markdown: str) -> list[str]:
    return [own.label for own in read(markdown).concepts]


def test_precision_of_the_heaviest_concepts_on_the_labelled_notes(capsys: pytest.CaptureFixture[str]) -> None:
    right = judged = found = wanted = 0
    for name, note in NOTES.items():
        about, must = {key_of(label) for label in note.about}, {key_of(label) for label in note.must}
        owns = read(note.text, list(note.tags)).concepts
        best = owns[:BEST]
        right += sum(own.key in about for own in best)
        judged += len(best)
        found += len(must & {own.key for own in owns})
        wanted += len(must)
        with capsys.disabled():
            print(f"\n{name}: {[own.label for own in best if own.key not in about]}", end="")
    with capsys.disabled():
        print(f"\nprecision of the {BEST} heaviest {right}/{judged} = {right / judged:.2f}, of what may not be missing {found}/{wanted}")
    assert right >= 0.8 * judged
    assert found >= 0.9 * wanted


def test_where_names_come_from() -> None:
    found = read("# Ranking\n\nThe **passage score** of `fact_key` in Hybrid Search. #tuning\n", ["ops/search"]).concepts
    by_label = {own.label: own for own in found}
    assert set(by_label) >= {"Ranking", "passage score", "fact_key", "Hybrid Search", "tuning", "ops search"}
    assert (by_label["ops search"].type, by_label["tuning"].type, by_label["fact_key"].type) == (TAG, TAG, ENTITY)


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("# Introduction\n\nx\n", "Introduction"),
        ("# A\n\n```\n**Inside Code**\n```\n", "Inside Code"),
        ("# A\n\n<!-- **Hidden Words** -->\n", "Hidden Words"),
        ("# A\n\nOnly here. Sometimes it rains.\n", "Sometimes"),
        ("# A\n\n**Note that this is a whole sentence which says a lot.**\n", "Note that this is a whole sentence which says a lot"),
        ("# A\n\n**42**\n", "42"),
        ("# A\n\nIn March it was Monday.\n", "March"),
    ],
)
def test_what_names_nothing(text: str, missing: str) -> None:
    assert missing not in labels(text)


def test_headings_name_what_is_behind_verb_number_and_colon() -> None:
    found = labels("# 1. Installing the postings engine\n\nx\n\n## Step 2: Query planner\n\n## Tombstones (deleted rows)\n\nx\n")
    assert {"postings engine", "Query planner", "Tombstones"} <= set(found)


def test_the_line_is_the_definition_else_what_stands_below_the_heading_else_the_first_that_says_it() -> None:
    found = read(
        "# Store\n\nOnce a segment was written it stays. A segment is a sealed file; the **segment** has a header.\n\n"
        "## Manifest\n\nIt names the files that count.\n\nWe mention the `quorum_size` here.\n"
    )
    lines = {own.label.lower(): line for own, line in zip(found.concepts, found.lines, strict=True)}
    assert lines["segment"] == "A segment is a sealed file; the segment has a header."
    assert lines["manifest"] == "It names the files that count."
    assert lines["quorum_size"] == "We mention the quorum_size here."


def test_spellings_are_one_concept_and_chunks_are_where_it_is_said() -> None:
    found = read("# A\n\n**Segments** here.\n\n## B\n\nThe **segment** there.\n\n## C\n\nNo such thing.\n\n## D\n\nsegments again\n")
    (own,) = [own for own in found.concepts if own.key == "segment"]
    assert own.chunks == [0, 1, 3]


@pytest.mark.parametrize("text", [note.text for note in NOTES.values()])
def test_a_gist_is_a_pure_function_of_the_chunks(text: str) -> None:
    assert read(text) == read(text) == read(text.replace("\n", "\r\n"))


@settings(max_examples=60)
@given(st.text(alphabet="aAbB1 .-*_`#[](){}|/\n\t漢字カナ한글é🙂:", max_size=400))
def test_any_text_has_a_gist(text: str) -> None:
    found = read(text, [text[:20]], text[:30].replace("\n", " "))
    assert len(found.concepts) == len(found.lines) <= CONCEPTS
    assert [(-own.weight, own.label) for own in found.concepts] == sorted((-own.weight, own.label) for own in found.concepts)
    assert len({own.key for own in found.concepts}) == len(found.concepts) and found.sketch == sorted(set(found.sketch))
    assert all(own.label and "\n" not in own.label + line for own, line in zip(found.concepts, found.lines, strict=True))


# references ------------------------------------------------------------------------------------------------------------------------

ID = "a1B2c3D4e5F6g7H8i"


@pytest.mark.parametrize(
    ("target", "meant"),
    [
        (f"/{ID}", f"d:{ID}"),
        (f"/d/{ID}", f"d:{ID}"),
        (f"/b/{ID}", f"b:{ID}"),
        ("/hub/my-notes", "h:my-notes"),
        ("/hub/my-notes/c/segment", "h:my-notes"),
        ("/@my-notes", "h:my-notes"),
        (f"https://example.org/{ID}", f"d:{ID}"),
        (f"http://localhost:8888/b/{ID}#part", f"b:{ID}"),
        (f"HTTPS://example.org/raw/{ID}?compact=1", f"d:{ID}"),
        (f"example.org/raw/bundle/{ID}", f"b:{ID}"),
        (f"//example.org/{ID}.md", f"d:{ID}"),
        ("https://example.org/raw/hub/my-notes/log.md", "h:my-notes"),
        ("/d/abc_DEF-1", "d:abc_DEF-1"),
        (f"javascript:/d/{ID}", None),
        (f"javascript://x/d/{ID}", None),
        (f"ftp://example.org/{ID}", None),
        (f"mailto:a@example.org/{ID}", None),
        (f"docs/{ID}", None),
        ("/health", None),
        ("/hub/Ab", None),
        (f"/x/{ID}", None),
        ("", None),
        ("https://", None),
    ],
)
def test_what_an_address_means(target: str, meant: str | None) -> None:
    assert reference(target) == meant


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"see [it](/{ID}) and [again](/{ID} 'title')", [f"d:{ID}"]),
        (f"see [it](</{ID}>).", [f"d:{ID}"]),
        (f"bare /{ID}, (/b/{ID}) and <https://x.org/d/{ID}>.", [f"d:{ID}", f"b:{ID}"]),
        (f"[![picture](/i.png)](/{ID})", [f"d:{ID}"]),
        (f"[ref]: /{ID}", [f"d:{ID}"]),
        ("[[A  Title]] [[folder/B|shown]] [[C#part]] [[]] [[ ]]", ["w:A Title", "w:folder/B", "w:C"]),
        ("[x](../notes/b%20c.md#part) [y](/abs.md) [z](https://x.org/a.md)", ["r:../notes/b c.md"]),
        (f"[x](javascript:/d/{ID})", []),
        ("and/or 1/2 [x](", []),
    ],
)
def test_what_a_text_points_at(text: str, found: list[str]) -> None:
    assert references(text) == found


def test_code_points_at_nothing() -> None:
    assert read(f"# A\n\n`/{ID}` and\n\n```\n[x](/b/{ID}) [[Title]]\n```\n\n    indented\n\n~~~\n/hub/notes\n~~~\n").links == []
    assert read(f"# See /{ID}\n\n[[T]]\n").links == ["w:T"]  # a heading names, it doesn't cite
