"""A bundle's page: what everybody sees of its documents, in reading order with their annotations."""

from __future__ import annotations

from memory_wire.errors import NotPublic
from memory_wire.public import extracts, html, negotiate
from memory_wire.publishing import RawBundle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.publishing import Payload, ViewBundle
    from memory_wire.service.service import Service
    from memory_wire.store.public import PublicBundle, PublicDocument
    from memory_wire.types import Scope


EMPTY = "No public documents in this bundle yet."


def page(service: Service, request: ViewBundle, scope: Scope) -> Payload:
    """The payload of GET /b/{id}. Raises NotPublic."""
    id, markdown = negotiate.split(request.id)
    if markdown or negotiate.wants_markdown(request):
        from memory_wire.public import bundle

        asked = RawBundle(id=id, full=request.full, digest=request.digest, graph=request.graph, compact=request.compact)
        return negotiate.negotiated(bundle.raw(service, asked, scope))
    with service.read() as reader:
        found = reader.public.bundle(id)
        hub = reader.public.hub(found.slug) if found is not None else None
        if found is None or hub is None:
            raise NotPublic
        members = [(member, note, extracts.of(service, reader, member).summary) for member, note in reader.public.members(found.id)]
    raw = f"/raw/bundle/{id}"
    home = f"/hub/{hub.slug}"
    told = html.Page(
        title=found.title,
        path=f"/b/{id}",
        raw=raw,
        body=written(found, members),
        description=found.description or "",
        crumbs=[(hub.name, home)],
        search=home,
        hub=hub.name,
        also=[("All texts", f"{raw}?full=1"), ("Compact", f"{raw}?compact=1"), ("Digest of the hub", f"/raw{home}")],
    )
    return html.payload(service, told)


def written(found: PublicBundle, members: list[tuple[PublicDocument, str | None, str]]) -> str:
    facts = f"{html.counted(len(members), 'document', 'documents')}, updated {html.time(found.updated)}"
    intent = f"<p><strong>Intent:</strong> {html.escaped(' '.join(found.intent.split()))}</p>\n" if found.intent else ""
    entries = [member(document, note, summary) for document, note, summary in members]
    return (
        f'<article>\n<h1>{html.titled(found.title)}</h1>\n<p class="facts">{facts}</p>\n'
        f"{html.paragraphs(found.description)}{intent}{html.listed(entries, 'ol', 'members') or f'<p>{EMPTY}</p>'}\n</article>\n"
    )


def member(document: PublicDocument, note: str | None, summary: str) -> str:
    """One document of it."""
    lines = f"<h2>{html.link(document.title, f'/{document.public_id}')}</h2>\n"
    lines += f"<p><em>{html.escaped(' '.join(note.split()))}</em></p>\n" if note else ""
    lines += f"<p>{html.escaped(summary)}</p>\n" if summary else ""
    return f'{lines}<p class="facts">Updated {html.time(document.updated)}</p>'
