"""Import of what `transfer.export` wrote, for the command line. What the bank has already is left alone."""

from __future__ import annotations

import os

import msgspec

from memory_wire import types as t
from memory_wire.config import POSITIONS
from memory_wire.errors import Invalid, MemoryWireError
from memory_wire.service import audit, dates, jobs, lineage, memories, open_service, validate
from memory_wire.service.library import KINDS, Line, Shelf
from memory_wire.service.lineage import Lineage, Part, SourceLine
from memory_wire.service.transfer import FORMAT, LINE_BYTES, SLICE, VERSION, BankLine, Header, MemoryLine
from memory_wire.store.ids import parse
from memory_wire.store.rows import MEMORY, RECORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from memory_wire.service.keys import Keys
    from memory_wire.service.service import Service
    from memory_wire.service.transfer import Progress
    from memory_wire.store.protocol import Tx
    from memory_wire.store.records import Provenance
    from memory_wire.store.rows import Bank

GROWTH = 8  # so many times longer a text can be than what was given, where redaction put placeholders for short secrets

Entry = Header | BankLine | MemoryLine | SourceLine | Line


class Waiting(msgspec.Struct):
    """A line that was checked; `row` is a record's."""

    item: memories.Draft
    line: MemoryLine
    row: Provenance | None


def import_(path: str, source: str | BinaryIO, progress: Progress) -> dict[str, object]:
    """Reads what `export` wrote. A memory whose id or document the bank already holds is left alone. Raises Invalid, naming the line."""
    with open_service(path) as service:
        if not isinstance(source, str):
            return Import(service, progress).read(source, 0)
        try:
            with open(source, "rb") as file:
                return Import(service, progress).read(file, os.fstat(file.fileno()).st_size)
        except OSError as error:
            raise Invalid("file", f"{source}: {error.strerror}") from None


class Import:
    """One file on its way into the store, a slice of lines a transaction."""

    def __init__(self, service: Service, progress: Progress) -> None:
        self.service, self.progress = service, progress
        self.done = {"added": 0, "present": 0}
        self.scope: t.Scope | None = None
        self.waiting: list[Waiting] = []
        self.lineage = Lineage()
        self.observed: list[SourceLine] = []
        self.shelf: Shelf | None = None
        self.documents = 0  # and bundles that were added
        self.taken: list[str] = []  # slugs that other banks have

    def read(self, file: BinaryIO, size: int) -> dict[str, object]:
        """Stores the lines. Raises Invalid, naming the line."""
        touched: set[tuple[str, str]] = set()
        seen = 0
        for number, raw in enumerate(lines(file), 1):
            seen += len(raw)
            try:
                entry = decode(raw, number)
                if isinstance(entry, BankLine):
                    self.finish()
                    self.scope = t.Scope(bank=entry.bank, project=entry.project)
                    validate.scope(self.scope)
                    begin(self.service, self.scope, entry.config)
                    touched.add((entry.project, entry.bank))
                else:
                    self.take(entry)
            except MemoryWireError as error:
                if error.status < 500:
                    raise Invalid(f"line {number}", str(error)) from None
                raise
            if len(self.waiting) >= SLICE:
                self.flush()
                self.progress(min(seen, size), size)
        self.finish()
        for project, name in touched:
            self.service.catch_up(project, name)
        self.progress(size, size)
        more: dict[str, object] = {"documents": self.documents} if self.documents else {}
        return {**self.done, **more, **({"slugs_taken": self.taken} if self.taken else {})}

    def take(self, entry: Header | MemoryLine | SourceLine | Line) -> None:
        """Checks a line; it waits for the next transaction. Raises Invalid, WrongType."""
        if isinstance(entry, Header):
            return
        if self.scope is None:
            raise Invalid("memory", "comes before its bank")
        if isinstance(entry, SourceLine):
            self.observed.append(checked(entry))
            return
        if not isinstance(entry, MemoryLine):
            self.shelf = self.shelf or Shelf(self.service, self.scope)
            self.shelf.take(entry)
            return
        keys = self.service.keys
        item = unit_of(entry, keys)
        row = None
        if entry.kind == RECORD:
            entry.record = entry.record or Part()
            row = lineage.read(entry.record, item.content, keys, GROWTH)
            self.lineage.take(parse(entry.memory) or b"", entry.record)
        self.waiting.append(Waiting(item, entry, row))

    def flush(self) -> None:
        """Stores what waits, in one transaction."""
        if self.scope is None or not self.waiting:
            return
        target, waiting = self.scope, self.waiting

        now = self.service.now()

        def work(tx: Tx) -> int:
            bank = memories.created(tx, target)
            added = sum(put(tx, bank, one, self.lineage) for one in waiting)
            if added:
                audit.note(tx, target, bank, "bank.import", target.bank, now, f"{added} memories")
            return added

        added = self.service.store.submit(work)
        self.service.expect_jobs()
        self.done["added"] += added
        self.done["present"] += len(waiting) - added
        self.waiting = []

    def finish(self) -> None:
        """Ends a bank: what was derived from later lines, what was seen of sources, its last document."""
        self.flush()
        if self.shelf is not None:
            self.shelf.finish()
            self.documents += self.shelf.added
            self.done["present"] += self.shelf.present
            self.taken += self.shelf.slugs_taken
            self.shelf = None
        if self.scope is not None and (self.lineage.late or self.observed):
            target, found, observed, keys = self.scope, self.lineage, self.observed, self.service.keys

            def work(tx: Tx) -> None:
                bank = memories.created(tx, target)
                found.finish(tx, bank)
                for line in observed:
                    key = lineage.key_of(line.source_key, keys.hashed(line.observed))
                    assert key is not None
                    if not tx.records.heads(bank, [key]):
                        tx.records.observe(bank, key, line.hash, line.at)

            self.service.store.submit(work)
        self.lineage, self.observed = Lineage(), []


def checked(line: SourceLine) -> SourceLine:
    """What was seen of a source, if it may stand so. Raises Invalid."""
    validate.text("observed", line.observed, LINE_BYTES)
    validate.text("hash", line.hash, LINE_BYTES)
    if line.source_key is not None:
        lineage.key_of(line.source_key, None)
    return line


def lines(file: BinaryIO) -> Iterator[bytes]:
    while raw := file.readline(LINE_BYTES):
        if raw.strip():
            yield raw


def decode(raw: bytes, number: int) -> Entry:
    """One line. Raises Invalid when it is none of ours."""
    try:
        found = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
        entry: Entry
        if "memory" in found:
            entry = msgspec.json.decode(raw, type=MemoryLine)
        elif "observed" in found:
            entry = msgspec.json.decode(raw, type=SourceLine)
        elif "bank" in found:
            entry = msgspec.json.decode(raw, type=BankLine)
        else:
            kind: type[Header | Line] = next((kind for key, kind in KINDS.items() if key in found), Header)
            entry = msgspec.json.decode(raw, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Invalid("line", str(error)) from None
    if number == 1 and not (isinstance(entry, Header) and entry.format == FORMAT):
        raise Invalid("file", "is no export of memory-wire")
    if isinstance(entry, Header) and entry.version > VERSION:
        raise Invalid("version", f"{entry.version} is newer than this program reads ({VERSION})")
    return entry


def unit_of(entry: MemoryLine, keys: Keys) -> memories.Draft:
    """The line checked and redacted like a retain."""
    if parse(entry.memory) is None:
        raise Invalid("memory", "must be an id")
    if entry.kind not in (MEMORY, RECORD):
        raise Invalid("kind", f"must be {MEMORY} or {RECORD}")
    if entry.position is not None and not 0 <= entry.position < POSITIONS:
        raise Invalid("position", f"must be 0 to {POSITIONS - 1:,}")
    request = t.Retain(
        content=entry.content,
        context=entry.context,
        tags=entry.tags,
        document_id=entry.document_id,
        created_at=entry.created_at,
        session=entry.session,
        speaker=entry.speaker,
    )
    now = dates.now_ms()
    item = memories.draft(request, keys, now, GROWTH)
    item.stored = validate.moment("stored_at", entry.stored_at)
    item.role = entry.role & 3
    item.document = rekeyed(item.document, entry.document_id, entry.document_key)
    item.session = rekeyed(item.session, entry.session, entry.session_key)
    return item


def rekeyed(found: tuple[bytes, str] | None, shown: str | None, key: str | None) -> tuple[bytes, str] | None:
    """The exported key of a redacted form; the form itself is kept as exported."""
    if found is None or key is None or shown is None:
        return found
    try:
        raw = bytes.fromhex(key)
    except ValueError:
        raw = b""
    if len(raw) != 16:
        raise Invalid("key", "must be 32 hex digits")
    return raw, shown


def begin(service: Service, scope: t.Scope, config: str | None) -> None:
    """Makes the bank; its configuration is taken over when the bank has none."""
    body = config.encode() if config is not None else None
    if body is not None:
        validate.bank_config(body)

    def work(tx: Tx) -> None:
        bank = memories.created(tx, scope)
        if body is not None and not bank.config_version:
            tx.set_config(bank, body)

    service.store.submit(work)


def put(tx: Tx, bank: Bank, one: Waiting, found: Lineage) -> bool:
    """Stores one memory under its own id; False when the bank has it, if only as forgotten, or has its document."""
    item, entry = one.item, one.line
    uid = parse(entry.memory)
    assert uid is not None
    if tx.records.unit(bank, uid) is not None or (item.document is not None and tx.document(bank, item.document[0]) is not None):
        return False
    session = position = None
    if item.session is not None:
        session = tx.session(bank, *item.session)
        position = tx.next_position(bank, session) if entry.position is None else entry.position
        tx.claim_position(bank, session, position)
    unit = memories.row(item, uid, item.session[0] if item.session else b"", item.tags, entry.kind)
    inserted = tx.insert(bank, unit, session, position, item.document)
    if one.row is not None and entry.record is not None:
        one.row.unit = inserted.id
        found.put(tx, bank, one.row, uid, entry.record)
        jobs.enqueue(tx, "archive", bank, inserted.id)
    return True
