"""What happened in a hub, from the rows that are there: documents made or imported, bundles made. Gates are asked when it is read."""

from __future__ import annotations

from memory_wire import publishing as p
from memory_wire.public.atlas import Shown
from memory_wire.public.lines import cut, head
from memory_wire.public.payload import HUB_SECONDS, address, linked, markdown
from memory_wire.service.dates import stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.public.atlas import Atlas
    from memory_wire.service.service import Service
    from memory_wire.store.reader import Reader
    from memory_wire.types import Scope

EVENTS = 500  # the newest
CREATED, IMPORTED, BUNDLED = "doc.created", "doc.imported", "bundle.created"
NO_EVENTS = "Nothing yet."


def hub_log(service: Service, request: p.HubText, scope: Scope) -> p.Payload:
    """The payload of GET /raw/hub/{slug}/log.md. Raises NotPublic."""
    with Shown(service, request.slug) as shown:
        body = text(service, shown.reader, shown.atlas)
    headers = {"x-hub-slug": request.slug}
    return markdown(body, headers, canonical=address(service, f"/hub/{request.slug}"), seconds=HUB_SECONDS)


def text(service: Service, reader: Reader, atlas: Atlas) -> str:
    """The log in markdown, the oldest event first."""
    found = events(reader, atlas)
    total = len(atlas.documents) + len(atlas.bundles)
    lines = [*cut(len(found), total, "event")]
    for at, kind, title, path in found:
        lines.append(f"- {stamp(at)} {kind} {linked(title, address(service, path))}")
    if not found:
        lines.append(NO_EVENTS)
    return head(service, atlas, "hub_log", ": log", ("event_count", total)) + "\n".join(lines) + "\n"


def events(reader: Reader, atlas: Atlas) -> list[tuple[int, str, str, str]]:
    """(time, kind, title, path) of the newest events, the oldest of them first."""
    found = [
        (at, IMPORTED if made == "import" else CREATED, title, f"/{id}")
        for at, id, title, made in reversed(reader.graph.events(atlas.view, atlas.hub.bank, EVENTS))
    ]
    found += [(bundle.created, BUNDLED, bundle.title, f"/b/{bundle.public_id}") for bundle in atlas.bundles]
    return sorted(found, key=lambda event: event[0])[-EVENTS:]
