"""A bundle as markdown by the Bundle Spec 1.0: a digest of its documents, or all of their texts. A function of what everybody sees of it.

Numbers, counts and dates are those of the visible members, in reading order; what isn't visible leaves no gap.
"""

from __future__ import annotations

from memory_wire import config
from memory_wire.errors import NotPublic
from memory_wire.public import concepts, described, extracts
from memory_wire.public.doc import graph
from memory_wire.public.payload import CUT, address, apart, body_of, escaped, falsy, linked, markdown, matter, one_line, truthy
from memory_wire.service.dates import stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.public.described import Seen
    from memory_wire.publishing import Payload, RawBundle
    from memory_wire.service.service import Service
    from memory_wire.store.public import PublicBundle, PublicDocument
    from memory_wire.store.reader import Reader
    from memory_wire.types import Scope

    Members = list[tuple[PublicDocument, str | None]]

SPEC = 1
EMPTY = "No public documents in this bundle yet."
LEFT_OUT = "Left out, as the payload would be too long; the address above has the text."


def raw(service: Service, request: RawBundle, scope: Scope) -> Payload:
    """The payload of GET /raw/bundle/{id}. Raises NotPublic."""
    full, compact = truthy(request.full) or falsy(request.digest), truthy(request.compact)
    with service.read() as reader:
        bundle = reader.public.bundle(request.id)
        if bundle is None:
            raise NotPublic
        members = reader.public.members(bundle.id)
        seen = described.of(reader, bundle.analysis, [document for document, _ in members])
        cut = False
        if full:
            parts, cut = texts(service, reader, members, compact)
        else:
            parts = digest(service, reader, bundle, members, seen, not falsy(request.graph))
    head = matter(fields(service, bundle, members, seen, cut)) + "\n\n".join([f"# {escaped(bundle.title)}", *about(bundle)]) + "\n\n"
    body = head.encode() + (b"".join(parts) if members else f"{EMPTY}\n".encode())
    headers = {"x-bundle-id": bundle.public_id, "x-hub-slug": bundle.slug, "x-document-count": str(len(members))}
    headers |= CUT if cut else {}
    return markdown(body, headers, canonical=address(service, f"/b/{bundle.public_id}"), compact=compact, digest=not full)


def fields(
    service: Service, bundle: PublicBundle, members: Members, seen: Seen | None, cut: bool
) -> list[tuple[str, str | int | bool | None]]:
    return [
        ("mw_bundle", SPEC),
        ("id", bundle.public_id),
        ("title", bundle.title),
        ("url", address(service, f"/b/{bundle.public_id}")),
        ("document_count", len(members)),
        ("updated", stamp(bundle.updated)),
        ("analysis_generated_at", None if seen is None else stamp(seen.made.at)),
        ("analysis_stale", None if seen is None else seen.stale),
        ("truncated", True if cut else None),
        ("source", address(service, f"/raw/bundle/{bundle.public_id}")),
    ]


def about(bundle: PublicBundle) -> list[str]:
    """Description and intent."""
    found = []
    if bundle.description:
        found.append("\n".join([f"> {line}".rstrip() for line in bundle.description.split("\n")]))
    if bundle.intent:
        found.append(f"**Intent:** {one_line(bundle.intent)}")
    return found


def digest(service: Service, reader: Reader, bundle: PublicBundle, members: Members, seen: Seen | None, analysed: bool) -> list[bytes]:
    """Concepts and relations of the visible members, then each with what it says first and its headings."""
    parts = []
    if analysed and members:
        told = concepts.of_documents(
            service, reader, [document.id for document, _ in members], config.BUNDLE_CONCEPTS, config.BUNDLE_RELATIONS
        )
        parts = graph(service, bundle.slug, told, config.BUNDLE_RELATIONS, "##")
        parts = [*(seen.parts("##") if seen is not None else []), *parts]
    parts.append("## Documents")
    for number, (document, note) in enumerate(members, 1):
        extract = extracts.of(service, reader, document)
        lines = [f"### {number}. {linked(document.title, address(service, f'/{document.public_id}'))}"]
        lines += [f"*{escaped(note)}*"] if note else []
        lines += [escaped(extract.summary)] if extract.summary else []
        more = ["…"] if extract.more else []
        lines += (
            ["\n".join([f"- {escaped(heading)}" for heading in extract.headings] + [f"- {one}" for one in more])]
            if extract.headings
            else []
        )
        parts.append("\n\n".join(lines))
    return [("\n\n".join(parts) + "\n").encode()]


def texts(service: Service, reader: Reader, members: Members, compact: bool) -> tuple[list[bytes], bool]:
    """The whole texts in order, as far as they fit, and whether one was left out."""
    parts: list[bytes] = []
    size, cut = 0, False
    for number, (document, note) in enumerate(members, 1):
        url = address(service, f"/{document.public_id}")
        head = f"## {number}. {escaped(document.title)}\n\nSource: {url}\n\n" + (f"*{escaped(note)}*\n\n" if note else "")
        text = body_of(reader.public.markdown(document), compact)
        size += len(text)
        if size > config.BUNDLE_FULL_BYTES:
            text, cut = f"{LEFT_OUT}\n".encode(), True
        parts += [head.encode(), text, apart(text) if number < len(members) else b""]
    return parts, cut
