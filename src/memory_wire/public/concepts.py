"""What documents are about together: concepts and how they stand to each other, gathered from the documents' gists. No model, no clock.

A concept's weight, line, documents and relations come from the documents that were given and from nothing else. Order: the heavier first,
equal ones by their label.
"""

from __future__ import annotations

from msgspec import Struct

from memory_wire.hub.kinds import RULES, TAG
from memory_wire.service import gists
from memory_wire.store.graph import PUBLIC, Page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memory_wire.service.service import Service
    from memory_wire.store.graph import Binding, Kept
    from memory_wire.store.reader import Reader

TYPES = ("concept", "entity", "tag")
MOST = 1_000  # concepts of a hub
RELATED = 200  # heaviest concepts that relations are looked for among, plain words left out
RELATIONS = 400
EVIDENCE = 50  # documents that are named of one concept or relation
BUNDLES = 5  # bundles that are named of one concept
HUNDRED = 100
LONE = ((50, 100), (500, 200))  # (documents of a hub up to, weight in hundredths) from which the concept of one document counts
LONE_MOST = 300  # of larger hubs
WIDTH = 1 << 32  # more than there are documents
ONE = 1 << 40  # more than weights come to
WORD = 30  # hundredths, weight of a plain word in a document
SHARED = 10  # a plain word is one when at most one document in so many has it, or three
FEW = 3
CROWD = 8  # documents from which one that most of them have counts less
UNTOLD = 15  # rank of a line that isn't there
TOGETHER, LINKED = "occurs with", "links to"
PER_DOCUMENT = 3  # chunks of one document that count for a relation


class Concept(Struct):
    """`documents` are public ids, the heaviest evidence first; `count` is how many there are. `born`: when the first of them was made."""

    label: str
    slug: str
    type: str
    weight: float
    description: str
    documents: list[str]
    count: int
    bundles: list[str]
    born: int
    told: tuple[int, int] | None = None  # (document, place) of the line that describes it


class Relation(Struct):
    """`source` and `target` are labels; `weight` is in how many chunks, or links, it was seen."""

    source: str
    target: str
    label: str
    weight: int
    documents: list[str]


class Told(Struct):
    """`total` concepts were found, of which the heaviest are here; `together` are the documents that have one which some others have."""

    concepts: list[Concept]
    relations: list[Relation]
    total: int
    truncated: bool
    together: set[int]


class Read(Struct, gc=False):
    """One document with its terms, unpacked; `size` of them are concepts, the others plain words."""

    page: Page
    size: int
    keys: list[str]
    labels: list[str]
    weights: Sequence[int]
    kinds: Sequence[int]
    chunks: Sequence[int]


def read(page: Page, terms: bytes) -> Read:
    """A document's terms, unpacked."""
    packed = gists.terms_of(terms)
    return Read(page, packed.size, *packed.split())


class Entry:
    """One key while it is gathered: `seen` are the documents' places, each below -WIDTH for each hundredth of its weight."""

    __slots__ = ("best", "forms", "seen", "types")

    def __init__(self) -> None:
        self.forms: dict[str, int] = {}
        self.types = [0, 0, 0]
        self.seen: list[int] = []
        self.best = (UNTOLD, 0, 0)  # rank of the line, place of its document, place in it


def of_document(service: Service, reader: Reader, document: int, limit: int = 12, relations: int = 20, view: str = PUBLIC) -> Told:
    """What one document is about, of its own text alone."""
    return of_documents(service, reader, [document], limit, relations, view)


def of_documents(
    service: Service, reader: Reader, documents: Sequence[int], limit: int = 25, relations: int = 25, view: str = PUBLIC
) -> Told:
    """What some documents are about together; those that aren't seen play no part."""
    kept = gists.of(service, reader, view, documents)
    pages = reader.graph.some(view, documents)
    rows = [read(page, kept[page.id].terms) for page in pages]
    told = gather(rows, [], [], lone=len(pages) == 1)
    told.truncated = len(told.concepts) > limit or len(told.relations) > relations
    del told.concepts[limit:]
    labels = {concept.label for concept in told.concepts}
    told.relations = [one for one in told.relations if one.source in labels and one.target in labels][:relations]
    for concept in told.concepts:
        if concept.told is not None:
            concept.description = gists.lines_of(kept[concept.told[0]].lines).lines[concept.told[1]]
    return told


def describe(reader: Reader, concepts: Iterable[Concept], made: dict[int, Kept], view: str = PUBLIC) -> None:
    """Fills in the lines of concepts that have none yet."""
    wanted = [concept for concept in concepts if not concept.description and concept.told is not None]
    documents = {concept.told[0] for concept in wanted if concept.told is not None}
    kept = {**{row.document: row for row in reader.graph.kept(view, sorted(documents - made.keys()), RULES)}, **made}
    for concept in wanted:
        assert concept.told is not None
        row = kept.get(concept.told[0])
        if row is not None:
            concept.description = gists.lines_of(row.lines).lines[concept.told[1]]


# gathering -------------------------------------------------------------------------------------------------------------------------


def gather(rows: Sequence[Read], links: Sequence[tuple[int, int]], bundles: Sequence[Binding], lone: bool = False) -> Told:
    """The concepts of documents and their relations. `links` are (document, document it points at); `lone`: every concept counts."""
    counted, common = weighed(rows, lone)
    chosen = sorted(counted)[:MOST]
    entries = {key: Entry() for _, key in chosen}
    for place, row in enumerate(rows):
        collect(row, place, entries, common)
    members = [(bundle.public_id, bundle.title, frozenset(bundle.members)) for bundle in bundles]
    named = sorted((weight, label_of(entries[key]), key) for weight, key in chosen)
    slugs: dict[str, int] = {}
    concepts = [concept_of(rows, -weight / HUNDRED, label, entries[key], members, slugs) for weight, label, key in named]
    keys = {key: place for place, (_, _, key) in enumerate(named[:RELATED]) if concepts[place].told is not None}
    most = crowd(rows)
    together = {rows[place % WIDTH].page.id for entry in entries.values() if 1 < len(entry.seen) <= most for place in entry.seen}
    return Told(concepts, related(rows, keys, concepts, links), len(counted), len(counted) > len(chosen), together)


def crowd(rows: Sequence[Read]) -> int:
    """How many documents may have a concept that still says something about them."""
    return len(rows) // 2 if len(rows) >= CROWD else len(rows)


def weighed(rows: Sequence[Read], lone: bool) -> tuple[list[tuple[int, str]], set[str]]:
    """((-weight in hundredths, key) of all that counts as a concept, plain words that most documents have).

    A plain word counts where it is a concept of some document, or when several documents have it and most don't.
    """
    weights: dict[str, int] = {}  # in hundredths, and ONE for each document
    words: dict[str, int] = {}
    held, said = weights.get, words.get
    for row in rows:
        for key, weight in zip(row.keys, row.weights):  # noqa: B905 (the words have no weights)
            weights[key] = held(key, 0) + weight + ONE
        for key in row.keys[row.size :]:
            words[key] = said(key, 0) + 1
    most = max(FEW, len(rows) // SHARED)
    common = {key for key, count in words.items() if count > most}
    for key, count in words.items():
        if key not in common and (count > 1 or key in weights):
            weights[key] = held(key, 0) + (WORD + ONE) * count
    most, found = crowd(rows), []
    least = 0 if lone else next((weight for size, weight in LONE if len(rows) <= size), LONE_MOST)
    for key, both in weights.items():
        if both >= 2 * ONE or both - ONE >= least:
            count, weight = divmod(both, ONE)
            found.append((-(weight // 2) if count > most else -weight, key))
    return found, common


def collect(row: Read, place: int, entries: dict[str, Entry], common: set[str]) -> None:
    """What one document says of the chosen keys."""
    for at, key in enumerate(row.keys):
        entry = entries.get(key)
        if entry is None:
            continue
        if at < row.size:
            weight, (type, rank) = row.weights[at], divmod(row.kinds[at], gists.KIND_STEP)
            entry.types[type] += weight
            if (rank, place, at) < entry.best:
                entry.best = (rank, place, at)
        elif key in common:
            continue
        else:
            weight = WORD
        label = row.labels[at]
        entry.forms[label] = entry.forms.get(label, 0) + weight
        entry.seen.append(place - weight * WIDTH)


def label_of(entry: Entry) -> str:
    """The spelling that weighs most; of equal ones the first by the alphabet."""
    return min(entry.forms, key=lambda form: (-entry.forms[form], form))


def concept_of(
    rows: Sequence[Read],
    weight: float,
    label: str,
    entry: Entry,
    members: Sequence[tuple[str, str, frozenset[int]]],
    slugs: dict[str, int],
) -> Concept:
    """One key as it is shown."""
    entry.seen.sort()
    places = [place % WIDTH for place in entry.seen]
    ids = {rows[place].page.id for place in places} if members else set()
    inside = sorted((-len(ids & held), title, id) for id, title, held in members if not ids.isdisjoint(held))
    type = TAG if entry.types[TAG] else max(range(TAG), key=lambda kind: (entry.types[kind], -kind))
    rank, place, at = entry.best
    return Concept(
        label=label,
        slug=slug_of(label, slugs),
        type=TYPES[type],
        weight=weight,
        description="",
        documents=[rows[place].page.public_id for place in places[:EVIDENCE]],
        count=len(places),
        bundles=[id for _, _, id in inside[:BUNDLES]],
        born=min(rows[place].page.created for place in places),
        told=None if rank == UNTOLD else (rows[place].page.id, at),
    )


def slug_of(label: str, used: dict[str, int]) -> str:
    """A label in an address: lower case, hyphens between words; a repeated one gets a number."""
    slug = slugged(label)
    used[slug] = used.get(slug, 0) + 1
    return slug if used[slug] == 1 else f"{slug}-{used[slug]}"


def slugged(label: str) -> str:
    return "-".join("".join(letter if letter.isalnum() else " " for letter in label.lower()).split()) or "-"


# relations -------------------------------------------------------------------------------------------------------------------------


def related(rows: Sequence[Read], keys: dict[str, int], concepts: Sequence[Concept], links: Sequence[tuple[int, int]]) -> list[Relation]:
    """Which of the heaviest concepts stand in the same chunks, and which documents about them link to each other."""
    together: dict[int, list[int]] = {}  # RELATED * source + target -> places of documents, as Entry.seen
    linked: dict[int, list[int]] = {}
    heaviest: dict[int, tuple[int, int]] = {}  # document -> (its heaviest concept, its place)
    for place, row in enumerate(rows):
        here = [(keys[key], row.chunks[at]) for at, key in enumerate(row.keys) if key in keys]
        if not here:
            continue
        heaviest[row.page.id] = (here[0][0], place)
        here.sort()
        for at, (one, chunks) in enumerate(here):
            for other, others in here[at + 1 :]:
                common = chunks & others
                if common:
                    held = together.setdefault(RELATED * one + other, [])
                    held.append(place - min(common.bit_count(), PER_DOCUMENT) * WIDTH)
    for source, target in links:
        if source in heaviest and target in heaviest and heaviest[source][0] != heaviest[target][0]:
            linked.setdefault(RELATED * heaviest[source][0] + heaviest[target][0], []).append(heaviest[source][1] - WIDTH)
    found = sorted([*weighted(together, TOGETHER, concepts), *weighted(linked, LINKED, concepts)], key=lambda row: row[:4])
    return [
        Relation(source, target, label, -weight, [rows[place % WIDTH].page.public_id for place in sorted(set(seen))[:EVIDENCE]])
        for weight, source, target, label, seen in found[:RELATIONS]
    ]


def weighted(found: dict[int, list[int]], label: str, concepts: Sequence[Concept]) -> Iterator[tuple[int, str, str, str, list[int]]]:
    """(-weight, source, target, label, where seen) of relations; one without direction begins with the first by the alphabet."""
    for pair, seen in found.items():
        one, other = divmod(pair, RELATED)
        source, target = concepts[one].label, concepts[other].label
        if label is TOGETHER and target < source:
            source, target = target, source
        yield sum(place // WIDTH for place in seen), source, target, label, seen
