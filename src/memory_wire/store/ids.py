"""Public ids of units: 16 random bytes with the version and variant bits of a UUID 4, shown in the usual 36 characters."""

from __future__ import annotations

import os

_HEX = frozenset("0123456789abcdef")


def new_uid() -> bytes:
    """16 random bytes that read as a UUID of version 4."""
    raw = bytearray(os.urandom(16))
    raw[6] = raw[6] & 0x0F | 0x40
    raw[8] = raw[8] & 0x3F | 0x80
    return bytes(raw)


def show(uid: bytes) -> str:
    """The 36 character form of a uid."""
    text = uid.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def parse(text: str) -> bytes | None:
    """The uid a 36 character text names, or None when it has another form (such a unit can't exist)."""
    if len(text) != 36 or text[8] + text[13] + text[18] + text[23] != "----":
        return None
    digits = text.replace("-", "").lower()
    if len(digits) != 32 or not _HEX.issuperset(digits):
        return None
    return bytes.fromhex(digits)
