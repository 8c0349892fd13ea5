"""A document as markdown: front matter, its text byte for byte, what is around it, headers; and the past."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_wire import config
from memory_wire.client import Memory
from memory_wire.errors import NotPublic
from memory_wire.hub.front_matter import split
from memory_wire.publishing import Payload
from memory_wire.service.dates import stamp

GUIDE = "---\ntags: [ops]\n---\n# The engine\r\n\r\nThe **engine** starts in a second.  \r\n\n\n\n<!-- x -->\n```\ncode  \n```\nno end"


def body(found: Payload) -> bytes:
    """The document's own text, where the headers say that it stands."""
    start, size = int(found.headers["x-body-offset"]), int(found.headers["x-body-length"])
    return found.body[start : start + size]


def matter(found: Payload) -> dict[str, str | list[str]]:
    return split(found.body.decode())[0]


def test_its_shape(memory: Memory) -> None:
    id = memory.create_doc(GUIDE, source="https://example.org/guide").id
    bundle = memory.create_bundle("All [of] it", [id]).id
    found = memory.raw_doc(id)
    assert body(found) == GUIDE.encode()
    updated = memory.read_doc(id).updated_at
    head = matter(found)
    assert int(str(head.pop("concept_count"))) >= 1
    assert head == {
        "title": "The engine", "url": f"/{id}", "updated": updated, "hub": "/hub/notes", "bundle_count": "1",
        "source": "https://example.org/guide",
    }  # fmt: skip
    text = found.body.decode()
    behind = text[text.index("no end") + len("no end") :]
    assert behind.startswith("\n\n---\n\n## Context\n\n> Made from this document")
    assert "**Summary** (its first words): The engine starts in a second.\n" in behind
    assert "\n**Themes:** " in behind and "### Concepts\n\n- [" in behind
    assert f"### In bundles\n\n- [All \\[of\\] it](/b/{bundle})\n" in behind
    assert behind.endswith("### Further\n\n- [Hub](/hub/notes)\n- [Digest of the hub](/raw/hub/notes)\n")


def test_its_headers(memory: Memory) -> None:
    id = memory.create_doc("# Ä\n\ntext\n").id
    found = memory.raw_doc(id)
    text = found.body.decode()
    assert found.headers["x-token-estimate"] == str(-(-len(text) // 4))
    assert found.headers["x-byte-length"] == str(len(found.body)) != str(len(text))
    assert (found.headers["x-compact"], found.headers["x-digest"]) == ("false", "false")
    assert (found.headers["x-document-id"], found.headers["x-hub-slug"]) == (id, "notes")
    assert found.headers["link"] == f'</{id}>; rel="canonical"'
    assert (found.type, found.cache, found.status) == ("text/markdown; charset=utf-8", "public, max-age=60", 200)


def test_it_is_stable(memory: Memory) -> None:
    id = memory.create_doc(GUIDE).id
    first = memory.raw_doc(id)
    memory.service.idle()
    assert memory.raw_doc(id) == first and first.etag
    memory.create_doc("# Another\n\nwith words of its own\n")
    assert memory.raw_doc(id).body == first.body
    memory.update_doc(id, append="more")
    assert memory.raw_doc(id).etag != first.etag


def test_addresses_begin_with_the_public_address(memory: Memory) -> None:
    id = memory.create_doc("# A\n\ntext\n").id
    memory.service.origin = "https://notes.example"
    found = memory.raw_doc(id)
    assert matter(found)["url"] == f"https://notes.example/{id}"
    assert b"](/" not in found.body and b"(https://notes.example/hub/notes)" in found.body


def test_compact(memory: Memory) -> None:
    id = memory.create_doc(GUIDE).id
    found = memory.raw_doc(id, compact=True)
    assert body(found) == b"---\ntags: [ops]\n---\n# The engine\n\nThe **engine** starts in a second.\n\n```\ncode  \n```\nno end"
    assert found.headers["x-compact"] == "true" and found.etag != memory.raw_doc(id).etag


@pytest.mark.parametrize("source", ["/home/ann/notes/a.md", "a.md", "file:///home/ann/a.md", "https://ann@example.org/", "x://y"])
def test_a_source_that_is_no_address_on_the_web_is_not_told(memory: Memory, source: str) -> None:
    id = memory.create_doc("# A\n\ntext\n", source=source).id
    assert "source" not in matter(memory.raw_doc(id))
    assert source.encode() not in memory.raw_doc(id).body


bodies = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=300)
pieces = st.lists(
    st.sampled_from(["# A\n", "```\n", "x  \r\n", "\r", "\ufeff", "---\n", "<!--", "-->", "\u2028", "word ", "\n\n\n"]), max_size=8
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(st.one_of(bodies, pieces.map("".join)))
def test_its_text_is_there_byte_for_byte(memory: Memory, text: str) -> None:
    id = memory.create_doc(text).id
    found = memory.raw_doc(id)
    assert body(found) == text.encode()
    assert found.body.count(b"\n---\n\n## Context\n") >= 1
    title = memory.read_doc(id).title
    assert matter(found)["url"] == f"/{id}" and (not title.isprintable() or not title or '"' in title or matter(found)["title"])
    assert memory.raw_doc(id) == found


@pytest.mark.parametrize("title", ['a "b" c', "a: b", "- a", "#a", "a\u2028b", "a\\b", "'a'", "\u0085a", "{a}", "true"])
def test_titles_in_front_matter_are_quoted(memory: Memory, title: str) -> None:
    import json

    id = memory.create_doc("text\n", title=title).id
    (line,) = [line for line in memory.raw_doc(id).body.decode().split("\n") if line.startswith("title: ")]
    assert json.loads(line[7:]) == memory.read_doc(id).title and line.isprintable()


def test_lists_are_bounded_and_say_so(memory: Memory) -> None:
    assert (config.DOC_CONCEPTS, config.DOC_RELATIONS, config.DOC_PARENTS, config.DOC_THEMES) == (12, 20, 10, 5)
    words = " ".join(f"**Topic {letter}{letter}**" for letter in "ABCDEFGHIJKLMNOPQRST")
    id = memory.create_doc(f"# Many\n\n{words} meet.\n").id
    for number in range(12):
        memory.create_bundle(f"Bundle {number:02}", [id])
    text = memory.raw_doc(id).body.decode()
    concepts = text.partition("### Concepts\n\n")[2].partition("\n\n")[0].split("\n")
    assert len(concepts) == 13 and concepts[-1] == f"- and {int(str(matter(memory.raw_doc(id))['concept_count'])) - 12} more"
    relations = text.partition("### Relations\n\n")[2].partition("\n\n")[0].split("\n")
    assert len(relations) == 21 and relations[-1] == "- and more"
    bundles = text.partition("### In bundles\n\n")[2].partition("\n\n###")[0].split("\n")
    assert (bundles[0].startswith("- [Bundle 00]"), bundles[9].startswith("- [Bundle 09]"), bundles[10:]) == (
        True,
        True,
        ["", "and 2 more"],
    )
    assert matter(memory.raw_doc(id))["bundle_count"] == "12"


# the past --------------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def clock(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> itertools.count[int]:
    """Every time that is written is a minute after the one before; all of them have passed."""
    ticks = itertools.count(1_700_000_000_000, 60_000)
    monkeypatch.setattr(memory.service, "now", lambda: next(ticks))
    return ticks


def opened(memory: Memory, ms: int) -> None:
    """Documents have been public since then."""
    memory.service.store.submit(lambda tx: tx.connection.execute("UPDATE document SET opened = ? WHERE opened IS NOT NULL", (ms,)))


def test_the_text_of_a_moment(memory: Memory, clock: object) -> None:
    id = memory.create_doc("# First title\n\nfirst\n").id
    memory.update_doc(id, replace="# Second title\n\nsecond\n")
    memory.update_doc(id, replace="# Third title\n\nthird\n")
    opened(memory, 0)
    newest = [row.at for row in memory.doc_versions(id).versions]
    for at, text in zip(reversed(newest), ("first", "second", "third"), strict=True):
        found = memory.raw_doc(id, at=at)
        assert body(found) == f"# {text.capitalize()} title\n\n{text}\n".encode()
        assert (matter(found)["title"], matter(found)["updated"], matter(found)["at"]) == (f"{text.capitalize()} title", at, at)
        assert found.headers["x-robots-tag"] == "noindex"
    with pytest.raises(NotPublic):
        memory.raw_doc(id, at="2020-01-01")
    live = memory.raw_doc(id)
    assert "x-robots-tag" not in live.headers
    for at in ("2999-01-01", "yesterday", "2020-13-01"):
        assert memory.raw_doc(id, at=at) == live


def test_what_was_not_public_then_is_not_shown(memory: Memory, clock: object) -> None:
    """A text that its owner took out before publishing stays the owner's."""
    id = memory.create_doc("# A\n\nthe secret\n", is_draft=True).id
    memory.update_doc(id, replace="# A\n\nclean\n")
    memory.set_access(id, is_draft=False)
    for row in memory.doc_versions(id).versions:
        with pytest.raises(NotPublic):
            memory.raw_doc(id, at=row.at)
    assert body(memory.raw_doc(id)) == b"# A\n\nclean\n"


def test_a_document_that_was_shut_in_between_begins_anew(memory: Memory) -> None:
    id = memory.create_doc("# A\n\nfirst\n").id
    opened(memory, 1)
    before = stamp(memory.service.now() - 1_000)
    memory.set_access(id, is_draft=True)
    with pytest.raises(NotPublic):
        memory.raw_doc(id, at=before)
    memory.set_access(id, is_draft=False)
    with pytest.raises(NotPublic):
        memory.raw_doc(id, at=before)
    memory.put_hub("notes", public=False)
    memory.put_hub("notes", public=True)
    assert body(memory.raw_doc(id)) == b"# A\n\nfirst\n"
