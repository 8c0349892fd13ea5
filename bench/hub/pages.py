"""How fast pages are: each kind over HTTP, first and again, and when a browser on the same machine first paints them.

`python -m bench.hub.pages [--db FILE]` takes a store with a public hub `bench`, or fills one.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from playwright.sync_api import sync_playwright

from bench.hub import corpus
from bench.hub.speed import AGAIN, Asker, fill, row, timed
from bench.report import Report
from bench.speed.http import serving
from memory_wire import publishing as p
from memory_wire.client import Memory

PAINTS = 9
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
FLAGS = ["--no-sandbox", "--disable-gpu"]


def places(db: Path) -> list[tuple[str, str, str]]:
    """(what, path, what must hold) of one page of each kind."""
    with Memory(db, bank="bench", sync="normal") as memory:
        ids = [found.id for found in memory.docs(limit=10).docs]
        bundle = memory.create_bundle("Ten of them", [(id, "why") for id in ids], is_draft=False).id
        graph = memory.page_graph("bench").body.decode()
    concept = graph.partition('href="/hub/bench/c/')[2].partition('"')[0]
    return [
        ("page of the hub", "/hub/bench", "20"),
        ("page of a document", f"/{ids[0]}", ""),
        ("page of another", f"/{ids[1]}", ""),
        ("page of a bundle", f"/b/{bundle}", ""),
        ("page of a concept", f"/hub/bench/c/{concept}", ""),
        ("picture of the hub", "/hub/bench/graph", ""),
        ("the hub, searched", "/hub/bench?q=server", ""),
    ]


def painted(address: str, found: Sequence[tuple[str, str, str]]) -> list[list[object]]:
    """Milliseconds from the navigation to the first paint with content, in a headless Chromium that has nothing in its cache."""
    rows: list[list[object]] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for what, path, _ in found:
            times = []
            for _ in range(PAINTS):
                context = browser.new_context()
                page = context.new_page()
                page.goto(f"http://{address}{path}")
                while (at := page.evaluate(PAINT)) is None:
                    page.wait_for_timeout(20)
                times.append(float(at))
                context.close()
            rows.append([what, f"{median(times):.0f}", f"{max(times):.0f}", "200"])
        browser.close()
    return rows


def run(report: Report, db: Path) -> None:
    found = places(db)
    with Memory(db, bank="bench") as memory:
        hub = memory.get_hub("bench")
        sizes = len(memory.call("page_hub", p.ViewHub(slug="bench")).body)
    report.text(f"## Pages of a hub of {hub.documents:,} documents, over HTTP on one connection (page of the hub: {sizes / 1024:.0f} KiB)")
    report.text()
    with serving(db.parent) as address:
        asker = Asker(address)
        rows = [row(what, [timed(lambda place=path: asker.get(place)) for _ in range(AGAIN + 1)], must) for what, path, must in found]
        report.table(["what", "first ms", "p50 ms", "p95 ms", "must"], rows)
        report.text("## First paint")
        report.text()
        report.table(["what", "p50 ms", "most ms", "must"], painted(address, found))


def main(words: Sequence[str]) -> int:
    parser = ArgumentParser(prog="python -m bench.hub.pages", description=__doc__)
    parser.add_argument("--db", type=Path)
    parser.add_argument("--documents", type=int, default=corpus.DOCUMENTS)
    parser.add_argument("--out-md")
    given = parser.parse_args(words)
    report = Report("Pages of hubs", packages=("markdown-it-py",))
    with tempfile.TemporaryDirectory() as folder:
        db = given.db or Path(folder) / "memory.db"
        if given.db is None:
            fill(db, given.documents)
        run(report, db)
    report.close(given.out_md)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
