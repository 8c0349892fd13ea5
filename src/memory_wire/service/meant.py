"""What an erasure means: memories, records, documents, bundles, uploaded sessions, each with the reason. Reads only; used by erasing.py."""

from __future__ import annotations

from zlib import decompress

from msgspec import Struct

from memory_wire import erasure as e
from memory_wire.errors import Invalid
from memory_wire.hub.front_matter import split
from memory_wire.kernels.text import words
from memory_wire.service import chunking, forms, memories, sessions, validate
from memory_wire.store.ids import show
from memory_wire.store.rows import RECORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_wire.service.keys import Keys
    from memory_wire.store.erasing import BundleTrace, Shelved, Trace
    from memory_wire.store.reader import Reader
    from memory_wire.store.records import Sight
    from memory_wire.store.rows import Bank
    from memory_wire.store.sessions import Upload

PAGE = 1_000
SNIPPET = 80  # characters
ITS_TEXT = "its text"


class Item(Struct):
    """One thing that is meant: its row and, of a version or annotation, which; `since`: when it came into the store, in milliseconds."""

    kind: str
    id: str
    why: str
    text: str
    since: int
    row: int
    part: int = 0


class Judge:
    """Knows what a request means. Raises Invalid when it says that in no way or in two."""

    def __init__(self, request: e.Erase, keys: Keys) -> None:
        given = [name for name in ("id", "source_id", "subject") if getattr(request, name) is not None]
        if len(given) != 1:
            raise Invalid("id", "exactly one of id, source_id and subject says what is erased")
        if request.content and request.subject is None:
            raise Invalid("content", "goes with a subject")
        self.id, self.uid = request.id, memories.uid_of(request.id) if request.id is not None else None
        self.source: str | None = None
        self.key: bytes | None = None
        self.names: set[str] = set()
        self.fact: bytes | None = None
        self.phrase: list[str] = []
        name = validate.key(given[0], getattr(request, given[0])) if request.id is None else self.id
        if name is None:
            raise Invalid(given[0], "must not be blank")
        if request.source_id is not None:
            self.source, self.key = name, keys.hashed(name)
        elif request.subject is not None:
            self.names = {keys.shown("subject", name, []).casefold(), name.casefold()}
            self.fact = keys.hashed(forms.fact(name))
            self.phrase = [word for word, _, _ in words(name)] if request.content else []

    def unit(self, trace: Trace) -> tuple[str, int] | None:
        """(why, where in the text) a memory or record is meant."""
        if self.id is not None:
            return ("its id", 0) if trace.uid == self.uid else None
        if self.key is not None:
            return ("its source", 0) if trace.source_key == self.key else None
        for field, values in trace.names().items():
            if any(value.casefold() in self.names for value in values):
                return field.replace("_", " "), 0
        if trace.fact == self.fact:
            return "fact key", 0
        found = [at for text in (trace.content, trace.context) if text and (at := self.spoken(text)) is not None]
        if found:
            return ITS_TEXT, found[0]
        for field, values in trace.said().items():
            if any(self.spoken(value) is not None for value in values):
                return field.replace("_", " "), 0
        return None

    def document(self, shelved: Shelved, text: str) -> tuple[str, int] | None:
        """(why, where) a document is meant whole, by what its row and its newest text say."""
        if self.id is not None:
            return ("its id", 0) if shelved.public_id == self.id else None
        if self.source is not None:
            return ("its source", 0) if shelved.source == self.source else None
        tags = [tag.lstrip("#") for tag in chunking.words(split(text)[0].get("tags"))]
        for field, values in (("title", [shelved.title]), ("source", [shelved.source or ""]), ("tags", tags)):
            if any(value.casefold() in self.names for value in values):
                return field, 0
        at = self.spoken(text)
        if at is None and any(self.spoken(line) is not None for line in (shelved.title, shelved.source or "")):
            at = 0
        return None if at is None else (ITS_TEXT, at)

    def bundle(self, trace: BundleTrace) -> str | None:
        """Why a bundle is meant whole, by what it says itself."""
        if self.id is not None:
            return "its id" if trace.public_id == self.id else None
        if trace.title.casefold() in self.names:
            return "title"
        return ITS_TEXT if any(self.spoken(text) is not None for text in trace.texts()) else None

    def spoken(self, text: str) -> int | None:
        """Where a text has the words of the phrase in a row; None: nowhere."""
        if not self.phrase:
            return None
        said = words(text)
        first, length = self.phrase[0], len(self.phrase)
        for at, (word, begin, _) in enumerate(said):
            if word == first and [word for word, _, _ in said[at : at + length]] == self.phrase:
                return begin
        return None


def snippet(text: str, at: int) -> str:
    """What a text says there, on one line."""
    begin = max(0, at - SNIPPET // 4)
    shown = " ".join(text[begin : begin + SNIPPET].split())
    return ("…" if begin else "") + shown + ("…" if len(text) > begin + SNIPPET else "")


def units(reader: Reader, bank: Bank, judge: Judge, sight: Sight) -> Iterator[Item]:
    """Memories and records, live or forgotten, that the caller may see."""
    after = 0
    while page := reader.erasing.traces(bank, after, PAGE, judge.uid) if judge.id is None or judge.uid is not None else []:
        found = {trace.unit: (trace, reason) for trace in page if (reason := judge.unit(trace)) is not None}
        for unit, mark in reader.records.marks(found, sight).items():
            if mark.visible:
                trace, (why, at) = found[unit]
                kind = "record" if trace.kind == RECORD else "memory"
                yield Item(kind, show(trace.uid), why, snippet(trace.content, at), trace.since, unit)
        after = page[-1].unit


def shelf(reader: Reader, bank: Bank, judge: Judge) -> Iterator[Item]:
    """Documents, or the parts of them that are meant; bundles, or annotations and descriptions of those that stay."""
    for shelved in reader.erasing.shelved(bank, judge.id):
        newest = reader.erasing.text(shelved.document, shelved.version)
        why = judge.document(shelved, newest)
        if why is not None:
            yield Item("document", shelved.public_id, why[0], snippet(newest or shelved.title, why[1]), shelved.since, shelved.document)
        elif judge.phrase:
            yield from parts(reader, shelved, judge)
    for bundle in reader.erasing.bundles(bank, judge.id):
        if (reason := judge.bundle(bundle)) is not None:
            yield Item("bundle", bundle.public_id, reason, snippet(bundle.title, 0), bundle.since, bundle.bundle)
            continue
        if bundle.analysis and (at := judge.spoken(bundle.analysis)) is not None:
            yield Item("analysis", bundle.public_id, ITS_TEXT, snippet(bundle.analysis, at), bundle.since, bundle.bundle)
        for document, annotation in reader.erasing.annotations(bundle.bundle):
            if (at := judge.spoken(annotation)) is not None:
                yield Item("annotation", bundle.public_id, ITS_TEXT, snippet(annotation, at), bundle.since, bundle.bundle, document)


def parts(reader: Reader, shelved: Shelved, judge: Judge) -> Iterator[Item]:
    """What a model made of a document that stays, and older versions, where they speak of it."""
    if shelved.derived and (at := judge.spoken(shelved.derived)) is not None:
        yield Item("description", shelved.public_id, ITS_TEXT, snippet(shelved.derived, at), shelved.since, shelved.document)
    for number, since in reader.erasing.versions(shelved.document):
        text = reader.erasing.text(shelved.document, number)
        if number != shelved.version and (at := judge.spoken(text)) is not None:
            yield Item("version", shelved.public_id, f"version {number}", snippet(text, at), since, shelved.document, number)


class Lines(Struct):
    """An uploaded session with lines that are meant, all of one that is named by its id.

    `bodies` are its pieces without them, by the number of their first line.
    """

    item: Item
    bodies: dict[int, bytes]


def said(reader: Reader, project: str, among: int | None, judge: Judge) -> Iterator[Lines]:
    """Uploaded sessions of the project, as far as the caller may see them."""
    for upload in reader.sessions.all(project, among) if judge.phrase or judge.id is not None else ():
        if judge.id is not None and upload.session != judge.id:
            continue
        found = Lines(Item("session", upload.session, "", "", upload.created, upload.id), {})
        count = sum(emptied(reader, upload, judge, found))
        if count:
            found.item.why = f"{'its id' if judge.id is not None else ITS_TEXT}, {count:,} {'line' if count == 1 else 'lines'}"
            yield found


def emptied(reader: Reader, upload: Upload, judge: Judge, found: Lines) -> Iterator[int]:
    """How many lines of each piece are meant; notes the piece without them."""
    for first, body in reader.sessions.pieces(upload.id, 0, upload.lines):
        lines = sessions.lines_of(decompress(body))
        count = 0
        for line in lines:
            at = judge.spoken(line.text)
            whole = judge.id is not None and line.text != sessions.ERASED  # its offset stays, or it would be uploaded once more
            if not whole and at is None and (line.name is None or judge.spoken(line.name) is None):
                continue
            found.item.text = found.item.text or snippet(line.text, at or 0)
            line.text, line.name = sessions.ERASED, None
            count += 1
        if count:
            found.bodies[first] = sessions.packed(lines)
        yield count
