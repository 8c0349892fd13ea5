"""Bundles that want to be found: those of public hubs that show something, and no others."""

from __future__ import annotations

import pytest

from memory_wire import config
from memory_wire.client import Memory
from memory_wire.hub.front_matter import split


def listed(memory: Memory) -> list[str]:
    return [line for line in memory.raw_discover().body.decode().split("\n") if line.startswith("- ")]


def test_what_is_listed(memory: Memory) -> None:
    assert (
        memory.raw_discover().body
        == b'---\ntype: "discover"\nbundle_count: 0\n---\n\n# Bundles to discover\n\nNo bundles to discover yet.\n'
    )
    doc = memory.create_doc("# A\n").id
    id = memory.create_bundle("Open [one]", [doc], description="Of\nletters.").id
    assert listed(memory) == []
    memory.set_bundle_access(id, discoverable=True)
    day = memory.get_bundle(id).updated_at[:10]
    assert listed(memory) == [f"- [Open \\[one\\]](/b/{id}): Of letters. ([notes](/hub/notes), 1 document, {day})"]
    found = memory.raw_discover()
    head = split(found.body.decode())[0]
    assert (head["bundle_count"], found.headers["x-document-count"], found.cache) == ("1", "1", "public, max-age=120")
    memory.set_access(doc, is_draft=True)
    assert listed(memory) == []
    memory.set_access(doc, is_draft=False)
    memory.put_hub("notes", public=False)
    assert listed(memory) == []


def test_it_is_bounded_and_says_so(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    assert config.DISCOVER_BUNDLES == 100
    monkeypatch.setattr(config, "DISCOVER_BUNDLES", 2)
    doc = memory.create_doc("# A\n").id
    for number in range(3):
        memory.set_bundle_access(memory.create_bundle(f"B{number}", [doc]).id, discoverable=True)
    assert [line[:6] for line in listed(memory)] == ["- [B2]", "- [B1]", "- and "]
    assert split(memory.raw_discover().body.decode())[0]["truncated"] == "true"
