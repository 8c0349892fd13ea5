"""Folding and the classes of characters, in slow Python on unicodedata: the lower half of the oracle in tests/oracle/text.py."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from csrc.tables import facts

TABLES = os.path.dirname(os.path.abspath(facts.__file__))


def _set(ranges: str) -> frozenset[str]:
    return frozenset(map(chr, facts.points(ranges)))


EMOJI = _set(facts.EMOJI + facts.SKIN_TONES)
SKIN_TONES, VARIATION, REGIONAL, TAGS = _set(facts.SKIN_TONES), _set(facts.VARIATION), _set(facts.REGIONAL), _set(facts.EMOJI_TAGS)
IGNORED = _set(facts.IGNORABLE + facts.TATWEEL)
ATTACHED, APOSTROPHES, NO_WORD = _set(facts.ATTACHED), _set(facts.APOSTROPHES), _set(facts.NO_WORD)
STACKERS = "\u17d2\u1039"  # the next letter is written under this one
ZWSP, ZWJ, KEYCAP = "\u200b", "\u200d", "\u20e3"


# ---- folding ----


@cache
def known() -> frozenset[str]:
    """Code points the kernel's tables know; a newer Python's unicodedata knows more."""
    with open(os.path.join(TABLES, "assigned.txt"), encoding="ascii") as lines:
        return frozenset(char for line in lines if not line.startswith("#") for char in _set(line))


def category(char: str) -> str:
    return unicodedata.category(char) if char in known() else "Cn"


def drops_marks(char: str) -> bool:
    return category(char)[0] == "L" and unicodedata.name(char, "").startswith(("LATIN ", "GREEK "))


def spread(text: str) -> str:
    """NFKC and case folding, decomposed."""
    pieces = []
    plain = ""
    for char in text + "\0":
        if char in known() and char != "\0":
            plain += char
        else:  # what the tables don't know stays as it is and combines with nothing
            pieces += [unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", plain).casefold()), char]
            plain = ""
    return "".join(pieces)[:-1]


def without_marks(text: str, dropping: bool = False) -> tuple[str, bool]:
    """Text without marks after Latin and Greek letters, and whether a mark that comes next is to be dropped too."""
    kept = []
    for char in text:
        if category(char)[0] == "M":
            if dropping:
                continue
        else:
            dropping = drops_marks(char)
        kept.append(char)
    return "".join(kept), dropping


def fold(text: str) -> str:
    return unicodedata.normalize("NFC", without_marks(spread(text))[0])


@cache
def kind_of(char: str) -> str:
    """What a character of folded text is to a token."""
    if char in NO_WORD:
        return "separator"
    for kind, members in (("ignored", IGNORED), ("zwsp", ZWSP), ("apostrophe", APOSTROPHES), ("attached", ATTACHED)):
        if char in members:
            return kind
    general = category(char)
    if general[0] == "M":
        return "mark"
    if general[0] not in "LN" or char in EMOJI:
        return "separator"
    if (general[0] == "L" or general == "Nl") and unicodedata.name(char, "").startswith(facts.SPACELESS_NAMES):
        return "grapheme"
    return "word"


# ---- clusters: folded text that remembers where it came from ----


class Cluster(NamedTuple):
    text: str  # folded; of an emoji the whole term
    kind: str  # "text", "emoji", "separator"
    start: int
    end: int


@cache
def composing() -> frozenset[str]:
    """Characters of combining class 0 that may compose with the one before."""
    found = {chr(c) for c in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}
    for char in known():
        parts = unicodedata.decomposition(char).split()
        if len(parts) == 2 and parts[0][0] != "<" and unicodedata.normalize("NFC", char) == char:
            found.add(chr(int(parts[1], 16)))
    return frozenset(found)


@cache
def continues(char: str) -> bool:
    head = spread(char)[:1] if char != "\u0345" else char
    return char in known() and (unicodedata.combining(head) != 0 or head in composing())


@cache
def separates(char: str) -> bool:
    if char in NO_WORD:
        return True
    kinds = [kind_of(part) for part in fold(char)] if char != "\u0345" else ["word"]
    return kinds[0] == "separator" and set(kinds) <= {"separator", "mark", "ignored"}


def emoji_at(text: str, at: int) -> tuple[str, int] | None:
    """The term of the emoji that starts at `at`, and its end."""
    first, end = text[at], at + 1
    if first in "0123456789#*":
        rest = text[end:].removeprefix("\ufe0f")
        return (first + KEYCAP, len(text) - len(rest) + 1) if rest.startswith(KEYCAP) and len(text) - len(rest) - end < 2 else None
    if first not in EMOJI | REGIONAL:
        return None
    term = first
    while end < len(text):
        char = text[end]
        if char in VARIATION | SKIN_TONES:
            pass
        elif first in REGIONAL:
            if len(term) == 2 or char not in REGIONAL:
                break
            term += char
        elif char in TAGS:
            term += char
        elif char == ZWJ and text[end + 1 : end + 2] and text[end + 1] in EMOJI:
            term += text[end : end + 2]
            end += 1
        else:
            break
        end += 1
    return term, end


def clusters(text: str) -> Iterator[Cluster]:
    at, dropping = 0, False
    while at < len(text):
        found = emoji_at(text, at)
        if found or separates(text[at]):
            term, end = found or ("", at + 1)
            yield Cluster(term, "emoji" if found else "separator", at, end)
            at, dropping = end, False
            continue
        end = at + 1
        if kind_of(text[at]) not in ("ignored", "apostrophe", "zwsp") or fold(text[at]) != text[at]:
            while end < len(text) and continues(text[end]):
                end += 1
        kept, dropping = without_marks(spread(text[at:end]), dropping)
        yield Cluster(unicodedata.normalize("NFC", kept), "text", at, end)
        at = end
