"""What a hub may be called in its address. Used by what changes hubs and by what everybody may ask."""

from __future__ import annotations

from memory_wire import config
from memory_wire.errors import Invalid
from memory_wire.service import validate

LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")
RULE = f"must be {config.SLUG_LEAST} to {config.SLUG_MOST} of a-z, 0-9, _ and -"


def slug_of(value: object) -> str:
    """A slug. Raises Invalid, WrongType."""
    slug = validate.text("slug", value, config.KEY_CHARS)
    if not config.SLUG_LEAST <= len(slug) <= config.SLUG_MOST or not LETTERS.issuperset(slug):
        raise Invalid("slug", RULE)
    return slug
