"""What everybody may read as markdown: documents, bundles, hubs. As public.py."""

from __future__ import annotations

from memory_wire.ops.op import Later, Op

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire import publishing as p
else:
    p = Later("publishing")

RAW = "/raw"
RAW_HUB = f"{RAW}/hub/{{slug}}"
HUB = "/hub/{slug}"


def raw(name: str, request: type, path: str, summary: str, apart: bool = False) -> Op:
    """One row."""
    return Op(
        name=name,
        request=request,
        response=p.Payload,
        http=("GET", path),
        contract=False,
        public=True,
        apart=apart,
        summary=summary,
        errors=("not_public",),
    )


OPS: tuple[Op, ...] = (
    raw("raw_doc", p.RawDoc, f"{RAW}/{{id}}", "A document as markdown: its text byte for byte, and what is around it."),
    raw("raw_bundle", p.RawBundle, f"{RAW}/bundle/{{id}}", "A bundle as markdown: a digest of its documents, or their texts.", True),
    raw("raw_discover", p.Discover, f"{RAW}/discover", "Bundles of all hubs whose owners want them to be found."),
    raw("raw_hub", p.RawHub, RAW_HUB, "A hub as markdown: a digest of its concepts, or the list of all that it has.", True),
    raw("raw_llms", p.HubText, f"{RAW_HUB}/llms.txt", "A hub's index by the llms.txt convention.", True),
    raw("raw_llms_full", p.HubText, f"{RAW_HUB}/llms-full.txt", "The texts of a hub in one.", True),
    raw("hub_llms", p.HubText, f"{HUB}/llms.txt", "As /raw/hub/{slug}/llms.txt.", True),
    raw("hub_llms_full", p.HubText, f"{HUB}/llms-full.txt", "As /raw/hub/{slug}/llms-full.txt.", True),
)
