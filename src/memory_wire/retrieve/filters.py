"""What a question may see: tags, dates and session as bitsets over the index. Used by the pipeline.

They are built before anything is ranked, so that what is left out never takes a place from what remains.
"""

from __future__ import annotations

from memory_wire.kernels import rank

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.kernels.postings import Parts
    from memory_wire.retrieve.pipeline import Ask

LAST_SECOND = (1 << 32) - 1  # the index keeps seconds since 1970, clamped to 32 bits


def build(parts: Parts, ask: Ask) -> rank.Filter | None:
    """The allowed units, or None when nothing is filtered. Dates are widened to whole seconds; rows are checked again when read."""
    if not ask.any_tags and not ask.not_tags and ask.since is None and ask.until is None and ask.session is None:
        return None
    since = None if ask.since is None else clamp(ask.since // 1000)
    until = None if ask.until is None else clamp((ask.until - 1) // 1000)
    return rank.allow(parts, ask.any_tags, ask.not_tags, since, until, ask.session)


def clamp(second: int) -> int:
    return max(0, min(second, LAST_SECOND))
