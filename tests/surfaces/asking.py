"""Scenarios of questions to hubs, and of the vectors of documents and bundles; as scenarios.py."""

from __future__ import annotations

from memory_wire import questions as q
from memory_wire.client import Surface
from memory_wire.errors import HubNotPublic, QuestionRequired, UnknownBundle, UnknownDocument
from tests.surfaces.scenarios import refused, scenario


@scenario
def questions_to_a_hub(s: Surface) -> None:
    id = s.create_doc("# Zebra\n\nstripes\n\n## Habitat\n\nthe steppe\n").id
    slug = "asked-hub"
    with refused(HubNotPublic, "there is no public hub of that name"):
        s.hub_recall(slug, "stripes")
    s.put_hub(slug, public=True)
    found = s.hub_recall(slug, "stripes", explain=True)
    assert isinstance(found.results[0], q.ChunkFound)
    assert [(row.doc_id, row.heading_path, row.fts_rank) for row in found.results if isinstance(row, q.ChunkFound)] == [(id, "Zebra", 1)]
    assert [row.id for row in s.hub_recall(slug, "steppe", level="doc").results if isinstance(row, q.DocFound)] == [id]
    bundle = s.create_bundle("Animals", [id]).id
    assert [row.id for row in s.hub_recall(slug, "zebra", level="bundle").results if isinstance(row, q.BundleFound)] == [bundle]
    with refused(QuestionRequired, "question must say something"):
        s.hub_recall(slug, " ")
    assert b'"question"' in s.hub_recall_usage(slug).body == s.hub_recall_usage("any-other").body
    assert s.embed_doc(id).degraded == s.embed_bundle(bundle).degraded == "no embedder is configured"
    assert s.embed_doc(id).chunks == q.DocVectors(total=2)
    with refused(UnknownDocument, "unknown document"):
        s.embed_doc("nobody")
    with refused(UnknownBundle, "unknown bundle"):
        s.embed_bundle("nobody")
