"""Hashes of sources: the forms that they come in, and whether two are the same. What is stored stays as it was given.

A hash is hex digits, with or without an algorithm before it (`sha256:…`, `git:…` for a git blob), or any other text, as an ETag. Several
digests of one state of a source, with blanks between them, are that state said in several forms.
"""

from __future__ import annotations

HEX = frozenset("0123456789abcdefABCDEF")
HASH_CHARS = (32, 40, 48, 56, 64, 96, 128)  # hex digits of the digests in use
ALGORITHM_CHARS = 16
GIT = ("gitblob", "blob")  # other names of `git`


def digest(hash: str) -> tuple[str, str]:
    """(algorithm or "", value) of one form; hex digits in lower case."""
    algorithm, colon, value = hash.strip().partition(":")
    if not colon or not value or not algorithm or len(algorithm) > ALGORITHM_CHARS:
        algorithm, value = "", hash.strip()
    algorithm = algorithm.lower().replace("-", "")
    return "git" if algorithm in GIT else algorithm, value.lower() if HEX.issuperset(value) else value


def agree(one: str, other: str) -> bool:
    """Whether two hashes are the same, in any of their forms. An algorithm that only one of them names makes no difference."""
    return one == other or any(alike(digest(left), digest(right)) for left in forms(one) for right in forms(other))


def alike(one: tuple[str, str], other: tuple[str, str]) -> bool:
    return one[1] == other[1] and (one[0] == other[0] or not one[0] or not other[0])


def forms(hash: str) -> list[str]:
    """The digests of a hash that has several; else the hash itself."""
    parts = hash.split()
    return parts if len(parts) > 1 and all(map(well_formed, parts)) else [hash]


def is_digest(hash: str) -> bool:
    """Whether a hash is well-formed in every form, so that it can be no secret."""
    return all(map(well_formed, forms(hash)))


def well_formed(form: str) -> bool:
    value = digest(form)[1]
    return len(value) in HASH_CHARS and HEX.issuperset(value)
