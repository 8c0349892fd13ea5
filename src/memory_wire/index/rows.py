"""What the index asks of the record store, for type checkers: never imported at run time. The service adapts its reader to it.

Everything one RowSource returns is of one read transaction, until `renew`.
"""

from __future__ import annotations

from typing import Protocol

Row = tuple[int, int, int, int, int, list[bytes], str, str]
"""id, created (ms), flags, session ordinal or -1, position, field keys, header, text"""


class RowSource(Protocol):
    """One bank of the record store."""

    store_id: bytes

    def state(self) -> tuple[int, int]:
        """(newest unit id the bank ever had, newest removal seq), without a query."""

    def identity(self, unit_id: int) -> bytes | None:
        """Bytes that no other row ever had, also for a deleted row that a kept manifest covers; None for a row the store doesn't know."""

    def rows(self, after: int, upto: int | None, limit: int) -> list[Row]:
        """Live units with after < id <= upto, ascending."""

    def removed(self, after_seq: int) -> tuple[list[tuple[int, int]], int]:
        """[(seq, unit id)] after that seq, and the newest seq. Raises Pruned when older ones are no longer kept."""

    def removal(self, seq: int) -> bytes | None:
        """Bytes that tell this removal from any other that may have had its seq before a loss; None for an unknown one."""

    def synced(self) -> int:
        """Newest unit id of this transaction, after making sure that it would survive a power loss."""

    def n_sessions(self) -> int:
        """One more than the bank's largest session ordinal."""

    def renew(self) -> None:
        """Begins a new read transaction."""
