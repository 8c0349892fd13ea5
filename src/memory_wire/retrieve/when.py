"""Date phrases of a query: which of its words name a day, a month or a year, as terms of the date field. Used by analyse only.

Recognised before stop words are dropped: month names (`may`, `march` and abbreviations only where they can't be anything else), the
numbers beside them, ISO dates, years from 1900 to 2099.
"""

from __future__ import annotations

NAMES = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")
SHORT = {name[:3]: number for number, name in enumerate(NAMES, 1) if name != "may"} | {"sept": 9}
MONTHS = {name: number for number, name in enumerate(NAMES, 1)} | SHORT
DOUBTFUL = frozenset(SHORT) | {"may", "march"}  # words of their own: months only beside a number or after one of these
LEADS = frozenset(("in", "on", "of", "by", "since", "early", "late", "last", "this"))
ORDINALS = frozenset(("st", "nd", "rd", "th"))
FIRST_YEAR, LAST_YEAR = 1900, 2099

Word = tuple[str, int, int]


def day(number: int) -> bytes:
    return b"\x01d%d" % number


def month(number: int) -> bytes:
    return b"\x01m%d" % number


def year(number: int) -> bytes:
    return b"\x01y%d" % number


def dates(text: str, words: list[Word]) -> dict[int, bytes]:
    """Positions of the words that name (part of) a date, each with its term of the date field. `words` as kernels.text.words gives them."""
    found: dict[int, bytes] = {}
    for at, (word, _, _) in enumerate(words):
        if word in MONTHS:
            spoken(words, at, found)
        elif len(word) == 4 and is_year(value := number(words, at)):
            found[at] = year(value)
            iso(text, words, at, found)
    return found


def spoken(words: list[Word], at: int, found: dict[int, bytes]) -> None:
    """`16 June`, `June 16th, 2023`, `16th of June`, `June 2023`: a month name with the numbers beside it."""
    before, after = number(words, at - 1), number(words, at + 1)
    linked = number(words, at - 2) if at > 1 and words[at - 1][0] == "of" else -1
    if words[at][0] in DOUBTFUL and max(before, after, linked) < 0 and not (at and words[at - 1][0] in LEADS):
        return
    found[at] = month(MONTHS[words[at][0]])
    for place, value in ((at - 1, before), (at - 2, linked), (at + 1, after)):
        if 1 <= value <= 31:
            found[place] = day(value)
        elif is_year(value):
            found[place] = year(value)
    if after >= 0 and is_year(value := number(words, at + 2)):
        found[at + 2] = year(value)


def iso(text: str, words: list[Word], at: int, found: dict[int, bytes]) -> None:
    """`2023-06` and `2023-06-16`, also with a time behind; the word at `at` is the year."""
    for place, term, last in ((at + 1, month, 12), (at + 2, day, 31)):
        if place >= len(words):
            return
        word, start, _ = words[place]
        end = words[place - 1][2]
        digits = word[:2] if term is day and word[2:3] == "t" else word
        if start != end + 1 or text[end] != "-" or len(digits) != 2 or not (digits.isascii() and digits.isdigit()):
            return
        if not 1 <= int(digits) <= last:
            return
        found[place] = term(int(digits))


def number(words: list[Word], at: int) -> int:
    """The number a word of up to four digits stands for, `16th` included; -1 for any other word or none."""
    if not 0 <= at < len(words):
        return -1
    word = words[at][0]
    digits = word[:-2] if word[-2:] in ORDINALS else word
    return int(digits) if len(digits) <= 4 and digits.isascii() and digits.isdigit() else -1


def is_year(value: int) -> bool:
    return FIRST_YEAR <= value <= LAST_YEAR
