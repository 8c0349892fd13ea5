"""What a paragraph of Markdown sets off: code, emphasis, the words of links, `[[titles]]`, hashtags. Used by gist.py.

A reading for words, not for rendering: what it takes for emphasis may differ from CommonMark in odd cases.
"""

from __future__ import annotations

LONGEST = 80  # characters of what is set off
WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
MARKS = ("**", "__", "*", "_")
QUOTED = {"「": "」", "『": "』", "《": "》"}  # how Chinese and Japanese set a term off


def without_code(text: str) -> tuple[str, list[str]]:
    """(the text with blanks in place of the code in it, that code)."""
    if "`" not in text:
        return text, []
    codes: list[str] = []
    parts: list[str] = []
    at = 0
    while (start := text.find("`", at)) >= 0:
        end = start
        while text.startswith("`", end):
            end += 1
        stop = closing(text, end, end - start)
        parts.append(text[at:start])
        if stop < 0:
            parts.append(" " * (end - start))
            at = end
            continue
        codes.append(text[end:stop].strip())
        at = stop + end - start
        parts.append(" " * (at - start))
    parts.append(text[at:])
    return "".join(parts), codes


def closing(text: str, at: int, size: int) -> int:
    """Where the next run of so many backticks is; -1 when there is none."""
    ticks = "`" * size
    while (found := text.find(ticks, at)) >= 0:
        at = found
        while text.startswith("`", at):
            at += 1
        if at - found == size:
            return found
    return -1


def emphasised(text: str) -> list[str]:
    """What stands between marks of emphasis or in the brackets of Chinese and Japanese, innermost marks off."""
    found: list[str] = []
    for mark in MARKS:
        if mark not in text:
            continue
        at = 0
        while (start := text.find(mark, at)) >= 0:
            at = start + len(mark)
            end = text.find(mark, at)
            if end < 0:
                break
            inner = text[at:end]
            if fits(text, start, inner, mark):
                found.append(inner)
                at = end + len(mark)
        if len(mark) == 2:
            text = text.replace(mark, "\n")
    for opener, closer in QUOTED.items():
        for part in text.split(opener)[1:]:
            inner, sign, _ = part.partition(closer)
            if sign and 0 < len(inner) <= LONGEST:
                found.append(inner)
    return [inner.strip("*_ ") for inner in found]


def fits(text: str, start: int, inner: str, mark: str) -> bool:
    """Whether the text behind an opening mark is emphasis of it."""
    if not 0 < len(inner) <= LONGEST or inner[0] in " \n*_" or inner[-1] in " \n" or "\n" in inner:
        return False
    return not (mark[0] == "_" and start > 0 and text[start - 1] in WORD)


def link_words(text: str) -> list[str]:
    """The words of links, and titles in double brackets."""
    found = []
    for part in text.split("](")[:-1]:
        start = part.rfind("[")
        if start >= 0 and 0 < len(part) - start - 1 <= LONGEST:
            found.append(part[start + 1 :])
    for part in text.split("[[")[1:]:
        inner, sign, _ = part.partition("]]")
        title = inner.partition("|")[0].partition("#")[0].strip()
        if sign and 0 < len(title) <= LONGEST:
            found.append(title.rpartition("/")[2])
    return found


def hashtags(text: str) -> list[str]:
    """Words with a `#` right before them, which stands behind a blank."""
    found, before = [], ""
    for word in text.split() if "#" in text else ():
        name = word[1:].rstrip(".,;:!?)")
        if word[0] == "#" and 1 < len(name) <= LONGEST and not name.isdigit() and not before.endswith("]:") and tagging(name):
            found.append(name)
        before = word
    return found


def tagging(name: str) -> bool:
    return all(letter.isalnum() or letter in "-_/" for letter in name)
