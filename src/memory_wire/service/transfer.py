"""Export of everything as JSON lines, for the command line; importing.py reads it back as it was: ids, dates, tags, order, texts.

First line `{"format":"memory-wire","version":2}`, then per bank one `bank` line followed by its `memory` lines, oldest first, what was
`observed` of sources, and its documents with their versions, bundles and hub. What the store shows of a document id or session is exported;
a form with redacted credentials brings its key along, which only a copy made from the same store can still match.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import msgspec

from memory_wire.errors import Invalid
from memory_wire.guard.redact import PLACEHOLDER
from memory_wire.service import dates, lineage, open_service
from memory_wire.service.maintenance import note_copy
from memory_wire.store.ids import show
from memory_wire.store.place import index_folder
from memory_wire.store.rows import MEMORY, RECORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

    from memory_wire.service.service import Service
    from memory_wire.store.rows import Exported

    Progress = Callable[[int, int], None]

FORMAT = "memory-wire"
VERSION = 2  # 1: without documents, as it is written where there are none
SLICE = 500  # rows of one read or write transaction
LINE_BYTES = 64 * 1024 * 1024


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
    record: lineage.Part | None = None


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
            count = write_file(service, file, bank, progress, project)
        except OSError as error:
            raise Invalid("file", f"{file or 'standard output'}: {error.strerror or error}") from None
        with service.read() as reader:
            found = None if bank is None else reader.bank(project, bank)
        if bank is None or found is not None:
            note_copy(service, os.path.abspath(file), None if found is None else found.id)
        return count


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
        shelved = {row.id for row in rows if reader.holds_library(row.id)}
    total, done = sum(row.memories for row in rows), 0
    out.write(encode(Header(FORMAT, VERSION if shelved else 1)) + b"\n")
    for row in rows:
        after = -1
        while True:
            with service.read() as reader:
                bank = reader.bank(row.project, row.name)
                page = reader.export(bank, after, SLICE) if bank is not None else []
                records = [entry.unit.id for entry in page if entry.unit.kind == RECORD]
                told = lineage.parts(reader, records) if records else {}
                seen = lineage.seen(reader, bank) if bank is not None and len(page) < SLICE else []
                if bank is not None and after < 0:
                    config = reader.config(bank)
                    out.write(encode(BankLine(bank=row.name, project=row.project, config=config.decode() if config else None)) + b"\n")
            for entry in page:
                out.write(encode(line_of(entry, told.get(entry.unit.id))) + b"\n")
            for source in seen:
                out.write(encode(source) + b"\n")
            done += len(page)
            progress(min(done, total), total)
            if len(page) < SLICE:
                break
            after = page[-1].unit.id
        if row.id in shelved:
            from memory_wire.service import library  # of banks with documents

            for line in library.lines(service, row.project, row.name):
                out.write(encode(line) + b"\n")
    return done


def line_of(entry: Exported, record: lineage.Part | None) -> MemoryLine:
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
        record=record,
    )


def kept(shown: str | None, key: bytes | None) -> str | None:
    """The key where the shown form doesn't say it."""
    return key.hex() if key is not None and shown is not None and PLACEHOLDER in shown else None
