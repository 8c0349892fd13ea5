"""What everybody saw at a moment of the past, from stored versions. Used by raw surfaces and pages.

What isn't public now is not shown, and neither is what wasn't public then. A moment that can't be read, or hasn't come yet, is now.
"""

from __future__ import annotations

from memory_wire import config
from memory_wire.hub.sections import parse
from memory_wire.public.payload import moment
from memory_wire.service.dates import now_ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.service.service import Service
    from memory_wire.store.public import PublicDocument
    from memory_wire.store.reader import Reader


def named(at: str) -> int | None:
    """The moment of the past that a request names; None for now."""
    found = moment(at)
    return None if found is None or found > now_ms() else found


def document(service: Service, reader: Reader, public_id: str, at: int | None) -> PublicDocument | None:
    """A document now, or as it was then, its title too."""
    if at is None:
        return reader.public.document(public_id)
    found = reader.public.document_then(public_id, at)
    if found is not None:
        retitle(service, reader, found)
    return found


def documents(service: Service, reader: Reader, bank: int, at: int, limit: int) -> list[PublicDocument]:
    """The documents of a hub as they were then, those changed last first."""
    found = reader.public.documents_then(bank, at, limit)
    for one in found:
        retitle(service, reader, one)
    return found


def retitle(service: Service, reader: Reader, found: PublicDocument) -> None:
    """Gives a document the title that its text had, unless it was given one."""
    if not found.titled:
        title = parse(reader.public.markdown(found).decode()).title()[: config.DOCUMENT_TITLE_CHARS]
        found.title = service.keys.shown("title", title, [])
