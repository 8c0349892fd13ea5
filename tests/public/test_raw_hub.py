"""A hub as markdown: the list of all that it has, now, since and then; llms.txt and llms-full.txt."""

from __future__ import annotations

import re

import pytest

from memory_wire import config
from memory_wire.client import Memory
from memory_wire.hub.front_matter import split
from memory_wire.publishing import Payload

DAY = 24 * 3600 * 1000
NOON = 1_700_000_000_000


def matter(found: Payload) -> dict[str, str | list[str]]:
    return split(found.body.decode())[0]


def listed(found: Payload, section: str) -> list[str]:
    """The lines of one list."""
    return found.body.decode().partition(f"## {section}\n\n")[2].partition("\n\n")[0].rstrip("\n").split("\n")


@pytest.fixture
def clock(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The time that is written, moved by the test."""
    now = [NOON]
    monkeypatch.setattr(memory.service, "now", lambda: now[0])
    return now


def opened(memory: Memory) -> None:
    """Documents have always been public."""
    memory.service.store.submit(lambda tx: tx.connection.execute("UPDATE document SET opened = 0 WHERE opened IS NOT NULL"))


def test_the_index(memory: Memory, clock: list[int]) -> None:
    old = memory.create_doc("# Old [one]\n").id
    clock[0] += 10 * DAY
    new = memory.create_doc("# New\n").id
    bundle = memory.create_bundle("Both", [new, old]).id
    memory.put_hub("notes", display_name="My *notes*", description="What I know.\nAll of it.")
    found = memory.raw_hub("notes", full=True)
    assert matter(found) == {
        "type": "hub", "slug": "notes", "title": "My *notes*", "url": "/hub/notes", "document_count": "2", "bundle_count": "1",
        "updated": "2023-11-24T22:13:20.000Z",
    }  # fmt: skip
    assert found.body.decode().partition("---\n\n")[2] == (
        "# My \\*notes\\*\n\n> What I know.\n> All of it.\n\n"
        f"## Recent (7 days)\n\n- [New](/{new}) (2023-11-24)\n\n"
        f"## Bundles\n\n- [Both](/b/{bundle}) (2 documents)\n\n"
        f"## All documents\n\n- [New](/{new}) (2023-11-24)\n- [Old \\[one\\]](/{old}) (2023-11-14)\n"
    )
    assert (found.headers["x-hub-slug"], found.headers["x-document-count"], found.headers["x-digest"]) == ("notes", "2", "false")
    assert (found.cache, found.headers["link"]) == ("public, max-age=120", '</hub/notes>; rel="canonical"')
    assert memory.raw_hub("notes", full=True) == found


def test_an_empty_hub_says_so(memory: Memory) -> None:
    found = memory.raw_hub("notes", full=True)
    assert "updated" not in matter(found) and matter(found)["document_count"] == "0"
    assert found.body.endswith(b"# Notes\n\nNo public documents yet.\n")
    assert memory.hub_llms("notes").body.startswith(b"# Notes\n\nNo public documents yet.\n\n## Optional\n")
    assert memory.hub_llms_full("notes").body == b"# Notes\n\nNo public documents yet.\n\n"


def test_since(memory: Memory, clock: list[int]) -> None:
    memory.create_doc("# Old\n")
    clock[0] += DAY
    new = memory.create_doc("# New\n").id
    found = memory.raw_hub("notes", full=True, since="2023-11-15")
    assert listed(found, "All documents") == [f"- [New](/{new}) (2023-11-15)"]
    assert (matter(found)["document_count"], matter(found)["since"]) == ("1", "2023-11-15T00:00:00.000Z")
    assert memory.raw_hub("notes", full=True, since="some day") == memory.raw_hub("notes", full=True)


def test_the_hub_of_a_moment(memory: Memory, clock: list[int]) -> None:
    one = memory.create_doc("# First title\n").id
    clock[0] += DAY
    memory.update_doc(one, replace="# Second title\n")
    two = memory.create_doc("# Two\n").id
    hidden = memory.create_doc("# Private now\n").id
    memory.create_bundle("Bundle", [one])
    opened(memory)
    memory.set_access(hidden, is_draft=True)
    first = memory.raw_hub("notes", at="2023-11-15")
    assert listed(first, "All documents") == [f"- [First title](/raw/{one}?at=2023-11-15T00:00:00.000Z) (2023-11-14)"]
    assert (matter(first)["at"], matter(first)["document_count"], matter(first)["bundle_count"]) == ("2023-11-15T00:00:00.000Z", "1", "0")
    assert first.headers["x-robots-tag"] == "noindex"
    then = memory.raw_hub("notes", at="2023-11-16")
    assert [line.partition("]")[0] for line in listed(then, "All documents")] == ["- [Two", "- [Second title"]
    assert b"Private" not in then.body and f"/raw/{two}?at=".encode() in then.body
    assert memory.raw_hub("notes", at="2020-01-01").body.endswith(b"No public documents at that time.\n")
    live = memory.raw_hub("notes", full=True)
    assert memory.raw_hub("notes", full=True, at="2999-01-01") == memory.raw_hub("notes", full=True, at="x") == live


def test_lists_are_bounded_and_say_so(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    bounds = ("HUB_RECENT", "HUB_RECENT_DAYS", "HUB_BUNDLES", "HUB_DOCUMENTS", "LLMS_DOCUMENTS", "LLMS_BUNDLES")
    assert [getattr(config, name) for name in bounds] == [20, 7, 50, 200, 500, 100]
    for name, bound in {"HUB_RECENT": 2, "HUB_BUNDLES": 1, "HUB_DOCUMENTS": 3, "LLMS_DOCUMENTS": 2, "LLMS_BUNDLES": 1}.items():
        monkeypatch.setattr(config, name, bound)
    ids = [memory.create_doc(f"# Text {number}\n").id for number in range(5)]
    for number in range(3):
        memory.create_bundle(f"Bundle {number}", ids)
    found = memory.raw_hub("notes", full=True)
    assert (matter(found)["truncated"], matter(found)["document_count"], found.headers["x-truncated"]) == ("true", "5", "true")
    assert [listed(found, name)[-1] for name in ("Recent (7 days)", "Bundles", "All documents")] == [
        "- and 1 more", "- and 2 more", "- and 2 more",
    ]  # fmt: skip
    assert [len(listed(found, name)) for name in ("Recent (7 days)", "Bundles", "All documents")] == [3, 2, 4]
    index = memory.hub_llms("notes")
    assert (listed(index, "Documents")[2:], listed(index, "Bundles")[1:]) == (["- and 3 more"], ["- and 2 more"])
    assert index.headers["x-truncated"] == "true"


# llms.txt --------------------------------------------------------------------------------------------------------------------------

LINE = re.compile(r"- \[[^]\n]+\]\([^)\s]+\)(: .+)?")


def test_the_index_for_programs(memory: Memory) -> None:
    """The convention: one H1, a quote, then sections of lists of links, each with what it leads to."""
    one = memory.create_doc("# One\n\n```\ncode\n```\n\nThe **first**. It goes on.\n").id
    bare = memory.create_doc("# Bare\n").id
    bundle = memory.create_bundle("Both", [one, bare], description="About\nnumbers.").id
    memory.put_hub("notes", display_name="My notes", description="What I\nknow.")
    found = memory.hub_llms("notes")
    assert found.body.decode() == (
        "# My notes\n\n> What I know.\n\n"
        f"## Documents\n\n- [Bare](/{bare}.md)\n- [One](/{one}.md): The first.\n\n"
        f"## Bundles\n\n- [Both](/b/{bundle}.md): About numbers.\n\n"
        "## Optional\n\n- [All texts in one](/hub/notes/llms-full.txt)\n"
        "- [Digest: concepts and how they stand to each other](/raw/hub/notes)\n"
    )
    lines = [line for line in found.body.decode().split("\n") if line.startswith("- ")]
    assert lines and all(LINE.fullmatch(line) for line in lines)
    assert (found.type, found.cache, found.headers["x-document-count"]) == ("text/plain; charset=utf-8", "public, max-age=300", "2")


def test_all_texts_in_one(memory: Memory) -> None:
    one = memory.create_doc("# One\n\ntext  \n", source="/home/ann/one.md").id
    two = memory.create_doc("# Two", source="https://example.org/two").id
    memory.put_hub("notes", description="What I know.")
    found = memory.hub_llms_full("notes")
    text = found.body.decode()
    assert text.startswith('# Notes\n\n> What I know.\n\n---\ntitle: "Two"\n')
    assert f'url: "/{two}"\n' in text and 'source: "https://example.org/two"\n---\n\n# Two\n\n---\n' in text
    assert text.endswith("---\n\n# One\n\ntext  \n\n") and "/home" not in text and f'url: "/{one}"\n' in text
    assert memory.hub_llms_full("notes", compact=True).body.endswith(b"# One\n\ntext\n\n")
    assert "x-truncated" not in found.headers


def test_all_texts_are_bounded_and_it_says_so(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    assert config.LLMS_FULL_BYTES == 4 * 1024 * 1024
    monkeypatch.setattr(config, "LLMS_FULL_BYTES", 25)
    for number in range(4):
        memory.create_doc(f"# Text {number}\n")
    found = memory.hub_llms_full("notes")
    assert b"Truncated: 2 of 4 documents, those changed last.\n" in found.body
    assert (b"# Text 3\n" in found.body, b"# Text 1\n" in found.body, found.headers["x-truncated"]) == (True, False, "true")
