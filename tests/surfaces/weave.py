"""Scenarios of concepts, graphs, upkeep, cross references and suggestions; as scenarios.py."""

from __future__ import annotations

import json

from memory_wire.client import Surface
from memory_wire.errors import Invalid, NotPublic, UnknownHub, UnknownSuggestion
from tests.surfaces.scenarios import refused, scenario

STORE = "# Postings store\n\nThe **postings store** keeps rows in segments. See [[Segments]].\n"
SEGMENTS = "# Segments\n\nA segment is a sealed part of a store, with a **tombstone** for each deleted row.\n"
ROWS = "# Rows\n\nA **tombstone** marks a deleted row of a segment. See [[Segments]] and [[Nobody]].\n"


@scenario
def a_hub_and_what_it_is_about(s: Surface) -> None:
    slug = "weave-hub"
    ids = [s.create_doc(text).id for text in (STORE, SEGMENTS, ROWS)]
    s.put_hub(slug)
    with refused(NotPublic, "not found"):
        s.raw_concept(slug, "segments")
    assert "### 1. Segments" in s.inspect_hub(slug).text
    s.put_hub(slug, public=True)
    concept = s.raw_concept(slug, "segments").body.decode()
    assert "A segment is a sealed part of a store" in concept and f"/{ids[1]}" in concept
    with refused(NotPublic, "not found"):
        s.raw_concept(slug, "zebra")
    assert s.hub_log(slug).body.count(b"doc.created") == 3
    assert b"`[[Nobody]]`" in s.hub_lint(slug).body
    assert b"- What is Segments?" in s.hub_queries(slug).body
    graph = json.loads(s.hub_graph(slug).body)
    assert {node["id"] for node in graph["nodes"]} == set(ids) and graph["basis"] == "lexical"
    assert s.hub_picture(slug).body.startswith(b"<svg ")
    assert {row.id: row.count for row in s.cross_refs(limit=100).docs}[ids[1]] == 2
    with refused(Invalid, "invalid what: must be one of digest, graph, picture, lint, log, queries"):
        s.inspect_hub(slug, "x")
    with refused(UnknownHub, "unknown hub"):
        s.inspect_hub("nobody")


@scenario
def bundles_that_are_suggested(s: Surface) -> None:
    slug = "suggest-hub"
    for text in (STORE, SEGMENTS, ROWS):
        s.create_doc(text)
    s.put_hub(slug)
    (found,) = s.suggestions(slug).suggestions
    assert (found.basis, len(found.docs)) == ("lexical", 3)
    with refused(UnknownSuggestion, "unknown suggestion"):
        s.accept_suggestion(slug, "0" * 16)
    made = s.accept_suggestion(slug, found.id, title="The store")
    assert (made.title, made.is_draft, len(made.members)) == ("The store", True, 3)
    s.delete_bundle(made.id)
    after = s.suggestions(slug)
    assert (after.suggestions, after.accepted) == ([], 1)
    with refused(UnknownSuggestion, "unknown suggestion"):
        s.dismiss_suggestion(slug, found.id)
