"""What the guard's findings mean for a write: by the bank's `guard` it passes, is stored with a mark, or is refused.

A marked memory has the tag `flagged` and one that names the category: it is served when asked for, and never injected by itself.
"""

from __future__ import annotations

from memory_wire.errors import GuardRejected
from memory_wire.guard.injection import screen
from memory_wire.service.settings import GUARD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory_wire.service.settings import Settings

FLAG = "flagged"
_, MARK, REJECT = GUARD
BY_VERB = {"remember": REJECT, "retain": MARK}  # where the bank doesn't say


def found(texts: Iterable[str]) -> str | None:
    """The category of the first text that gives orders to models; None for clean ones."""
    for text in texts:
        category = screen(text)
        if category is not None:
            return category
    return None


def judge(category: str | None, settings: Settings, verb: str) -> str | None:
    """The category to mark a memory with, if it is to be. Raises GuardRejected where the bank's policy for the verb says so."""
    if category is None:
        return None
    policy = settings.guard or BY_VERB[verb]
    if policy == REJECT:
        raise GuardRejected(category)
    return category if policy == MARK else None


def tags(flag: str | None) -> list[str]:
    """The tags of a memory with this mark."""
    return [FLAG, f"{FLAG}: {flag}"] if flag else []
