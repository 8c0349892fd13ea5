"""What the guard's findings mean for a write. Loaded with the first record."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory_wire.service.settings import Settings


def found(texts: Iterable[str]) -> str | None:
    """The category of the first text that gives orders to models; None for clean ones."""
    return None


def judge(category: str | None, settings: Settings, verb: str) -> str | None:
    """The flag that is stored with a memory. Raises GuardRejected where the bank's policy for the verb says so."""
    return None
