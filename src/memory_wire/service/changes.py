"""What a committed write means for the index. Made inside the work, applied after the commit in commit order."""

from __future__ import annotations

from msgspec import Struct

from memory_wire.store.rows import Bank, IndexRow


class Added(Struct):
    """A row was written; `after` was the bank's newest unit id before it."""

    row: IndexRow
    after: int


class Gone(Struct):
    """A unit was deleted by removal `seq`; `after` was the bank's newest removal before it."""

    unit: int
    seq: int
    after: int


class Outcome(Struct):
    """The answer of one write and what it changed in one bank. `dropped`: the bank itself is gone.

    `behind` are further banks, changed in bulk, with their languages: their indexes catch up from the store.
    `jobs`: work was asked for that is done in the background. `tools`: the project whose callers may be shown other tools now.
    """

    response: object
    bank: Bank | None = None
    language: int = 1
    changes: list[Added | Gone] = []
    dropped: bool = False
    behind: list[tuple[Bank, int]] = []
    jobs: bool = False
    tools: str | None = None


class Left(Struct, frozen=True):
    """What is left of a lane of background work: whether more is due now, and when the next is, in milliseconds; None: nothing waits."""

    now: bool
    next: int | None
