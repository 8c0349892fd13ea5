"""Questions to hubs and vectors of documents as typed methods; surface.py has the others. Each raises what its operation raises."""

from __future__ import annotations

from memory_wire import publishing as p
from memory_wire import questions as q
from memory_wire.client.weave import Weave

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Questions(Weave):
    """What everybody may ask, and the vectors that it is found by."""

    def hub_recall(self, slug: str, question: str, *, k: int | None = None, level: str | None = None, **more: Any) -> q.HubRecalled:
        """What of a public hub answers a question, best first; `more` are the further fields of questions.HubRecall."""
        answer: q.HubRecalled = self.call("hub_recall", q.HubRecall(slug=slug, question=question, k=k, level=level, **more))
        return answer

    def hub_recall_usage(self, slug: str) -> p.Payload:
        """How a hub is asked over HTTP."""
        return self._payload("hub_recall_usage", q.RecallUsage(slug=slug))

    def embed_doc(self, id: str, *, bank: str | None = None) -> q.EmbeddedDoc:
        """Makes a document's vectors those of its text."""
        answer: q.EmbeddedDoc = self.call("embed_doc", q.EmbedDoc(id=id, bank=bank))
        return answer

    def embed_bundle(self, id: str, *, bank: str | None = None) -> q.EmbeddedBundle:
        """Makes a bundle's vector that of its words and its members' titles."""
        answer: q.EmbeddedBundle = self.call("embed_bundle", q.EmbedBundle(id=id, bank=bank))
        return answer
