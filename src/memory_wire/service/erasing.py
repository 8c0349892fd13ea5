"""Erasing: rows, index files, log; what remains of a record is a tombstone without content. Called by the service; loaded when first asked.

The rows go in one commit, which also asks for the rest: if the process dies before the index is written anew, the next one does it. Derived
records stay, stale because their source is gone, and are named; copies of the store are named, never touched.
"""

from __future__ import annotations

import os

from memory_wire import config
from memory_wire import erasure as e
from memory_wire.errors import Invalid
from memory_wire.kernels.text import words
from memory_wire.service import access, audit, dates, forms, jobs, maintenance, memories, validate
from memory_wire.service.changes import Gone, Outcome
from memory_wire.service.rights import operator
from memory_wire.store.erasing import Trace
from memory_wire.store.ids import show
from memory_wire.store.records import EVERYTHING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.service.service import Service
    from memory_wire.store.jobs import Job
    from memory_wire.store.protocol import Tx
    from memory_wire.store.reader import Reader
    from memory_wire.store.records import Sight
    from memory_wire.store.rows import Bank
    from memory_wire.types import Scope

    Meant = dict[bytes, str]

KIND = "expunge"
PAGE = 1_000


def erase(service: Service, request: e.Erase, scope: Scope) -> e.Erased:
    """Erases what is meant, or tells what would be. When it answers nothing of it is on the disk. Raises Invalid, StorageError."""
    validate.scope(scope)
    judge = judge_of(service, request)
    with service.read() as reader:
        bank = reader.bank(scope.project, scope.bank)
        if bank is None:
            return e.Erased(dry_run=request.dry_run, count=0, erased=[], derived=[], backups=[])
        sight = EVERYTHING if operator(scope.caller) else access.sight(reader, scope)
        meant, derived = find(reader, bank, judge, sight)
        backups = [e.BackupRow(path=path, made_at=dates.stamp(at)) for path, at in reader.erasing.copies() if os.path.exists(path)]
    if meant and not request.dry_run:
        outcome = service.store.submit(gone(service, scope, meant, service.now()))
        service.index.follow(outcome)
        expunge(service, outcome.bank or bank)
        service.store.submit(lambda tx: tx.jobs.drop(KIND, bank.id))
    named = [e.ErasedUnit(id=show(uid), why=why) for uid, why in list(meant.items())[: config.RECORDS_NAMED]]
    return e.Erased(dry_run=request.dry_run, count=len(meant), erased=named, derived=derived, backups=backups if meant else [])


def judge_of(service: Service, request: e.Erase) -> Callable[[Trace], str | None]:
    """Why a trace is meant, None when it isn't. Raises Invalid."""
    given = [name for name in ("id", "source_id", "subject") if getattr(request, name) is not None]
    if len(given) != 1:
        raise Invalid("id", "exactly one of id, source_id and subject says what is erased")
    if request.id is not None:
        uid = memories.uid_of(request.id)
        return lambda trace: "its id" if trace.uid == uid else None
    name = validate.key(given[0], getattr(request, given[0]))
    if name is None:
        raise Invalid(given[0], "must not be blank")
    key = service.keys.hashed(name)
    if request.source_id is not None:
        return lambda trace: "its source" if trace.source_key == key else None
    shown = {service.keys.shown("subject", name, []).casefold(), name.casefold()}
    fact = service.keys.hashed(forms.fact(name))
    phrase = [word for word, _, _ in words(name)] if request.content else []

    def judge(trace: Trace) -> str | None:
        for field, values in trace.names().items():
            if any(value.casefold() in shown for value in values):
                return field.replace("_", " ")
        if trace.fact == fact:
            return "fact key"
        return "its text" if phrase and any(spoken(phrase, text) for text in (trace.content, trace.context) if text) else None

    return judge


def spoken(phrase: list[str], content: str) -> bool:
    """Whether a text has the words of a phrase in a row."""
    text = [word for word, _, _ in words(content)]
    first = phrase[0]
    return any(text[at : at + len(phrase)] == phrase for at, word in enumerate(text) if word == first)


def find(reader: Reader, bank: Bank, judge: Callable[[Trace], str | None], sight: Sight) -> tuple[Meant, list[str]]:
    """(what is meant with the reason, ids of live records that were derived from it), as far as the caller may see them."""
    meant: Meant = {}
    units: list[int] = []
    after = 0
    while page := reader.erasing.traces(bank, after, PAGE):
        found = {trace.unit: (trace.uid, why) for trace in page if (why := judge(trace)) is not None}
        seen = [unit for unit, mark in reader.records.marks(found, sight).items() if mark.visible]
        meant |= [found[unit] for unit in seen]
        units += seen
        after = page[-1].unit
    below = sorted(set(reader.records.below(units)) - set(units)) if units else []
    marks = reader.records.marks(below, sight)
    live = reader.units(bank, [unit for unit in below if marks[unit].visible])
    return meant, [show(unit.uid) for unit in live.values()][: config.RECORDS_NAMED]


def gone(service: Service, scope: Scope, meant: Meant, at: int) -> Callable[[Tx], Outcome]:
    """The work that takes the rows away, a line of the audit log each, and asks for the rest."""

    def work(tx: Tx) -> Outcome:
        bank = tx.bank(scope.project, scope.bank)
        done = Outcome(None, bank, jobs=True)
        if bank is None:
            return done
        done.language = service.settings_of(bank, tx).language
        by = scope.caller.member if scope.caller is not None else None
        for uid in meant:
            unit = tx.records.unit(bank, uid)
            if unit is None:
                continue
            removed = emptied(tx, bank, unit, "erase", by, at)
            if removed is not None:
                done.changes.append(removed)
            audit.note(tx, scope, bank, "erase", show(uid), at)
        later(tx, bank)
        return done

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


def later(tx: Tx, bank: Bank) -> None:
    """Asks for what is left of an erasure: index and log. The Outcome must say `jobs=True`."""
    jobs.enqueue(tx, KIND, bank)


def expunge(service: Service, bank: Bank) -> None:
    """Takes what is gone out of the files of the bank's indexes and out of the log. Raises StorageError."""
    maintenance.expunge(service, bank)
    service.store.empty_log()


def resume(service: Service, job: Job) -> None:
    """The rest of an erasure whose process ended before it was done."""
    with service.read() as reader:
        bank = jobs.bank_of(reader, job)
    if bank is not None:
        expunge(service, bank)
