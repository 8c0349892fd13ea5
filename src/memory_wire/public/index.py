"""A hub as markdown: the list of all that it has, now or at a moment of the past. Its digest is digest.py."""

from __future__ import annotations

from memory_wire import config
from memory_wire.errors import NotPublic
from memory_wire.public import past
from memory_wire.public.payload import (
    CUT,
    HUB_SECONDS,
    NOINDEX,
    address,
    documents,
    escaped,
    falsy,
    linked,
    markdown,
    matter,
    moment,
    truthy,
)
from memory_wire.service.dates import DAY_MS, stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.publishing import Payload, RawHub
    from memory_wire.service.service import Service
    from memory_wire.store.public import PublicBundle, PublicDocument, PublicHub
    from memory_wire.store.reader import Reader
    from memory_wire.types import Scope

NO_DOCUMENTS = "No public documents yet."
NO_LONGER = "No public documents at that time."


class Listed:
    """What a hub lists: `total` documents, of which these are shown, and `n_bundles` bundles."""

    __slots__ = ("at", "bundles", "cut", "documents", "hub", "n_bundles", "since", "total", "updated")

    def __init__(self, service: Service, reader: Reader, hub: PublicHub, since: int | None, at: int | None) -> None:
        self.hub, self.since, self.at = hub, since, at
        self.bundles: list[PublicBundle] = reader.public.bundles(hub.bank, config.HUB_BUNDLES, at)
        if at is None:
            self.documents: list[PublicDocument] = reader.public.documents(hub.bank, config.HUB_DOCUMENTS, since=since or 0)
            self.total = hub.documents if since is None else reader.public.n_documents(hub.bank, since)
            self.n_bundles = hub.bundles
        else:
            self.documents = past.documents(service, reader, hub.bank, at, config.HUB_DOCUMENTS)
            self.total = reader.public.n_documents_then(hub.bank, at)
            self.n_bundles = reader.public.n_bundles(hub.bank, at)
        self.updated = self.documents[0].updated if self.documents else None
        self.cut = self.total > len(self.documents) or self.n_bundles > len(self.bundles)

    def recent(self) -> list[PublicDocument]:
        """Those that were changed in the days before the newest change."""
        after = (self.updated or 0) - config.HUB_RECENT_DAYS * DAY_MS
        return [document for document in self.documents if document.updated >= after]


def raw(service: Service, request: RawHub, scope: Scope) -> Payload:
    """The payload of GET /raw/hub/{slug}. Raises NotPublic."""
    at, compact = past.named(request.at), truthy(request.compact)
    if at is None and not (truthy(request.full) or falsy(request.digest)):
        from memory_wire.public.digest import hub_digest

        return hub_digest(service, request.slug, request.since, compact)
    with service.read() as reader:
        hub = reader.public.hub(request.slug)
        if hub is None:
            raise NotPublic
        listed = Listed(service, reader, hub, moment(request.since), at)
    headers = {
        "x-hub-slug": hub.slug,
        "x-document-count": str(listed.total),
        **(NOINDEX if at is not None else {}),
        **(CUT if listed.cut else {}),
    }
    body = matter(fields(service, listed)) + "\n\n".join(parts(service, listed)) + "\n"
    return markdown(body, headers, canonical=address(service, f"/hub/{hub.slug}"), compact=compact, seconds=HUB_SECONDS)


def fields(service: Service, listed: Listed) -> list[tuple[str, str | int | bool | None]]:
    hub = listed.hub
    return [
        ("type", "hub"),
        ("slug", hub.slug),
        ("title", hub.name),
        ("url", address(service, f"/hub/{hub.slug}")),
        ("document_count", listed.total),
        ("bundle_count", listed.n_bundles),
        ("updated", None if listed.updated is None else stamp(listed.updated)),
        ("since", None if listed.since is None else stamp(listed.since)),
        ("at", None if listed.at is None else stamp(listed.at)),
        ("truncated", True if listed.cut else None),
    ]


def parts(service: Service, listed: Listed) -> list[str]:
    """The sections; those that would be empty are left out."""
    hub = listed.hub
    found = [f"# {escaped(hub.name)}"]
    if hub.description:
        found.append("\n".join([f"> {line}".rstrip() for line in hub.description.split("\n")]))
    if not listed.documents:
        found.append(NO_DOCUMENTS if listed.at is None else NO_LONGER)
    recent = listed.recent()
    if recent:
        lines = [document_line(service, one, listed.at) for one in recent[: config.HUB_RECENT]]
        found.append(section(f"Recent ({config.HUB_RECENT_DAYS} days)", lines, len(recent)))
    if listed.bundles:
        found.append(section("Bundles", [bundle_line(service, one) for one in listed.bundles], listed.n_bundles))
    if listed.documents:
        lines = [document_line(service, one, listed.at) for one in listed.documents]
        found.append(section("All documents", lines, listed.total))
    return found


def section(title: str, lines: list[str], total: int) -> str:
    """A list, and how many it leaves out."""
    more = [f"- and {total - len(lines)} more"] if total > len(lines) else []
    return f"## {title}\n\n" + "\n".join(lines + more)


def document_line(service: Service, document: PublicDocument, at: int | None) -> str:
    path = f"/{document.public_id}" if at is None else f"/raw/{document.public_id}?at={stamp(at)}"
    return f"- {linked(document.title, address(service, path))} ({stamp(document.updated)[:10]})"


def bundle_line(service: Service, bundle: PublicBundle) -> str:
    return f"- {linked(bundle.title, address(service, f'/b/{bundle.public_id}'))} ({documents(bundle.count)})"
