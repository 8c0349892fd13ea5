"""Export and import of everything as JSON lines, for the command line. Ids, dates, tags, order and texts come back as they were.

First line `{"format":"memory-wire","version":1}`, then per bank one `bank` line followed by its `memory` lines, oldest first. What the
store shows of a document id or session is exported; a form with redacted credentials brings its key along, which only a copy made from the
same store can still match.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator

import msgspec

from memory_wire import types as t
from memory_wire.config import POSITIONS
from memory_wire.errors import Invalid, MemoryWireError
from memory_wire.guard.redact import PLACEHOLDER
from memory_wire.service import dates, memories, open_service, validate
from memory_wire.service.keys import Keys
from memory_wire.store.ids import parse, show
from memory_wire.store.place import index_folder
from memory_wire.store.rows import MEMORY, RECORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

    from memory_wire.service.service import Service
    from memory_wire.store.protocol import Tx
    from memory_wire.store.rows import Bank, Exported

    Progress = Callable[[int, int], None]

FORMAT = "memory-wire"
VERSION = 1
SLICE = 500  # rows of one read or write transaction
LINE_BYTES = 64 * 1024 * 1024
GROWTH = 8  # so many times longer a text can be than what was given, where redaction put placeholders for short secrets


class Header(msgspec.Struct):
    format: str
    version: int


class BankLine(msgspec.Struct, kw_only=True, omit_defaults=True):
    bank: str
    project: str = "default"
    config: str | None = None


class MemoryLine(msgspec.Struct, kw_only=True, omit_defaults=True):
    """`created_at` and `stored_at` as served; `position` is the place in the session."""

    memory: str
    content: str
    created_at: str
    stored_at: str | None = None
    context: str | None = None
    tags: list[str] = []
    role: int = 0
    speaker: str | None = None
    session: str | None = None
    session_key: str | None = None
    position: int | None = None
    document_id: str | None = None
    document_key: str | None = None
    kind: int = MEMORY


# export ----------------------------------------------------------------------------------------------------------------------------


def export(path: str, file: str | None, bank: str | None, progress: Progress, project: str = "default") -> int:
    """Writes one bank or all of a store to a file, or to standard output; returns how many memories. Raises StoreMissing, Invalid."""
    if file is not None and is_of_store(file, path):
        raise Invalid("file", f"{file} is part of the store")
    with open_service(path, create=False) as service:
        service.open()
        try:
            if file is None:
                return write(service, sys.stdout.buffer, bank, progress, project)
            return write_file(service, file, bank, progress, project)
        except OSError as error:
            raise Invalid("file", f"{file or 'standard output'}: {error.strerror or error}") from None


def write_file(service: Service, file: str, bank: str | None, progress: Progress, project: str) -> int:
    """Writes to a new file that takes the name when it is whole; a failure leaves nothing."""
    part = f"{file}.part"
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "wb") as out:
            count = write(service, out, bank, progress, project)
            out.flush()
            os.fsync(out.fileno())
        os.replace(part, file)
    except BaseException:
        if os.path.exists(part):
            os.unlink(part)
        raise
    return count


def is_of_store(file: str, path: str) -> bool:
    """Whether a file, or what will be written beside it first, is the database, its log, its index or its key."""
    store = os.path.realpath(path)
    index = index_folder(store)
    own = {store, index, *(store + end for end in ("-wal", "-shm", "-journal", ".key"))}
    there = os.path.exists(store)
    for name in (os.path.realpath(file), os.path.realpath(f"{file}.part")):
        if name in own or name.startswith(index + os.sep) or (there and os.path.exists(name) and os.path.samefile(name, store)):
            return True
    return False


def write(service: Service, out: BinaryIO, only: str | None, progress: Progress, project: str) -> int:
    """Each slice of rows is read in a transaction of its own, so that an export never holds back a checkpoint."""
    encode = msgspec.json.Encoder().encode
    with service.read() as reader:
        rows = [row for row in reader.banks() if only is None or (row.name == only and row.project == project)]
    total, done = sum(row.memories for row in rows), 0
    out.write(encode(Header(FORMAT, VERSION)) + b"\n")
    for row in rows:
        after = -1
        while True:
            with service.read() as reader:
                bank = reader.bank(row.project, row.name)
                page = reader.export(bank, after, SLICE) if bank is not None else []
                if bank is not None and after < 0:
                    config = reader.config(bank)
                    out.write(encode(BankLine(bank=row.name, project=row.project, config=config.decode() if config else None)) + b"\n")
            for entry in page:
                out.write(encode(line_of(entry)) + b"\n")
            done += len(page)
            progress(min(done, total), total)
            if len(page) < SLICE:
                break
            after = page[-1].unit.id
    return done


def line_of(entry: Exported) -> MemoryLine:
    unit = entry.unit
    return MemoryLine(
        memory=show(unit.uid),
        content=unit.content,
        created_at=dates.stamp(unit.created),
        stored_at=None if unit.stored is None else dates.stamp(unit.stored),
        context=unit.context,
        tags=unit.tags,
        role=unit.role,
        speaker=unit.speaker,
        session=unit.session,
        session_key=kept(unit.session, entry.session_key),
        position=unit.position,
        document_id=entry.document,
        document_key=kept(entry.document, entry.document_key),
        kind=unit.kind,
    )


def kept(shown: str | None, key: bytes | None) -> str | None:
    """The key where the shown form doesn't say it."""
    return key.hex() if key is not None and shown is not None and PLACEHOLDER in shown else None


# import ----------------------------------------------------------------------------------------------------------------------------


def import_(path: str, source: str | BinaryIO, progress: Progress) -> dict[str, object]:
    """Reads what `export` wrote. A memory whose id or document the bank already holds is left alone. Raises Invalid, naming the line."""
    with open_service(path) as service:
        if not isinstance(source, str):
            return read(service, source, 0, progress)
        try:
            with open(source, "rb") as file:
                return read(service, file, os.fstat(file.fileno()).st_size, progress)
        except OSError as error:
            raise Invalid("file", f"{source}: {error.strerror}") from None


def read(service: Service, file: BinaryIO, size: int, progress: Progress) -> dict[str, object]:
    """Stores the lines, a slice a transaction."""
    done = {"added": 0, "present": 0}
    scope: t.Scope | None = None
    touched: set[tuple[str, str]] = set()
    waiting: list[tuple[memories.Draft, MemoryLine]] = []
    seen = 0
    for number, raw in enumerate(lines(file), 1):
        seen += len(raw)
        try:
            entry = decode(raw, number)
            if isinstance(entry, BankLine):
                flush(service, scope, waiting, done)
                scope = t.Scope(bank=entry.bank, project=entry.project)
                validate.scope(scope)
                begin(service, scope, entry.config)
                touched.add((scope.project, scope.bank))
            elif isinstance(entry, MemoryLine):
                if scope is None:
                    raise Invalid("memory", "comes before its bank")
                waiting.append((unit_of(entry, service.keys), entry))
        except MemoryWireError as error:
            if error.status < 500:
                raise Invalid(f"line {number}", str(error)) from None
            raise
        if len(waiting) >= SLICE:
            flush(service, scope, waiting, done)
            progress(min(seen, size), size)
    flush(service, scope, waiting, done)
    for project, name in touched:
        service.catch_up(project, name)
    progress(size, size)
    return dict(done)


def lines(file: BinaryIO) -> Iterator[bytes]:
    while raw := file.readline(LINE_BYTES):
        if raw.strip():
            yield raw


def decode(raw: bytes, number: int) -> Header | BankLine | MemoryLine:
    """One line. Raises Invalid when it is none of ours."""
    try:
        found = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
        entry: Header | BankLine | MemoryLine
        if "memory" in found:
            entry = msgspec.json.decode(raw, type=MemoryLine)
        elif "bank" in found:
            entry = msgspec.json.decode(raw, type=BankLine)
        else:
            entry = msgspec.json.decode(raw, type=Header)
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


def flush(service: Service, scope: t.Scope | None, waiting: list[tuple[memories.Draft, MemoryLine]], done: dict[str, int]) -> None:
    """Stores what waits, in one transaction."""
    if scope is None or not waiting:
        return
    target = scope

    def work(tx: Tx) -> int:
        bank = memories.created(tx, target)
        return sum(put(tx, bank, item, entry) for item, entry in waiting)

    added = service.store.submit(work)
    done["added"] += added
    done["present"] += len(waiting) - added
    waiting.clear()


def put(tx: Tx, bank: Bank, item: memories.Draft, entry: MemoryLine) -> bool:
    """Stores one memory under its own id; False when the bank has it, or has its document."""
    uid = parse(entry.memory)
    assert uid is not None
    if tx.find(bank, uid) is not None or (item.document is not None and tx.document(bank, item.document[0]) is not None):
        return False
    session = position = None
    if item.session is not None:
        session = tx.session(bank, *item.session)
        position = tx.next_position(bank, session) if entry.position is None else entry.position
        tx.claim_position(bank, session, position)
    tx.insert(
        bank, memories.row(item, uid, item.session[0] if item.session else b"", item.tags, entry.kind), session, position, item.document
    )
    return True
