"""Who may see and write what. One condition for every question about records; loaded with the first record.

Without a caller, on a machine's own store, everything may be seen and written.
"""

from __future__ import annotations

from memory_wire.store.records import EVERYTHING, Sight

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.store.protocol import Tx
    from memory_wire.store.reader import Reader
    from memory_wire.store.rows import Bank
    from memory_wire.types import Scope

    Owner = tuple[str | None, int | None, int | None]


def sight(source: Reader | Tx, scope: Scope) -> Sight:
    """What the caller of a scope may see of records."""
    return EVERYTHING


def check_write(tx: Tx, scope: Scope, bank: Bank) -> None:
    """Whether one more record may be written. Raises RecordLimit."""


def owner(tx: Tx, scope: Scope, visibility: str | None) -> Owner:
    """(visibility, author, unit of the organisation) of a record that the caller writes."""
    return visibility, None, None


def observes(scope: Scope) -> bool:
    """Whether what the caller says of a source's hash is noted: not with a key that only reads."""
    return True
