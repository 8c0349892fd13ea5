"""A document's page, and its markdown at the same address for who prefers that."""

from __future__ import annotations

from msgspec import Struct

from memory_wire import config
from memory_wire.errors import NotPublic
from memory_wire.public import concepts, crossrefs, extracts, html, negotiate, past, rendered
from memory_wire.public.payload import shareable
from memory_wire.publishing import RawDoc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.public.rendered import Body
    from memory_wire.publishing import Payload, ViewDoc
    from memory_wire.service.service import Service
    from memory_wire.store.guests import Shared
    from memory_wire.store.public import PublicDocument, PublicHub
    from memory_wire.types import Scope

BACKLINKS, CONTENTS = 50, 200  # that are listed
FEW = 2  # headings that need no list


class Around(Struct, kw_only=True):
    """What stands in relation to a document: (title, path)s, and what it is about."""

    backlinks: list[tuple[str, str]] = []
    bundles: list[tuple[str, str]] = []
    labels: list[str] = []
    summary: str = ""


def page(service: Service, request: ViewDoc, scope: Scope) -> Payload:
    """The payload of GET /{id}. Raises NotPublic."""
    id, markdown = negotiate.split(request.id)
    if markdown or negotiate.wants_markdown(request):
        from memory_wire.public import doc

        try:
            return negotiate.negotiated(doc.raw(service, RawDoc(id=id, compact=request.compact, at=request.at), scope))
        except NotPublic:
            return guest(service, request, scope, id, markdown=True)
    at = past.named(request.at)
    with service.read() as reader:
        document = past.document(service, reader, id, at)
        hub = reader.public.hub(document.slug) if document is not None else None
        if document is None or hub is None:
            return guest(service, request, scope, id)
        text = reader.public.markdown(document)
        around, leads = Around(), dict[str, str]()
        if at is None:  # what is around it is known of its newest text alone
            around.backlinks = [(one.title, one.url) for one in crossrefs.backlinks(service, reader, document.id)]
            leads = crossrefs.leading(service, reader, document.id)
            around.bundles = [(one.title, f"/b/{one.public_id}") for one in reader.public.parents(document.id, config.DOC_PARENTS)]
            around.labels = [one.label for one in concepts.of_document(service, reader, document.id, config.DOC_CONCEPTS).concepts]
            around.summary = extracts.of(service, reader, document).summary
    return framed(service, document, hub, rendered.body_of(service, text, document.title, leads), around, at)


def guest(service: Service, request: ViewDoc, scope: Scope, id: str, markdown: bool = False) -> Payload:
    """What isn't for everybody may be for who asks. Raises NotPublic."""
    from memory_wire.public import guest

    return negotiate.negotiated(guest.opened(service, id, request.link, scope, markdown))


def framed(service: Service, document: PublicDocument, hub: PublicHub, body: Body, around: Around, at: int | None) -> Payload:
    raw = f"/raw/{document.public_id}"
    home = f"/hub/{hub.slug}"
    found = html.Page(
        title=document.title,
        path=f"/{document.public_id}",
        raw=raw,
        body=article(document, body, at) + beside(home, around),
        description=around.summary,
        crumbs=[(hub.name, home)],
        search=home,
        hub=hub.name,
        cache="no-store" if body.plain else "public, max-age=60",
        index=at is None,
        also=[("Compact", f"{raw}?compact=1"), ("Digest of the hub", f"/raw{home}")],
    )
    return html.payload(service, found)


def article(document: PublicDocument | Shared, body: Body, at: int | None = None) -> str:
    """The document itself."""
    facts = [f"Updated {html.time(document.updated)}", f"created {html.time(document.created)}"]
    if (came := shareable(document.source)) is not None:
        facts.append(f'from <a href="{html.escaped(came)}" rel="nofollow noopener noreferrer">{html.escaped(html.cut(came, 80))}</a>')
    note = html.then(at, f"/{document.public_id}")
    anchor = f' id="{html.escaped(body.anchor)}"' if body.anchor else ""
    return (
        f'<article>\n<h1{anchor}>{html.titled(document.title)}</h1>\n<p class="facts">{", ".join(facts)}</p>\n{note}'
        f"{contents(body)}{body.html}</article>\n"
    )


def contents(body: Body) -> str:
    """The headings of a document that has several."""
    if len(body.contents) <= FEW:
        return ""
    entries = [
        f'<li class="level-{level}"><a href="#{html.escaped(anchor)}">{html.escaped(title) or "…"}</a></li>\n'
        for level, title, anchor in body.contents[:CONTENTS]
    ]
    left = len(body.contents) - CONTENTS
    more = f"<li>{html.counted(left, 'more heading', 'more headings')}</li>\n" if left > 0 else ""
    return f'<nav class="contents" aria-label="Contents">\n<ol>\n{"".join(entries)}{more}</ol>\n</nav>\n'


def beside(home: str, around: Around) -> str:
    """What stands in relation to the document."""
    linked = [html.link(title, path) for title, path in around.backlinks[:BACKLINKS]]
    if len(around.backlinks) > BACKLINKS:
        linked.append(f"and {len(around.backlinks) - BACKLINKS:,} more")
    parts = html.section("from", "Linked from", html.listed(linked))
    parts += html.section("in", "Part of", html.listed([html.link(title, path) for title, path in around.bundles]))
    about = [html.link(label, f"{home}?q={html.quoted(label)}") for label in around.labels]
    parts += html.section("about", "About", html.listed(about, kind="tags"))
    return f'<aside aria-label="Around this document">\n{parts}</aside>\n' if parts else ""
