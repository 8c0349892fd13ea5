"""Erasing: rows, index files, log; what remains of a record is a tombstone without content. Called by the service; loaded when first asked.

The rows go in one commit, which also asks for the rest: if the process dies before the index is written anew, the next one does it. Derived
records stay, stale because their source is gone, and are named; copies of the store are named, never touched.
"""

from __future__ import annotations

import os

from msgspec import UNSET, Struct

from memory_wire import config
from memory_wire import erasure as e
from memory_wire.service import access, audit, chunking, dates, jobs, maintenance, meant, sessions, validate
from memory_wire.service.changes import Gone, Outcome
from memory_wire.service.integrations import noted
from memory_wire.service.meant import Item, Judge, Lines
from memory_wire.service.rights import operator
from memory_wire.store.ids import show
from memory_wire.store.records import EVERYTHING
from memory_wire.store.rows import Bank
from memory_wire.types import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.service.service import Service
    from memory_wire.store.jobs import Job
    from memory_wire.store.protocol import Tx
    from memory_wire.store.reader import Reader
    from memory_wire.store.records import Sight

KIND = "expunge"


def erase(service: Service, request: e.Erase, scope: Scope) -> e.Erased:
    """Erases what is meant, or tells what would be. When it answers nothing of it is on the disk. Raises Invalid, StorageError."""
    validate.scope(scope)
    judge = Judge(request, service.keys)
    found = Found(scope, [])
    with service.read() as reader:
        sight = EVERYTHING if operator(scope.caller) else access.sight(reader, scope)
        names = [row.name for row in reader.banks(scope.project)] if request.all_banks else [scope.bank]
        for name in names:
            bank = reader.bank(scope.project, name)
            if bank is not None:
                found.look(reader, bank, judge, sight)
        found.lines = list(meant.said(reader, scope.project, sessions.among(scope.caller), judge))
        backups = found.backups(reader)
    if not request.dry_run:
        found.erase(service)
    return found.told(request.dry_run, backups)


class Of(Struct):
    """What is meant of one bank."""

    bank: Bank
    items: list[Item]


class Found(Struct):
    """What is meant in a project, and `derived`: ids of live records that were made from it, as far as the caller may see them."""

    scope: Scope
    banks: list[Of]
    derived: list[str] = []
    lines: list[Lines] = []

    def look(self, reader: Reader, bank: Bank, judge: Judge, sight: Sight) -> None:
        """Looks through one bank."""
        items = list(meant.units(reader, bank, judge, sight))
        units = [item.row for item in items]
        below = sorted(set(reader.records.below(units)) - set(units)) if units else []
        marks = reader.records.marks(below, sight)
        live = reader.units(bank, [unit for unit in below if marks[unit].visible])
        self.derived += [show(unit.uid) for unit in live.values()]
        self.banks.append(Of(bank, [*items, *meant.shelf(reader, bank, judge)]))

    def backups(self, reader: Reader) -> list[e.BackupRow]:
        """The copies that were written after something of it came, and are there."""
        oldest = {of.bank.id: min(item.since for item in of.items) for of in self.banks if of.items}
        oldest_of_all = min([*oldest.values(), *(lines.item.since for lines in self.lines)], default=None)
        rows, banks = [], set(reader.bank_ids())
        for path, at, bank in reader.erasing.copies():
            since = oldest.get(bank) if bank in banks else oldest_of_all  # what was in a bank that is gone may be in another one now
            if since is not None and since <= at and os.path.exists(path):
                rows.append(e.BackupRow(path=path, made_at=dates.stamp(at)))
        return rows

    def erase(self, service: Service) -> None:
        """Takes it all away, a commit a bank."""
        for of in self.banks:
            if of.items:
                service.index.follow(service.store.submit(gone(service, self.scope, of, service.now())))
                expunge(service, of.bank)
                service.store.submit(done(of.bank))
        if self.lines:
            bank = self.banks[0].bank if self.banks else None
            service.store.submit(unsaid(self.scope, bank, self.lines, service.now()))
            service.store.empty_log()
            if bank is not None:
                service.store.submit(done(bank))

    def told(self, dry_run: bool, backups: list[e.BackupRow]) -> e.Erased:
        rows = [(item, of.bank.name) for of in self.banks for item in of.items] + [(lines.item, "") for lines in self.lines]
        answer = e.Erased(
            dry_run=dry_run,
            count=len(rows),
            kinds={},
            banks=[of.bank.name for of in self.banks],
            erased=[],
            derived=self.derived[: config.RECORDS_NAMED],
            backups=backups,
        )
        for item, bank in rows:
            answer.kinds[item.kind] = answer.kinds.get(item.kind, 0) + 1
            if len(answer.erased) < config.RECORDS_NAMED:
                text = item.text if dry_run else UNSET
                answer.erased.append(e.ErasedItem(id=item.id, kind=item.kind, why=item.why, bank=bank or UNSET, text=text))
        return answer


def gone(service: Service, scope: Scope, of: Of, at: int) -> Callable[[Tx], Outcome]:
    """The work that takes the rows of one bank away, a line of the audit log each, and asks for the rest."""

    def work(tx: Tx) -> Outcome:
        bank = tx.bank(of.bank.project, of.bank.name)
        done = Outcome(None, bank, jobs=True)
        if bank is None or bank.id != of.bank.id:
            return Outcome(None)
        done.language = service.settings_of(bank, tx).language
        by = scope.caller.member if scope.caller is not None else None
        for item in of.items:
            done.changes += removed(tx, bank, item, by, at)
            audit.note(tx, scope, bank, "erase", item.id, at, None if item.kind in ("memory", "record") else item.kind)
        later(tx, bank)
        return done

    return work


def removed(tx: Tx, bank: Bank, item: Item, by: int | None, at: int) -> list[Gone]:
    """Takes away the rows of one thing; what the index has to take out."""
    if item.kind == "document":
        return unshelved(tx, bank, item.row, item.id, at)
    if item.kind == "version":
        tx.erasing.drop_version(item.row, item.part)
        tx.erasing.drop_described(bank, item.id, item.part, at)
    elif item.kind == "description":
        tx.erasing.drop_description(item.row)
    elif item.kind == "analysis":
        tx.erasing.drop_analysis(item.row, at)
    elif item.kind == "bundle":
        tx.bundles.remove(item.row)
    elif item.kind == "annotation":
        tx.erasing.drop_annotation(item.row, item.part, at)
    else:
        found = emptied(tx, bank, item.row, "erase", by, at)
        return [] if found is None else [found]
    return []


def unsaid(scope: Scope, bank: Bank | None, lines: list[Lines], at: int) -> Callable[[Tx], None]:
    """The work that replaces pieces of uploaded sessions by those without what is meant; some bank's job stands for the rest."""

    def work(tx: Tx) -> None:
        for found in lines:
            for first, body in found.bodies.items():
                tx.sessions.replace(found.item.row, first, body)
            noted(tx, scope, scope.project, "session.erase", found.item.id, at)
        if bank is not None:
            later(tx, bank)

    return work


def emptied(tx: Tx, bank: Bank, unit: int, how: str, by: int | None, at: int) -> Gone | None:
    """Takes away the rows of one unit, forgotten or not; what the index has to take out. The caller asks for the rest with `later`."""
    session = tx.erasing.session_of(unit)
    tx.erasing.uncapture(bank, unit)
    removed = tx.delete(bank, unit, how, by)
    tx.erasing.wipe(bank, unit, how, by, at)
    if session is not None:
        tx.erasing.unname(bank, session)
    return None if removed is None else Gone(unit, removed.seq, removed.after)


def unshelved(tx: Tx, bank: Bank, document: int, public_id: str, at: int) -> list[Gone]:
    """Takes away the rows of one document, deleted or not: versions, chunks, places in bundles, descriptions. The caller calls `later`."""
    chunks = tx.documents.chunks(document)
    gone = chunking.removed(tx, bank, chunks)
    for chunk in chunks:
        tx.erasing.wipe(bank, chunk.unit, "erase", None, at)
    tx.documents.remove(document)
    tx.erasing.drop_described(bank, public_id, None, at)
    tx.hubs.reconcile(bank.id, document)
    return gone


def later(tx: Tx, bank: Bank) -> None:
    """Asks for what is left of an erasure: index and log. The Outcome must say `jobs=True`."""
    jobs.enqueue(tx, KIND, bank)


def done(bank: Bank) -> Callable[[Tx], None]:
    """The work that takes back what `later` asked for."""
    return lambda tx: tx.jobs.drop(KIND, bank.id)


def expunge(service: Service, bank: Bank) -> None:
    """Takes what is gone out of the files of the bank's indexes and out of the log. Raises StorageError."""
    maintenance.expunge(service, bank)
    with service.read() as reader:
        has_vectors = bool(reader.embeddings.spaces(bank))
    if has_vectors:
        from memory_wire.service import spaces

        spaces.of(service).expunge(bank)
    service.store.empty_log()


def resume(service: Service, job: Job) -> None:
    """The rest of an erasure whose process ended before it was done."""
    with service.read() as reader:
        bank = jobs.bank_of(reader, job)
    if bank is not None:
        expunge(service, bank)
