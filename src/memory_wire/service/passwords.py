"""Passwords of documents and the tokens that edit one without a key. A password is kept as scrypt's output (RFC 7914) with its salt."""

from __future__ import annotations

import os

from memory_wire.kernels.text import content_hash

COST, BLOCK, LANES = 1 << 14, 8, 1  # 16 MiB, some 40 ms
SALT_BYTES = 16
MEMORY = 64 * 1024 * 1024
LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
ID_CHARS = 17  # 101 bits
TOKEN_CHARS = 22  # 131 bits
TOKEN_PREFIX = "mwe_"
NOBODYS = b"\0" * (SALT_BYTES + 32)


def opaque(chars: int) -> str:
    """A random word of letters and digits: 5.95 bits a character."""
    number = int.from_bytes(os.urandom(chars), "little")  # 8 bits a character, so that none is rarer by more than 2^-34
    found = []
    for _ in range(chars):
        number, place = divmod(number, len(LETTERS))
        found.append(LETTERS[place])
    return "".join(found)


def new_id() -> str:
    """A document's public id."""
    return opaque(ID_CHARS)


def new_token() -> tuple[str, bytes]:
    """(an edit token, what is kept of it)."""
    token = TOKEN_PREFIX + opaque(TOKEN_CHARS)
    return token, content_hash(token.encode())


def token_fits(kept: bytes | None, token: str | None) -> bool:
    """Whether a token is the one that was given out."""
    if kept is None or token is None:
        return False
    return same(content_hash(token.encode()), kept)


def hashed(password: str) -> bytes:
    """What is kept of a password."""
    salt = os.urandom(SALT_BYTES)
    return salt + stretched(password, salt)


def password_fits(kept: bytes | None, password: str) -> bool:
    """Whether a password is the one that was set; it takes as long when none was, or when there is no such document."""
    found = kept or NOBODYS
    return same(stretched(password, found[:SALT_BYTES]), found[SALT_BYTES:]) and kept is not None


def stretched(password: str, salt: bytes) -> bytes:
    from hashlib import scrypt  # few documents have a password

    return scrypt(password.encode(), salt=salt, n=COST, r=BLOCK, p=LANES, maxmem=MEMORY, dklen=32)


def same(one: bytes, other: bytes) -> bool:
    """Compares without telling by its time where the two differ."""
    difference = len(one) ^ len(other)
    for a, b in zip(one, other, strict=False):
        difference |= a ^ b
    return not difference
