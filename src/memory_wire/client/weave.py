"""How a hub hangs together, as typed methods; surface.py has the others. Public ones raise NotPublic, the owner's UnknownHub."""

from __future__ import annotations

from memory_wire import publishing as p
from memory_wire import relations as r
from memory_wire.client.publications import Publications, said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire import bundles as b


class Weave(Publications):
    """Concepts, graphs, upkeep, cross references, suggestions."""

    def raw_concept(self, slug: str, concept: str, *, compact: bool = False) -> p.Payload:
        """What a hub's documents say of one concept, as markdown."""
        return self._payload("raw_concept", p.ViewConcept(slug=slug, concept=concept, compact=said(compact)))

    def hub_log(self, slug: str) -> p.Payload:
        """What happened in a hub, as markdown."""
        return self._payload("hub_log", p.HubText(slug=slug))

    def hub_lint(self, slug: str) -> p.Payload:
        """What could be better in a hub, as markdown."""
        return self._payload("hub_lint", p.HubText(slug=slug))

    def hub_queries(self, slug: str) -> p.Payload:
        """Questions that a hub can answer, as markdown."""
        return self._payload("hub_queries", p.HubText(slug=slug))

    def hub_graph(self, slug: str) -> p.Payload:
        """A hub's documents and bundles and how they hang together, as JSON."""
        return self._payload("hub_graph", p.ViewGraph(slug=slug))

    def hub_picture(self, slug: str) -> p.Payload:
        """The picture of that, as SVG."""
        return self._payload("hub_picture", p.ViewGraph(slug=slug))

    def cross_refs(self, *, limit: int | None = None) -> r.CrossRefsFound:
        """The most cited of what is public."""
        answer: r.CrossRefsFound = self.call("cross_refs", r.CrossRefs(limit=limit))
        return answer

    def inspect_hub(self, slug: str, what: str = "digest") -> r.Inspected:
        """The owner's digest, graph, picture, lint, log or queries, of the whole hub."""
        answer: r.Inspected = self.call("inspect_hub", r.InspectHub(slug=slug, what=what))
        return answer

    def suggestions(self, slug: str) -> r.Suggestions:
        """Bundles that could be made of a hub's recent documents."""
        answer: r.Suggestions = self.call("suggestions", r.ListSuggestions(slug=slug))
        return answer

    def accept_suggestion(self, slug: str, id: str, *, title: str | None = None, is_draft: bool | None = None) -> b.Bundle:
        """Makes the bundle that was suggested."""
        answer: b.Bundle = self.call("accept_suggestion", r.AcceptSuggestion(slug=slug, id=id, title=title, is_draft=is_draft))
        return answer

    def dismiss_suggestion(self, slug: str, id: str) -> r.Dismissed:
        """Has a suggestion never made again."""
        answer: r.Dismissed = self.call("dismiss_suggestion", r.DismissSuggestion(slug=slug, id=id))
        return answer
