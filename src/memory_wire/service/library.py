"""Documents, bundles and the hub of a bank in an export, read back as they were: ids, versions byte for byte, gates, dates.

Chunks aren't exported: they are made again from the text. A document that the bank has already is left alone; one whose id another bank
holds gets a new one. A slug that another bank has stays that bank's.
"""

from __future__ import annotations

from msgspec import DecodeError, Struct, json

from memory_wire import config
from memory_wire import types as t
from memory_wire.descriptions import Description
from memory_wire.errors import Invalid
from memory_wire.kernels.text import content_hash
from memory_wire.service import chunking, documents, memories, passwords, slugs, validate
from memory_wire.service.bundles import locked_down
from memory_wire.service.chunking import Text
from memory_wire.service.shelving import renamed
from memory_wire.store.bundles import Bundle
from memory_wire.store.documents import Document, VersionRow
from memory_wire.store.hubs import Hub

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_wire.service.service import Service
    from memory_wire.store.protocol import Tx
    from memory_wire.store.reader import Reader
    from memory_wire.store.rows import Bank

PAGE = 50
BATCH_BYTES = 4 * 1024 * 1024  # of versions in one transaction
ID_LETTERS = frozenset(passwords.LETTERS + "_-")
ID_CHARS = 64


class DocLine(Struct, kw_only=True, omit_defaults=True):
    """A document, followed by its versions, oldest first. Times are milliseconds, what is kept of password and token hexadecimal."""

    doc: str
    title: str
    version: int
    created: int
    updated: int
    titled: bool = False
    draft: bool = False
    deleted: int | None = None
    password: str | None = None
    allowed: list[str] = []
    expires: int | None = None
    edit_token: str | None = None
    source: str | None = None
    description: str | None = None


class VersionLine(Struct, kw_only=True, omit_defaults=True):
    """One version of the document before it."""

    version_of: str
    version: int
    at: int
    markdown: str
    made: str | None = None


class HubLine(Struct, kw_only=True, omit_defaults=True):
    hub: str
    created: int
    display_name: str | None = None
    description: str | None = None
    instructions: str | None = None
    public: bool = False
    keyless: int | None = None


class Member(Struct, kw_only=True, omit_defaults=True):
    document: str
    annotation: str | None = None


class BundleLine(Struct, kw_only=True, omit_defaults=True):
    bundle: str
    title: str
    created: int
    updated: int
    shown: int | None = None
    description: str | None = None
    intent: str | None = None
    draft: bool = False
    deleted: int | None = None
    password: str | None = None
    allowed: list[str] = []
    expires: int | None = None
    discoverable: bool = False
    analysis: str | None = None
    analysed: int | None = None
    members: list[Member] = []


Line = DocLine | VersionLine | HubLine | BundleLine
KINDS: dict[str, type[Line]] = {"doc": DocLine, "version_of": VersionLine, "hub": HubLine, "bundle": BundleLine}


# export ----------------------------------------------------------------------------------------------------------------------------


def lines(service: Service, project: str, name: str) -> Iterator[Line]:
    """The lines of a bank, a page of rows or one version a transaction."""
    after = 0
    while True:
        with service.read() as reader:
            bank = reader.bank(project, name)
            page = reader.documents.all(bank, after, PAGE) if bank is not None else []
            made = [reader.descriptions.get(document.id) for document in page]
        for document, description in zip(page, made, strict=True):
            yield line_of(document, description)
            yield from versions(service, document.id, document.public_id)
        if len(page) < PAGE:
            break
        after = page[-1].id
    with service.read() as reader:
        bank = reader.bank(project, name)
        rest = list(told(reader, bank)) if bank is not None else []
    yield from rest


def line_of(d: Document, description: str | None) -> DocLine:
    return DocLine(
        doc=d.public_id,
        title=d.title,
        version=d.version,
        created=d.created,
        updated=d.updated,
        titled=bool(d.titled),
        draft=bool(d.draft),
        deleted=d.deleted,
        password=hexed(d.password),
        allowed=json.decode(d.allowed) if d.allowed else [],
        expires=d.expires,
        edit_token=hexed(d.edit_token),
        source=d.source,
        description=description,
    )


def versions(service: Service, document: int, public_id: str) -> Iterator[VersionLine]:
    before = 0
    while True:
        with service.read() as reader:
            row = reader.documents.after(document, before)
            text = reader.documents.markdown(document, row.version) if row is not None else None
        if row is None or text is None:
            return
        yield VersionLine(version_of=public_id, version=row.version, at=row.at, markdown=text.decode(), made=row.made)
        before = row.version


def told(reader: Reader, bank: Bank) -> Iterator[Line]:
    """Bundles and hub."""
    for b in reader.bundles.all(bank):
        members = [Member(document=document, annotation=note) for document, note in reader.bundles.members(b.id)]
        yield BundleLine(
            bundle=b.public_id,
            title=b.title,
            created=b.created,
            updated=b.updated,
            shown=b.shown,
            description=b.description,
            intent=b.intent,
            draft=bool(b.draft),
            deleted=b.deleted,
            password=hexed(b.password),
            allowed=json.decode(b.allowed) if b.allowed else [],
            expires=b.expires,
            discoverable=bool(b.discoverable),
            analysis=b.analysis,
            analysed=b.analysed,
            members=members,
        )
    hub = reader.hubs.of_bank(bank.id)
    if hub is not None:
        yield HubLine(
            hub=hub.slug,
            created=hub.created,
            display_name=hub.display_name,
            description=hub.description,
            instructions=hub.instructions,
            public=bool(hub.public),
            keyless=hub.keyless,
        )


def hexed(raw: bytes | None) -> str | None:
    return None if raw is None else raw.hex()


def raw_of(field: str, text: str | None) -> bytes | None:
    """Raises Invalid."""
    try:
        return None if text is None else bytes.fromhex(text)
    except ValueError:
        raise Invalid(field, "must be hexadecimal") from None


# import ----------------------------------------------------------------------------------------------------------------------------


class Shelf:
    """One bank's documents on their way into the store. A document that was cut off midway is gone on with by the next import."""

    def __init__(self, service: Service, scope: t.Scope) -> None:
        self.service, self.scope = service, scope
        self.added = self.present = 0
        self.slugs_taken: list[str] = []
        self.doc: DocLine | None = None
        self.waiting: list[VersionLine] = []
        self.waiting_bytes = 0
        self.last = 0
        self.ids: dict[str, int] = {}  # public id in the file -> document

    def take(self, line: Line) -> None:
        """One line. Raises Invalid."""
        if isinstance(line, VersionLine):
            self.version(line)
            return
        self.finish()
        if isinstance(line, DocLine):
            checked(line)
            self.service.store.submit(lambda tx: self.begin(tx, line))
        elif isinstance(line, BundleLine):
            checked_id(line.bundle)
            validate.text("title", line.title, config.BUNDLE_TITLE_CHARS)
            raw_of("password", line.password)
            checked_description(line.analysis)
            self.service.store.submit(lambda tx: self.bundle(tx, line))
        else:
            slugs.slug_of(line.hub)
            self.service.store.submit(lambda tx: self.hub(tx, line))

    def begin(self, tx: Tx, line: DocLine) -> None:
        """Makes the row, hidden until the last version is there."""
        bank = memories.created(tx, self.scope)
        held = tx.documents.holder(line.doc)
        self.doc, self.last = None, 0
        if held is not None and held.bank == bank.id:
            self.ids[line.doc] = held.id
            if held.version:
                self.present += 1
                return
            self.doc = line
            return
        row = Document(0, 0, "", "", line.title, 0, 0, 1, 0, line.created, None, None, None, None, line.source, line.created, line.updated)
        public_id = line.doc if held is None else passwords.new_id()
        self.ids[line.doc] = tx.documents.add(bank, public_id, row)
        self.doc = line

    def version(self, line: VersionLine) -> None:
        if self.doc is None or line.version_of != self.doc.doc:
            return  # of a document that is there already
        if line.version <= self.last:
            raise Invalid("version", "must ascend")
        documents.markdown("markdown", line.markdown)
        self.last = line.version
        self.waiting.append(line)
        self.waiting_bytes += len(line.markdown)
        if self.waiting_bytes >= BATCH_BYTES:
            self.flush()

    def flush(self) -> None:
        doc, rows = self.doc, self.waiting
        self.waiting, self.waiting_bytes = [], 0
        if doc is None or not rows:
            return
        id = self.ids[doc.doc]

        def work(tx: Tx) -> None:
            for row in rows:
                raw = row.markdown.encode()
                tx.documents.put(id, VersionRow(row.version, content_hash(raw), row.at, None, row.made, len(raw)), raw, again=True)

        self.service.store.submit(work)

    def finish(self) -> None:
        """Ends a document: shows it, indexes it. Raises Invalid for one without its newest version."""
        self.flush()
        doc, self.doc = self.doc, None
        if doc is None:
            return
        if self.last != doc.version:
            raise Invalid("doc", f"version {doc.version} of {doc.doc} is missing")
        self.service.store.submit(lambda tx: self.end(tx, doc))
        self.added += 1

    def end(self, tx: Tx, line: DocLine) -> None:
        bank = memories.created(tx, self.scope)
        row = tx.documents.get(self.ids[line.doc])
        raw = tx.documents.markdown(row.id, line.version)
        assert raw is not None
        text = Text(raw, self.service.keys, line.title)
        row.title, row.titled, row.version, row.draft, row.private = (
            line.title,
            int(line.titled),
            line.version,
            int(line.draft),
            int(text.private),
        )
        row.deleted, row.password, row.expires = line.deleted, raw_of("password", line.password), line.expires
        row.allowed = json.encode(line.allowed).decode() if line.allowed else None
        row.edit_token, row.updated = raw_of("edit_token", line.edit_token), line.updated
        tx.documents.set(row)
        tx.descriptions.put(row.id, renamed(line.description, {line.doc: row.public_id}))
        if row.deleted is None:
            chunking.index(tx, bank, row, text, self.service.keys, line.updated)
            tx.hubs.reconcile(bank.id, row.id)

    def bundle(self, tx: Tx, line: BundleLine) -> None:
        bank = memories.created(tx, self.scope)
        held = tx.bundles.holds(line.bundle)
        if held == bank.id:
            self.present += 1
            return
        row = Bundle(
            id=0,
            public_id=line.bundle if held is None else passwords.new_id(),
            title=line.title,
            description=line.description,
            intent=line.intent,
            draft=int(line.draft),
            deleted=line.deleted,
            password=raw_of("password", line.password),
            allowed=json.encode(line.allowed).decode() if line.allowed else None,
            expires=line.expires,
            discoverable=0,
            analysis=renamed(line.analysis, {old: tx.documents.get(id).public_id for old, id in self.ids.items()})
            if line.analysis
            else None,
            analysed=line.analysed,
            created=line.created,
            updated=line.updated,
            shown=line.updated if line.shown is None else line.shown,
        )
        row.discoverable = int(line.discoverable and not locked_down(row, self.service.now()))
        id = tx.bundles.add(bank, row)
        for position, member in enumerate(line.members):
            if member.document in self.ids:
                tx.bundles.add_member(id, position, self.ids[member.document], member.annotation)
        self.added += 1

    def hub(self, tx: Tx, line: HubLine) -> None:
        bank = memories.created(tx, self.scope)
        held = tx.hubs.by_slug(line.hub)
        if held is not None or tx.hubs.of_bank(bank.id) is not None:
            if held is not None and held.bank != bank.id:
                self.slugs_taken.append(line.hub)
            return
        told = (line.display_name, line.description, int(line.public), line.instructions, line.created, line.keyless)
        tx.hubs.put(Hub(bank.id, bank.name, bank.project, line.hub, *told))
        tx.hubs.reconcile(bank.id)


def checked(line: DocLine) -> None:
    """Raises Invalid."""
    checked_id(line.doc)
    validate.text("title", line.title, config.DOCUMENT_TITLE_CHARS)
    documents.line("source", line.source, config.DOCUMENT_SOURCE_CHARS)
    raw_of("password", line.password)
    raw_of("edit_token", line.edit_token)
    checked_description(line.description)
    if line.version < 1:
        raise Invalid("version", "is counted from 1")


def checked_description(text: str | None) -> None:
    """Raises Invalid."""
    try:
        if text is not None:
            json.decode(text, type=Description)
    except DecodeError:
        raise Invalid("description", "is none") from None


def checked_id(id: str) -> None:
    if not 1 <= len(id) <= ID_CHARS or not ID_LETTERS.issuperset(id):
        raise Invalid("doc", f"must be an id: 1 to {ID_CHARS} letters, digits, _ and -")
