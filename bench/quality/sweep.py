"""`python -m bench.quality sweep`: what each part of the score is worth, from the parts that `explain` tells.

Every stream alone; every part at several weights, with how many questions it lifts above or drops below rank 1 and 5; and the weights
chosen on nine conversations measured on the tenth, so that a fitted figure never stands without a held-out one. `--set NAME` (default
locomo-session). What is selected as a candidate stays the same throughout; only the order is made anew.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from zlib import crc32

from bench.quality import datasets
from bench.quality.metrics import HEADS, mean, score
from bench.quality.runs import UNLIMITED, Loaded, loaded
from bench.report import Report

PARTS = ("own", "date", "session", "neighbours", "speaker")
STREAMS = (*PARTS, "passage bm25", "coverage", "bigrams", "relevance")
WEIGHTS = (0.0, 0.5, 1.0, 1.5, 2.0)
GRID = {"date": (0.5, 1.0, 2.0), "session": (0.0, 1.0, 2.0), "neighbours": (0.0, 1.0, 2.0), "speaker": (0.0, 1.0, 2.0)}
Weights = dict[str, float]
Scores = tuple[float, ...]


@dataclass
class Asked:
    """One question's pool: (name, value by stream) in the order it was served."""

    bank: str
    gold: set[str]
    pool: list[tuple[str, dict[str, float]]]

    def measured(self, value: Callable[[dict[str, float]], float]) -> Scores:
        """Metrics of the pool in the order of a value, highest first; equal ones as they were served."""
        return score([name for name, streams in sorted(self.pool, key=lambda row: -value(row[1]))], self.gold)

    def alone(self, stream: str) -> Scores:
        """The same for one stream; equal ones in an order that knows nothing of the others."""
        return score([name for name, streams in sorted(self.pool, key=lambda row: (-row[1][stream], crc32(row[0].encode())))], self.gold)


def streams_of(explained: dict[str, dict[str, float]]) -> dict[str, float]:
    """The values of one hit by stream."""
    parts, passage = explained["parts"], explained["passage"]
    return {
        **{name: parts[name] for name in PARTS if name != "neighbours"},
        "neighbours": parts["previous"] + parts["next"],
        "passage bm25": passage["bm25"],
        "coverage": passage["coverage"],
        "bigrams": passage["bigrams"],
        "relevance": explained["relevance"],
    }


def asked(banks: list[Loaded]) -> Iterator[Asked]:
    """Every question with gold."""
    for bank in banks:
        for question in bank.bank.questions:
            if question.gold:
                hits = bank.store.recall(question.text, bank=bank.bank.name, budget=UNLIMITED, explain=True)
                yield Asked(bank.bank.name, bank.gold(question), [(bank.key[hit.id], streams_of(hit.explain)) for hit in hits])


def total(weights: Weights) -> Callable[[dict[str, float]], float]:
    """The score with some parts weighted anew."""
    return lambda streams: sum(weights.get(name, 1.0) * streams[name] for name in PARTS)


def against(shipped: list[Scores], other: list[Scores], column: int) -> str:
    """Questions lifted and dropped, `up/down`."""
    up = sum(new[column] > old[column] for old, new in zip(shipped, other, strict=True))
    down = sum(new[column] < old[column] for old, new in zip(shipped, other, strict=True))
    return f"{up}/{down}"


def weighted(report: Report, questions: list[Asked], shipped: list[Scores]) -> None:
    """One part at a time."""
    rows: list[list[object]] = []
    for name in PARTS[1:]:
        if not any(streams[name] for q in questions for _, streams in q.pool):
            continue
        for weight in WEIGHTS:
            values = [q.measured(total({name: weight})) for q in questions]
            rows.append([name, f"{weight:g}", *mean(values), against(shipped, values, 0), against(shipped, values, 1)])
    report.text("Each part at several weights; 1 is what ships.")
    report.table(["part", "weight", *HEADS, "rank 1 up/down", "rank 5 up/down"], rows)


def held_out(report: Report, questions: list[Asked], shipped: list[Scores]) -> None:
    """The grid's best on all questions, and the best of nine conversations on the tenth."""
    used = {name: weights for name, weights in GRID.items() if any(streams[name] for q in questions for _, streams in q.pool)}
    points: list[Weights] = [dict(zip(used, values, strict=True)) for values in product(*used.values())]
    found = [[q.measured(total(point)) for q in questions] for point in points]

    def best(wanted: Callable[[Asked], bool]) -> int:
        """The point with the highest R@1 + R@5 + N@10 over some questions."""
        chosen = [i for i, q in enumerate(questions) if wanted(q)]
        return max(range(len(points)), key=lambda p: sum(found[p][i][0] + found[p][i][1] + found[p][i][4] for i in chosen))

    fitted = best(lambda q: True)
    outside: list[Scores] = [()] * len(questions)
    choices = []
    for bank in dict.fromkeys(q.bank for q in questions):
        point = best(lambda q, bank=bank: q.bank != bank)
        choices.append(point)
        for i, q in enumerate(questions):
            if q.bank == bank:
                outside[i] = found[point][i]
    named = ", ".join(f"{name} {weight:g}" for name, weight in points[fitted].items())
    rows: list[list[object]] = [
        ["what ships", *mean(shipped), "", ""],
        [f"fitted on all: {named}", *mean(found[fitted]), against(shipped, found[fitted], 0), against(shipped, found[fitted], 1)],
        ["held out: chosen on the others", *mean(outside), against(shipped, outside, 0), against(shipped, outside, 1)],
    ]
    report.text(f"{len(points)} combinations of weights; {len(set(choices))} different ones were chosen over {len(choices)} conversations.")
    report.table(["weights", *HEADS, "rank 1 up/down", "rank 5 up/down"], rows)


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.quality sweep", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[3] / "shared" / "data")
    parser.add_argument("--set", nargs="*", default=["locomo-session"])
    parser.add_argument("--out-md")
    given = parser.parse_args(words)
    report = Report("What each part of the score is worth")
    for name, banks in datasets.sets(given.data):
        if name not in given.set:
            continue
        with loaded(banks) as held:
            questions = list(asked(held))
        shipped = [q.measured(total({})) for q in questions]
        report.text(f"## {name}: {len(questions)} questions")
        report.text()
        alone = [(stream, [q.alone(stream) for q in questions]) for stream in STREAMS]
        report.text("Each stream alone.")
        report.table(["stream", *HEADS], [["all, as shipped", *mean(shipped)], *([stream, *mean(values)] for stream, values in alone)])
        weighted(report, questions, shipped)
        held_out(report, questions, shipped)
    report.close(given.out_md)
    return 0
