"""The recall curve: 32 needles among distractors, by the size of the bank."""

from __future__ import annotations

import argparse

from bench.quality.datasets import curve
from bench.quality.metrics import HEADS
from bench.quality.runs import loaded, measure
from bench.report import Report
from bench.speed.timing import percentiles

REFERENCE = {1_000: (71.9, 96.9, 1_015), 10_000: (75.0, 84.4, 6_129), 50_000: (75.0, 90.6, 34_999), 100_000: (71.9, 90.6, 71_331)}
BUDGET = 2_000
PASSES = 3


def run(report: Report, given: argparse.Namespace) -> bool:
    """True when every needle is first."""
    rows: list[list[object]] = []
    found = True
    for size in given.sizes:
        bank = curve(size)
        with loaded([bank]) as held:
            values = dict(zip(HEADS, measure(held), strict=True))
            store = held[0].store
            asked = [question.text for question in bank.questions] * PASSES
            p50, p99 = percentiles(lambda query, s=store, b=bank.name: s.recall(query, bank=b, budget=BUDGET), asked)
        found = found and values["R@1"] == 100.0
        theirs = REFERENCE.get(size, ("", "", ""))
        rows.append([f"{size:,}", values["R@1"], values["R@5"], f"{p50:.0f}", f"{p99:.0f}", *theirs])
    report.text("Needles found, and recall within the process (budget 2,000, three passes). The reference was measured on other hardware.")
    report.table(["rows", "R@1", "R@5", "p50 µs", "p99 µs", "reference R@1", "R@5", "p50 µs"], rows)
    return found
