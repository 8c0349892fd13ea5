"""What a document is about, read from its chunks without a model: its own concepts, rare words, links, headings, a sketch of its text.

A pure function of its title, tags and chunks, linear in their length. A hub's concepts, graph and findings are made of such gists.
"""

from __future__ import annotations

from binascii import crc32

from msgspec import Struct

from memory_wire.hub import defining, emphasis, terms
from memory_wire.hub.blocks import TABLE, Blocks
from memory_wire.hub.inline import plain
from memory_wire.hub.kinds import CONCEPT, ENTITY, SKETCH, TAG, key_of
from memory_wire.hub.references import references, unlinked
from memory_wire.kernels import text as kernel

CONCEPTS = 16  # of one document that are kept, the heaviest
WORDS = 6  # plain words that only count when another document has them too
FEW = 200  # different words up to which one counts that is said once
LINKS = 200
HEADINGS = 12
SHINGLE = 4  # words
HEAVIEST = 8.0  # that one document can make a concept
REPEATED = 0.25  # of a source's weight that each further time adds
AGAIN = 4  # times that count
MENTION = 0.3
MENTIONS = 5
TOP, SECTION, DEEPER, TAGGED, HASHTAG, STRONG, CODE, LINKED, CAPITALS, WIDE = range(10)
WEIGHTS = (3.0, 2.0, 1.2, 3.0, 2.0, 1.2, 0.8, 0.8, 0.7, 0.5)  # of where a name stands
KINDS = (CONCEPT, CONCEPT, CONCEPT, TAG, TAG, CONCEPT, ENTITY, CONCEPT, ENTITY, CONCEPT)
SYMBOLS = frozenset("=(){}[]<>$;\"'\\,|/&%@*!?+ \t")  # not of an identifier
NAMING = (TAGGED, HASHTAG, CAPITALS, TOP, SECTION, LINKED)  # where one word is a name though English uses it often
WORD_LEAST = 4  # letters of a plain word


class Own(Struct, array_like=True):
    """One concept of a document. `rank` says how good the line is that tells of it, 0 the best; `chunks` are ordinals."""

    key: str
    label: str
    type: int
    weight: float
    rank: int
    chunks: list[int]


class Gist(Struct):
    """`lines` stand beside `concepts`; `words` are (stem, as written, chunks)."""

    concepts: list[Own]
    words: list[tuple[str, str, list[int]]]
    lines: list[str]
    headings: list[str]
    links: list[str]
    sketch: list[int]


class Note:
    """A name while the document is read: how often it stands where, and how it is written."""

    __slots__ = ("chunks", "forms", "sources")

    def __init__(self) -> None:
        self.sources: dict[int, int] = {}
        self.forms: dict[str, float] = {}
        self.chunks: set[int] = set()

    @property
    def label(self) -> str:
        return min(self.forms, key=lambda form: (-self.forms[form], form))

    @property
    def type(self) -> int:
        if TAGGED in self.sources or HASHTAG in self.sources:
            return TAG
        return KINDS[max(self.sources, key=lambda source: (self.sources[source] * WEIGHTS[source], -source))]

    def weight(self, mentions: int) -> float:
        found = sum(WEIGHTS[source] * (1 + REPEATED * min(count - 1, AGAIN)) for source, count in self.sources.items())
        return round(min(HEAVIEST, found + MENTION * min(mentions, MENTIONS)), 2)


class Paragraph(Struct):
    """`said` are its terms between blanks, `under` the key of the heading right above it; `row`: of a table."""

    chunk: int
    text: str
    said: bytes
    under: str
    row: bool


def gist(title: str, tags: list[str], chunks: list[tuple[int, str]]) -> Gist:
    """The gist of a document: its title, its tags, its chunks as (part, text) in order."""
    reading = Reading(title)
    for tag in tags:
        reading.note(terms.clean(tag.replace("/", " ")), TAGGED, None)
    for ordinal, (part, content) in enumerate(chunks):
        reading.take(ordinal, part, content)
    return reading.done()


class Reading:
    """One document's reading."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.notes: dict[str, Note] = {}
        self.links: dict[str, None] = {}
        self.headings: list[str] = []
        self.paragraphs: list[Paragraph] = []
        self.said: list[bytes] = []  # terms of each chunk between blanks
        self.words: dict[bytes, list[str]] = {}
        self.wide: dict[str, int] = {}
        self.sketch: set[int] = set()

    def note(self, label: str, source: int, chunk: int | None) -> str:
        """Takes a name down; its key, empty for none."""
        if not terms.names(label, single=source in NAMING or (source == CODE and not label.islower())):
            return ""
        key = key_of(label)
        note = self.notes.get(key)
        if note is None:
            note = self.notes[key] = Note()
        note.sources[source] = note.sources.get(source, 0) + 1
        note.forms[label] = note.forms.get(label, 0.0) + WEIGHTS[source]
        if chunk is not None:
            note.chunks.add(chunk)
        return key

    # reading -----------------------------------------------------------------------------------------------------------------------

    def take(self, ordinal: int, part: int, content: str) -> None:
        """Reads one chunk; a later part repeats its heading."""
        lines = content.split("\n")
        blocks = Blocks(lines)
        hidden = {line for solid in blocks.solids if solid.kind is not TABLE for line in range(solid.first, solid.last + 1)}
        heads = {head.first: head for head in blocks.headings}
        first = len(self.paragraphs)
        under, paragraph = "", list[str]()
        at = 0
        while at < len(lines):
            head = heads.get(at)
            if head is not None or at in hidden or not lines[at].strip() or begins_entry(lines[at]):
                self.prose(ordinal, paragraph, under)
                under, paragraph = ("" if paragraph else under), []
            if head is not None:
                if part == 1 or at:
                    under = self.heading(ordinal, plain(head.text[:400]), head.level)
                at = head.last
            elif at not in hidden and lines[at].strip():
                paragraph.append(lines[at])
            at += 1
        self.prose(ordinal, paragraph, under)
        own = [head.text[:400] for head in blocks.headings if part == 1 or head.first]
        said = kernel.terms("\n".join(own)) if own else []
        self.said.append(b" ".join((b"", *said, *(one.said for one in self.paragraphs[first:]), b"")))

    def heading(self, chunk: int, title: str, level: int) -> str:
        """Takes a heading down; its key when it names something."""
        if level == 1 and title == self.title:
            self.title = ""
        if level > 1 and len(self.headings) < HEADINGS:
            self.headings.append(title)
        return self.note(terms.clean(terms.head(title)), TOP if level == 1 else SECTION if level <= 3 else DEEPER, chunk)

    def prose(self, chunk: int, lines: list[str], under: str) -> None:
        """Takes a paragraph, or an entry of a list, down."""
        if not lines:
            return
        raw = "\n".join(lines)
        bare, codes = emphasis.without_code(raw)
        for code in codes:
            name = code.removesuffix("()")
            if len(name) > 1 and not SYMBOLS & set(name) and name[0] not in "-.#~":
                self.note(name, CODE, chunk)
        if "/" in bare or "[[" in bare:
            for link in references(bare):
                if len(self.links) < LINKS:
                    self.links[link] = None
        self.set_off(chunk, bare)
        text = unlinked(bare)
        words, said = kernel.words(text), kernel.terms(text)
        for name in terms.capitalised(text, words):
            self.note(terms.clean(name), CAPITALS, chunk)
        if not text.isascii():
            for name in terms.wide_names(text):
                self.wide[name] = self.wide.get(name, 0) + 1
        for (word, _, _), term in zip(words, said, strict=True):
            if len(word) >= WORD_LEAST and word.isascii() and word.isalpha():
                held = self.words.get(term)
                if held is None:
                    self.words[term] = [word]
                else:
                    held.append(word)
        for at in range(max(1, len(said) - SHINGLE + 1)):
            self.sketch.add(crc32(b" ".join(said[at : at + SHINGLE])))
        codes_said = kernel.terms(" ".join(codes)) if codes else []
        self.paragraphs.append(Paragraph(chunk, raw, b" ".join((b"", *said, b"", *codes_said, b"")), under, raw.lstrip()[:1] == "|"))

    def set_off(self, chunk: int, bare: str) -> None:
        """What marks of the text set off."""
        for source, labels in (
            (STRONG, emphasis.emphasised(bare)),
            (LINKED, emphasis.link_words(bare) if "[" in bare else ()),
            (HASHTAG, emphasis.hashtags(bare)),
        ):
            for label in labels:
                if "[" not in label and "](" not in label and not label.rstrip().endswith((".", "!", "?", "。")):
                    self.note(terms.clean(label), source, chunk)

    # choosing ----------------------------------------------------------------------------------------------------------------------

    def done(self) -> Gist:
        if self.title:
            self.note(terms.clean(terms.head(self.title)), TOP, 0)
        for label, count in repeated(self.wide).items():
            key = self.note(label, WIDE, None)
            if key:
                self.notes[key].sources[WIDE] = count
        found = [(-note.weight(0), note.label, key, note) for key, note in self.notes.items()]
        found.sort(key=lambda row: row[:2])
        whole = b"\n".join(self.said)
        owns = [self.own(key, label, note, whole) for _, label, key, note in found[: CONCEPTS * 2]]
        owns.sort(key=lambda own: (-own.weight, own.label))
        del owns[CONCEPTS:]
        lines = []
        for own in owns:
            own.rank, line = defining.told(own.key, own.label, self.paragraphs)
            lines.append(line)
        return Gist(
            concepts=owns,
            words=self.rare({own.key for own in owns}),
            lines=lines,
            headings=self.headings,
            links=list(self.links),
            sketch=sorted(self.sketch)[:SKETCH],
        )

    def own(self, key: str, label: str, note: Note, whole: bytes) -> Own:
        """A name as a concept of the document: where else it is said counts as well."""
        mark = b" %b " % key.encode()
        mentions = whole.count(mark)
        chunks = set(note.chunks)
        if mentions > len(chunks):
            chunks.update(at for at, said in enumerate(self.said) if mark in said)
        return Own(key, label, note.type, note.weight(mentions), 0, sorted(chunks))

    def rare(self, kept: set[str]) -> list[tuple[str, str, list[int]]]:
        """The plain words that say most: often used here, seldom in English."""
        found = []
        for term, words in self.words.items():
            if len(words) > 1 or len(self.words) < FEW:
                prior = kernel.prior(term)
                if prior < terms.COMMON and not kernel.is_stop(words[0]) and words[0] not in terms.GENERIC and term.decode() not in kept:
                    found.append((-len(words) * (2 if prior == 0.0 else 1), term, words))
        found.sort(key=lambda row: row[:2])
        rows = []
        for _, term, words in found[:WORDS]:
            shown = min(set(words), key=lambda word: (-words.count(word), word))
            rows.append((term.decode(), shown, [at for at, said in enumerate(self.said) if b" %b " % term in said]))
        return rows


def begins_entry(line: str) -> bool:
    """Whether a line begins an entry of a list, a row of a table or a quote."""
    bare = line.lstrip()
    return bare[:2] in ("- ", "* ", "+ ", "> ") or bare[:1] == "|" or bare.partition(" ")[0].rstrip(".)").isdigit()


def repeated(counts: dict[str, int]) -> dict[str, int]:
    """Names in scripts without capitals that are said more than once (katakana: at all), without pieces of a longer one."""
    found = {name: count for name, count in counts.items() if count >= (1 if terms.script(name[0]) is terms.KATAKANA else 2)}
    whole = sorted(found, key=lambda name: (-len(name), name))
    for name in whole:
        for size in range(2, len(name)):
            for at in range(len(name) - size + 1):
                piece = name[at : at + size]
                if name in found and found.get(piece, 0) and found[piece] <= found[name]:
                    del found[piece]
    return found
