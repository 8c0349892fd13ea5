"""What could be better in a hub: documents that nothing leads to, texts that are there twice, titles that say something else, dead links.

Findings are named, never mended. Of what a reader may not see nothing is said: a link to it is a link to nothing.
"""

from __future__ import annotations

from array import array
from math import ceil

from msgspec import Struct

from memory_wire import publishing as p
from memory_wire.hub.kinds import RULES, SKETCH
from memory_wire.kernels.text import terms
from memory_wire.public import nearness
from memory_wire.public.atlas import Shown
from memory_wire.public.concepts import read
from memory_wire.public.lines import counted, cut, document, head
from memory_wire.public.payload import HUB_SECONDS, address, escaped, markdown
from memory_wire.service import gists

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.public.atlas import Atlas
    from memory_wire.service.service import Service
    from memory_wire.store.graph import Kept, Page
    from memory_wire.store.reader import Reader
    from memory_wire.types import Scope

LISTED = 100  # findings of one kind
SAME = 0.8  # share of their shingles that two texts have in common, from which they are near duplicates
NEAR = 0.18  # cosine distance below which they are
NEIGHBOURS = 3  # that one document is reported with
PREFIX = SKETCH - ceil(SAME * SKETCH) + 1  # smallest hashes of a text of which one must be shared, whatever else differs
WIDEST = 20  # documents with the same one that are all compared with each other; of more, each with the next few
NAMED = 2  # concepts from which a title should have one
TITLED = 3  # concepts that are looked for in a title
NOTHING = "Nothing found."


class Findings(Struct):
    """`duplicates` are (document, document, how alike); `dead` are (document, reference)."""

    orphans: list[Page]
    duplicates: list[tuple[Page, Page, float]]
    mistitled: list[tuple[Page, list[str]]]
    dead: list[tuple[Page, str]]


def hub_lint(service: Service, request: p.HubText, scope: Scope) -> p.Payload:
    """The payload of GET /raw/hub/{slug}/lint.md. Raises NotPublic."""
    with Shown(service, request.slug) as shown:
        body = text(service, shown.reader, shown.atlas)
    headers = {"x-hub-slug": request.slug}
    return markdown(body, headers, canonical=address(service, f"/hub/{request.slug}"), seconds=HUB_SECONDS)


def text(service: Service, reader: Reader, atlas: Atlas) -> str:
    """The findings in markdown, kept with the atlas."""
    held = atlas.made.get("lint")
    if not isinstance(held, str):
        held = atlas.made["lint"] = written(service, atlas, findings(service, reader, atlas))
    return held


def written(service: Service, atlas: Atlas, found: Findings) -> str:
    lines: list[str] = []
    parts = (
        ("Orphans", "In no bundle, linked by none and to none, without a concept that another has.", [
            document(service, page) for page in found.orphans
        ]),
        ("Near duplicates", "Their texts are almost the same.", [
            f"{document(service, one)} and {document(service, other)}: {round(alike * 100)} %" for one, other, alike in found.duplicates
        ]),
        ("Titles", "None of what the document is most about is in its title.", [
            f"{document(service, page)}: {', '.join(escaped(label) for label in labels)}" for page, labels in found.mistitled
        ]),
        ("Dead links", "They lead to nothing that is here.", [
            f"{document(service, page)}: {shown(reference)}" for page, reference in found.dead
        ]),
    )  # fmt: skip
    for title, meaning, rows in parts:
        if rows:
            lines += [f"## {title} ({len(rows)})", "", meaning, "", *(f"- {row}" for row in rows[:LISTED]), ""]
            lines += cut(min(len(rows), LISTED), len(rows), "finding")
    if not lines:
        lines += [NOTHING, ""]
    else:
        lines[:0] = [f"{counted(sum(len(rows) for _, _, rows in parts), 'finding')}.", ""]
    return head(service, atlas, "hub_lint", ": lint") + "\n".join(lines)


def shown(reference: str) -> str:
    """A reference as it may have been written."""
    name = reference[2:]
    return f"`{ {'d': f'/{name}', 'b': f'/b/{name}', 'h': f'/hub/{name}', 'w': f'[[{name}]]', 'r': name}[reference[0]].replace('`', '') }`"


# findings --------------------------------------------------------------------------------------------------------------------------


def findings(service: Service, reader: Reader, atlas: Atlas) -> Findings:
    """All findings in order."""
    by_id = atlas.by_id()
    made = gists.complete(service, reader, atlas.view, atlas.hub.bank)
    dead = sorted(((by_id[document], reference) for document, reference in atlas.dead), key=lambda row: (row[0].title, row[0].id, row[1]))
    twice = sorted((by_id[one].title, one, other, alike) for (one, other), alike in duplicates(reader, atlas, made).items())
    return Findings(
        orphans=orphans(atlas),
        duplicates=[(by_id[one], by_id[other], alike) for _, one, other, alike in twice],
        mistitled=mistitled(reader, atlas, made),
        dead=dead,
    )


def orphans(atlas: Atlas) -> list[Page]:
    """Documents that nothing brings together with another one, by title."""
    held = {document for bundle in atlas.bundles for document in bundle.members} | {end for link in atlas.links for end in link}
    held |= atlas.together
    return sorted((page for page in atlas.documents if page.id not in held), key=lambda page: (page.title, page.id))


def duplicates(reader: Reader, atlas: Atlas, made: dict[int, Kept]) -> dict[tuple[int, int], float]:
    """Pairs of documents whose texts are almost the same, by vectors where all have some, else by their shingles."""
    vectors = nearness.vectors(reader, atlas.view, atlas.hub.bank, [page.id for page in atlas.documents])
    if vectors and len(vectors) <= nearness.PAIRED:
        return nearness.near(vectors, NEAR, NEIGHBOURS)
    sketches = {document: numbers(sketch) for document, sketch in reader.graph.sketches(atlas.view, atlas.hub.bank, RULES)}
    sketches.update((document, numbers(kept.sketch)) for document, kept in made.items())
    return nearness.nearest(overlapping(sketches), NEIGHBOURS)


def numbers(sketch: bytes) -> array[int]:
    found = array("I")
    found.frombytes(sketch)
    return found


def overlapping(sketches: dict[int, array[int]]) -> dict[tuple[int, int], float]:
    """Pairs of texts that share at least SAME of their shingles, as the smallest hashes of both tell it (bottom-k estimate of Jaccard)."""
    by_hash: dict[int, list[int]] = {}
    for one in sorted(sketches):
        for hash in sketches[one][:PREFIX]:
            by_hash.setdefault(hash, []).append(one)
    shared: set[tuple[int, int]] = set()
    for documents in by_hash.values():
        reach = len(documents) if len(documents) <= WIDEST else NEIGHBOURS
        shared.update((one, other) for at, one in enumerate(documents) for other in documents[at + 1 : at + 1 + reach])
    found = {}
    for one, other in shared:
        alike = jaccard(sketches[one], sketches[other])
        if alike >= SAME:
            found[one, other] = round(alike, 2)
    return found


def jaccard(one: array[int], other: array[int]) -> float:
    """How many of the smallest hashes of two texts both have; the share of all shingles, when these are few."""
    mine, others = set(one), set(other)
    smallest = sorted(mine | others)[:SKETCH]
    return sum(hash in mine and hash in others for hash in smallest) / len(smallest) if smallest else 0.0


def mistitled(reader: Reader, atlas: Atlas, made: dict[int, Kept]) -> list[tuple[Page, list[str]]]:
    """Documents with several concepts of which the title has no word, each with the heaviest."""
    texts = dict(reader.graph.terms(atlas.view, atlas.hub.bank, RULES))
    texts.update((document, kept.terms) for document, kept in made.items())
    found = []
    for page in sorted(atlas.documents, key=lambda page: (page.title, page.id)):
        row = read(page, texts[page.id])
        words = {term.decode() for term in terms(page.title)}
        if row.size >= NAMED and words and not any(words & set(key.split()) for key in row.keys[: row.size]):
            found.append((page, row.labels[: min(TITLED, row.size)]))
    return found
