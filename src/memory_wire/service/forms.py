"""The forms in which contents, fact keys and source hashes are compared. What is stored stays as it was given."""

from __future__ import annotations

HEX = frozenset("0123456789abcdefABCDEF")
HASH_CHARS = (32, 40, 48, 56, 64, 96, 128)  # hex digits of the digests in use
ALGORITHM_CHARS = 16


def composed(text: str) -> str:
    """The text in NFC."""
    if text.isascii():
        return text
    from unicodedata import normalize  # tables of its own, for texts that need it

    return normalize("NFC", text)


def content(text: str) -> str:
    """What of a content makes a difference: NFC, runs of white space as one blank, none at the ends."""
    return " ".join(composed(text).split())


def fact(key: str) -> str:
    """A fact key without regard to case and to how its words are joined."""
    return "-".join(composed(key).casefold().replace("_", " ").split())


def digest(hash: str) -> tuple[str, str]:
    """(algorithm or "", value) of a source hash; hex digits in lower case."""
    algorithm, colon, value = hash.strip().partition(":")
    if not colon or not value or not algorithm or len(algorithm) > ALGORITHM_CHARS:
        algorithm, value = "", hash.strip()
    return algorithm.lower(), value.lower() if HEX.issuperset(value) else value


def agree(one: str, other: str) -> bool:
    """Whether two hashes are the same. An algorithm that only one of them names makes no difference."""
    if one == other:
        return True
    (algorithm, value), (second, compared) = digest(one), digest(other)
    return value == compared and (algorithm == second or not algorithm or not second)


def is_digest(hash: str) -> bool:
    """Whether a hash is a well-formed one, which can be no secret."""
    value = digest(hash)[1]
    return len(value) in HASH_CHARS and HEX.issuperset(value)
