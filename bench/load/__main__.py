"""`python -m bench.load PART…`: many clients, writes, starting, growing banks; the reference's figures beside ours.

soak         clients that retain, replace, append, recall, count and page against four banks; exact row counts afterwards
concurrency  1 to 64 clients that recall from one bank, as threads on the library and over HTTP
write        single durable retains, batches, the bare disk
coldstart    from the start of a process to its first answer, by the size of the store
curve        recall of needles by the size of the bank (the protocol of the reference's curve)
scale        built rows, recall, bytes on disk and tokens saved (the protocol of its scale sweep)

Without PART all of them run; --seconds sets how long the soak is (10 by default), --sizes the rows of coldstart and curve.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

from bench.report import Report

PARTS = ("soak", "concurrency", "write", "coldstart", "curve", "scale")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.load", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--sizes", default="1000,10000,50000,100000")
    parser.add_argument("--out-md")
    given = parser.parse_args()
    given.sizes = [int(size) for size in given.sizes.split(",")]
    unknown = [part for part in given.parts if part not in PARTS]
    if unknown:
        parser.error(f"no part {unknown[0]}: {', '.join(PARTS)}")
    report = Report("Load", ["uvloop", "msgspec"])
    failed = [part for part in given.parts or PARTS if not import_module(f"bench.load.{part}").run(report, given)]
    for part in failed:
        report.text(f"FAILED {part}")
    report.close(given.out_md)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
