"""Everything that is made of a hub beyond its documents, asked as everybody does."""

from __future__ import annotations

from msgspec import json

from memory_wire.client import Memory
from memory_wire.errors import NotPublic
from memory_wire.public import crossrefs
from memory_wire.public.atlas import Shown

CONCEPTS = ("engine", "pump", "valve", "zebra", "quagga", "zebra-plan")


def payloads(memory: Memory, slug: str = "notes") -> list[bytes]:
    """Bodies and headers of every surface of concepts, graph and upkeep; what isn't there is said alike."""
    found = []
    for name in ("raw_hub", "hub_log", "hub_lint", "hub_queries", "hub_graph", "hub_picture"):
        payload = getattr(memory, name)(slug)
        found.append(json.encode((name, payload.type, payload.headers, payload.etag, payload.cache, payload.body.decode())))
    payload = memory.raw_hub(slug, since="2026-03-01T00:00:00Z")
    found.append(payload.body)
    for concept in CONCEPTS:
        try:
            found.append(memory.raw_concept(slug, concept).body)
        except NotPublic as error:
            found.append(f"{concept}: {error}".encode())
    found.append(json.encode(memory.cross_refs(limit=100)))
    return [*found, *backlinks(memory, slug)]


def backlinks(memory: Memory, slug: str) -> list[bytes]:
    """Who cites each public document."""
    with Shown(memory.service, slug) as shown:
        return [json.encode(crossrefs.backlinks(memory.service, shown.reader, page.id)) for page in shown.atlas.documents]
