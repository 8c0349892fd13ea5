"""Links that open a document for who isn't everybody: made and ended by its owner. Called by the service."""

from __future__ import annotations

from memory_wire import config
from memory_wire import guests as g
from memory_wire.errors import Invalid
from memory_wire.kernels.text import content_hash
from memory_wire.service import audit, dates, passwords, validate
from memory_wire.service.changes import Outcome
from memory_wire.service.documents import bank_of, named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire import types as t
    from memory_wire.service.service import Service
    from memory_wire.store.protocol import Tx

    Work = Callable[[Tx], Outcome]

TOKEN_CHARS = 32  # 190 bits
DAY_MS = 86_400_000


def create_link(request: g.CreateLink, scope: t.Scope, service: Service) -> Work:
    """The work that makes a link. Raises UnknownDocument, Invalid, WrongType."""
    now = service.now()
    uses = bounded("uses", request.uses, 1, config.LINK_USES)
    expires = now + DAY_MS * bounded("days", request.days, config.LINK_DAYS, config.LINK_DAYS_MOST)
    token = passwords.opaque(TOKEN_CHARS)

    def work(tx: Tx) -> Outcome:
        document = named(tx, request, scope)
        tx.guests.add(hashed(token), document.id, now, expires, uses)
        told = f"{uses} uses until {dates.stamp(expires)}"
        audit.note(tx, scope, bank_of(tx, document, scope), "doc.link", document.public_id, now, told)
        url = f"{service.origin}/{document.public_id}?link={token}"
        return Outcome(g.Link(id=document.public_id, url=url, uses=uses, expires_at=dates.stamp(expires)))

    return work


def drop_links(request: g.DropLinks, scope: t.Scope, service: Service) -> Work:
    """The work that ends the links to a document. Raises UnknownDocument."""
    now = service.now()

    def work(tx: Tx) -> Outcome:
        document = named(tx, request, scope)
        dropped = tx.guests.drop(document.id)
        audit.note(tx, scope, bank_of(tx, document, scope), "doc.unlink", document.public_id, now, f"{dropped} links")
        return Outcome(g.LinksDropped(dropped=dropped))

    return work


def hashed(token: str) -> bytes:
    """What is kept of a token."""
    return content_hash(token.encode("utf-8", "replace"))


def bounded(field: str, value: object, default: int, most: int) -> int:
    """A number of at least 1. Raises Invalid, WrongType."""
    found = validate.unsigned(field, value)
    if found is None:
        return default
    if not 1 <= found <= most:
        raise Invalid(field, f"must be 1 to {most:,}")
    return found
