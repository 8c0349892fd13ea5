"""Banks under another name, copied, or put into one another: one transaction each. Called by the service; loaded when first asked for.

A renamed or merged memory keeps its id, a copied one gets a new one. Dates, tags, sessions and their order come along, and so does the
configuration where the target has none. Records keep what they tell and what they were derived from.
"""

from __future__ import annotations

from memory_wire import types as t
from memory_wire.errors import BankExists, Invalid, UnknownBank
from memory_wire.service import audit, jobs, validate
from memory_wire.service.changes import Outcome
from memory_wire.store.ids import new_uid
from memory_wire.store.rows import MEMORY, RECORD, Exported, NewUnit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.service.service import Service
    from memory_wire.store.protocol import Tx
    from memory_wire.store.rows import Bank

    Work = Callable[[Tx], Outcome]

SLICE = 500  # rows in memory at once
CLASHES_SHOWN = 20


def rename_bank(request: t.RenameBank, scope: t.Scope, service: Service) -> Work:
    """The work that gives a bank another name."""
    target, now = other(scope, "to", request.to), service.now()

    def work(tx: Tx) -> Outcome:
        bank = existing(tx, scope)
        if tx.bank(target.project, target.bank) is not None:
            raise BankExists
        tx.rename(bank, target.bank)
        audit.note(tx, scope, bank, "bank.rename", scope.bank, now)
        moved = t.BankMoved(bank=target.bank, memories=tx.bulk.count(bank))
        return Outcome(moved, behind=[(bank, service.settings_of(bank, tx).language)])

    return work


def copy_bank(request: t.CopyBank, scope: t.Scope, service: Service) -> Work:
    """The work that makes a second bank of the same memories."""
    target, now = other(scope, "to", request.to), service.now()

    def work(tx: Tx) -> Outcome:
        source = existing(tx, scope)
        if tx.bank(target.project, target.bank) is not None:
            raise BankExists
        bank = tx.bank(target.project, target.bank, create=True)
        assert bank is not None
        move = Move(tx, bank, merging=False)
        move.all_of(source)
        move.library(source, service)
        audit.note(tx, scope, bank, "bank.copy", scope.bank, now, f"{move.done.memories} memories")
        return move.outcome(service)

    return work


def merge_bank(request: t.MergeBank, scope: t.Scope, service: Service) -> Work:
    """The work that puts a bank into another one and deletes it."""
    target, now = other(scope, "into", request.into), service.now()

    def work(tx: Tx) -> Outcome:
        source = existing(tx, scope)
        bank = existing(tx, target)
        move = Move(tx, bank, merging=True)
        move.all_of(source)
        move.library(source, service)
        tx.bulk.take_turns(source, bank)
        audit.note(tx, scope, bank, "bank.merge", scope.bank, now, f"{move.done.memories} memories")
        tx.delete_bank(source)
        done = move.outcome(service)
        done.bank, done.dropped = source, True
        return done

    return work


def other(scope: t.Scope, field: str, name: str) -> t.Scope:
    """The bank that a request names beside its own. Raises Invalid, WrongType."""
    validate.scope(scope)
    target = scope.at(name)
    validate.scope(target)
    if name == scope.bank:
        raise Invalid(field, "must be another bank")
    return target


def existing(tx: Tx, scope: t.Scope) -> Bank:
    """The bank as it is. Raises UnknownBank."""
    bank = tx.bank(scope.project, scope.bank)
    if bank is None:
        raise UnknownBank
    return bank


class Move:
    """Takes the memories of one bank into another, and counts. `merging`: under their ids, and only what the target doesn't hold."""

    def __init__(self, tx: Tx, target: Bank, merging: bool) -> None:
        self.tx, self.target, self.merging = tx, target, merging
        self.done = t.BankMoved(bank=target.name, memories=0)
        self.places: dict[bytes, tuple[int, int]] = {}  # session key -> its ordinal in the target, what is added to positions
        self.units: dict[int, int] = {}  # of a bank with records: unit in the source -> in the target
        self.rich = False

    def all_of(self, source: Bank) -> None:
        """Everything that the source lists, oldest row first; then its configuration, if the target has none."""
        after = -1
        self.rich = self.tx.bulk.has_records(source)
        while page := self.tx.bulk.page(source, after, SLICE):
            for entry in page:
                self.take(entry)
            if self.rich:
                self.tell([entry.unit.id for entry in page if entry.unit.kind == RECORD])
            after = page[-1].unit.id
        if self.rich:
            self.tx.records.hand_over(source, self.target, self.units)
        body = self.tx.config(source)
        if body is not None and not self.target.config_version:
            self.tx.set_config(self.target, body)

    def library(self, source: Bank, service: Service) -> None:
        """The documents and bundles, if there are any."""
        if self.tx.bulk.has_documents(source):
            from memory_wire.service.shelving import copied, moved

            put = moved if self.merging else copied
            self.done.documents = put(self.tx, source, self.target, service)

    def take(self, entry: Exported) -> None:
        """One memory, unless a merge finds its text (in that session) in the target. A document that only the source has comes along."""
        unit = entry.unit
        document = None
        if entry.document_key is not None and entry.document is not None:
            document = (entry.document_key, entry.document)
        if self.merging:
            taken = document is not None and self.tx.document(self.target, document[0]) is not None
            same = self.tx.duplicate(self.target, entry.hash) if (document is None or taken) and unit.kind == MEMORY else None
            if same is not None:
                self.units[unit.id] = same[0]
                self.done.deduplicated += 1
                return
            if document is not None and taken:
                self.clash(document[1])
                document = None
        session, position = self.place(entry)
        row = NewUnit(
            uid=unit.uid if self.merging else new_uid(),
            hash=entry.hash,
            content=unit.content,
            created=unit.created,
            stored=unit.stored,
            context=unit.context,
            tags=unit.tags,
            role=unit.role,
            speaker=unit.speaker,
            kind=unit.kind,
        )
        inserted = self.tx.insert(self.target, row, session, position, document)
        if self.rich:
            self.units[unit.id] = inserted.id
        self.done.memories += 1

    def tell(self, ids: list[int]) -> None:
        """What the records of a page tell beside their texts, sources and all; a source that is gone stays one that is gone."""
        records = self.tx.records
        sources = records.sources(ids)
        for id, row in records.rows(ids).items():
            row.unit = self.units[id]
            row.supersedes = self.units.get(row.supersedes) if row.supersedes is not None else None
            records.add(self.target, row, [])
            for place, source in enumerate(sources.get(id, ())):
                records.derive(row.unit, self.units.get(source), place)
            jobs.enqueue(self.tx, "archive", self.target, row.unit)

    def clash(self, document: str) -> None:
        """A document that the target holds with another text: the memory comes along without its document id."""
        self.done.clashes += 1
        if len(self.done.clashing) < CLASHES_SHOWN:
            self.done.clashing.append(document)

    def place(self, entry: Exported) -> tuple[int | None, int | None]:
        """Session and position in the target: a session that it has already goes on behind what is there, in its own order."""
        key, position = entry.session_key, entry.unit.position
        if key is None or position is None:
            return None, None
        if key not in self.places:
            ordinal = self.tx.session(self.target, key, entry.unit.session or "")
            self.places[key] = ordinal, self.tx.bulk.free_position(self.target, ordinal)
        ordinal, base = self.places[key]
        self.tx.claim_position(self.target, ordinal, base + position)
        return ordinal, base + position

    def outcome(self, service: Service) -> Outcome:
        """What is answered, and that the target's index has to catch up."""
        behind = [(self.target, service.settings_of(self.target, self.tx).language)]
        return Outcome(self.done, behind=behind, jobs=self.rich)
