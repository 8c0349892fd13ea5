"""`python -m bench.relevance`: the labelled injection battery: what is injected, what is not, and in how many bytes.

--out-md FILE   also write the table there         --gate   exit 1 when a figure misses its limit
--data FOLDER   also the rule on public data and the latency on a bank of 10,000 memories
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench.relevance.battery import memories, prompts
from bench.relevance.measure import LIMITS, Case, battery, transfer
from bench.report import Report


def by_kind(cases: list[Case]) -> list[list[object]]:
    """A line for each kind of prompt."""
    kinds = dict.fromkeys(case.prompt.kind for case in cases)
    rows: list[list[object]] = []
    for kind in kinds:
        those = [case for case in cases if case.prompt.kind == kind]
        right = sum(case.right() for case in those)
        precise = [len(set(case.found) & set(case.prompt.gold)) / len(case.found) for case in those if case.found]
        rows.append(
            [
                kind,
                len(those),
                f"{right} ({100 * right / len(those):.0f}%)",
                f"{100 * sum(precise) / len(precise):.0f}%" if precise else "-",
                f"{sum(len(case.found) for case in those) / len(those):.1f}",
                sum(case.bytes for case in those) // len(those),
                max(case.bytes for case in those),
                sum(case.capsule_bytes for case in those) // len(those),
            ]
        )
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.relevance", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out-md", metavar="FILE")
    parser.add_argument("--data", metavar="FOLDER", type=Path)
    parser.add_argument("--gate", action="store_true")
    given = parser.parse_args()
    report = Report("What is injected for a prompt")
    with battery() as bank:
        figures = bank.figures()
    styles = {row.style for row in memories()}
    report.text(f"{len(memories())} memories in {len(styles)} styles, {len(prompts())} labelled prompts, each asked outside a session.")
    report.text("Right: a gold memory is injected, or nothing where nothing is relevant. Precision: labelled ones among those injected.")
    report.text("Limits apply to the others; prompts held out were written when the rule was settled and never changed it.")
    report.text()
    heads = ("prompts", "number", "right", "precision", "memories", "bytes", "most bytes", "as capsules")
    report.table(heads, by_kind(figures.cases) + by_kind(figures.heldout))
    report.table(
        ("figure", "value", "limit"),
        [
            ("gold injected", f"{100 * figures.share(True):.1f}%", f"at least {LIMITS['gold']:.0%}"),
            ("junk injected", f"{100 * figures.share(False):.1f}%", f"at most {LIMITS['junk']:.0%}"),
            ("bare Continue, worst of all previous answers", f"{figures.continue_bytes} B", f"at most {LIMITS['continue']} B"),
            ("session start with recall, worst", f"{figures.start_bytes} B", f"at most {LIMITS['start']} B"),
            ("session start without a prompt", f"{figures.start_bare} B", ""),
            (
                "bytes saved by capsules, same memories in the same order",
                f"{100 * figures.saved():.1f}%",
                f"at least {LIMITS['capsules']:.0%}",
            ),
        ],
    )
    if given.data:
        from bench.relevance.latency import ROWS, measure

        own, other, count = transfer(given.data)
        report.text(
            f"The rule on LoCoMo's turns, {count} questions each: gold injected for {100 * own:.1f}% of a conversation's own questions, "
            f"something injected for {100 * other:.1f}% of another's."
        )
        middle, late, asked = measure(given.data)
        report.text(
            f"Over HTTP with {ROWS:,} memories, ledger and full sync included: p50 {middle:.1f} ms, p95 {late:.1f} ms ({asked} prompts)."
        )
    failed = figures.misses()
    for line in failed:
        report.text(f"MISSED: {line}")
    report.close(given.out_md)
    return 1 if given.gate and failed else 0


if __name__ == "__main__":
    sys.exit(main())
