"""What documents are about together: concepts and how they stand to each other, gathered from the documents' gists. No model, no clock.

A concept's weight, line, documents and relations come from the documents that were given and from nothing else. Order: the heavier first,
equal ones by their label.
"""

from __future__ import annotations

from msgspec import Struct

from memory_wire.hub.kinds import TAG
from memory_wire.public.ties import WIDTH, Ties
from memory_wire.service import gists
from memory_wire.store.graph import PUBLIC, Page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memory_wire.service.service import Service
    from memory_wire.store.graph import Binding
    from memory_wire.store.reader import Reader

TYPES = ("concept", "entity", "tag")
MOST = 500  # concepts of a hub
DOCUMENT = 12  # concepts of one document that count among others, the heaviest
ALONE = 1_000  # by itself all do
EVIDENCE = 50  # documents that are named of one concept or relation
VOTES = 16  # documents that decide how a concept is written and what it is, those that say most of it
BUNDLES = 5  # bundles that are named of one concept
HUNDRED = 100
SLOTS = 32  # more than the keys of one document
LONE = ((50, 100), (500, 200))  # (documents of a hub up to, weight in hundredths) from which the concept of one document counts
LONE_MOST = 300  # of larger hubs
ONE = 1 << 40  # more than weights come to
WORD = 30  # hundredths, weight of a plain word in a document
SHARED = 10  # a plain word is one when at most one document in so many has it, or three
FEW = 3
CROWD = 8  # documents from which one that most of them have counts less
UNTOLD = 15  # rank of a line that isn't there


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
    """`total` concepts were found, of which the heaviest are here."""

    concepts: list[Concept]
    relations: list[Relation]
    total: int
    truncated: bool


class Read(Struct, gc=False):
    """One document with its terms, unpacked; `size` of them are concepts, the others plain words."""

    page: Page
    size: int
    keys: list[str]
    labels: list[str]
    weights: Sequence[int]
    kinds: Sequence[int]
    chunks: Sequence[int]


def read(page: Page, terms: bytes, most: int = DOCUMENT) -> Read:
    """A document's terms, unpacked: its plain words and at most so many of its concepts."""
    packed = gists.terms_of(terms)
    keys, labels, weights, kinds, chunks = packed.split()
    size = packed.size
    if size > most:
        del keys[most:size], labels[most:size], chunks[most:size], weights[most:], kinds[most:]
        size = most
    return Read(page, size, keys, labels, weights, kinds, chunks)


class Entry:
    """One key while it is gathered, the `number`th: `seen` are places where it stands, below -WIDTH for each hundredth of its weight."""

    __slots__ = ("number", "seen")

    def __init__(self, number: int) -> None:
        self.number = number
        self.seen: list[int] = []


class Evidence:
    """What the documents that say most of a key call it, what kind they take it for, and where its best line is."""

    __slots__ = ("label", "told", "type")

    def __init__(self, rows: Sequence[Read], entry: Entry) -> None:
        entry.seen.sort()
        forms: dict[str, int] = {}
        types = [0, 0, 0]
        best = (UNTOLD, 0, 0)  # rank of the line, place of its document, place in it
        for seen in entry.seen[:VOTES]:
            place, at = divmod(seen % WIDTH, SLOTS)
            row = rows[place]
            weight = WORD
            if at < row.size:
                weight, (type, rank) = row.weights[at], divmod(row.kinds[at], gists.KIND_STEP)
                types[type] += weight
                best = min(best, (rank, place, at))
            forms[row.labels[at]] = forms.get(row.labels[at], 0) + weight
        self.label = min(forms, key=lambda form: (-forms[form], form))
        self.type = TAG if types[TAG] else max(range(TAG), key=lambda kind: (types[kind], -kind))
        self.told = None if best[0] == UNTOLD else (rows[best[1]].page.id, best[2])


def of_document(service: Service, reader: Reader, document: int, limit: int = 12, relations: int = 20, view: str = PUBLIC) -> Told:
    """What one document is about, of its own text alone."""
    return of_documents(service, reader, [document], limit, relations, view)


def of_documents(
    service: Service, reader: Reader, documents: Sequence[int], limit: int = 25, relations: int = 25, view: str = PUBLIC
) -> Told:
    """What some documents are about together; those that aren't seen play no part."""
    kept = gists.of(service, reader, view, documents)
    pages = reader.graph.some(view, documents)
    rows = [read(page, kept[page.id].terms, ALONE if len(pages) == 1 else DOCUMENT) for page in pages]
    told = gather(rows, [], [], lone=len(pages) == 1)
    told.truncated = len(told.concepts) > limit or len(told.relations) > relations
    del told.concepts[limit:]
    labels = {concept.label for concept in told.concepts}
    told.relations = [one for one in told.relations if one.source in labels and one.target in labels][:relations]
    for concept in told.concepts:
        if concept.told is not None:
            concept.description = gists.lines_of(kept[concept.told[0]].lines).lines[concept.told[1]]
    return told


def describe(service: Service, reader: Reader, concepts: Iterable[Concept], view: str = PUBLIC) -> None:
    """Fills in the lines of concepts that have none yet."""
    wanted = [(concept, *concept.told) for concept in concepts if not concept.description and concept.told is not None]
    kept = gists.of(service, reader, view, sorted({document for _, document, _ in wanted}))
    for concept, document, place in wanted:
        if document in kept:
            concept.description = gists.lines_of(kept[document].lines).lines[place]


# gathering -------------------------------------------------------------------------------------------------------------------------


def gather(rows: Sequence[Read], links: Sequence[tuple[int, int]], bundles: Sequence[Binding], lone: bool = False) -> Told:
    """The concepts of documents and their relations. `links` are (document, document it points at); `lone`: every concept counts."""
    counted, common = weighed(rows, lone)
    chosen = sorted(counted)[:MOST]
    entries = [Entry(number) for number in range(len(chosen))]
    by_key = {key: entry for (_, key), entry in zip(chosen, entries, strict=True)}
    ties = Ties()
    for place, row in enumerate(rows):
        ties.take(row.page.id, place, collect(row, place, by_key, common))
    found = [Evidence(rows, entry) for entry in entries]
    named = sorted((weight, found[number].label, number) for number, (weight, _) in enumerate(chosen))
    held = [(bundle.public_id, bundle.title, frozenset(bundle.members)) for bundle in bundles]
    slugs, created = dict[str, int](), [row.page.created for row in rows]
    concepts = [
        concept_of(rows, -weight / HUNDRED, found[number], entries[number].seen, held, slugs, created) for weight, _, number in named
    ]
    labels = {number: evidence.label for number, evidence in enumerate(found) if evidence.told is not None}
    relations = [
        Relation(source, target, label, weight, [rows[place].page.public_id for place in places[:EVIDENCE]])
        for source, target, label, weight, places in ties.told(labels, links)
    ]
    return Told(concepts, relations, len(counted), len(counted) > len(chosen))


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


def collect(row: Read, place: int, entries: dict[str, Entry], common: set[str]) -> list[tuple[int, int]]:
    """Notes where one document says the chosen keys; (number, chunks) of each."""
    here = []
    base = place * SLOTS
    for at, key in enumerate(row.keys):
        entry = entries.get(key)
        if entry is not None:
            if at < row.size:
                entry.seen.append(base + at - row.weights[at] * WIDTH)
            elif key in common:
                continue
            else:
                entry.seen.append(base + at - WORD * WIDTH)
            here.append((entry.number, row.chunks[at]))
    return here


def concept_of(
    rows: Sequence[Read],
    weight: float,
    evidence: Evidence,
    seen: Sequence[int],
    bundles: Sequence[tuple[str, str, frozenset[int]]],
    slugs: dict[str, int],
    created: Sequence[int],
) -> Concept:
    """One key as it is shown; `seen` as Entry has it, `created` are times of the documents."""
    places = [one % WIDTH // SLOTS for one in seen]
    ids = {rows[place].page.id for place in places} if bundles else set()
    inside = sorted((-len(ids & held), title, id) for id, title, held in bundles if not ids.isdisjoint(held))
    return Concept(
        label=evidence.label,
        slug=slug_of(evidence.label, slugs),
        type=TYPES[evidence.type],
        weight=weight,
        description="",
        documents=[rows[place].page.public_id for place in places[:EVIDENCE]],
        count=len(places),
        bundles=[id for _, _, id in inside[:BUNDLES]],
        born=min(map(created.__getitem__, places)),
        told=evidence.told,
    )


def slug_of(label: str, used: dict[str, int]) -> str:
    """A label in an address: lower case, hyphens between words; a repeated one gets a number."""
    slug = slugged(label)
    used[slug] = used.get(slug, 0) + 1
    return slug if used[slug] == 1 else f"{slug}-{used[slug]}"


def slugged(label: str) -> str:
    return "-".join("".join(letter if letter.isalnum() else " " for letter in label.lower()).split()) or "-"
