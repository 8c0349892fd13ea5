"""How a document's text becomes searchable: chunks as units of its bank, the old ones kept where nothing changed, in the transaction of the
save. Used by documents.py and importing.
"""

from __future__ import annotations

from memory_wire import config
from memory_wire.documents import Chunks
from memory_wire.guard.redact import redact_key
from memory_wire.hub.chunk import chunked
from memory_wire.hub.sections import parse
from memory_wire.service import jobs, screening
from memory_wire.service.changes import Added, Gone
from memory_wire.service.rows import CHUNK_BIT
from memory_wire.store.documents import Place
from memory_wire.store.ids import new_uid
from memory_wire.store.rows import CHUNK, IndexRow, NewUnit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.hub.chunk import Chunk
    from memory_wire.hub.sections import Parsed
    from memory_wire.service.keys import Keys
    from memory_wire.store.documents import Document, Held
    from memory_wire.store.protocol import Tx
    from memory_wire.store.rows import Bank

    Changes = list[Added | Gone]

PRIVATE = ("true", "yes", "on", "1")


class Text:
    """A document's text, parsed. Of one with very many parts the first are indexed: derived data must not block its source."""

    __slots__ = ("chunks", "left_out", "markdown", "parsed", "tags", "title")

    def __init__(self, markdown: bytes, keys: Keys, title: str | None, name: str = "") -> None:
        self.markdown = markdown
        self.parsed: Parsed = parse(markdown.decode())
        self.title = keys.shown("title", (title or self.parsed.named or name or self.parsed.title())[: config.DOCUMENT_TITLE_CHARS], [])
        self.tags = keys.tags([tag.lstrip("#") for tag in words(self.parsed.matter.get("tags"))], [])
        every: list[Chunk] = chunked(self.parsed, self.title)
        self.chunks = every[: config.DOCUMENT_CHUNKS]
        self.left_out = len(every) - len(self.chunks)

    @property
    def private(self) -> bool:
        """Whether the front matter says that the document is never public."""
        value = self.parsed.matter.get("private")
        return isinstance(value, str) and value.lower() in PRIVATE


def words(value: str | list[str] | None) -> list[str]:
    """Tags as front matter has them: a list, or words between commas or blanks."""
    if isinstance(value, str):
        return value.replace(",", " ").split()
    return value or []


def index(tx: Tx, bank: Bank, document: Document, text: Text, keys: Keys, now: int) -> tuple[Chunks, Changes]:
    """Makes the document's chunks those of the text, of the version that the row names; what that meant, and what the index has to do.

    A chunk whose text, titles and tags are as before stays the unit that it is; only its place is noted.
    """
    done, documents = Chunks(total=len(text.chunks), left_out=text.left_out), tx.documents
    changes: Changes = []
    new: list[tuple[int, str, Place]] = []
    held = {(chunk.hash, chunk.place.occurrence): chunk for chunk in documents.chunks(document.id)}
    documents.keep_chunks(document.id, document.version)
    for ordinal, chunk in enumerate(text.chunks):
        place = Place(ordinal, chunk.occurrence, chunk.anchor, chunk.first_line, chunk.last_line, chunk.part, chunk.parts)
        before = held.get((chunk.hash, chunk.occurrence))
        if before is not None and unflagged(before.tags) == text.tags:
            del held[chunk.hash, chunk.occurrence]
            done.reused += 1
            done.moved += before.place.ordinal != ordinal
            if before.place != place:
                documents.move_chunk(before.unit, place)
            continue
        change = added(tx, bank, chunk, text.tags, keys, now)
        changes.append(change)
        new.append((change.row.id, change.row.header, place))
    documents.add_chunks(document.id, document.version, new)
    done.indexed = len(new)
    changes += removed(tx, bank, list(held.values()))
    if tx.graph.is_hub(bank.id):
        jobs.enqueue(tx, "gist", bank)
    done.pruned = len(held)
    return done, changes


def unflagged(tags: bytes | None) -> list[str]:
    """The tags that came from the front matter."""
    found = tags.decode().split("\0") if tags else []
    return found[2:] if found[:1] == [screening.FLAG] else found


def added(tx: Tx, bank: Bank, chunk: Chunk, tags: list[str], keys: Keys, now: int) -> Added:
    """A new unit: credentials redacted, orders to models marked."""
    content, breadcrumb = redact_key(chunk.text, keys.digest)[0], redact_key(chunk.breadcrumb, keys.digest)[0]
    all_tags = [*screening.tags(screening.found([chunk.text])), *tags]
    unit = NewUnit(uid=new_uid(), hash=chunk.hash, content=content, created=now, kind=CHUNK, tags=all_tags)
    inserted = tx.insert(bank, unit)
    return Added(IndexRow(inserted.id, now, CHUNK_BIT, -1, 0, all_tags, None, breadcrumb, content), inserted.after)


def removed(tx: Tx, bank: Bank, chunks: list[Held]) -> list[Gone]:
    """Takes chunks out."""
    changes = []
    for chunk in chunks:
        gone = tx.delete(bank, chunk.unit)
        assert gone is not None
        changes.append(Gone(chunk.unit, gone.seq, gone.after))
    return changes
