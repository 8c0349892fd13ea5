"""`python -m bench.quality`: retrieval quality on public data, the reference ranking beside ours in every run.

--set NAME…     only these sets           --gate NAME…   exit 1 when a set misses its floor (`all` for every one)
--data FOLDER   where the data is         --out-md FILE  also write the table there

`python -m bench.quality WORD …` with one of longmemeval, beam, oracle, sweep runs that instead; each tells its options with --help.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

from bench.quality import datasets
from bench.quality.metrics import HEADS
from bench.quality.runs import loaded, measure, served, top_relevance, with_fusion
from bench.report import Report

FLOORS: dict[str, dict[str, float]] = {
    "locomo-session": {"R@1": 74.5, "R@5": 93.0, "R@20": 99.0, "N@10": 83.0},
    "locomo-session-undated": {"R@1": 71.0, "R@5": 91.5, "N@10": 81.0},
    "locomo-turn": {"R@1": 40.5, "R@5": 71.0, "R@20": 85.0, "N@10": 55.5},
    "locomo-merged": {"R@1": 71.5, "R@5": 91.0},
    "locomo-mixed": {"R@1": 55.0, "R@5": 77.0},
    "coding-life": {"R@5": 100.0},
    "typos": {"R@5": 91.0},
    "curve": {"R@1": 100.0, "R@5": 100.0},
}
REFERENCE = {"R@1": 60.7, "R@5": 86.3, "N@10": 73.8}  # on the session run without dates, each within half a point
OTHERS = ("longmemeval", "beam", "oracle", "sweep")
THRESHOLDS = (0.0, 0.2, 0.25, 0.3, 0.33, 0.4, 0.5, 0.6)


class Run:
    """Collects rows and misses over the sets."""

    def __init__(self, report: Report, gates: set[str]) -> None:
        self.report, self.gates = report, gates
        self.rows: list[list[object]] = []
        self.misses: list[str] = []

    def row(self, name: str, ranking: str, values: tuple[float, ...]) -> None:
        self.rows.append([name, ranking, *values])
        if ranking == "ours":
            self.judge(name, {head: floor - 1e-9 for head, floor in FLOORS.get(name, {}).items()}, values)
        elif name == "locomo-session-undated":
            self.judge(name, {head: value - 0.5 for head, value in REFERENCE.items()}, values)
            self.judge(name, {head: -value - 0.5 for head, value in REFERENCE.items()}, tuple(-value for value in values))

    def judge(self, name: str, floors: dict[str, float], values: tuple[float, ...]) -> None:
        if name in self.gates or "all" in self.gates:
            by_head = dict(zip(HEADS, values, strict=True))
            self.misses += [
                f"{name}: {head} {by_head[head]:.1f} under {floor:.1f}" for head, floor in floors.items() if by_head[head] < floor
            ]


def run_set(run: Run, name: str, banks: list[datasets.Bank]) -> None:
    """One set, both rankings; categories and the default budget where they say something."""
    with loaded(banks) as held:
        run.row(name, "ours", measure(held))
        if name in {"locomo-session", "locomo-turn"}:
            for category in sorted({q.category for bank in banks for q in bank.questions}):
                run.row(f"  category {category}", "ours by category", measure(held, lambda q, c=category: q.category == c))
        if name == "locomo-session":
            counts = served(held)
            total = sum(counts.values())
            shares = ", ".join(f"{100 * counts[kind] / total:.1f}% {kind}" for kind in ("whole", "cut", "absent"))
            run.report.text(f"Gold memory at the default budget of 8,000 tokens ({name}): {shares}.")
        with_fusion(held, "reference")
        run.row(name, "reference", measure(held))


def run_typos(run: Run, data: Path) -> None:
    """Mean over five seeds of one random typo a question."""
    clean = datasets.locomo_session(data)
    with loaded(clean) as held:
        values = []
        for seed in range(5):
            for bank, typed in zip(held, datasets.typos(clean, seed), strict=True):
                bank.bank = typed
            values.append(measure(held))
    run.row("typos", "ours", tuple(sum(column) / len(values) for column in zip(*values, strict=True)))


def run_curve(run: Run, sizes: list[int]) -> None:
    for size in sizes:
        with loaded([datasets.curve(size)]) as held:
            values = measure(held)
            run.rows.append([f"curve {size:,}", "ours", *values])
            run.judge("curve", FLOORS["curve"], values)


def run_floor(run: Run, data: Path) -> None:
    """What a relevance floor keeps of the answerable and drops of the unanswerable questions."""
    with loaded(datasets.devbench(data)) as dev, loaded(datasets.locomo_turn(data)) as talk, loaded(datasets.unanswerable(data)) as none:
        columns = {
            "DevBench answerable": top_relevance(dev, True),
            "DevBench negatives": top_relevance(dev, False),
            "LoCoMo turns": top_relevance(talk, True),
            "LoCoMo category 5": top_relevance(none, False),
        }
    run.report.text("Share of questions (%) whose best hit reaches a relevance floor:")
    rows = [
        [f"{floor:.2f}", *(100 * sum(v >= floor for v in values) / max(len(values), 1) for values in columns.values())]
        for floor in THRESHOLDS
    ]
    run.report.table(["floor", *columns], rows)


def main() -> int:
    if sys.argv[1:2] and sys.argv[1] in OTHERS:
        status: int = import_module(f"bench.quality.{sys.argv[1]}").main(sys.argv[2:])
        return status
    parser = argparse.ArgumentParser(
        prog="python -m bench.quality", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[3] / "shared" / "data")
    parser.add_argument("--set", nargs="*", default=[])
    parser.add_argument("--gate", nargs="*", default=[])
    parser.add_argument("--curve-sizes", default="1000,10000,100000")
    parser.add_argument("--out-md")
    given = parser.parse_args()
    named = set(given.set) | (set(given.gate) - {"all"})

    def wanted(name: str) -> bool:
        return not named or name in named

    report = Report("Retrieval quality")
    run = Run(report, set(given.gate))
    for name, banks in datasets.sets(given.data):
        if wanted(name):
            run_set(run, name, banks)
    if wanted("typos"):
        run_typos(run, given.data)
    if wanted("curve"):
        run_curve(run, [int(size) for size in given.curve_sizes.split(",")])
    report.table(["set", "ranking", *HEADS], run.rows)
    if wanted("floor"):
        run_floor(run, given.data)
    for miss in run.misses:
        report.text(f"MISSED {miss}")
    report.close(given.out_md)
    return 1 if run.misses else 0


if __name__ == "__main__":
    sys.exit(main())
