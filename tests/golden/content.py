"""What the golden index folder holds: a bank of fixed rows, some of them removed before, some after sealing."""

from __future__ import annotations

from tests.oracle.truth import Truth

SEALED = 300
TEXTS = [
    "Alice keeps the spare key under the blue pot.",
    "El niño estudió en la universidad de Málaga.",
    "東京タワーへ行きました。とても楽しかった！",
    "release 2.4.1 fixed the token_bucket limiter, don't roll back 🎉",
    "\n".join(f"Speaker {number % 3}: sentence number {number} of a talk about gardens, weather and trains." for number in range(40)),
]


def truth() -> Truth:
    """The store when the folder was sealed."""
    bank = Truth()
    for number in range(SEALED):
        session = number % 4 - 1
        fields = (b"\x01d%d" % (number % 28 + 1), b"\x01y2023", b"\x02" + (b"red", b"blue", "größe".encode())[number % 3])
        text = f"{TEXTS[number % len(TEXTS)]} note {number}"
        bank.insert(text, 1_680_000_000_000 + number * 86_400_000, session, number // 4 if session >= 0 else -1, fields, number % 8)
        if number % 10 == 9:
            bank.remove(number - 4)
    return bank


def bury(bank: Truth) -> None:
    """Removals made after the first segment was sealed: tombstones in the manifest."""
    for unit_id in range(3, SEALED, 50):
        bank.remove(unit_id)
