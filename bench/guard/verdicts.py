"""What was judged about redacted sentences: judged.txt knows them by a hash, the sentences themselves stay where they are."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

JUDGED = Path(__file__).with_name("judged.txt")


def mark(text: str) -> str:
    """What a sentence is known by."""
    return sha256(text.encode()).hexdigest()[:16]


def judged() -> dict[str, str]:
    """The verdicts by mark: `right` or `wrong`."""
    lines = [line.split() for line in JUDGED.read_text().splitlines() if line and not line.startswith("#")]
    return {line[0]: line[1] for line in lines}
