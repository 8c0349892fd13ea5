"""`python -m bench.peers`: memories that run without a model or network, side by side on one workload.

Each is installed from PyPI or npm into a scratch environment (--scratch, kept for the next run), started as its users start it, told the
turns of two LoCoMo conversations one by one and asked their questions. Printed: time until it answers, RSS and PSS of all its processes,
writes and searches, R@5. What can't be installed is left out with the reason. --peer NAME… runs these alone, --turns N takes the first N
turns of each.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.peers import talk
from bench.peers.adapters import PEERS, SCRATCH, Peer
from bench.quality import datasets
from bench.report import Report
from bench.speed.timing import pick

PYTHONS = ("python3.14", "python3.13", "python3.12", "/usr/bin/python3")
CONVERSATIONS = 2
WARM = 5


class Absent(Exception):
    """Why a peer can't be measured."""


def installed(peer: type[Peer], scratch: Path) -> Path:
    """The environment of a peer, made when it isn't there. Raises Absent."""
    folder = scratch / peer.needs.replace("/", "-").replace(":", "-").replace("@", "")
    done = folder / "installed"
    if not peer.needs or done.exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    if peer.needs.startswith("npm:"):
        run(["npm", "install", "--silent", "--prefix", str(folder), peer.needs[4:]])
        (folder / "bin").unlink(missing_ok=True)
        (folder / "bin").symlink_to(folder / "node_modules" / ".bin")
    else:
        run([interpreter(peer), "-m", "venv", str(folder)])
        run([str(folder / "bin" / "pip"), "install", "-q", "--disable-pip-version-check", peer.needs])
    done.touch()
    return folder


def interpreter(peer: type[Peer]) -> str:
    """The first interpreter that a peer can run in. Raises Absent."""
    oldest = tuple(map(int, peer.python.split("."))) if peer.python else (3,)
    fits = f"sys.version_info >= {oldest} and {peer.extensions} <= hasattr(sqlite3.Connection, 'load_extension')"
    look = f"import sys, sqlite3; sys.exit(not ({fits}))"
    for name in (sys.executable, *PYTHONS):
        if shutil.which(name) and subprocess.run([name, "-c", look], capture_output=True, check=False).returncode == 0:
            return name
    raise Absent(f"no Python {peer.python}{' whose SQLite loads extensions' if peer.extensions else ''} here")


def run(words: list[str]) -> None:
    if shutil.which(words[0]) is None:
        raise Absent(f"no {words[0]} here")
    finished = subprocess.run(words, capture_output=True, text=True, check=False)
    if finished.returncode:
        lines = (finished.stderr or finished.stdout).strip().splitlines() or ["no word"]
        raise Absent(f"{Path(words[0]).name} {words[1]}: {lines[-1][:120]}")


def measured(peer: type[Peer], programs: Path, banks: list[datasets.Bank]) -> list[object]:
    """One row. A conversation is a store of its own; the numbers are over both."""
    ready, writes, searches, hits, rss, pss = [], [], [], 0, 0.0, 0.0
    asked = 0
    for bank in banks:
        with tempfile.TemporaryDirectory(dir=".") as folder:
            begun = time.perf_counter()
            running = peer(programs, Path(folder).resolve() / "home")
            ready.append(time.perf_counter() - begun)
            try:
                for memory in bank.memories:
                    begun_ns = time.perf_counter_ns()
                    running.add(memory.key, memory.content)
                    writes.append(time.perf_counter_ns() - begun_ns)
                for question in bank.questions[:WARM]:
                    running.search(question.text)
                for question in bank.questions:
                    begun_ns = time.perf_counter_ns()
                    found = running.search(question.text)
                    searches.append(time.perf_counter_ns() - begun_ns)
                    hits += bool(set(found) & question.gold)
                    asked += 1
                rss, pss = max((rss, pss), talk.memory(running.pid))
            finally:
                running.close()
    times = [f"{value / 1000:.2f}" for value in (pick(writes, 50), pick(writes, 99), pick(searches, 50), pick(searches, 99))]
    return [peer.name, f"{1000 * min(ready):,.0f}", f"{rss:.1f}", f"{pss:.1f}", *times, 100 * hits / asked]


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.peers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[3] / "shared" / "data")
    parser.add_argument("--scratch", type=Path, default=SCRATCH)
    parser.add_argument("--peer", nargs="*", default=[], choices=[peer.__name__.lower() for peer in PEERS])
    parser.add_argument("--turns", type=int)
    parser.add_argument("--out-md")
    given = parser.parse_args()
    banks = datasets.locomo_turn(given.data)[:CONVERSATIONS]
    for bank in banks:
        del bank.memories[given.turns :]
        kept = {memory.key for memory in bank.memories}
        bank.questions = [question for question in bank.questions if question.gold & kept]
    report = Report("Peers")
    counts = sum(len(bank.memories) for bank in banks), sum(len(bank.questions) for bank in banks)
    report.text(f"{counts[0]} turns of {len(banks)} conversations written one by one, {counts[1]} questions; times in milliseconds.")
    rows, absent = [], []
    for peer in PEERS:
        if given.peer and peer.__name__.lower() not in given.peer:
            continue
        try:
            rows.append(measured(peer, installed(peer, given.scratch.resolve()), banks))
        except (Absent, talk.Lost, OSError) as error:
            absent.append(f"- {peer.name}: {' '.join(str(error).split())}")
    report.table(["memory", "ready", "RSS MiB", "PSS MiB", "write p50", "p99", "search p50", "p99", "R@5"], rows)
    for line in absent:
        report.text(line)
    report.close(given.out_md)
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
