"""The packed analysis that the write path hands to the postings store, made by hand: whitespace words, no stemming, fixed passages."""

from __future__ import annotations

import struct
from collections.abc import Sequence

Passage = tuple[Sequence[bytes], Sequence[bytes]]
"""(counted tokens, extra tokens)"""


def pack(passages: Sequence[Passage]) -> bytes:
    """Packed analysis of passages given by their tokens."""
    out = [struct.pack("<I", len(passages))]
    for counted, extras in passages:
        out.append(struct.pack("<IIHH", 0, 0, len(counted) + len(extras), len(counted)))
        out.extend(bytes([len(token)]) + token for token in (*counted, *extras))
    return b"".join(out)


def pack_text(text: str, words_per_passage: int = 60) -> bytes:
    """Packed analysis of a text, its words cut every so many."""
    words = text.encode().split()
    cuts = range(0, len(words) or 1, words_per_passage)
    return pack([(words[start : start + words_per_passage], ()) for start in cuts])
