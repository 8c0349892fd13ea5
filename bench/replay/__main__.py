"""`python -m bench.replay`: three days of sessions of several hosts against a real server, injection beside the reference's rule.

--out-md FILE   also write the table there      --gate   exit 1 when a figure misses its limit
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from bench.replay import fixture
from bench.replay.play import CHARS_PER_TOKEN, Outcome, Side, play
from bench.report import Report

SHARE = 0.40  # of the tokens that the reference's rule injects


def misses(done: Outcome) -> list[str]:
    """What doesn't hold."""
    found = [f"duplicate memory: {text[:80]}" for text in done.duplicates] + done.broken
    if done.memories != done.expected:
        found.append(f"{done.memories} memories of {done.expected} turns")
    if done.ours.repeats:
        found.append(f"{done.ours.repeats} memories injected twice")
    if done.ours.bytes > SHARE * done.theirs.bytes:
        found.append(f"{done.ours.bytes} bytes are over {SHARE:.0%} of {done.theirs.bytes}")
    if len(done.ours.covered) < len(done.theirs.covered):
        found.append(f"gold in context for {len(done.ours.covered)} prompts, the reference's rule has {len(done.theirs.covered)}")
    return found


def row(name: str, side: Side, done: Outcome) -> list[object]:
    return [
        name,
        side.blocks,
        side.entries,
        side.repeats,
        side.bytes,
        side.bytes // CHARS_PER_TOKEN,
        f"{len(side.covered)} of {done.labelled}",
        f"{len(side.junk)} of {done.without_gold}",
    ]


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.replay", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out-md", metavar="FILE")
    parser.add_argument("--gate", action="store_true")
    given = parser.parse_args()
    report = Report("Replay of three days of sessions")
    happened = fixture.events()
    with tempfile.TemporaryDirectory() as folder:
        done = play(Path(folder))
    sessions, hosts = {event.session for event in happened}, {event.host for event in happened}
    report.text(
        f"{len(fixture.turns())} turns in {len(sessions)} sessions, {len(happened)} hook firings of {len(hosts)} hosts; "
        f"{done.turns_sent} turns sent, {done.memories} memories stored for {done.expected} turns that reached the server, "
        f"{len(done.duplicates)} duplicates."
    )
    report.text("The reference puts the previous answer before a short prompt; `prompt alone` is its rule without that. All rank alike.")
    report.text("A host that rebuilds its prompt sends the same block again; counted is what grew, since the rest is cached.")
    report.text()
    heads = ("rule", "blocks", "memories", "repeated", "bytes", "tokens", "gold in context", "junk injected")
    report.table(
        heads, [row("ours", done.ours, done), row("reference's rule", done.theirs, done), row("the same, prompt alone", done.alone, done)]
    )
    report.text(f"Ours injects {100 * done.ours.bytes / done.theirs.bytes:.1f}% of the reference's bytes (limit {SHARE:.0%}).")
    failed = misses(done)
    for line in failed:
        report.text(f"MISSED: {line}")
    report.close(given.out_md)
    return 1 if given.gate and failed else 0


if __name__ == "__main__":
    sys.exit(main())
