"""A hub for programs by the llms.txt convention: an index with a line for each document, and all texts in one."""

from __future__ import annotations

from memory_wire import config
from memory_wire.errors import NotPublic
from memory_wire.public import extracts
from memory_wire.public.index import NO_DOCUMENTS, section
from memory_wire.public.payload import (
    CUT,
    TEXT_SECONDS,
    address,
    apart,
    body_of,
    escaped,
    linked,
    markdown,
    matter,
    one_line,
    shareable,
    truthy,
)
from memory_wire.publishing import TEXT
from memory_wire.service.dates import stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.publishing import HubText, Payload
    from memory_wire.service.service import Service
    from memory_wire.store.public import PublicHub
    from memory_wire.store.reader import Reader
    from memory_wire.types import Scope


def index(service: Service, request: HubText, scope: Scope) -> Payload:
    """The payload of llms.txt. Raises NotPublic."""
    with service.read() as reader:
        hub = hub_of(reader, request.slug)
        documents = reader.public.documents(hub.bank, config.LLMS_DOCUMENTS)
        bundles = reader.public.bundles(hub.bank, config.LLMS_BUNDLES)
        lines = []
        for document in documents:
            told = extracts.lead(service, reader, document)
            link = linked(document.title, address(service, f"/{document.public_id}.md"))
            lines.append(f"- {link}: {escaped(told)}" if told else f"- {link}")
    parts = head(hub)
    parts.append(section("Documents", lines, hub.documents) if lines else NO_DOCUMENTS)
    if bundles:
        told_of = [one_line(bundle.description or bundle.intent or "") for bundle in bundles]
        links = [linked(bundle.title, address(service, f"/b/{bundle.public_id}.md")) for bundle in bundles]
        parts.append(
            section(
                "Bundles",
                [f"- {link}: {escaped(told)}" if told else f"- {link}" for link, told in zip(links, told_of, strict=True)],
                hub.bundles,
            )
        )
    full, digest = address(service, f"/hub/{hub.slug}/llms-full.txt"), address(service, f"/raw/hub/{hub.slug}")
    parts.append(
        f"## Optional\n\n- {linked('All texts in one', full)}\n- {linked('Digest: concepts and how they stand to each other', digest)}"
    )
    return answer(service, hub, "\n\n".join(parts) + "\n", False, len(lines) < hub.documents or len(bundles) < hub.bundles)


def full(service: Service, request: HubText, scope: Scope) -> Payload:
    """The payload of llms-full.txt. Raises NotPublic."""
    compact = truthy(request.compact)
    with service.read() as reader:
        hub = hub_of(reader, request.slug)
        parts, size, count = [], 0, 0
        while page := reader.public.documents(hub.bank, config.PAGE_LIMIT, count):
            for document in page:
                text = body_of(reader.public.markdown(document), compact)
                size += len(text)
                if size > config.LLMS_FULL_BYTES:
                    break
                url = address(service, f"/{document.public_id}")
                lines = matter(
                    [("title", document.title), ("url", url), ("updated", stamp(document.updated)), ("source", shareable(document.source))]
                )
                parts += [lines.encode(), text, apart(text)]
                count += 1
            if size > config.LLMS_FULL_BYTES:
                break
    cut = count < hub.documents
    top = head(hub)
    if not hub.documents:
        top.append(NO_DOCUMENTS)
    if cut:
        top.append(f"Truncated: {count} of {hub.documents} documents, those changed last.")
    body = ("\n\n".join(top) + "\n\n").encode() + b"".join(parts)
    return answer(service, hub, body, compact, cut)


def hub_of(reader: Reader, slug: str) -> PublicHub:
    """Raises NotPublic."""
    hub = reader.public.hub(slug)
    if hub is None:
        raise NotPublic
    return hub


def head(hub: PublicHub) -> list[str]:
    """Name and description, as the convention wants them."""
    return [f"# {escaped(hub.name)}", *([f"> {one_line(hub.description)}"] if hub.description else [])]


def answer(service: Service, hub: PublicHub, body: bytes | str, compact: bool, cut: bool) -> Payload:
    headers = {"x-hub-slug": hub.slug, "x-document-count": str(hub.documents), **(CUT if cut else {})}
    return markdown(body, headers, canonical=address(service, f"/hub/{hub.slug}"), compact=compact, seconds=TEXT_SECONDS, type=TEXT)
