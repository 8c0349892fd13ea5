"""A hub that follows a folder of documentation: the first round, one in which nothing has changed, and one after changes.

The files are those of the packages that are installed for the tests, then what modules say of themselves. Embedded, and over a server.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from bench.report import Report
from memory_wire.cli.folder import once
from memory_wire.client import Client, Memory
from memory_wire.sources.folder import Folder
from tests.hub.notes import documentation
from tests.serve.serving import Serving

FILES = 2_000
CHANGED = 50


def rounds(target: Client | Memory, root: Path) -> list[float]:
    """Seconds of the first round, of one without changes, and of one with CHANGED files edited and as many moved; then all is undone."""
    folder = Folder(str(root))
    found = [timed(target, folder), timed(target, folder)]
    paths = sorted(path for path in root.rglob("*") if path.is_file())
    edited, moved = paths[:CHANGED], paths[CHANGED : 2 * CHANGED]
    texts = [path.read_bytes() for path in edited]
    for path in edited:
        path.write_bytes(path.read_bytes() + b"\nedited\n")
    for path in moved:
        os.replace(path, path.with_name(f"moved {path.name}"))
    found.append(timed(target, folder))
    for path, text in zip(edited, texts, strict=True):
        path.write_bytes(text)
    for path in moved:
        os.replace(path.with_name(f"moved {path.name}"), path)
    return found


def timed(target: Client | Memory, folder: Folder) -> float:
    begun = time.perf_counter()
    once(target, folder, "notes", {})
    return time.perf_counter() - begun


def main(words: Sequence[str]) -> int:
    parser = ArgumentParser(prog="bench.folder", description=__doc__)
    parser.add_argument("--files", type=int, default=FILES)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out-md")
    args = parser.parse_args(words)
    report = Report("A hub that follows a folder", rounds=str(args.rounds))
    texts = list(documentation(args.files))
    mean = sum(len(text.encode()) for _, text in texts) / len(texts)
    report.text(f"{len(texts):,} files of {mean:,.0f} bytes in the mean; medians; {CHANGED} edited and {CHANGED} moved in the last column.")
    report.text()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "notes"
        for name, text in texts:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        for how in ("embedded", "over HTTP"):
            runs = []
            for number in range(args.rounds):
                place = Path(folder) / f"{how} {number}"
                place.mkdir()
                if how == "embedded":
                    with Memory(place / "memory.db") as memory:
                        runs.append(rounds(memory, root))
                else:
                    with Serving(place) as server, Client("http://{}:{}".format(*server.address), db=server.db) as client:
                        runs.append(rounds(client, root))
            first, same, changed = (median(run[at] for run in runs) for at in range(3))
            rows.append((how, f"{len(texts) / first:,.0f}", f"{first:.2f}", f"{same * 1e3:.0f}", f"{changed * 1e3:.0f}"))
    report.table(("how", "first round, files/s", "s", "nothing changed, ms", "changes, ms"), rows)
    report.close(args.out_md)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
