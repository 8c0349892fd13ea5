"""Questions to a hub, which everybody may ask, and the vectors that its documents and bundles are found by, which their owner makes."""

from __future__ import annotations

from memory_wire.ops.op import Later, Op

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire import publishing as p
    from memory_wire import questions as q
else:
    p, q = Later("publishing"), Later("questions")

RECALL = "/api/hub/{slug}/recall"

OPS: tuple[Op, ...] = (
    Op(
        name="hub_recall",
        request=q.HubRecall,
        response=q.HubRecalled,
        http=("POST", RECALL),
        body=True,
        contract=False,
        public=True,
        tool="hub_recall",
        summary="What of a public hub answers a question: chunks, documents or bundles.",
        errors=("hub_not_public", "invalid_slug", "invalid_json", "question_required", "question_too_long", "level_invalid", "invalid"),
    ),
    Op(
        name="hub_recall_usage",
        request=q.RecallUsage,
        response=p.Payload,
        http=("GET", RECALL),
        contract=False,
        public=True,
        summary="How a hub is asked.",
    ),
    Op(
        name="embed_doc",
        request=q.EmbedDoc,
        response=q.EmbeddedDoc,
        http=("POST", "/api/embed/{id}"),
        contract=False,
        apart=True,
        needs="write",
        summary="Make a document's vectors those of its text; what is unchanged isn't embedded again.",
        errors=("unknown_document", "outside_failed", "outside_timeout"),
    ),
    Op(
        name="embed_bundle",
        request=q.EmbedBundle,
        response=q.EmbeddedBundle,
        http=("POST", "/api/embed/bundle/{id}"),
        contract=False,
        apart=True,
        needs="write",
        summary="Make a bundle's vector that of its title, its description and its members' titles.",
        errors=("unknown_bundle", "outside_failed", "outside_timeout"),
    ),
)
