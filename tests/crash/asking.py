"""What a store answers, to compare before and after damage or a rebuild, and a store's files."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from pathlib import Path

from memory_wire import Memory
from memory_wire.client import Surface
from memory_wire.service import maintenance
from tests.crash.load import WORDS

Answers = list[list[tuple[str, str, float, float]]]


def questions(seed: object, count: int = 12) -> list[str]:
    """Questions of one to six words, common and rare ones, one misspelt, one about a date."""
    chance = random.Random(f"questions {seed}")
    asked = [" ".join(WORDS[int(len(WORDS) * chance.random() ** 2)] for _ in range(1 + number % 6)) for number in range(count - 2)]
    return [*asked, f"{WORDS[3]}q {WORDS[9]}", f"{WORDS[1]} in March 2026"]


def ask(store: Surface, banks: Sequence[str], asked: Sequence[str]) -> Answers:
    """Id, text, score and relevance of each hit of each question in each bank, some with filters."""
    answers = []
    for bank in banks:
        for place, question in enumerate(asked):
            filters: dict[str, object] = {}
            if place % 4 == 1:
                filters["tags"] = ["red"]
            elif place % 4 == 2:
                filters["session"] = "s1"
            elif place % 4 == 3:
                filters |= {"since": "2026-04-01", "exclude_tags": ["blue"]}
            hits = store.recall(question, bank=bank, k=20, budget=100_000, **filters)  # type: ignore[arg-type]
            answers.append([(hit.id, hit.content, hit.score, hit.relevance) for hit in hits])
    return answers


def nothing(done: int, total: int) -> None:
    """Progress that nobody looks at."""


def errors(db: Path) -> list[str]:
    """What `check` calls wrong."""
    return [finding for finding in maintenance.check(str(db), nothing) if not finding.startswith("note: ")]


def reindex(db: Path) -> None:
    maintenance.reindex(str(db), None, nothing)


def index_of(db: Path) -> Path:
    return db.with_name(db.name + ".index")


def index_files(db: Path) -> list[Path]:
    """The files of all banks' indexes but the locks."""
    return sorted(path for path in index_of(db).rglob("*") if path.is_file() and path.name != "LOCK")


def copy(db: Path, folder: Path) -> Path:
    """A copy of a store that nobody has open, as it lies on the disk."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path in (db, db.with_name(db.name + "-wal")):
        if path.exists():
            shutil.copyfile(path, folder / path.name)
    if index_of(db).exists():
        shutil.copytree(index_of(db), index_of(folder / db.name))
    return folder / db.name


def equals_rebuild(db: Path, banks: Sequence[str], asked: Sequence[str]) -> None:
    """Asserts that answers from the index as it is are those from an index made anew; changes the store's index."""
    with Memory(db) as store:
        before = ask(store, banks, asked)
    reindex(db)
    with Memory(db) as store:
        after = ask(store, banks, asked)
    assert before == after
