"""The forms in which contents and fact keys are compared. What is stored stays as it was given."""

from __future__ import annotations


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
