"""Runs the official conformance suite against an address and reads what it found."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

from tests.mcp.node import run, script

LEGACY, MODERN = "2025-11-25", "2026-07-28"


class Check(NamedTuple):
    """`status` is SUCCESS, FAILURE, WARNING, SKIPPED or INFO."""

    id: str
    status: str
    message: str


class Outcome(NamedTuple):
    """`conforms` is the suite's own verdict over the scenarios that count."""

    conforms: bool
    scenarios: dict[str, list[Check]]
    text: str

    def failing(self) -> dict[str, list[Check]]:
        """Scenarios with a check that isn't passed, warnings included, and those checks."""
        found = {name: [c for c in checks if c.status in {"FAILURE", "WARNING"}] for name, checks in self.scenarios.items()}
        return {name: checks for name, checks in found.items() if checks}


def required(revision: str) -> set[str]:
    """The server scenarios that a revision requires, from the suite's own list."""
    listed = (script("conformance").parents[1] / "requirements" / f"{revision}.yaml").read_text()
    part = re.search(r"^server:\n((?:  - .+\n)+)", listed, re.M)
    assert part
    return set(re.findall(r"- (\S+)", part[1]))


def conform(url: str, folder: Path, revision: str) -> Outcome:
    """All scenarios of a requirement set, those that don't count included."""
    return outcome(folder, "conformance", ["--url", url, "--requirements", revision])


def conform_formerly(url: str, folder: Path) -> Outcome:
    """The last release of the suite before requirement sets, which knows the handshake only."""
    return outcome(folder, "conformance-legacy", ["--url", url])


def outcome(folder: Path, name: str, words: list[str]) -> Outcome:
    folder.mkdir()
    done = run([script(name), "server", *words, "-o", "found"], cwd=folder, timeout=300)
    scenarios = {}
    for path in sorted(folder.glob("found/server-*/checks.json")):
        scenario = re.sub(r"^server-|-\d{4}-\d\d-\d\dT[\dZ-]+$", "", path.parent.name)
        scenarios[scenario] = [Check(c["id"], c["status"], c.get("errorMessage") or "") for c in json.loads(path.read_text())]
    assert scenarios, done.stdout + done.stderr
    return Outcome(done.returncode == 0, scenarios, done.stdout + done.stderr)
