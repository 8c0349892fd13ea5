"""`python -m bench.footprint [--asleep SECONDS] [--out FILE]`: states, ladder, side-by-side, what an install weighs."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from bench.footprint import install, peers, probe, states, stock
from bench.footprint.states import Course, State
from bench.report import Report

PACKAGES = ("uvloop", "httptools", "msgspec")


def mib(kib: int) -> str:
    return f"{kib / 1024:.2f}"


def row(found: State) -> list[str]:
    limit = f"{found.limit:g}" if found.limit < 99 else ""
    return [found.name, *map(mib, found.reading), limit, found.note]


def megabytes(count: int) -> str:
    return f"{count / 1e6:.2f}" if count else ""


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.footprint")
    parser.add_argument("--quiet", type=float, default=1.0, help="seconds without a request before memory is given back")
    parser.add_argument("--asleep", type=float, default=0.0, help="further seconds before an idle server is read")
    parser.add_argument("--wheel", type=Path, help="the product's wheel, to name its size")
    parser.add_argument("--out", help="write the table here as well")
    given = parser.parse_args(words)
    report = Report("Footprint", PACKAGES)
    heads = ["state", "RSS MiB", "PSS", "anonymous", "limit", "seen"]
    with tempfile.TemporaryDirectory(dir=".") as name:
        course = Course(Path(name), given.quiet, given.asleep)
        report.text(
            f"A real server, read from outside (/proc/PID/smaps_rollup); --quiet {given.quiet:g}, idle read after {given.asleep:g} s more."
        )
        report.table(heads, [row(found) for steps in states.COURSES for found in steps(course)])
        report.text("Idle after one retain, level by level (README, small).")
        report.table(heads[:4], [row(found)[:4] for found in states.ladder(course)])
        report.text(
            "Beside it: uvloop, httptools and msgspec as they come, answering a constant; others' memory servers that are installed."
        )
        told = ("stock server, listening", "the same, after a request")
        beside = [(name, found, "") for name, found in zip(told, stock.readings(), strict=True)] + peers.readings()
        report.table([*heads[:4], "seen"], [[what, *map(mib, found), seen] for what, found, seen in beside])
        with course.server() as server:
            names = probe.libraries(server.pid)
            threads = probe.status(server.pid, "Threads")
        report.text(f"{len(names)} shared libraries mapped, 1 process, {threads} thread(s): {', '.join(names)}.")
    report.text()
    report.text("The base install for this interpreter, MB (an installed tree counts its compiled modules).")
    found = install.weights(given.wheel)
    sums = ["all", "", megabytes(sum(each.download for each in found)), megabytes(sum(each.unpacked for each in found))]
    rows = [[each.name, each.version, megabytes(each.download), megabytes(each.unpacked)] for each in found]
    report.table(["package", "version", "download", "unpacked"], [*rows, sums])
    report.close(given.out)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
