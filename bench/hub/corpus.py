"""A large hub of real sentences: documentation of installed packages, and of the interpreter, in new order. Sizes are those of a wiki."""

from __future__ import annotations

import random
import sys
import sysconfig
from pathlib import Path

DOCUMENTS, SECTIONS, WORDS = 2_000, 20, 55
POOL_CHARS = 6_000_000


def prose() -> list[str]:
    """Words of documentation as they follow each other."""
    texts: list[str] = []
    size = 0
    for path in sorted(Path(sysconfig.get_path("purelib")).rglob("*.md")) + sorted(Path(sysconfig.get_path("purelib")).rglob("*.rst")):
        text = path.read_text(errors="replace")
        texts.append(text)
        size += len(text)
        if size > POOL_CHARS:
            break
    from pydoc_data.topics import topics

    texts += topics.values()
    words = " ".join(texts).split()
    if len(words) < 100_000:
        print(f"only {len(words):,} words of documentation are installed", file=sys.stderr)
    return [word for word in words if word.strip("#=-*`|_") and len(word) < 40]


def documents(count: int = DOCUMENTS) -> list[str]:
    """Markdown of so many documents, always the same for the same installation."""
    words, chance = prose(), random.Random(7)
    found = []
    for number in range(count):
        title = " ".join(words[(at := chance.randrange(len(words) - 60)) : at + 4]).strip(".,:;()")
        parts = [f"# {title} {number}\n\n"]
        for part in range(SECTIONS):
            at = chance.randrange(len(words) - WORDS - 5)
            heading = " ".join(words[at : at + 3]).strip("#.,:;()[]<>") or "Part"
            parts.append(f"## {heading} {part}\n\n{' '.join(words[at + 3 : at + 3 + WORDS])}\n\n")
        found.append("".join(parts))
    return found


def question(words: list[str], chance: random.Random) -> str:
    """A few words that stand together somewhere."""
    at = chance.randrange(len(words) - 10)
    return " ".join(words[at : at + 5])
