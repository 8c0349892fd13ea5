"""Bundles of all public hubs whose owners want them to be found, as markdown."""

from __future__ import annotations

from memory_wire import config
from memory_wire.public.index import section
from memory_wire.public.payload import CUT, HUB_SECONDS, address, documents, escaped, linked, markdown, matter
from memory_wire.service.dates import stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.publishing import Discover, Payload
    from memory_wire.service.service import Service
    from memory_wire.store.public import PublicBundle
    from memory_wire.types import Scope

NOTHING = "No bundles to discover yet."


def raw(service: Service, request: Discover, scope: Scope) -> Payload:
    """The payload of GET /raw/discover."""
    with service.read() as reader:
        bundles, total = reader.public.discoverable(config.DISCOVER_BUNDLES), reader.public.n_discoverable()
    head = matter(
        [
            ("type", "discover"),
            ("bundle_count", total),
            ("updated", stamp(bundles[0].updated) if bundles else None),
            ("truncated", True if total > len(bundles) else None),
        ]
    )
    body = section("Bundles", [line(service, bundle) for bundle in bundles], total) if bundles else NOTHING
    headers = {"x-document-count": str(sum(bundle.count for bundle in bundles)), **(CUT if total > len(bundles) else {})}
    return markdown(f"{head}# Bundles to discover\n\n{body}\n", headers, digest=True, seconds=HUB_SECONDS)


def line(service: Service, bundle: PublicBundle) -> str:
    """One bundle: what it is about, in which hub, how much it is."""
    told = bundle.description or bundle.intent
    link, hub = (
        linked(bundle.title, address(service, f"/b/{bundle.public_id}")),
        linked(bundle.slug, address(service, f"/hub/{bundle.slug}")),
    )
    return f"- {link}{f': {escaped(told)}' if told else ''} ({hub}, {documents(bundle.count)}, {stamp(bundle.updated)[:10]})"
