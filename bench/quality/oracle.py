"""`python -m bench.quality oracle`: where the first gold memory stands in what recall returns, and how often it is there at all (R@pool).

What a perfect order of the same pool would reach is R@pool; the rest is ordering. `--set NAME…` as for the table.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bench.quality import datasets
from bench.quality.runs import Loaded, loaded, with_fusion
from bench.report import Report

BOUNDS = ((1, 1), (2, 5), (6, 10), (11, 20), (21, 50), (51, 10**9))
HEADS = ("at 1", "2-5", "6-10", "11-20", "21-50", "51 on", "absent")


def places(banks: list[Loaded]) -> Counter[str]:
    """How many questions have their first gold memory in each range."""
    found: Counter[str] = Counter()
    for bank in banks:
        for question in bank.bank.questions:
            gold = bank.gold(question)
            if not gold:
                continue
            first = next((rank for rank, name in enumerate(bank.ranked(question), 1) if name in gold), None)
            at = None if first is None else next(i for i, (low, high) in enumerate(BOUNDS) if low <= first <= high)
            found[HEADS[-1 if at is None else at]] += 1
    return found


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.quality oracle", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[3] / "shared" / "data")
    parser.add_argument("--set", nargs="*", default=[])
    parser.add_argument("--out-md")
    given = parser.parse_args(words)
    report = Report("Where the first gold memory stands")
    rows: list[list[object]] = []
    for name, banks in datasets.sets(given.data):
        if given.set and name not in given.set:
            continue
        with loaded(banks) as held:
            for ranking in ("ours", "reference"):
                if ranking == "reference":
                    with_fusion(held, ranking)
                found = places(held)
                total = found.total()
                rows.append([name, ranking, total, *(found[head] for head in HEADS), 100 * (total - found["absent"]) / total])
    report.table(["set", "ranking", "questions", *HEADS, "R@pool"], rows)
    report.close(given.out_md)
    return 0
