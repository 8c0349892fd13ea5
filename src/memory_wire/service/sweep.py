"""Deletes what is older than its bank's `ttl_days`. Called by the service; loaded when first asked for. Nothing runs it by itself.

A memory of exactly the cutoff stays. Records stay whatever their age; the texts of those that were forgotten go `purge_after_days` later.
"""

from __future__ import annotations

from memory_wire import types as t
from memory_wire.service import audit, dates, erasing, validate
from memory_wire.service.changes import Outcome
from memory_wire.store.ids import show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.service.service import Service
    from memory_wire.store.protocol import Tx
    from memory_wire.store.rows import Bank

    Work = Callable[[Tx], Outcome]

NO_POLICY = "no ttl_days"
TOO_FAR = "ttl_days is further out than a date can hold"


def sweep(request: t.Sweep, scope: t.Scope, service: Service) -> Work:
    """The work that sweeps all banks of the project, in the order they were made, in one transaction."""
    validate.scope(scope)
    if not isinstance(request.dry_run, bool):
        raise validate.wrong_type("dry_run", "a boolean")
    now = service.now()

    def work(tx: Tx) -> Outcome:
        done = Outcome(None)
        banks = []
        for name in tx.bulk.names(scope.project):
            bank = tx.bank(scope.project, name)
            assert bank is not None
            settings = service.settings_of(bank, tx)
            swept = one(tx, bank, settings.ttl_days, now, request.dry_run)
            swept.purged = purged(tx, scope, bank, settings.purge_after_days, now, request.dry_run)
            done.jobs |= bool(swept.purged)
            banks.append(swept)
            if swept.deleted and not request.dry_run:
                done.behind.append((bank, settings.language))
        done.response = t.Swept(dry_run=request.dry_run, banks=banks, deleted=sum(bank.deleted for bank in banks))
        return done

    return work


def one(tx: Tx, bank: Bank, ttl_days: int | None, now: int, dry_run: bool) -> t.SweptBank:
    """Sweeps one bank."""
    found = t.SweptBank(bank=bank.name, ttl_days=ttl_days, cutoff=None, deleted=0, skipped=None)
    cutoff = now - (ttl_days or 0) * dates.DAY_MS
    if ttl_days is None or cutoff < dates.FIRST_MS:
        found.skipped = NO_POLICY if ttl_days is None else TOO_FAR
        return found
    expired = tx.bulk.expired(bank, cutoff)
    found.cutoff, found.deleted, found.kept = dates.stamp(cutoff), len(expired), tx.bulk.kept(bank, cutoff)
    if expired and not dry_run:
        for unit in expired:
            tx.delete(bank, unit)
        tx.recount(bank)
    return found


def purged(tx: Tx, scope: t.Scope, bank: Bank, days: int | None, now: int, dry_run: bool) -> int:
    """Empties the records of one bank that were forgotten long enough ago; how many."""
    if days is None:
        return 0
    found = tx.bulk.forgotten(bank, now - days * dates.DAY_MS)
    if found and not dry_run:
        for unit, uid in found:
            erasing.emptied(tx, bank, unit, "age", None, now)
            audit.note(tx, scope, bank, "record.purge", show(uid), now)
        erasing.later(tx, bank)
    return len(found)
