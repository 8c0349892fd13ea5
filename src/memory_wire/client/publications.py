"""What everybody may read as typed methods; surface.py has the others. Each raises NotPublic for what isn't there for everybody."""

from __future__ import annotations

from memory_wire import guests as g
from memory_wire import publishing as p

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import msgspec


def said(flag: bool) -> str:
    """A flag as a query has it."""
    return "1" if flag else ""


class Publications:
    """The public surfaces of documents, bundles and hubs."""

    def call(self, name: str, request: msgspec.Struct, bank: str | None = None) -> Any:
        """The response Struct of one operation of the table."""
        raise NotImplementedError

    def style(self) -> p.Payload:
        """The style sheet of all pages."""
        return self._payload("style", p.Style())

    def page_doc(self, id: str, *, at: str = "", link: str = "") -> p.Payload:
        """A document's page, now or `at` a moment of the past; `link` is the token of one that opens it."""
        return self._payload("page_doc", p.ViewDoc(id=id, at=at, link=link))

    def unlock_doc(self, id: str, password: str) -> p.Payload:
        """The page of a document whose page asks for its password."""
        return self._payload("unlock_doc", g.UnlockDoc(id=id, password=password))

    def create_link(self, id: str, *, uses: int | None = None, days: int | None = None) -> g.Link:
        """A link that opens a document with an allow-list or a password, once and for a week if nothing else is said."""
        answer: g.Link = self.call("create_link", g.CreateLink(id=id, uses=uses, days=days))
        return answer

    def drop_links(self, id: str) -> g.LinksDropped:
        """Ends all links to a document."""
        answer: g.LinksDropped = self.call("drop_links", g.DropLinks(id=id))
        return answer

    def page_bundle(self, id: str) -> p.Payload:
        """A bundle's page."""
        return self._payload("page_bundle", p.ViewBundle(id=id))

    def page_hub(self, slug: str, *, q: str = "", page: int = 1, at: str = "") -> p.Payload:
        """A page of a hub's documents, or what answers the search `q`."""
        return self._payload("page_hub", p.ViewHub(slug=slug, q=q, page=str(page) if page != 1 else "", at=at))

    def page_concept(self, slug: str, concept: str) -> p.Payload:
        """What a hub says of a concept."""
        return self._payload("page_concept", p.ViewConcept(slug=slug, concept=concept))

    def page_graph(self, slug: str) -> p.Payload:
        """The picture of a hub, with a list of its concepts."""
        return self._payload("page_graph", p.ViewGraph(slug=slug))

    def raw_doc(self, id: str, *, compact: bool = False, at: str = "") -> p.Payload:
        """A document as markdown: front matter, its text byte for byte, what is around it."""
        return self._payload("raw_doc", p.RawDoc(id=id, compact=said(compact), at=at))

    def raw_bundle(self, id: str, *, full: bool = False, graph: bool = True, compact: bool = False) -> p.Payload:
        """A bundle as markdown by the Bundle Spec: a digest, or `full` with all texts."""
        request = p.RawBundle(id=id, full=said(full), graph="" if graph else "0", compact=said(compact))
        return self._payload("raw_bundle", request)

    def raw_discover(self) -> p.Payload:
        """Bundles of all hubs whose owners want them to be found."""
        return self._payload("raw_discover", p.Discover())

    def raw_hub(self, slug: str, *, full: bool = False, since: str = "", at: str = "", compact: bool = False) -> p.Payload:
        """A hub as markdown: a digest of its concepts, or the `full` list of what it has, now or `at` a moment of the past."""
        return self._payload("raw_hub", p.RawHub(slug=slug, full=said(full), since=since, at=at, compact=said(compact)))

    def hub_llms(self, slug: str) -> p.Payload:
        """A hub's index by the llms.txt convention."""
        return self._payload("hub_llms", p.HubText(slug=slug))

    def hub_llms_full(self, slug: str, *, compact: bool = False) -> p.Payload:
        """The texts of a hub in one."""
        return self._payload("hub_llms_full", p.HubText(slug=slug, compact=said(compact)))

    def _payload(self, name: str, request: msgspec.Struct) -> p.Payload:
        answer: p.Payload = self.call(name, request)
        return answer
