"""How documents, bundles and hubs hang together: concepts, graphs, upkeep, cross references; suggestions for a hub's owner."""

from __future__ import annotations

from memory_wire.ops.hub import HUBS
from memory_wire.ops.op import Later, Op

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire import bundles as b
    from memory_wire import publishing as p
    from memory_wire import relations as r
else:
    b, p, r = Later("bundles"), Later("publishing"), Later("relations")

RAW = "/raw/hub/{slug}"
PUBLIC = "/hub/{slug}"
SUGGESTIONS = f"{HUBS}/{{slug}}/suggestions"

OPS: tuple[Op, ...] = (
    Op(
        name="raw_concept",
        request=p.ViewConcept,
        response=p.Payload,
        http=("GET", f"{RAW}/c/{{concept}}"),
        contract=False,
        public=True,
        apart=True,
        summary="What a hub's documents say of one concept, in markdown.",
        errors=("not_public",),
    ),
    Op(
        name="hub_log",
        request=p.HubText,
        response=p.Payload,
        http=("GET", f"{RAW}/log.md"),
        contract=False,
        public=True,
        apart=True,
        summary="What happened in a hub, in markdown.",
        errors=("not_public",),
    ),
    Op(
        name="hub_lint",
        request=p.HubText,
        response=p.Payload,
        http=("GET", f"{RAW}/lint.md"),
        contract=False,
        public=True,
        apart=True,
        summary="What could be better in a hub, in markdown.",
        errors=("not_public",),
    ),
    Op(
        name="hub_queries",
        request=p.HubText,
        response=p.Payload,
        http=("GET", f"{RAW}/suggested-queries.md"),
        contract=False,
        public=True,
        apart=True,
        summary="Questions that a hub can answer, in markdown.",
        errors=("not_public",),
    ),
    Op(
        name="hub_graph",
        request=p.ViewGraph,
        response=p.Payload,
        http=("GET", f"{PUBLIC}/graph.json"),
        contract=False,
        public=True,
        apart=True,
        summary="A hub's documents and bundles, how they hang together and where they stand in its picture.",
        errors=("not_public",),
    ),
    Op(
        name="hub_picture",
        request=p.ViewGraph,
        response=p.Payload,
        http=("GET", f"{PUBLIC}/graph.svg"),
        contract=False,
        public=True,
        apart=True,
        summary="The picture of a hub's graph.",
        errors=("not_public",),
    ),
    Op(
        name="cross_refs",
        request=r.CrossRefs,
        response=r.CrossRefsFound,
        http=("GET", "/api/social/cross-refs"),
        contract=False,
        public=True,
        apart=True,
        summary="Public documents, bundles and hubs that public documents cite, the most cited first.",
        errors=("invalid",),
    ),
    Op(
        name="inspect_hub",
        request=r.InspectHub,
        response=r.Inspected,
        http=("GET", f"{HUBS}/{{slug}}/inspect"),
        contract=False,
        apart=True,
        summary="Digest, graph, picture, lint, log or queries of the whole hub, for its owner.",
        errors=("unknown_hub", "invalid"),
    ),
    Op(
        name="suggestions",
        request=r.ListSuggestions,
        response=r.Suggestions,
        http=("GET", SUGGESTIONS),
        contract=False,
        apart=True,
        summary="Bundles that could be made of a hub's recent documents.",
        errors=("unknown_hub",),
    ),
    Op(
        name="accept_suggestion",
        request=r.AcceptSuggestion,
        response=b.Bundle,
        http=("POST", f"{SUGGESTIONS}/{{id}}/accept"),
        body=True,
        contract=False,
        writes=True,
        summary="Make the bundle that was suggested.",
        errors=("unknown_hub", "unknown_suggestion", "invalid"),
    ),
    Op(
        name="dismiss_suggestion",
        request=r.DismissSuggestion,
        response=r.Dismissed,
        http=("DELETE", f"{SUGGESTIONS}/{{id}}"),
        contract=False,
        writes=True,
        summary="Have a suggestion never made again.",
        errors=("unknown_hub", "unknown_suggestion"),
    ),
)
