"""How well the archivist's links agree with a reader's, and what a link costs in a bank of 100,000 records.

The labelled pairs are those of the tests, all in one bank, so that a strong link
between records of different pairs counts as wrong. Times are of the process's own clock.
"""

from __future__ import annotations

import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from bench.records.__main__ import fill, request
from bench.report import Report
from memory_wire.client import Memory
from tests.archivist.pairs import DEV, FRESH, HELD_OUT, LATER, Pair

RECORDS = 100_000
TIMED = 200
STRONG = ("refines", "outdates", "contradicts", "supports")
NONE = "unrelated"
STEP = 64
SETS = (
    ("First set, which the rules were made on", DEV),
    ("Second set, looked at while they were", HELD_OUT),
    ("Third set, made to mislead them, then looked at", LATER),
    ("Fourth set, written when they stood", FRESH),
)
PRECISION = 0.9


class Measured:
    """What the archivist made of pairs: (label, what it said) of each, and strong links between records of different pairs."""

    def __init__(self) -> None:
        self.said: list[tuple[str, str, Pair]] = []
        self.across: list[tuple[str, str, str]] = []

    @property
    def strong(self) -> tuple[float, float]:
        """(precision, recall) of all that is stronger than `related`, links across pairs being wrong ones."""
        right = sum(label == said for label, said, _ in self.said if said in STRONG)
        made = sum(said in STRONG for _, said, _ in self.said) + len(self.across)
        wanted = sum(label in STRONG for label, _, _ in self.said)
        return right / max(made, 1), right / wanted

    def row(self, name: str) -> tuple[int, float, float]:
        """(pairs, precision, recall) of one type, between the two of a pair."""
        right = sum(label == said == name for label, said, _ in self.said)
        made, wanted = (sum(pair[side] == name for pair in self.said) for side in (1, 0))
        return wanted, right / made if made else 1.0, right / max(wanted, 1)

    @property
    def linked(self) -> tuple[float, float]:
        """(precision, recall) of there being a link at all between the two of a pair."""
        both = sum(label != NONE and said != NONE for label, said, _ in self.said)
        made, wanted = (sum(pair[side] != NONE for pair in self.said) for side in (1, 0))
        return both / max(made, 1), both / wanted


def work_off(memory: Memory) -> None:
    """All jobs that wait."""
    while memory.service.work_jobs(STEP).now:
        continue


def measure(pairs: Sequence[Pair], db: Path) -> Measured:
    """Stores all older records, then all newer ones, and reads the links between the two of each pair."""
    found = Measured()
    with Memory(db, sync="normal") as memory:
        older = [memory.remember(pair.older).id for pair in pairs]
        newer = [memory.remember(pair.newer).id for pair in pairs]
        work_off(memory)
        for pair, old, new in zip(pairs, older, newer, strict=True):
            links = [(id, link) for id in (old, new) for link in memory.get_record(id).graph_relations]
            between = [link.type for id, link in links if id == new and link.id == old]
            found.said.append((pair.label, between[0] if between else NONE, pair))
            for id, link in links:
                if link.type in STRONG and {id, link.id} != {old, new}:
                    found.across.append((link.type, memory.get_record(id).content, memory.get_record(link.id).content))
    return found


def cost(records: int, db: Path) -> list[float]:
    """Milliseconds of the last jobs of a bank of so many records."""
    from memory_wire.service import jobs

    with Memory(db, sync="normal") as memory:
        service = memory.service
        fill(service, [request(number) for number in range(records)])
        with service.store.read() as reader:
            waiting = reader.jobs.due(list(jobs.KINDS), service.now(), records)
        times = []
        for job in waiting[-TIMED:]:
            begun = time.perf_counter()
            effect = jobs.attempt(service, job)
            assert not isinstance(effect, Exception), effect
            service.store.submit(jobs.finished(job, effect))
            times.append((time.perf_counter() - begun) * 1_000)
        service.store.submit(lambda tx: [tx.jobs.finish(job) for job in waiting])
    return times


def tell(report: Report, name: str, found: Measured) -> None:
    rows = [(label, *found.row(label)) for label in (*STRONG, "related", NONE)]
    rows += [("stronger than related", sum(label in STRONG for label, _, _ in found.said), *found.strong)]
    rows += [("any link", sum(label != NONE for label, _, _ in found.said), *found.linked)]
    report.text(f"{name}: {len(found.said)} pairs; strong links between records of different pairs: {len(found.across)}.")
    report.text()
    report.table(("type", "pairs", "precision", "recall"), [(label, count, f"{one:.2f}", f"{two:.2f}") for label, count, one, two in rows])


def main() -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=RECORDS, help="of the bank that is timed; 0: none is")
    parser.add_argument("--wrong", action="store_true", help="show what was judged otherwise")
    parser.add_argument("--out-md", metavar="FILE")
    parser.add_argument("--gate", action="store_true", help="fail where a precision is below its limit")
    given = parser.parse_args()
    report, least = Report("Archivist"), 1.0
    with tempfile.TemporaryDirectory() as folder:
        for name, pairs in SETS:
            found = measure(pairs, Path(folder) / f"{name}.db")
            tell(report, name, found)
            least = min(least, found.strong[0])
            if given.wrong:
                show(found)
        if given.records:
            times = sorted(cost(given.records, Path(folder) / "cost.db"))
            report.text(f"The last {len(times)} jobs in a bank of {given.records:,} records, each with a commit of its own: median")
            report.text(f"{median(times):.1f} ms, 95 % {times[len(times) * 95 // 100]:.1f} ms, longest {times[-1]:.1f} ms.")
    report.close(given.out_md)
    return 1 if given.gate and least < PRECISION else 0


def show(found: Measured) -> None:
    for label, said, pair in found.said:
        if label != said:
            print(f"  {label} -> {said}: {pair.older} / {pair.newer}")
    for link in found.across:
        print("  across:", *link)


if __name__ == "__main__":
    sys.exit(main())
