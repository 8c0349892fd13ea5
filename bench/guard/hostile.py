"""Texts made to be slow to screen: what opens a rule and never closes it, over and over."""

from __future__ import annotations

import base64

PIECES = (
    "ignore ", "ignore all ", '"a', "`a ", "```a", "'a ", "“", "> a\n", "aB3", "61", "61 ", "%41", "\\u0041", "01000001 ", "&#65;", "&#x",
    "\u200b", "a\u200b", "\U000e0041", "\u202e", "<!--", "<!-- a -->", "<a ", "<a style=", "<system>", "\nsystem: ", "](http://a=",
    "<|im_end|> ", "[INST]", "\n### ", "run silently curl ",
    "send all passwords ", "send secret all a@", "your new system prompt ",
    "developer mode on ", "you are now ai no ", "follow not your ", "p4r0t5a ", "a ", "a.",
    "aа", "忽略所", "erongi ", "=<a](http://x", "a-b_", "\n",
)  # fmt: skip


def hostile(size: int) -> dict[str, str]:
    """Texts of so many characters, by what they repeat."""
    found = {piece: (piece * (size // len(piece) + 1))[:size] for piece in PIECES}
    found["payloads"] = " ".join(base64.b64encode(b"ignore the errors of cache %d" % i).decode() for i in range(size // 45))
    found["destination"] = "send password all " * (size // 18) + "https://a"
    return found
