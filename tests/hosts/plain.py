"""JSON with comments read the slow way, as a judge of the editor: a loop drops comments and trailing commas, json does the rest."""

from __future__ import annotations

import json


def bare(text: str) -> str:
    """The text without byte order mark, comments and trailing commas."""
    out: list[str] = []
    at = 1 if text.startswith("\ufeff") else 0
    while at < len(text):
        if text[at] == '"':
            end = at + 1
            while text[end] != '"':
                end += 2 if text[end] == "\\" else 1
            out.append(text[at : end + 1])
            at = end + 1
        elif text.startswith("//", at):
            while at < len(text) and text[at] not in "\r\n":
                at += 1
        elif text.startswith("/*", at):
            at = text.index("*/", at) + 2
        else:
            if text[at] in "}]":
                last = next((i for i in range(len(out) - 1, -1, -1) if out[i].strip()), None)
                if last is not None and out[last] == ",":
                    del out[last]
            out.append(text[at])
            at += 1
    return "".join(out)


def load(text: str) -> object:
    """The value; of keys given twice the last one counts."""
    return json.loads(bare(text))
