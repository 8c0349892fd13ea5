"""What everybody may read as typed methods; surface.py has the others. Each raises NotPublic for what isn't there for everybody."""

from __future__ import annotations

from memory_wire import publishing as p

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import msgspec


class Publications:
    """The public surfaces of documents, bundles and hubs."""

    def call(self, name: str, request: msgspec.Struct, bank: str | None = None) -> Any:
        """The response Struct of one operation of the table."""
        raise NotImplementedError

    def style(self) -> p.Payload:
        """The style sheet of all pages."""
        return self._payload("style", p.Style())

    def _payload(self, name: str, request: msgspec.Struct) -> p.Payload:
        answer: p.Payload = self.call(name, request)
        return answer
