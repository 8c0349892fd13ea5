"""What kernels/text computes, in slow Python: tokens, passages, packed analysis, the prior. Stems come from PyStemmer.

The oracle of tests/kernels/test_text*.py; folding is in folding.py beside it.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import Stemmer

from tests.oracle.folding import STACKERS, TABLES, clusters, fold, kind_of

__all__ = ["analyse", "english_ranks", "fold", "passages", "priors", "sentences", "stem", "terms", "tokens", "unpack", "words"]

TERM_BYTES, HEADER_TOKENS, FULL, MOST = 64, 64, 60, 90
STOP_WORDS = frozenset(
    "what which who whom whose when where why how did do does done is are was were be been am has have had can could will would should "
    "may might the a an of to in on at by for with from and or if any there that this it its as about s t".split()
)
_stemmer = Stemmer.Stemmer("english", 0)
NEWLINES = "\n\v\f\r\x85\u2028\u2029"
STOPS = ".?!\u2026\u0589\u061f\u06d4\u0964\u0965\u104b\u1362\u17d4"
FULL_WIDTH_STOPS = "。！？｡"
CLOSERS = "\"')]}»’”›〉》」』】）"


# ---- tokens ----


class Token(NamedTuple):
    text: str  # folded, cut
    start: int
    end: int
    single: bool = False  # extra: one grapheme of a longer run


def cut(text: str) -> str:
    return text.encode()[:TERM_BYTES].decode(errors="ignore")


class Word:
    """A word under way: its parts between apostrophes, each with where it ends."""

    def __init__(self, start: int) -> None:
        self.start = start
        self.parts = [""]
        self.ends = [start]
        self.at_apostrophe = False

    def add(self, char: str, end: int) -> None:
        if self.at_apostrophe:
            self.parts.append("")
            self.ends.append(end)
            self.at_apostrophe = False
        self.parts[-1] += char
        self.ends[-1] = end

    def tokens(self) -> list[Token]:
        if len(self.parts) > 1 and self.parts[-1] == "s":
            self.parts.pop()
            self.ends.pop()
        return [Token(cut("".join(self.parts)), self.start, self.ends[-1])]


class Run:
    """Graphemes of a script without spaces under way: [text, start, end] each."""

    def __init__(self) -> None:
        self.graphemes: list[tuple[str, int, int]] = []

    def begin(self, char: str, start: int, end: int) -> None:
        self.graphemes.append((char, start, end))

    def add(self, char: str, end: int) -> None:
        text, start, _ = self.graphemes[-1]
        self.graphemes[-1] = (text + char, start, end)

    def takes(self, char: str) -> bool:
        return bool(self.graphemes) and (kind_of(char) == "attached" or self.graphemes[-1][0][-1] in STACKERS)

    def tokens(self) -> list[Token]:
        if len(self.graphemes) == 1:
            text, start, end = self.graphemes[0]
            return [Token(cut(text), start, end)]
        out = []
        for (first, start, middle), (second, _, end) in zip(self.graphemes, self.graphemes[1:], strict=False):
            out += [Token(cut(first + second), start, end), Token(cut(first), start, middle, True)]
        text, start, end = self.graphemes[-1]
        return [*out, Token(cut(text), start, end, True)]


def tokens(text: str) -> list[Token]:
    out: list[Token] = []
    now: Word | Run | None = None

    def close() -> None:
        nonlocal now
        out.extend(now.tokens() if now else [])
        now = None

    for cluster in clusters(text):
        if cluster.kind != "text":
            close()
            out.extend([Token(cut(cluster.text), cluster.start, cluster.end)] if cluster.kind == "emoji" else [])
            continue
        for char in cluster.text:
            kind = kind_of(char)
            if kind == "word":
                if not isinstance(now, Word):
                    close()
                    now = Word(cluster.start)
                now.add(char, cluster.end)
            elif kind == "mark" and now and not (isinstance(now, Word) and now.at_apostrophe):
                now.add(char, cluster.end)
            elif kind in ("grapheme", "attached"):
                if not isinstance(now, Run):
                    close()
                    now = Run()
                if now.takes(char):
                    now.add(char, cluster.end)
                else:
                    now.begin(char, cluster.start, cluster.end)
            elif kind == "apostrophe" and isinstance(now, Word) and not now.at_apostrophe:
                now.at_apostrophe = True
            elif kind == "ignored" or (kind == "zwsp" and isinstance(now, Run)):
                pass
            else:
                close()
    close()
    return out


def words(text: str) -> list[tuple[str, int, int]]:
    return [(token.text, token.start, token.end) for token in tokens(text) if not token.single]


def stem(word: str, language: int = 1) -> str:
    return _stemmer.stemWord(word) if language and word and set(word) <= set("abcdefghijklmnopqrstuvwxyz'") else word


def terms(text: str, language: int = 1) -> list[bytes]:
    return [stem(word, language).encode() for word, _, _ in words(text)]


# ---- passages ----


def sentences(text: str) -> list[tuple[int, int]]:
    """[start, end) of every sentence, white space at its ends left out."""
    out = []
    start = at = 0

    def close(end: int) -> None:
        piece = text[start:end]
        if piece.strip():
            out.append((start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())))

    while at < len(text):
        if text[at] in STOPS + FULL_WIDTH_STOPS:
            stop = at
            while at < len(text) and text[at] in STOPS + FULL_WIDTH_STOPS + CLOSERS:
                at += 1
            if at == len(text) or text[at].isspace() or set(text[stop:at]) & set(FULL_WIDTH_STOPS):
                close(at)
                start = at
            continue
        if text[at] in NEWLINES:
            close(at)
            start = at + 1
        at += 1
    close(len(text))
    return out


class Passage(NamedTuple):
    start: int
    end: int
    counted: list[bytes]
    extra: list[bytes]


class Piece(NamedTuple):
    """A sentence, or a part of one that is too long."""

    start: int
    end: int
    tokens: list[Token]
    words: int
    whole: bool  # ends where its sentence does


def pieces(text: str) -> Iterator[Piece]:
    every = tokens(text)
    for start, end in sentences(text):
        inside = [token for token in every if start <= token.start < end]
        counted = 0
        part: list[Token] = []
        for token in inside:
            if not token.single and counted == MOST:
                yield Piece(start, max(t.end for t in part if not t.single), part, counted, False)
                start, part, counted = token.start, [], 0
            part.append(token)
            counted += not token.single
        if part:
            yield Piece(start, end, part, counted, True)


def passages(text: str, language: int = 1, header: str = "") -> list[Passage]:
    head = header_tokens(header)
    groups: list[list[Piece]] = []
    group: list[Piece] = []
    every = list(pieces(text))
    if every and sum(p.words for p in every) <= MOST:  # a short text is one passage
        groups, every = [every], []
    for piece in every:
        if group and sum(p.words for p in group) + piece.words > MOST:
            groups.append(group)
            group = []
        group.append(piece)
        if not piece.whole or sum(p.words for p in group) >= FULL:
            groups.append(group)
            group = []
    groups += [group] if group else []
    out = [passage(group[0].start, group[-1].end, head, [t for p in group for t in p.tokens], language) for group in groups]
    return out or [passage(0, len(text), head, [], language)]


def header_tokens(header: str) -> list[Token]:
    out: list[Token] = []
    for token in tokens(header):
        if not token.single and sum(not t.single for t in out) == HEADER_TOKENS:
            break
        out.append(token)
    return out


def passage(start: int, end: int, head: list[Token], body: list[Token], language: int) -> Passage:
    every = [*head, *body]
    counted = [stem(token.text, language).encode() for token in every if not token.single]
    return Passage(start, end, counted, [token.text.encode() for token in every if token.single])


def analyse(text: str, language: int = 1, header: str = "") -> bytes:
    found = passages(text, language, header)
    out = [struct.pack("<I", len(found))]
    for start, end, counted, extra in found:
        out.append(struct.pack("<IIHH", start, end, len(counted) + len(extra), len(counted)))
        out += [bytes([len(term)]) + term for term in [*counted, *extra]]
    return b"".join(out)


def unpack(data: bytes) -> list[Passage]:
    """The passages of a packed analysis; every byte must be accounted for."""
    (n,) = struct.unpack_from("<I", data)
    at = 4
    out = []
    for _ in range(n):
        start, end, n_tokens, n_counted = struct.unpack_from("<IIHH", data, at)
        at += 12
        found = []
        for _ in range(n_tokens):
            found.append(data[at + 1 : at + 1 + data[at]])
            at += 1 + data[at]
        out.append(Passage(start, end, found[:n_counted], found[n_counted:]))
    assert at == len(data)
    return out


# ---- the rest ----


@cache
def english_ranks() -> tuple[str, ...]:
    """English words, most frequent first."""
    with open(os.path.join(TABLES, "english-ranks.txt"), encoding="ascii") as lines:
        return tuple(line.strip() for line in lines if not line.startswith("#"))


@cache
def priors() -> dict[bytes, float]:
    out: dict[bytes, float] = {}
    for rank, word in enumerate(english_ranks(), 1):
        out[stem(word).encode()] = out.get(stem(word).encode(), 0.0) + 0.1 / (rank + 2.7)
    return out
