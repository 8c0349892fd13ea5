"""Writes unicode_tables.h (classes, folding, composition for csrc/fold.c) and assigned.txt (what that Unicode version assigns).

Run `python csrc/tables/make_unicode.py` with the oldest supported Python: every newer one knows all of its code points. Facts beyond
unicodedata come from facts.py.
"""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Iterable, Sequence

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import facts  # noqa: E402

CLASSES = ("SEPARATOR", "WORD", "MARK", "GRAPHEME", "ATTACHED", "IGNORED", "APOSTROPHE", "EMOJI", "REGIONAL", "ZWSP", "MIXED")
MAPPED, CONTINUES, LATIN_GREEK, IS_MARK, IS_SPACE, DECOMPOSES, DEFERRED = (1 << bit for bit in range(7))
PAGE, MAP_PAGE = 128, 64
YPOGEGRAMMENI = "\u0345"  # a mark that case folding makes a letter: only after canonical ordering
EVERY = [chr(point) for point in range(0x110000)]


def category(char: str) -> str:
    return unicodedata.category(char)


def latin_or_greek(char: str) -> bool:
    return category(char)[0] == "L" and unicodedata.name(char, "").startswith(("LATIN ", "GREEK "))


def hangul(char: str) -> bool:
    return "\uac00" <= char <= "\ud7a3"


def fold(text: str) -> str:
    spread = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    kept: list[str] = []
    base_drops = False
    for char in spread:
        if category(char)[0] == "M":
            if base_drops:
                continue
        else:
            base_drops = latin_or_greek(char)
        kept.append(char)
    return unicodedata.normalize("NFC", "".join(kept))


def surrogate(char: str) -> bool:
    return category(char) == "Cs"


def folding() -> dict[str, str]:
    """Folded text of every code point it changes, one by one; Hangul syllables are done by arithmetic."""
    table = {char: fold(char) for char in EVERY if not surrogate(char) and not hangul(char)}
    table = {char: folded for char, folded in table.items() if folded != char}
    del table[YPOGEGRAMMENI]
    table["\u037a"] = " " + YPOGEGRAMMENI
    return table


def compositions(table: dict[str, str]) -> list[tuple[str, str, str]]:
    """(first, second, composite) of the primary composites that survive folding."""
    found = []
    for char in EVERY:
        parts = unicodedata.decomposition(char).split()
        if len(parts) == 2 and parts[0][0] != "<" and char not in table and unicodedata.normalize("NFC", char) == char:
            first, second = (chr(int(part, 16)) for part in parts)
            found.append((first, second, char))
    return sorted(found)


class Classifier:
    """Token class of a code point, as it stands in folded text; of one that folding changes, what it turns into."""

    def __init__(self, table: dict[str, str]) -> None:
        self.table = table
        named = {
            "EMOJI": facts.EMOJI + facts.SKIN_TONES, "REGIONAL": facts.REGIONAL, "APOSTROPHE": facts.APOSTROPHES,
            "IGNORED": facts.IGNORABLE + facts.TATWEEL, "ZWSP": "200B", "SEPARATOR": facts.NO_WORD, "ATTACHED": facts.ATTACHED,
        }  # fmt: skip
        self.given = {chr(point): name for name, ranges in reversed(named.items()) for point in facts.points(ranges)}

    def plain(self, char: str) -> str:
        kind = category(char)
        if kind[0] == "M":
            return "MARK"
        if kind[0] not in "LN":
            return "SEPARATOR"
        if (kind[0] == "L" or kind == "Nl") and unicodedata.name(char, "").startswith(facts.SPACELESS_NAMES):
            return "GRAPHEME"
        return "WORD"

    def of(self, char: str) -> str:
        if char == YPOGEGRAMMENI:
            return "MIXED"
        given = self.given.get(char)
        if char not in self.table:
            return given or self.plain(char)
        if given == "SEPARATOR":
            return given
        inside = [self.of(part) for part in self.table[char]]
        return "SEPARATOR" if inside[0] == "SEPARATOR" and set(inside) <= {"SEPARATOR", "MARK", "IGNORED"} else "MIXED"


def records(table: dict[str, str], pairs: Sequence[tuple[str, str, str]]) -> list[tuple[int, int, int]]:
    """(class, combining class, flags) of every code point."""
    classify = Classifier(table)
    seconds = {second for _, second, _ in pairs} | {chr(c) for c in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}
    composites = {composite for _, _, composite in pairs}
    out = []
    for char in EVERY:
        if surrogate(char):
            out.append((0, 0, 0))
            continue
        head = unicodedata.normalize("NFD", table.get(char, char))[0]
        flags = MAPPED * (char in table) | LATIN_GREEK * latin_or_greek(char) | IS_MARK * (category(char)[0] == "M")
        flags |= CONTINUES * (unicodedata.combining(head) != 0 or head in seconds) | IS_SPACE * char.isspace()
        flags |= DECOMPOSES * (char in composites or hangul(char)) | DEFERRED * (YPOGEGRAMMENI in table.get(char, char))
        out.append((CLASSES.index(classify.of(char)), unicodedata.combining(char), flags))
    return out


def two_stage(values: Sequence[int], page: int) -> tuple[list[int], list[int]]:
    """Index of pages and the distinct pages one after another, so that value = pages[index[i / page] * page + i % page]."""
    seen: dict[tuple[int, ...], int] = {}
    index = []
    for at in range(0, len(values), page):
        index.append(seen.setdefault(tuple(values[at : at + page]), len(seen)))
    return index, [value for block in seen for value in block]


def mapping(table: dict[str, str]) -> tuple[list[int], list[int]]:
    """Per code point its place in the pool (0: none); in the pool a length, then the code points."""
    pool = [0]
    places: dict[str, int] = {}
    at = []
    for char in EVERY:
        folded = table.get(char)
        if folded is not None and folded not in places:
            places[folded] = len(pool)
            pool += [len(folded), *map(ord, folded)]
        at.append(places[folded] if folded is not None else 0)
    return at, pool


def array(kind: str, name: str, values: Iterable[object]) -> str:
    lines, line = [], ""
    for value in map(str, values):
        if len(line) + len(value) > 136:
            lines.append(line)
            line = ""
        line += value + ","
    return f"const {kind} {name}[] = {{\n" + "\n".join([*lines, line]) + "\n};\n"


def braced(values: Iterable[int]) -> str:
    return "{" + ",".join(map(str, values)) + "}"


def header() -> str:
    table = folding()
    pairs = compositions(table)
    rows = records(table, pairs)
    distinct = sorted(set(rows))
    number = {row: place for place, row in enumerate(distinct)}
    assert len(distinct) < 256
    prop_index, prop_pages = two_stage([number[row] for row in rows], PAGE)
    places, pool = mapping(table)
    map_index, map_pages = two_stage(places, MAP_PAGE)
    assert max(prop_index) < 256 and max(map_index) < 256 and len(pool) < 65536
    order = sorted(range(len(pairs)), key=lambda place: pairs[place][2])
    version = unicodedata.unidata_version
    return "\n".join([
        f"/* Generated by make_unicode.py from Unicode {version}. Do not edit.",
        "   Unicode data: Copyright 1991-2021 Unicode, Inc., under the Unicode Licence. */",
        f'#define MW_UNICODE_VERSION "{version}"',
        f"#define MW_N_PAIRS {len(pairs)}",
        array("uint8_t", "mw_prop_index", prop_index), array("uint8_t", "mw_prop_pages", prop_pages),
        array("mw_props", "mw_prop_records", map(braced, distinct)),
        "static " + array("uint8_t", "map_index", map_index), "static " + array("uint16_t", "map_pages", map_pages),
        "static " + array("uint32_t", "map_pool", pool),
        "static " + array("mw_pair", "pairs", (braced(map(ord, pair)) for pair in pairs)),
        "static " + array("uint16_t", "pairs_by_composite", order),
    ])  # fmt: skip


def assigned() -> str:
    """Hexadecimal ranges of everything with a category in this version."""
    ranges: list[list[int]] = []
    for char in EVERY:
        if category(char) == "Cn":
            continue
        if ranges and ranges[-1][1] == ord(char) - 1:
            ranges[-1][1] = ord(char)
        else:
            ranges.append([ord(char), ord(char)])
    items = [f"{first:X}-{last:X}" if first < last else f"{first:X}" for first, last in ranges]
    lines = [" ".join(items[at : at + 12]) for at in range(0, len(items), 12)]
    return "\n".join([f"# assigned in Unicode {unicodedata.unidata_version}, generated by make_unicode.py", *lines, ""])


if __name__ == "__main__":
    for name, text in (("unicode_tables.h", header()), ("assigned.txt", assigned())):
        with open(os.path.join(HERE, name), "w", encoding="ascii") as out:
            out.write(text)
