"""Synthetic memories of about 31 words: recombined sentences of public conversations, names swapped, rare tokens by a Zipf law."""

from __future__ import annotations

import random
import re
from pathlib import Path

from bench.quality.datasets import conversations

NAMES = "Ada Bela Chen Dana Emil Fatou Goro Hana Ivo Jun Kofi Lena Mara Nils Olga Pia Quinn Rosa Sven Tara".split()
WORDS = 31


def corpus(data: Path, count: int, seed: int = 7) -> list[str]:
    """`count` memories; the same for the same seed."""
    chance = random.Random(seed)
    sentences = [s.split() for s in sentences_of(data) if 4 <= len(s.split()) <= 20]
    speakers = re.compile(r"\b(" + "|".join(sorted({name for talk in conversations(data) for name in speakers_of(talk)})) + r")\b")
    rare = [
        f"{chance.choice('bcdfgklmnprstv')}{chance.choice('aeiou')}{chance.choice('bdgklmnrst')}{i:x}" for i in range(max(count // 3, 200))
    ]
    weights = [1 / (rank + 10) for rank in range(len(rare))]
    picks = chance.choices(rare, weights, k=count * 2)
    found = []
    for i in range(count):
        words: list[str] = []
        while len(words) < WORDS - 2:
            words += chance.choice(sentences)
        words = words[: WORDS - 2] + picks[2 * i : 2 * i + 2]
        found.append(speakers.sub(lambda match: chance.choice(NAMES), " ".join(words)))
    return found


def sentences_of(data: Path) -> list[str]:
    """Every sentence said in the conversations."""
    lines = [turn.line.split(": ", 1)[1] for talk in conversations(data) for _, _, turns in talk.sessions for turn in turns]
    return [sentence for line in lines for sentence in re.split(r"(?<=[.!?])\s+", line)]


def speakers_of(talk: object) -> set[str]:
    """Names of the two who talk."""
    return {turn.line.split(":", 1)[0] for _, _, turns in talk.sessions for turn in turns}  # type: ignore[attr-defined]


def questions(data: Path, count: int = 500, seed: int = 11) -> list[str]:
    """Natural questions about the conversations."""
    every = [text for talk in conversations(data) for text, _, category in talk.questions if category in (1, 2, 3, 4)]
    return random.Random(seed).sample(every, count)
