"""A hub's page: its documents and bundles, page by page, or what answers a search. A moment of the past shows what was there then."""

from __future__ import annotations

from memory_wire import config
from memory_wire.errors import HubNotPublic, NotPublic
from memory_wire.hub import inline
from memory_wire.public import html, negotiate, past
from memory_wire.publishing import RawHub
from memory_wire.service.dates import stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire import questions as q
    from memory_wire.publishing import Payload, ViewHub
    from memory_wire.service.service import Service
    from memory_wire.store.public import PublicBundle, PublicDocument, PublicHub
    from memory_wire.types import Scope

DOCUMENTS, BUNDLES = 100, 50  # of a page
RESULTS = 10
SNIPPET = 240  # characters of a result
EMPTY = "No public documents yet."


def page(service: Service, request: ViewHub, scope: Scope) -> Payload:
    """The payload of GET /hub/{slug}. Raises NotPublic."""
    slug, markdown = negotiate.split(request.slug)
    if markdown or negotiate.wants_markdown(request):
        from memory_wire.public import index

        asked = RawHub(slug=slug, full=request.full, digest=request.digest, since=request.since, at=request.at, compact=request.compact)
        return negotiate.negotiated(index.raw(service, asked, scope))
    query = request.q.replace("\0", " ").strip()
    if query:
        return found(service, slug, query[: config.QUESTION_CHARS], scope)
    at, number = past.named(request.at), numbered(request.page)
    with service.read() as reader:
        hub = reader.public.hub(slug)
        if hub is None:
            raise NotPublic
        if at is None:
            documents = reader.public.documents(hub.bank, DOCUMENTS, (number - 1) * DOCUMENTS)
        else:
            documents = past.documents(service, reader, hub.bank, at, DOCUMENTS)
        bundles = reader.public.bundles(hub.bank, BUNDLES, at) if number == 1 else []
    if number > 1 and not documents:
        raise NotPublic
    return framed(service, hub, written(hub, documents, bundles, number, at), number=number, at=at)


def framed(service: Service, hub: PublicHub, body: str, *, query: str = "", number: int = 1, at: int | None = None) -> Payload:
    home = f"/hub/{hub.slug}"
    raw = f"/raw{home}"
    told = html.Page(
        title=hub.name,
        path=home if number == 1 else f"{home}?page={number}",
        raw=raw,
        body=body,
        description=hub.description or "",
        search=home,
        query=query,
        hub=hub.name,
        index=at is None and not query,
        cache="no-store" if query else "public, max-age=120",
        also=[
            ("All documents", f"{raw}?full=1"),
            ("Compact", f"{raw}?compact=1"),
            ("llms.txt", f"{home}/llms.txt"),
            ("Graph", f"{home}/graph"),
        ],
    )
    return html.payload(service, told)


def numbered(given: str) -> int:
    """The number of a page. Raises NotPublic."""
    if not given:
        return 1
    if not (given.isascii() and given.isdigit()) or len(given) > 6 or not int(given):
        raise NotPublic
    return int(given)


def written(hub: PublicHub, documents: list[PublicDocument], bundles: list[PublicBundle], number: int, at: int | None) -> str:
    listed = [f"{html.link(one.title, dated(f'/{one.public_id}', at))} <small>{html.time(one.updated)}</small>" for one in documents]
    note = html.then(at, f"/hub/{hub.slug}")
    facts = f"{html.counted(hub.documents, 'document', 'documents')}, {html.counted(hub.bundles, 'bundle', 'bundles')}"
    facts += f", updated {html.time(hub.updated)}" if hub.updated is not None else ""
    groups = [f"{html.link(one.title, f'/b/{one.public_id}')} <small>{one.count:,}</small>" for one in bundles]
    body = html.section("bundles", "Bundles", html.listed(groups))
    body += html.section("documents", "Documents", html.listed(listed, kind="documents") or f"<p>{EMPTY}</p>\n")
    about = html.paragraphs(hub.description) if number == 1 else ""
    head = f"<h1>{html.escaped(hub.name)}</h1>\n" + (f'<p class="facts">{facts}</p>\n' if at is None else "") + about + note
    return head + body + (pages(hub, number) if at is None else "")


def dated(path: str, at: int | None) -> str:
    return path if at is None else f"{path}?at={stamp(at)}"


def pages(hub: PublicHub, number: int) -> str:
    """The way to the other pages."""
    last = -(-hub.documents // DOCUMENTS)
    if last <= 1:
        return ""
    entries = []
    for words, other, rel in (("Newer", number - 1, "prev"), ("Older", number + 1, "next")):
        if 1 <= other <= last:
            entries.append(f'<li><a rel="{rel}" href="/hub/{html.escaped(hub.slug)}?page={other}">{words}</a></li>')
    return f'<nav class="pages" aria-label="Pages"><p>Page {number:,} of {last:,}</p><ul>{"".join(entries)}</ul></nav>\n'


# search ----------------------------------------------------------------------------------------------------------------------------


def found(service: Service, slug: str, query: str, scope: Scope) -> Payload:
    """What of the hub answers a search. Raises NotPublic."""
    from memory_wire import questions as q
    from memory_wire.public import recall

    try:
        answer = recall.recall(service, q.HubRecall(slug=slug, question=query, k=RESULTS, hybrid=True), scope)
    except HubNotPublic:
        raise NotPublic from None
    with service.read() as reader:
        hub = reader.public.hub(slug)
        if hub is None:
            raise NotPublic
    entries = [result(row) for row in answer.results]  # type: ignore[arg-type]  # chunks were asked for
    told = html.listed(entries, "ol", "results") or "<p>Nothing was found.</p>\n"
    body = f"<h1>{html.escaped(html.cut(query, 80))}</h1>\n{told}<p>{html.link('All of the hub', f'/hub/{slug}')}</p>\n"
    return framed(service, hub, body, query=query)


def result(row: q.ChunkFound) -> str:
    from memory_wire.public import levels

    path = row.doc_url.partition("#")[0] + (f"#{row.anchor}" if row.anchor else "")
    path = "/" + path.rpartition("/")[2]
    place = f'<p class="facts">{html.escaped(row.heading_path)}</p>\n' if row.heading_path != row.doc_title else ""
    words = inline.plain(html.cut(levels.snippet(row.markdown) or row.markdown, SNIPPET))
    return f"<h2>{html.link(row.doc_title, path)}</h2>\n{place}<p>{html.escaped(words)}</p>"
