"""Banks as a whole: configuration, counts, listing, deletion. Called by the service."""

from __future__ import annotations

from memory_wire import types as t
from memory_wire.errors import Invalid, UnknownBank
from memory_wire.service import dates, memories, validate
from memory_wire.service.changes import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.service.service import Service
    from memory_wire.store.protocol import Reader, Tx

    Work = Callable[[Tx], Outcome]

EMPTY_CONFIG = b"{}"


def get_config(reader: Reader, request: t.Empty, scope: t.Scope) -> bytes:
    """The configuration as it was put. Raises UnknownBank."""
    bank = reader.bank(scope.project, scope.bank)
    if bank is None:
        raise UnknownBank
    return reader.config(bank) or EMPTY_CONFIG


def put_config(request: t.PutConfig, scope: t.Scope, service: Service) -> Work:
    """The work that replaces a configuration; it never makes a bank."""
    validate.scope(scope)
    validate.bank_config(request.body)
    named = b'"embedder"' in request.body or b'"reranker"' in request.body
    now = service.now()

    def work(tx: Tx) -> Outcome:
        bank = tx.bank(scope.project, scope.bank)
        if bank is None:
            raise UnknownBank
        if named:
            from memory_wire.service import models

            models.check(request.body, tx.config(bank), scope)
        if b'"archivist"' in request.body:
            from memory_wire.service import advising

            advising.check(request.body, tx.config(bank), scope)
        tx.set_config(bank, request.body)
        from memory_wire.service import audit

        audit.note(tx, scope, bank, "bank.config", scope.bank, now)
        return Outcome(request.body, jobs=service.has_embedded(tx, bank))

    return work


def stats(reader: Reader, request: t.Empty, scope: t.Scope) -> t.Stats:
    """Counts and dates of a bank; zeros and None for one that isn't there."""
    bank = reader.bank(scope.project, scope.bank)
    if bank is None:
        return t.Stats(memories=0, tags=0, oldest=None, newest=None)
    tally = reader.tally(bank)
    without = memories.hidden(reader, scope, bank)
    if without:
        count, oldest, newest = reader.span(bank, without)
        return t.Stats(memories=count, tags=tally.tags, oldest=shown(oldest), newest=shown(newest))
    return t.Stats(memories=tally.memories, tags=tally.tags, oldest=shown(tally.oldest), newest=shown(tally.newest))


def banks(reader: Reader, request: t.Empty, scope: t.Scope) -> t.Banks:
    """The project's banks by name."""
    rows = [t.BankRow(bank=row.name, memories=row.memories, newest=shown(row.newest)) for row in reader.banks(scope.project)]
    for row in rows if scope.caller is not None else ():
        bank = reader.bank(scope.project, row.bank)
        without = memories.hidden(reader, scope, bank) if bank is not None else ()
        if bank is not None and without:
            row.memories, _, newest = reader.span(bank, without)
            row.newest = shown(newest)
    return t.Banks(banks=rows)


def delete_bank(request: t.DeleteBank, scope: t.Scope, service: Service) -> Work:
    """The work that deletes a bank and all it holds."""
    validate.scope(scope)
    if request.confirm != scope.bank:
        raise Invalid("confirm", "must repeat the name of the bank")
    now = service.now()

    def work(tx: Tx) -> Outcome:
        bank = tx.bank(scope.project, scope.bank)
        if bank is None:
            raise UnknownBank
        from memory_wire.service import audit

        audit.note(tx, scope, bank, "bank.delete", scope.bank, now)
        return Outcome(t.BankDeleted(deleted=True, memories=tx.delete_bank(bank)), bank, dropped=True)

    return work


def shown(ms: int | None) -> str | None:
    return None if ms is None else dates.stamp(ms)
