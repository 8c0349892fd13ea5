"""What a heading says, without its marks, and the anchor that leads to it. Used by sections.py."""

from __future__ import annotations

from memory_wire.hub.html import ALPHA

PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
ENTITIES = {"amp": "&", "apos": "'", "gt": ">", "lt": "<", "nbsp": " ", "quot": '"'}
ENTITY_CHARS = 9
KEPT = frozenset("-_ ")


def plain(text: str) -> str:
    """The text of inline Markdown: of code, links and pictures their words; no emphasis, HTML, escapes. On one line."""
    if not any(mark in text for mark in "\\`*_[<&~"):
        return " ".join(text.split())
    parts: list[str] = []
    marks: list[tuple[int, str]] = []  # runs of emphasis: place in parts, what they open or close
    brackets: list[int] = []  # places in parts of brackets that may be links
    ends = closing(text)
    at = 0
    while at < len(text):
        at = step(text, at, parts, marks, brackets, ends)
    unmark(parts, marks)
    return " ".join("".join(parts).split())


def step(text: str, at: int, parts: list[str], marks: list[tuple[int, str]], brackets: list[int], ends: dict[int, int]) -> int:
    """Takes one piece of the text; where the next begins."""
    letter = text[at]
    if letter == "\\" and text[at + 1 : at + 2] in PUNCTUATION and at + 1 < len(text):
        parts.append(text[at + 1])
        return at + 2
    if letter == "`":
        return code(text, at, parts)
    if letter in "*_~":
        end = at
        while text.startswith(letter, end):
            end += 1
        marks.append((len(parts), flanks(text, at, end)))
        parts.append(text[at:end])
        return end
    if letter == "[" or text.startswith("![", at):
        brackets.append(len(parts))
        parts.append("[" if letter == "[" else "![")
        return at + len(parts[-1])
    if letter == "]" and brackets:
        return bracket(at, parts, brackets.pop(), ends)
    if letter == "<":
        return tag(text, at, parts)
    if letter == "&":
        return entity(text, at, parts)
    parts.append(letter)
    return at + 1


def code(text: str, at: int, parts: list[str]) -> int:
    """A span of code, else the backticks."""
    end = at
    while text.startswith("`", end):
        end += 1
    ticks, stop = text[at:end], end
    while (stop := text.find(ticks, stop)) >= 0:
        after = stop + len(ticks)
        if not text.startswith("`", after):
            parts.append(text[end:stop].strip(" ") or " ")
            return after
        while text.startswith("`", after):
            after += 1
        stop = after
    parts.append(ticks)
    return end


def bracket(at: int, parts: list[str], place: int, ends: dict[int, int]) -> int:
    """The end of a link's words: with what follows it is one, else a bracket in the text."""
    end = ends.get(at + 1)
    if end is None:
        parts.append("]")
        return at + 1
    parts[place] = ""
    return end + 1


def closing(text: str) -> dict[int, int]:
    """Where each round or square bracket is closed."""
    found: dict[int, int] = {}
    opened: dict[str, list[int]] = {")": [], "]": []}
    at = 0
    while at < len(text):
        letter = text[at]
        if letter == "\\":
            at += 1
        elif letter in "([":
            opened[")" if letter == "(" else "]"].append(at)
        elif letter in ")]" and opened[letter]:
            found[opened[letter].pop()] = at
        at += 1
    return found


def tag(text: str, at: int, parts: list[str]) -> int:
    """An address in angle brackets is its words, a tag is nothing."""
    end = text.find(">", at)
    inner = text[at + 1 : end] if end > 0 else ""
    if not inner or (inner[0] not in ALPHA and inner[0] not in "/!?"):
        parts.append("<")
        return at + 1
    if (":" in inner or "@" in inner) and " " not in inner:
        parts.append(inner)
    return end + 1


def entity(text: str, at: int, parts: list[str]) -> int:
    """A character reference: of the few that headings have, or by number."""
    end = text.find(";", at, at + ENTITY_CHARS)
    name = text[at + 1 : end] if end > 0 else ""
    found = ENTITIES.get(name)
    if found is None and name.startswith("#"):
        digits, base = (name[2:], 16) if name[1:2] in ("x", "X") else (name[1:], 10)
        try:
            found = chr(int(digits, base)) if digits.isalnum() else None
        except (ValueError, OverflowError):
            found = None
        if found is not None and ("\ud800" <= found <= "\udfff" or found == "\0"):
            found = "\ufffd"
    parts.append("&" if found is None else found)
    return at + 1 if found is None else end + 1


def flanks(text: str, at: int, end: int) -> str:
    """Which way a run of emphasis marks can work: `<` opens, `>` closes, both or neither."""
    before, after = text[at - 1 : at], text[end : end + 1]
    opens = bool(after.strip()) and (not before.strip() or before in PUNCTUATION or after not in PUNCTUATION)
    closes = bool(before.strip()) and (not after.strip() or after in PUNCTUATION or before not in PUNCTUATION)
    if text[at] == "_":  # not within words
        opens, closes = opens and (not closes or before in PUNCTUATION), closes and (not opens or after in PUNCTUATION)
    if text[at] == "~" and end - at > 2:
        return ""
    return "<" * opens + ">" * closes


def unmark(parts: list[str], marks: list[tuple[int, str]]) -> None:
    """Takes out the emphasis marks that belong together."""
    opened: dict[str, list[int]] = {"*": [], "_": [], "~": []}
    for place, ways in marks:
        mine = opened[parts[place][0]]
        while ">" in ways and parts[place] and mine:
            other = mine[-1]
            for places in opened.values():  # what was opened in between isn't closed any more
                while places and places[-1] > other:
                    places.pop()
            size = min(len(parts[other]), len(parts[place]))
            parts[other], parts[place] = parts[other][size:], parts[place][size:]
            if not parts[other]:
                mine.pop()
        if "<" in ways and parts[place]:
            mine.append(place)


def slug(title: str, used: dict[str, int]) -> str:
    """The anchor of a heading, as GitHub makes it: lower case, blanks to hyphens, no punctuation; repeated ones get `-1`, `-2`."""
    kept = [letter for letter in title.lower() if letter.isalnum() or letter in KEPT or is_mark(letter)]
    base = found = "".join(kept).strip().replace(" ", "-")
    while found in used:
        used[base] += 1
        found = f"{base}-{used[base]}"
    used[found] = 0
    return found


def is_mark(letter: str) -> bool:
    """Whether a letter of some script only stands with another one."""
    if letter < "\u0300":
        return False
    from unicodedata import category  # of few headings

    return category(letter)[0] == "M"
