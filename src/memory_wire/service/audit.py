"""The log of what was done, never with content. Notes are written in the transaction of what they tell of."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.store.protocol import Tx
    from memory_wire.store.rows import Bank
    from memory_wire.types import Scope


def note(tx: Tx, scope: Scope, bank: Bank, action: str, target: str, at: int, detail: str | None = None) -> None:
    """Appends one line: who did what to which record."""
    tx.records.audit(bank, "local", action, target, at, detail)
