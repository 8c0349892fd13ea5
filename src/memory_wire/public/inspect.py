"""What a hub's owner sees of it, drafts and all: the functions of the public surfaces over the view `owner`, kept by nobody between."""

from __future__ import annotations

from msgspec import json

from memory_wire import publishing as p
from memory_wire import relations as r
from memory_wire.errors import Invalid
from memory_wire.public import atlas as atlases
from memory_wire.public import digest, graph, lint, log, picture, queries
from memory_wire.public.suggest import owned
from memory_wire.store.graph import OWNER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.service.service import Service
    from memory_wire.types import Scope

WHAT = ("digest", "graph", "picture", "lint", "log", "queries")


def inspect_hub(service: Service, request: r.InspectHub, scope: Scope) -> r.Inspected:
    """The answer of GET /v1/hubs/{slug}/inspect. Raises UnknownHub, Invalid."""
    what, kind = request.what, p.MARKDOWN
    if what not in WHAT:
        raise Invalid("what", f"must be one of {', '.join(WHAT)}")
    with service.read() as reader:
        atlas = atlases.seen(service, reader, owned(reader, request.slug, scope), OWNER)
        if what == "graph":
            kind, text = graph.JSON, json.encode(graph.drawn(service, reader, atlas)).decode()
        elif what == "picture":
            kind, text = picture.SVG, picture.svg(graph.drawn(service, reader, atlas), alone=True)
        elif what == "digest":
            text = digest.told(service, reader, atlas, 0)
        else:
            text = {"lint": lint.text, "log": log.text, "queries": queries.text}[what](service, reader, atlas)
    return r.Inspected(what=what, type=kind, text=text)
