"""Keys as secrets: `mmw_`, 16 hexadecimal digits that find the key and 48 that prove it. Stored are hashes; the key is shown once.

The proof is hashed KEY_ROUNDS times with a salt of its own, by the store's own SHA-256: PBKDF2 of hashlib would bring OpenSSL, 3 MB, into
every server. The proof is 192 random bits, which no number of rounds makes harder to guess; they are for keys of a weaker random source.
"""

from __future__ import annotations

import os

from msgspec import Struct

from memory_wire.config import KEY_ROUNDS
from memory_wire.kernels.text import content_hash

PREFIX = b"mmw_"
LOOKUP_DIGITS, PROOF_DIGITS = 16, 48
LENGTH = len(PREFIX) + LOOKUP_DIGITS + PROOF_DIGITS
DIGITS = frozenset(b"0123456789abcdef")


class Secret(Struct):
    """A new key and what is stored of it."""

    key: str
    lookup: bytes
    salt: bytes
    digest: bytes


def make(store_secret: bytes) -> Secret:
    """A new key."""
    key = PREFIX + os.urandom((LOOKUP_DIGITS + PROOF_DIGITS) // 2).hex().encode()
    salt = os.urandom(16)
    return Secret(key.decode(), lookup_of(key, store_secret), salt, stretched(key, salt))


def is_key(key: bytes) -> bool:
    """Whether it has the form of a key."""
    return len(key) == LENGTH and key.startswith(PREFIX) and DIGITS.issuperset(key[len(PREFIX) :])


def lookup_of(key: bytes, store_secret: bytes) -> bytes:
    """What finds the key: a hash of its first digits, which prove nothing."""
    return content_hash(key[: len(PREFIX) + LOOKUP_DIGITS], store_secret)


def stretched(key: bytes, salt: bytes) -> bytes:
    """The digest that proves a key."""
    digest = content_hash(key, salt)
    for _ in range(KEY_ROUNDS):
        digest = content_hash(digest + key, salt)
    return digest


def same(one: bytes, other: bytes) -> bool:
    """Whether two digests are equal, in a time that doesn't tell where they differ."""
    difference = len(one) ^ len(other)
    for a, b in zip(one, other, strict=False):
        difference |= a ^ b
    return not difference
