"""`python -m bench.guard`: attacks refused, beside agent-memory-guard; engineering sentences refused or redacted; time.

--out-md FILE   also write the tables there         --gate   exit 1 when a figure misses its limit
--hits          also print the sentences that were refused or redacted, with the hashes under which judged.txt knows them
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterable

from bench.guard import peer
from bench.guard.corpus import corpus
from bench.guard.hostile import hostile
from bench.guard.verdicts import judged, mark
from bench.report import Report
from memory_wire.guard.injection import screen
from memory_wire.guard.redact import redact
from tests.guard.attacks import KNOWN
from tests.guard.harmless import HARMLESS
from tests.guard.held_out import HELD_OUT, LATER

LEAST, MOST_WRONG, SENTENCES = 95.0, 0.5, 2000
SAMPLE = 3000  # sentences that the slower peer is asked about
CLEAN = (
    "The capture command keeps the session's spool in a file of its own, so that a second host that fires at the same moment finds the "
    "lock and waits for at most two seconds before it gives up and says so."
)
Attack = tuple[str, str, str]
Guard = Callable[[str], object]
GUARDS: tuple[tuple[str, Guard], ...] = (("memory-wire", screen), ("strict policy", peer.refuses), ("every detector", peer.finds))
HEADS = ("memory-wire", "agent-memory-guard, strict policy", "agent-memory-guard, every detector")


def share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / whole:.1f}%)"


def attacks(report: Report) -> float:
    """The share of attacks that are refused, in per cent."""
    every = KNOWN + HELD_OUT + LATER
    groups: list[tuple[str, list[Attack]]] = [
        ("all", every),
        ("the half the rules were built on", KNOWN),
        ("the other half", HELD_OUT),
        ("the later ones", LATER),
    ]
    groups += [(name, [case for case in every if case[0] == name]) for name in sorted({case[0] for case in every})]
    groups += [(f"in `{code}`", [case for case in every if case[1] == code]) for code in sorted({case[1] for case in every})]
    rows = [[name, *(share(sum(bool(guard(text)) for _, _, text in cases), len(cases)) for _, guard in GUARDS)] for name, cases in groups]
    rows.append(
        [
            "harmless texts about attacks, refused",
            *(share(sum(bool(guard(text)) for text in HARMLESS), len(HARMLESS)) for _, guard in GUARDS),
        ]
    )
    report.table(("attacks refused", *HEADS), rows)
    return 100 * sum(bool(screen(text)) for _, _, text in every) / len(every)


def sentences(report: Report, show: bool) -> tuple[float, float, int]:
    """(refused, wrongly redacted: per cent, how many sentences)."""
    verdicts, rows = judged(), []
    refused = wrong = n = 0
    for kind, texts in corpus().items():
        hits = [text for text in texts if screen(text)]
        redacted = [(text, found) for text in texts if (found := redact(text)[1])]
        bad = [text for text, _ in redacted if verdicts.get(mark(text), "unjudged") != "right"]
        sample = texts[:: max(1, len(texts) // SAMPLE)]
        others = [sum(bool(guard(text)) for text in sample) for _, guard in GUARDS[1:]]
        rows.append([kind, len(texts), len(hits), len(redacted), len(bad), *(share(found, len(sample)) for found in others)])
        refused, wrong, n = refused + len(hits), wrong + len(bad), n + len(texts)
        if show:
            for text in hits:
                print("refused ", mark(text), screen(text), text)
            for text, found in redacted:
                print("redacted", mark(text), verdicts.get(mark(text), "unjudged"), found, text)
    rows.append(["all", n, f"{refused} ({100 * refused / n:.2f}%)", "", f"{wrong} ({100 * wrong / n:.2f}%)", "", ""])
    heads = ("engineering sentences", "number", "refused", "redacted", "wrongly", *(f"refused by {head}" for head in HEADS[1:]))
    report.table(heads, rows)
    return 100 * refused / n, 100 * wrong / n, n


def microseconds(guard: Guard, text: str, rounds: int) -> float:
    """The median of nine means."""
    found = []
    for _ in range(9):
        begun = time.perf_counter()
        for _ in range(rounds):
            guard(text)
        found.append((time.perf_counter() - begun) / rounds * 1e6)
    return statistics.median(found)


def milliseconds(texts: Iterable[str]) -> list[float]:
    found = []
    for text in texts:
        begun = time.perf_counter()
        screen(text)
        found.append((time.perf_counter() - begun) * 1e3)
    return found


def speed(report: Report) -> None:
    million = 1_000_000
    prose = (CLEAN * (million // len(CLEAN) + 1))[:million]
    worst = milliseconds(hostile(million).values())
    rows: list[list[object]] = [
        ["clean text of 200 characters, µs", f"{microseconds(screen, CLEAN, 5000):.1f}"],
        ["the same, redaction, µs", f"{microseconds(redact, CLEAN, 5000):.1f}"],
        ["the same, agent-memory-guard's default detector, µs", f"{microseconds(peer.refuses, CLEAN, 50):.0f}"],
        ["1,000,000 characters of prose, ms", f"{statistics.median(milliseconds([prose] * 3)):.0f}"],
        [f"the same of {len(worst)} hostile kinds, median and most, ms", f"{statistics.median(worst):.0f}, {max(worst):.0f}"],
    ]
    report.table(("time", "value"), rows)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.guard", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out-md", metavar="FILE")
    parser.add_argument("--gate", action="store_true")
    parser.add_argument("--hits", action="store_true")
    given = parser.parse_args()
    report = Report("The guard", ["agent-memory-guard"])
    report.text(
        f"{len(KNOWN)} attacks were written before the rules. Of {len(HELD_OUT)} written after them in other words, 95 (91.3%) were"
    )
    report.text(
        f"refused at first sight, and the rules widened by kind. Of {len(LATER)} written then to slip through, 37 (74.0%) were refused at"
    )
    report.text("first sight, and the rules widened again. The rates below are after that: attacks nobody thought of yet do worse.")
    report.text()
    refused = attacks(report)
    report.text("Sentences of commit messages, documents, docstrings and messages of packages here; `wrongly`: judged so, or not yet.")
    report.text()
    false, wrong, n = sentences(report, given.hits)
    speed(report)
    report.close(given.out_md)
    held = refused >= LEAST and false <= MOST_WRONG and wrong <= MOST_WRONG and n >= SENTENCES
    return 0 if held or not given.gate else 1


if __name__ == "__main__":
    sys.exit(main())
