"""A document as markdown: front matter, the text byte for byte, and behind a rule what is around it. Nothing in it is made by a model."""

from __future__ import annotations

from memory_wire import config
from memory_wire.errors import NotPublic
from memory_wire.public import concepts, described, extracts, past
from memory_wire.public.payload import NOINDEX, address, apart, body_of, escaped, linked, markdown, matter, shareable, truthy
from memory_wire.service.dates import stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.public.concepts import Told
    from memory_wire.publishing import Payload, RawDoc
    from memory_wire.service.service import Service
    from memory_wire.store.public import PublicBundle, PublicDocument
    from memory_wire.store.reader import Reader
    from memory_wire.types import Scope

AROUND = "Made from this document and what is public beside it; no part of its text."


def raw(service: Service, request: RawDoc, scope: Scope) -> Payload:
    """The payload of GET /raw/{id}. Raises NotPublic."""
    at, compact = past.named(request.at), truthy(request.compact)
    with service.read() as reader:
        document = past.document(service, reader, request.id, at)
        if document is None:
            raise NotPublic
        newest = [document.id] if at is None else []  # what is around it is known of its newest text alone
        told = concepts.of_documents(service, reader, newest, config.DOC_CONCEPTS, config.DOC_RELATIONS)
        parents = reader.public.parents(document.id, config.DOC_PARENTS) if newest else []
        n_parents = reader.public.n_parents(document.id) if newest else 0
        text = reader.public.markdown(document)
        around = context(service, reader, document, told, parents, n_parents)
    head = matter(fields(service, document, told, n_parents, at)).encode()
    body = body_of(text, compact)
    headers = {
        "x-document-id": document.public_id,
        "x-hub-slug": document.slug,
        "x-body-offset": str(len(head)),
        "x-body-length": str(len(body)),
        **(NOINDEX if at is not None else {}),
    }
    whole = b"".join((head, body, apart(body), b"---\n\n", around.encode()))
    return markdown(whole, headers, canonical=address(service, f"/{document.public_id}"), compact=compact)


def fields(
    service: Service, document: PublicDocument, told: Told, n_parents: int, at: int | None
) -> list[tuple[str, str | int | bool | None]]:
    """The front matter."""
    return [
        ("title", document.title),
        ("url", address(service, f"/{document.public_id}")),
        ("updated", stamp(document.updated)),
        ("at", None if at is None else stamp(at)),
        ("hub", address(service, f"/hub/{document.slug}")),
        ("bundle_count", n_parents or None),
        ("concept_count", told.total or None),
        ("source", shareable(document.source)),
    ]


def context(service: Service, reader: Reader, document: PublicDocument, told: Told, parents: list[PublicBundle], n_parents: int) -> str:
    """What is around the document; parts that would be empty are left out."""
    extract = extracts.of(service, reader, document)
    seen = described.of(reader, reader.public.description(document), [document])
    parts = ["## Context", f"> {AROUND}"]
    if extract.summary:
        parts.append(f"**Summary** (its first words): {escaped(extract.summary)}")
    themes = ", ".join([escaped(concept.label) for concept in told.concepts[: config.DOC_THEMES]])
    if themes:
        parts.append(f"**Themes:** {themes}")
    if extract.takeaways:
        parts.append("### Key takeaways\n\n" + "\n".join([f"- {escaped(line)}" for line in extract.takeaways]))
    parts += seen.parts("###") if seen is not None else []
    parts += graph(service, document.slug, told, config.DOC_RELATIONS)
    if parents:
        more = f"\n\nand {n_parents - len(parents)} more" if n_parents > len(parents) else ""
        listed = "\n".join([f"- {linked(bundle.title, address(service, f'/b/{bundle.public_id}'))}" for bundle in parents])
        parts.append(f"### In bundles\n\n{listed}{more}")
    hub, digest = address(service, f"/hub/{document.slug}"), address(service, f"/raw/hub/{document.slug}")
    parts.append(f"### Further\n\n- {linked('Hub', hub)}\n- {linked('Digest of the hub', digest)}")
    return "\n\n".join(parts) + "\n"


def graph(service: Service, slug: str, told: Told, relations: int, level: str = "###") -> list[str]:
    """Concepts and relations as sections; `relations` are as many as there can be."""
    parts = []
    if told.concepts:
        lines = []
        for concept in told.concepts:
            name = linked(concept.label, address(service, f"/hub/{slug}/c/{concept.slug}"))
            lines.append(f"- {name} ({concept.type})" + (f": {escaped(concept.description)}" if concept.description else ""))
        lines += [f"- and {told.total - len(lines)} more"] if told.total > len(lines) else []
        parts.append(f"{level} Concepts\n\n" + "\n".join(lines))
    if told.relations:
        lines = [f"- {escaped(one.source)} {one.label} {escaped(one.target)}" for one in told.relations]
        lines += ["- and more"] if told.truncated and len(lines) == relations else []
        parts.append(f"{level} Relations\n\n" + "\n".join(lines))
    return parts
