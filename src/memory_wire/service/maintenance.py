"""Work on the whole store, for the command line: rebuild and check the index, check the database, copy it."""

from __future__ import annotations

import os

from memory_wire.errors import StorageError, UnknownBank
from memory_wire.index.cache import PUBLIC
from memory_wire.service import open_service
from memory_wire.store.place import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.index.bank import BankIndex
    from memory_wire.index.rows import RowSource
    from memory_wire.service.service import Service
    from memory_wire.store.reader import Reader
    from memory_wire.store.rows import Bank, BankSummary, Finding

    Progress = Callable[[int, int], None]


def reindex(path: str, bank: str | None, progress: Progress, project: str = "default") -> dict[str, object]:
    """Builds the index of one bank or all anew from the store. Raises StoreMissing, UnknownBank, StorageError."""
    with open_service(path, create=False) as service:
        banks = named(service, bank, project)
        total, done = sum(row.memories for row in banks), 0
        for row in banks:
            begun = done

            def report(units: int, _: int, begun: int = begun) -> None:
                progress(min(begun + units, total), total)

            rebuild(service, row, report)
            done += row.memories
        progress(total, total)
        return {"banks": len(banks), "memories": done}


def rebuild(service: Service, row: BankSummary | Bank, progress: Progress | None = None) -> None:
    """Builds one bank's indexes anew; a bank that is deleted meanwhile has none. Raises StorageError."""
    each(service, row, lambda index, rows, projection: index.rebuild(rows, None if projection else progress))


def expunge(service: Service, row: BankSummary | Bank) -> None:
    """Takes what is removed out of the files of one bank's indexes. Raises StorageError."""
    each(service, row, lambda index, rows, _: index.expunge(rows))


def each(service: Service, row: BankSummary | Bank, work: Callable[[BankIndex, RowSource, str], None]) -> None:
    """Does something to each index of a bank. Raises StorageError."""
    with service.read() as reader:
        bank = reader.bank(row.project, row.name)
        if bank is None:
            return
        language = service.settings_of(bank, reader).language
        for projection in projections(reader, bank):
            index, rows = service.index.open(bank, language, projection), service.index.rows(reader, bank, language, projection)
            try:
                work(index, rows, projection)
            except OSError as error:
                rows.renew()
                if bank.id in reader.bank_ids():
                    raise StorageError(f"{error.filename or row.name}: {error.strerror or error}") from error


def projections(reader: Reader, bank: Bank) -> list[str]:
    """The indexes that a bank has: its own, and of a hub that of what is public."""
    return ["", PUBLIC] if reader.holds_library(bank.id) and reader.hubs.of_bank(bank.id) is not None else [""]


def named(service: Service, bank: str | None, project: str) -> list[BankSummary]:
    """The banks meant: all, or the one of that name in the project."""
    service.open()
    with service.read() as reader:
        rows = reader.banks()
    if bank is None:
        return rows
    rows = [row for row in rows if row.name == bank and row.project == project]
    if not rows:
        raise UnknownBank
    return rows


def check(path: str, progress: Progress) -> list[str]:
    """What is wrong with the database, each bank's index, or between them; an empty list when nothing is. Raises StoreMissing."""
    from memory_wire.store.check import check as check_store

    with open_service(path, create=False) as service:
        banks = named(service, None, "")
        steps = len(banks) + 1
        findings = [noted(found) for found in check_store(service.store, lambda done, total: progress(done, total * steps))]
        for place, row in enumerate(banks, 2):
            with service.read() as reader:
                bank = reader.bank(row.project, row.name)
                if bank is not None:
                    language = service.settings_of(bank, reader).language
                    for part in projections(reader, bank):
                        index, rows = service.index.open(bank, language, part), service.index.rows(reader, bank, language, part)
                        what = f"bank {row.name}, {part}" if part else f"bank {row.name}"
                        findings += [f"{what}: {text}" for text in index.check(rows)]
            progress(place, steps)
        return findings


def noted(finding: Finding) -> str:
    """The finding's text; what is no error begins with `note: `."""
    return finding.text if finding.level == "error" else f"note: {finding.text}"


def backup(path: str, file: str, progress: Progress) -> dict[str, object]:
    """Copies the database to a new file while it is in use; the index is left out, it can be built. Raises StoreMissing, StoreRefused."""
    from memory_wire.store.backup import backup as copy

    with open_service(path, create=False) as service:
        service.open()
        path = os.path.abspath(file)
        done: dict[str, object] = {"bytes": copy(service.store, path, progress)}
        note_copy(service, path)
        return done


def note_copy(service: Service, path: str, bank: int | None = None) -> None:
    """Remembers that a copy of the store, or of one bank, was written; in a store that can't be written nothing can be erased either."""
    at = service.now()
    if not frozen(service.path):
        service.store.submit(lambda tx: tx.erasing.note_copy(path, at, bank))
