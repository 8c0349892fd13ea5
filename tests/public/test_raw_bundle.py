"""A bundle as markdown by the Bundle Spec: digest and full texts, numbers of what is visible, bounds."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_wire import config
from memory_wire.client import Memory
from memory_wire.hub.front_matter import split
from memory_wire.publishing import Payload

ONE = "# One\n\nThe **first** of them. It goes on.\n\n## Part A\n\ntext\n\n## Part B\n\nmore text\n"
TWO = "---\ntags: [x]\n---\n# Two\r\n\r\nsecond  \r\n\n\n\n```\ncode  \n```"


def matter(found: Payload) -> dict[str, str | list[str]]:
    return split(found.body.decode())[0]


def test_the_digest(memory: Memory) -> None:
    one, two = memory.create_doc(ONE).id, memory.create_doc(TWO).id
    id = memory.create_bundle(
        "Read [this]", [(two, "begin here"), one], description="Of numbers.\nTwo lines.", intent="What are numbers?"
    ).id
    found = memory.raw_bundle(id)
    updated = memory.read_doc(two).updated_at
    head = matter(found)
    assert head.pop("updated") >= updated  # type: ignore[operator]
    assert head == {
        "mw_bundle": "1", "id": id, "title": "Read [this]", "url": f"/b/{id}", "document_count": "2", "source": f"/raw/bundle/{id}",
    }  # fmt: skip
    text = found.body.decode()
    assert "\n---\n\n# Read \\[this\\]\n\n> Of numbers.\n> Two lines.\n\n**Intent:** What are numbers?\n\n" in text
    assert text.endswith(
        f"## Documents\n\n### 1. [Two](/{two})\n\n*begin here*\n\nsecond\n\n"
        f"### 2. [One](/{one})\n\nThe first of them. It goes on.\n\n- Part A\n- Part B\n"
    )
    assert (found.headers["x-bundle-id"], found.headers["x-document-count"], found.headers["x-digest"]) == (id, "2", "true")
    assert found.headers["link"] == f'</b/{id}>; rel="canonical"' and found.cache == "public, max-age=60"


def test_concepts_and_relations_can_be_left_out(memory: Memory) -> None:
    id = memory.create_bundle(
        "x", [memory.create_doc("# Engines\n\n**Pump** and **Valve** meet.\n\n## Pump\n\nA **Pump** is a part.\n").id]
    ).id
    text = memory.raw_bundle(id).body.decode()
    assert "\n## Concepts\n\n- [" in text and "\n## Relations\n\n- " in text
    plain = memory.raw_bundle(id, graph=False).body.decode()
    assert "## Concepts" not in plain and "## Relations" not in plain and "## Documents" in plain


def test_the_full_texts(memory: Memory) -> None:
    one, two = memory.create_doc(ONE).id, memory.create_doc(TWO).id
    id = memory.create_bundle("x", [(two, "begin here"), one]).id
    found = memory.raw_bundle(id, full=True)
    text = found.body.decode()
    assert text.endswith(f"# x\n\n## 1. Two\n\nSource: /{two}\n\n*begin here*\n\n{TWO}\n\n## 2. One\n\nSource: /{one}\n\n{ONE}")
    assert found.headers["x-digest"] == "false" and "truncated" not in matter(found)
    compact = memory.raw_bundle(id, full=True, compact=True)
    assert "# Two\n\nsecond\n\n```\ncode  \n```\n\n## 2. One" in compact.body.decode() and compact.headers["x-compact"] == "true"


def test_it_is_stable_and_follows_its_members(memory: Memory) -> None:
    one, two = memory.create_doc(ONE).id, memory.create_doc(TWO).id
    id = memory.create_bundle("x", [one]).id
    first = memory.raw_bundle(id)
    memory.service.idle()
    assert memory.raw_bundle(id) == first
    memory.update_bundle(id, add=[two])
    second = memory.raw_bundle(id)
    assert second.etag != first.etag and second.headers["x-document-count"] == "2"
    memory.update_bundle(id, members=[two, one])
    assert b"### 1. [Two]" in memory.raw_bundle(id).body and b"### 2. [One]" in memory.raw_bundle(id).body
    memory.update_doc(one, append="## Part C\n\nnew")
    assert b"- Part C\n" in memory.raw_bundle(id).body


def test_an_empty_bundle_says_so(memory: Memory) -> None:
    id = memory.create_bundle("Nothing").id
    assert memory.raw_bundle(id).body.decode().endswith("# Nothing\n\nNo public documents in this bundle yet.\n")
    hidden = memory.create_bundle("Nothing", [memory.create_doc("# Secret\n", is_draft=True).id]).id
    assert memory.raw_bundle(hidden, full=True).body.decode().endswith("# Nothing\n\nNo public documents in this bundle yet.\n")


def test_texts_are_bounded_and_it_says_so(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    assert config.BUNDLE_FULL_BYTES == 4 * 1024 * 1024
    monkeypatch.setattr(config, "BUNDLE_FULL_BYTES", 40)
    ids = [memory.create_doc(f"# Text {number}\n\n{'x' * 8}\n").id for number in range(3)]
    found = memory.raw_bundle(memory.create_bundle("x", ids).id, full=True)
    text = found.body.decode()
    assert (matter(found)["truncated"], found.headers["x-truncated"], found.headers["x-document-count"]) == ("true", "true", "3")
    assert [f"## {number}. Text" in text for number in (1, 2, 3)] == [True] * 3
    assert text.endswith(
        f"## 3. Text 2\n\nSource: /{ids[2]}\n\nLeft out, as the payload would be too long; the address above has the text.\n"
    )


def test_concepts_and_relations_are_bounded_and_it_says_so(memory: Memory) -> None:
    assert (config.BUNDLE_CONCEPTS, config.BUNDLE_RELATIONS) == (25, 25)
    ids = []
    for page in range(3):
        words = " ".join(f"**Topic {chr(65 + page)}{letter}{letter}**" for letter in "ABCDEFGHIJKLMNOP")
        ids += [memory.create_doc(f"# Page {number} of {page}\n\n{words} meet.\n").id for number in range(2)]
    text = memory.raw_bundle(memory.create_bundle("x", ids).id).body.decode()
    concepts = text.partition("## Concepts\n\n")[2].partition("\n\n")[0].split("\n")
    assert len(concepts) == 26 and concepts[-1].startswith("- and ") and concepts[-1].endswith(" more")
    relations = text.partition("## Relations\n\n")[2].partition("\n\n")[0].split("\n")
    assert len(relations) == 26 and relations[-1] == "- and more"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=12)
@given(st.lists(st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=60), min_size=1, max_size=4))
def test_texts_are_there_byte_for_byte(memory: Memory, texts: list[str]) -> None:
    ids = [memory.create_doc(text).id for text in texts]
    found = memory.raw_bundle(memory.create_bundle("x", ids).id, full=True).body
    at = 0
    for id, text in zip(ids, texts, strict=True):
        mark = f"\n\nSource: /{id}\n\n".encode()
        at = found.index(mark, at) + len(mark)
        assert found[at : at + len(text.encode())] == text.encode()
