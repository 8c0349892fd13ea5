"""What could be better in a hub: documents that nothing leads to, texts that are there twice, titles that say something else, dead links.

Findings are named, never mended. Of what a reader may not see nothing is said: a link to it is a link to nothing.
"""

from __future__ import annotations

from array import array
from math import ceil

from msgspec import Struct

from memory_wire import publishing as p
from memory_wire.hub.kinds import SKETCH
from memory_wire.kernels.text import terms
from memory_wire.public import nearness
from memory_wire.public.atlas import Shown
from memory_wire.public.concepts import Read, crowd, read
from memory_wire.public.lines import counted, cut, document, head
from memory_wire.public.payload import HUB_SECONDS, address, escaped, markdown
from memory_wire.service import gists

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.public.atlas import Atlas
    from memory_wire.service.service import Service
    from memory_wire.store.graph import Page
    from memory_wire.store.reader import Reader
    from memory_wire.types import Scope

LISTED = 100  # findings of one kind
SAME = 0.8  # share of their shingles that two texts have in common, from which they are near duplicates
NEAR = 0.18  # cosine distance below which they are
NEIGHBOURS = 3  # that one document is reported with
APART = SKETCH - ceil(SAME * SKETCH)  # of the smallest hashes of near duplicates that only one has, at most
PREFIX = APART + 4  # smallest hashes of a text that are looked up: near duplicates share four of them
WIDEST = 6  # documents with the same one that are all compared with each other; of more, each with the next
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
    about, _ = gists.terms(service, reader, atlas.view, atlas.hub.bank)
    rows = [read(page, about[page.id]) for page in sorted(atlas.documents, key=lambda page: (page.title, page.id))]
    dead = sorted(((by_id[document], reference) for document, reference in atlas.dead), key=lambda row: (row[0].title, row[0].id, row[1]))
    twice = sorted((by_id[one].title, one, other, alike) for (one, other), alike in duplicates(service, reader, atlas).items())
    return Findings(
        orphans=orphans(atlas, rows),
        duplicates=[(by_id[one], by_id[other], alike) for _, one, other, alike in twice],
        mistitled=mistitled(rows),
        dead=dead,
    )


def orphans(atlas: Atlas, rows: list[Read]) -> list[Page]:
    """Documents that nothing brings together with another one: no bundle, no link, no concept or rare word that some others have."""
    held = {document for bundle in atlas.bundles for document in bundle.members} | {end for link in atlas.links for end in link}
    counts: dict[str, int] = {}
    for row in rows:
        for key in row.keys:
            counts[key] = counts.get(key, 0) + 1
    most = crowd(rows)
    return [row.page for row in rows if row.page.id not in held and not any(1 < counts[key] <= most for key in row.keys)]


def duplicates(service: Service, reader: Reader, atlas: Atlas) -> dict[tuple[int, int], float]:
    """Pairs of documents whose texts are almost the same, by vectors where all of not too many have some, else by shingles."""
    if len(atlas.documents) <= nearness.PAIRED:
        vectors = nearness.vectors(reader, atlas.view, atlas.hub.bank, [page.id for page in atlas.documents])
        if vectors:
            return nearness.near(vectors, NEAR, NEIGHBOURS)
    sketches = gists.sketches(service, reader, atlas.view, atlas.hub.bank)
    return nearness.nearest(overlapping({document: numbers(sketch) for document, sketch in sketches.items()}), NEIGHBOURS)


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
    counts: dict[tuple[int, int], int] = {}
    for documents in by_hash.values():
        reach = len(documents) if len(documents) <= WIDEST else 1
        for at, one in enumerate(documents):
            for other in documents[at + 1 : at + 1 + reach]:
                counts[one, other] = counts.get((one, other), 0) + 1
    least = {document: max(1, min(len(sketch), PREFIX) - APART) for document, sketch in sketches.items()}
    shared = [pair for pair, count in counts.items() if count >= min(least[pair[0]], least[pair[1]])]
    sets = {document: frozenset(sketches[document]) for pair in shared for document in pair}
    found = {}
    for one, other in shared:
        alike = jaccard(sets[one], sets[other])
        if alike >= SAME:
            found[one, other] = round(alike, 2)
    return found


def jaccard(one: frozenset[int], other: frozenset[int]) -> float:
    """How many of the smallest hashes of two texts both have; the share of all shingles, when these are few; 0 when it can't be SAME."""
    both = len(one & other)
    count = min(SKETCH, len(one) + len(other) - both)
    if not count or both < SAME * count:
        return 0.0
    return sum(hash in one and hash in other for hash in sorted(one | other)[:SKETCH]) / count


def mistitled(rows: list[Read]) -> list[tuple[Page, list[str]]]:
    """Documents with several concepts of which the title has no word, each with the heaviest."""
    found = []
    for row in rows:
        words = {term.decode() for term in terms(row.page.title)}
        if row.size >= NAMED and words and not any(words & set(key.split()) for key in row.keys[: row.size]):
            found.append((row.page, row.labels[: min(TITLED, row.size)]))
    return found
