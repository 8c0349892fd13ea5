"""Records on the command line, as a person meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.commands import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_from_remember_to_forget(machine: Machine) -> None:
    told = ("--fact-key", "day", "--source-id", "docs/a.md", "--source-hash", "aa")
    first = machine.out("remember", "Staging deploys on Tuesday.", *told).strip()
    second, status = machine.out("remember", "Staging deploys on Friday.", "--fact-key", "Day").split()
    assert status == "conflict"
    found = machine.run("validate-memory", "docs/a.md", "bb")
    assert (found.returncode, found.stdout.splitlines()) == (
        1,
        [
            "1 checked, 0 fresh, 1 stale, 0 without a hash",
            f"stale     {first}  aa",
            f"conflict  {first} {second}  day",
        ],
    )
    assert [line[10:].strip() for line in machine.out("search", "staging deploys").splitlines()] == [
        f"{second}  conflict  Staging deploys on Friday.",
        f"conflict: {first} says otherwise of Day",
        f"{first}  conflict,stale  Staging deploys on Tuesday.",
        f"conflict: {second} says otherwise of day",
        "stale: docs/a.md has changed, hash aa then and bb now",
    ]
    assert json.loads(machine.out("search", "staging deploys", "--exclude-stale", "--json"))["results"][0]["id"] == second
    assert machine.out("get-record", first).splitlines()[2].endswith("conflict,stale  docs/a.md")
    assert machine.out("forget-record", "--memory-id", first) == "forgotten: 1\n"
    gone = machine.run("get-record", first)
    assert (gone.returncode, gone.stderr) == (1, "memory-wire: unknown record; `memory-wire search` finds them\n")


def test_why_a_summary_is_in_doubt(machine: Machine) -> None:
    first = machine.out("remember", "Staging deploys on Tuesday.", "--source-id", "a.md", "--source-hash", "aa").strip()
    summary = machine.out("remember", "Staging deploys weekly.", "--derived-from", first).split()[0]
    assert machine.run("validate-memory", "a.md", "bb").returncode == 1
    assert f"in doubt as what it was derived from: {first}" in machine.out("search", "weekly")
    machine.out("forget-record", "--memory-id", first)
    assert "stale: a record that it was derived from is forgotten" in machine.out("search", "weekly")
    newer = machine.out("remember", "Staging deploys never.", "--supersedes", summary).split()[0]
    assert f"superseded by {newer}" in machine.out("get-record", summary)


def test_a_search_that_finds_nothing_says_so(machine: Machine) -> None:
    machine.out("remember", "Staging deploys on Tuesday.")
    done = machine.run("search", "giraffes")
    assert (done.returncode, done.stdout) == (0, "") and done.stderr.startswith("memory-wire: nothing found in bank ")
    assert machine.out("search", "giraffes", "--json").startswith('{"results":[]')


def test_what_is_refused_is_said_in_a_line(machine: Machine) -> None:
    for words, text in (
        (("remember", " "), "CONTENT must say something"),
        (("remember", "x", "--confidence", "3"), "--confidence must be a number from 0 to 1"),
        (("search", "x", "--limit", "0"), "--limit must be 1 to 50"),
        (("forget-record",), "exactly one of memory_id and source_id says what is forgotten"),
    ):
        done = machine.run(*words)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", f"memory-wire: {text}\n")
