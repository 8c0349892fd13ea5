"""`python -m bench.quality beam --data FOLDER`: BEAM's chats as memories at three sizes: turns, exchanges, sessions of ten messages.

FOLDER holds a folder a chat (`1`, `2` …) with `chat.json` (or `chat_trunecated.json`, which the questions are about when it is there) and
`probing_questions/probing_questions.json`, as the published repository has them under `chats/100K` and so on. Gold is the memory that
holds a message named by a question's `source_chat_ids`; questions that name none are left out. One bank a chat, asked alone and nothing
trimmed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.quality.datasets import Bank, Memory, Question
from bench.quality.metrics import HEADS
from bench.quality.runs import loaded, measure, with_fusion
from bench.report import Report

SOURCE = "github.com/mohammadtavakoli78/BEAM, folder chats/100K (or 500K, 1M), commit 5a64c992ba05b489b891221b7bcb6b763493dde5"
MESSAGES = {"turns": 1, "exchanges": 2, "sessions": 10}  # messages of one memory
QUESTIONS = Path("probing_questions") / "probing_questions.json"


def numbers(value: object) -> Iterator[int]:
    """The message ids in a list, or in lists of lists under names."""
    if isinstance(value, int):
        yield value
    elif isinstance(value, list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from numbers(part)


def chats(data: Path) -> list[Path]:
    """The chats' folders by number."""
    return sorted(
        (folder for folder in data.iterdir() if (folder / QUESTIONS).is_file()), key=lambda folder: (len(folder.name), folder.name)
    )


def conversation(folder: Path) -> Path:
    """The file of a chat that its questions are about."""
    cut = folder / "chat_trunecated.json"
    return cut if cut.is_file() else folder / "chat.json"


def bank_of(folder: Path, size: int) -> Bank:
    """A chat in memories of `size` messages; exchanges begin with what the user said."""
    messages = [message for batch in json.loads(conversation(folder).read_text()) for turn in batch["turns"] for message in turn]
    groups: list[list[dict[str, object]]] = []
    for message in messages:
        full = not groups or len(groups[-1]) >= size or (size == 2 and message["role"] == "user")
        groups.append([message]) if full else groups[-1].append(message)
    holder = {message["id"]: f"m{number}" for number, group in enumerate(groups) for message in group}
    memories = [
        Memory(f"m{number}", "\n".join(f"{message['role']}: {message['content']}" for message in group))
        for number, group in enumerate(groups)
    ]
    asked = json.loads((folder / QUESTIONS).read_text())
    questions = []
    for ability, rows in asked.items():
        for row in rows:
            gold = {holder[id] for id in numbers(row.get("source_chat_ids", [])) if id in holder}
            if gold:
                questions.append(Question(row["question"], gold, ability))
    return Bank(f"chat-{folder.name}", memories, questions)


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.quality beam", description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out-md")
    given = parser.parse_args(words)
    folders = chats(given.data) if given.data.is_dir() else []
    if not folders:
        print(f"no chats in {given.data}\nsource: {SOURCE}\nsha256: the table names that of the files it was made from")
        return 2
    digest = hashlib.sha256()
    for folder in folders:
        for file in (conversation(folder), folder / QUESTIONS):
            digest.update(file.read_bytes())
    report = Report("BEAM")
    report.text(f"{len(folders)} chats of folder {given.data.name}, sha256 of their files in order {digest.hexdigest()}.")
    report.text()
    rows: list[list[object]] = []
    for name, size in MESSAGES.items():
        banks = [bank_of(folder, size) for folder in folders]
        shape = [sum(len(bank.memories) for bank in banks), sum(len(bank.questions) for bank in banks)]
        with loaded(banks) as held:
            rows.append([name, "ours", *shape, *measure(held)])
            for ability in sorted({question.category for bank in banks for question in bank.questions}):
                count = sum(question.category == ability for bank in banks for question in bank.questions)
                rows.append([f"  {ability}", "ours", "", count, *measure(held, lambda q, a=ability: q.category == a)])
            with_fusion(held, "reference")
            rows.append([name, "reference", *shape, *measure(held)])
    report.table(["memories are", "ranking", "memories", "questions", *HEADS], rows)
    report.close(given.out_md)
    return 0
