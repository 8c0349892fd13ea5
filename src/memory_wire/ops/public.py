"""What everybody may read: pages of documents, bundles and hubs. Nobody needs a key, and the caller's project and bank play no part.

A few documents' pages are for some: links and passwords that open them.
"""

from __future__ import annotations

from memory_wire.ops.op import Later, Op

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memory_wire import guests as g
    from memory_wire import publishing as p
else:
    g, p = Later("guests"), Later("publishing")


def page(name: str, request: Any, path: str, summary: str) -> Op:
    """A page, or its markdown for who prefers that."""
    return Op(name=name, request=request, response=p.Payload, http=("GET", path), contract=False, public=True, apart=True, summary=summary)


OPS: tuple[Op, ...] = (
    page("page_doc", p.ViewDoc, "/{id}", "A document as a page, or as markdown."),
    Op(
        name="unlock_doc",
        request=g.UnlockDoc,
        response=p.Payload,
        http=("POST", "/unlock/{id}"),
        form=True,
        contract=False,
        public=True,
        apart=True,
        summary="A document's page by its password, where its page asks for one.",
    ),
    Op(
        name="create_link",
        request=g.CreateLink,
        response=g.Link,
        http=("POST", "/v1/docs/{id}/links"),
        body=True,
        contract=False,
        writes=True,
        summary="Make a link that opens a document with an allow-list or a password a few times.",
        errors=("unknown_document", "invalid", "storage"),
    ),
    Op(
        name="drop_links",
        request=g.DropLinks,
        response=g.LinksDropped,
        http=("DELETE", "/v1/docs/{id}/links"),
        contract=False,
        writes=True,
        summary="End all links to a document.",
        errors=("unknown_document", "storage"),
    ),
    page("page_bundle", p.ViewBundle, "/b/{id}", "A bundle as a page, or as markdown."),
    page("page_hub", p.ViewHub, "/hub/{slug}", "A hub as a page with a search, or as markdown."),
    page("page_concept", p.ViewConcept, "/hub/{slug}/c/{concept}", "What a hub says of a concept, as a page or as markdown."),
    page("page_graph", p.ViewGraph, "/hub/{slug}/graph", "A picture of a hub."),
    Op(
        name="style",
        request=p.Style,
        response=p.Payload,
        http=("GET", "/hub.css"),
        contract=False,
        public=True,
        summary="The style sheet of all pages.",
    ),
)
