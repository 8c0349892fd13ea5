"""Where a text may be cut without tearing what a reader sees as one character: extended grapheme clusters, nearly (UAX #29).

Used by split.py where a line has neither sentences nor blanks.
"""

from __future__ import annotations

JOINER = "\u200d"
REGIONAL = ("\U0001f1e6", "\U0001f1ff")
SKIN = ("\U0001f3fb", "\U0001f3ff")
TAGS = ("\U000e0020", "\U000e007f")
JAMO = ("\u1100", "\u11ff")
SYLLABLES = ("\uac00", "\ud7a3")
LATER_JAMO = "\u1160"


def boundary(text: str, start: int, stop: int, end: int = -1) -> int:
    """The last place up to `stop` where the text may be cut, `start` when there is none; with `end` the first place from `stop` on."""
    if end >= 0:
        while stop < end and joined(text, start, stop):
            stop += 1
        return stop
    while stop > start and joined(text, start, stop):
        stop -= 1
    return stop


def joined(text: str, start: int, at: int) -> bool:
    """Whether the characters on both sides of a place belong together."""
    if at <= start or at >= len(text):
        return False
    before, after = text[at - 1], text[at]
    if after < "\u0300":
        return after == "\n" and before == "\r"
    if after == JOINER or before == JOINER or extends(after):
        return True
    if within(after, REGIONAL) and within(before, REGIONAL):
        first = at - 1
        while first > start and within(text[first - 1], REGIONAL):
            first -= 1
        return (at - first) % 2 == 1
    if within(after, JAMO):
        return within(before, JAMO) or (after >= LATER_JAMO and within(before, SYLLABLES))
    return within(before, JAMO) and before < LATER_JAMO and within(after, SYLLABLES)


def within(letter: str, ends: tuple[str, str]) -> bool:
    return ends[0] <= letter <= ends[1]


def extends(letter: str) -> bool:
    """Whether the character only goes on with the one before it: marks, skin tones, tags of flags."""
    from unicodedata import category  # of few documents

    return category(letter)[0] == "M" or within(letter, SKIN) or within(letter, TAGS)
