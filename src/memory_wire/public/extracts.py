"""Extracts of public documents, kept by the hash of the text that they are made of. Used by raw surfaces and pages."""

from __future__ import annotations

from memory_wire.hub.defining import sentences, shown
from memory_wire.hub.extract import Extract, extract
from memory_wire.hub.sections import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.service.service import Service
    from memory_wire.store.public import PublicDocument
    from memory_wire.store.reader import Reader

KEPT = 512
LEADS = 1_024
READ = 4_096  # bytes that a lead is looked for in
NAME, NAME_OF_LEADS = "extracts", "leads"


def of(service: Service, reader: Reader, document: PublicDocument) -> Extract:
    """The extract of a document's text, of the version that is shown."""
    kept: dict[bytes, Extract] = service.kept.setdefault(NAME, {})  # type: ignore[assignment]
    found = kept.get(document.hash)
    if found is None:
        found = extract(parse(reader.public.markdown(document).decode()))
        while len(kept) >= KEPT:
            kept.pop(next(iter(kept)), None)
        kept[document.hash] = found
    return found


def lead(service: Service, reader: Reader, document: PublicDocument) -> str:
    """The first sentence of a document; empty when it doesn't begin with one."""
    kept: dict[bytes, str] = service.kept.setdefault(NAME_OF_LEADS, {})  # type: ignore[assignment]
    found = kept.get(document.hash)
    if found is None:
        text = reader.public.beginning(document, READ).decode(errors="ignore")
        found = shown(sentences(extract(parse(text)).summary)[0])
        while len(kept) >= LEADS:
            kept.pop(next(iter(kept)), None)
        kept[document.hash] = found
    return found
