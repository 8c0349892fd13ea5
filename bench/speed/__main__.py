"""`python -m bench.speed`: recall, writes, opening, disk and HTTP, with peers measured in the same run.

--only recall write disk open http   parts to run (default: all)
--sizes 1000,10000,100000            memories for the recall part; add 1000000 for the long run
--open 1000000                       memories of the store that is opened
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench.report import Report

PARTS = ("recall", "write", "disk", "open", "http")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.speed", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[3] / "shared" / "data")
    parser.add_argument("--only", nargs="*", default=PARTS, choices=PARTS)
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--open", type=int, default=1_000_000)
    parser.add_argument("--slow-peers-up-to", type=int, default=100_000)
    parser.add_argument("--out-md")
    given = parser.parse_args()
    report = Report("Speed", ["tantivy", "bm25s", "numba", "uvloop", "msgspec"], rounds="500 questions a cell")
    if "recall" in given.only:
        from bench.speed import recall

        recall.run(report, given.data, [int(size) for size in given.sizes.split(",")], given.slow_peers_up_to)
    if "write" in given.only:
        from bench.speed import write

        write.run(report, given.data)
    if "disk" in given.only or "open" in given.only:
        from bench.speed import disk

        if "disk" in given.only:
            disk.disk(report)
        if "open" in given.only:
            disk.opening(report, given.data, given.open)
    if "http" in given.only:
        from bench.speed import http

        http.run(report, given.data)
    report.close(given.out_md)
    return 0


if __name__ == "__main__":
    sys.exit(main())
