"""How many lines at the start of a paragraph are link reference definitions (CommonMark 0.31, section 4.7). Used by blocks.py."""

from __future__ import annotations

LABEL = 999  # characters


def defining(lines: list[str]) -> int:
    """Lines of the definitions that the paragraph begins with."""
    text = "\n".join([line.strip(" \t") for line in lines])
    at = 0
    while text.startswith("[", at):
        end = definition(text, at)
        if end < 0:
            break
        at = end
    return text.count("\n", 0, at) if at < len(text) else len(lines)


def definition(text: str, at: int) -> int:
    """Where the line after a definition begins; -1 when there is none."""
    at = label(text, at)
    if at < 0 or not text.startswith(":", at):
        return -1
    at = destination(text, blanks(text, at + 1))
    if at < 0:
        return -1
    plain = line_end(text, at)  # without a title
    gap = blanks(text, at)
    if gap == at:
        return plain
    end = title(text, gap)
    titled = line_end(text, end) if end >= 0 else -1
    return titled if titled >= 0 else plain


def label(text: str, at: int) -> int:
    """Past `[label]`."""
    start = at = at + 1
    while at < len(text) and at - start <= LABEL:
        letter = text[at]
        if letter == "\\":
            at += 1
        elif letter == "[":
            return -1
        elif letter == "]":
            return at + 1 if text[start:at].strip() else -1
        at += 1
    return -1


def destination(text: str, at: int) -> int:
    """Past a link's destination."""
    if text.startswith("<", at):
        at += 1
        while at < len(text) and text[at] not in "\n<>":
            at += 2 if text[at] == "\\" else 1
        return at + 1 if text.startswith(">", at) else -1
    start, depth = at, 0
    while at < len(text):
        letter = text[at]
        if letter == "\\" and text[at + 1 : at + 2] not in ("", " ", "\n"):
            at += 1
        elif letter <= " " or letter == "\x7f":
            break
        elif letter == "(":
            depth += 1
        elif letter == ")":
            if not depth:
                break
            depth -= 1
        at += 1
    return at if at > start and not depth else -1


def title(text: str, at: int) -> int:
    """Past a link's title."""
    opener = text[at : at + 1]
    if not opener or opener not in "\"'(":
        return -1
    closer = ")" if opener == "(" else opener
    at += 1
    while at < len(text):
        letter = text[at]
        if letter == closer:
            return at + 1
        if letter == "(" and opener == "(":
            return -1
        at += 2 if letter == "\\" else 1
    return -1


def blanks(text: str, at: int) -> int:
    """Past blanks and at most one line end."""
    ends = 0
    while at < len(text) and (text[at] in " \t" or (text[at] == "\n" and not ends)):
        ends += text[at] == "\n"
        at += 1
    return at


def line_end(text: str, at: int) -> int:
    """Where the next line begins, if only blanks are left of this one; else -1."""
    while at < len(text) and text[at] in " \t":
        at += 1
    if at == len(text):
        return at
    return at + 1 if text[at] == "\n" else -1
