"""`memory-wire seed` as a process: a project's history and conversations, and what a second run adds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.cli.commands import Machine
from tests.sources import test_transcripts as samples
from tests.sources.exports import lines, write
from tests.sources.test_git import commit, run


def repository(machine: Machine, name: str = "shop") -> Path:
    folder = machine.work / name
    folder.mkdir()
    run(folder, "init", "-q", "-b", "main")
    run(folder, "remote", "add", "origin", f"git@github.com:acme/{name}.git")
    return folder


def seeded(machine: Machine, folder: Path, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(machine.out("seed", "--json", *words, cwd=folder))
    assert found["read"] == found["stored"] + found["known"] + found["skipped"]
    return found


def old(path: Path) -> Path:
    """Not written to lately."""
    os.utime(path, (time.time() - 3_600,) * 2)
    return path


def converse(machine: Machine, cwd: Path, session: str, *said: str) -> Path:
    """A conversation with Claude Code in a folder."""
    rows = [
        {
            "type": role,
            "sessionId": session,
            "cwd": str(cwd),
            "timestamp": f"2026-05-0{1 + place // 2}T10:00:00Z",
            "message": {"role": role, "content": text},
        }
        for place, text in enumerate(said)
        for role in (("user", "assistant")[place % 2],)
    ]
    return old(write(machine.home, lines(*rows), f".claude/projects/p/{session}.jsonl"))


def test_the_history_of_a_repository(machine: Machine) -> None:
    folder = repository(machine)
    commit(folder, "Add the ferry timetable", "2026-01-01T23:30:00-05:00")
    commit(folder, "Round prices half up\n\nBanks do it the other way.", "2026-02-01T00:00:00Z")
    assert machine.out("seed", cwd=folder) == "seeded 2 git + 0 transcripts into bank 'acme-shop'\n"
    [hit] = json.loads(machine.out("recall", "ferry timetable", "--k", "1", "--json", cwd=folder))
    assert (hit["created_at"], hit["tags"], hit["session"]) == ("2026-01-02T04:30:00.000Z", ["git", "commit"], "git:acme-shop")
    before = machine.out("memories", "--json", cwd=folder)
    assert machine.out("seed", cwd=folder) == "seeded 0 git + 0 transcripts into bank 'acme-shop'\n  2 were there\n"
    assert machine.out("memories", "--json", cwd=folder) == before
    commit(folder, "Third")
    assert seeded(machine, folder)["git"] == 1
    assert seeded(machine, folder, "--commits", "1", "--bank", "other")["stored"] == 1
    assert seeded(machine, folder, "--commits", "0")["read"] == 0
    assert seeded(machine, folder, "--since", "2026-01-15", "--bank", "third")["stored"] == 2
    assert machine.run("seed", "--commits", "-1", cwd=folder).returncode == 2
    assert machine.run("seed", "--since", "soon", cwd=folder).returncode == 2


def test_how_many_commits_unless_said_otherwise(machine: Machine) -> None:
    folder = repository(machine)
    rows = [
        b"commit refs/heads/main\nmark :%d\ncommitter a <a@b> %d +0100\ndata <<E\nchange %d\nE\n" % (n, 1_700_000_000 + n, n)
        for n in range(1, 151)
    ]
    run(folder, "fast-import", "--quiet", stdin=b"".join(rows))
    assert seeded(machine, folder)["git"] == 100
    assert seeded(machine, folder, "--commits", "120")["git"] == 20
    assert seeded(machine, folder, "--commits", "1000000")["git"] == 30


def test_outside_a_repository_and_without_commits_nothing_is_wrong(machine: Machine) -> None:
    said = machine.out("seed", "--bank", "b")
    assert said == "seeded 0 git + 0 transcripts into bank 'b'\n  not in a git repository: no history to read\n"
    assert machine.out("seed", cwd=repository(machine)).startswith("seeded 0 git + 0 transcripts into bank 'acme-shop'")
    assert not machine.data.exists()


def test_a_dry_run_stores_nothing(machine: Machine) -> None:
    folder = repository(machine)
    commit(folder, "One")
    assert machine.out("seed", "--dry-run", cwd=folder) == "would seed 1 git + 0 transcripts into bank 'acme-shop'\n"
    assert not machine.data.exists()


def test_conversations_of_this_project_only(machine: Machine) -> None:
    here, there = repository(machine), repository(machine, "bakery")
    (here / "deep").mkdir()
    converse(machine, here, "s1", "how do we round prices in the shop?", "Half up, since the bank's rule surprised people.")
    converse(machine, here / "deep", "s2", "where is the timetable kept nowadays?", "In data/ferries.json, one row a departure.")
    converse(machine, there, "s3", "how long does the dough have to rest?", "Twelve hours in the cold are enough.")
    found = seeded(machine, here, "--transcripts", "--commits", "0")
    assert (found["transcripts"], found["bank"]) == (2, "acme-shop")
    assert found["notes"] == ["2 conversations read", "1 conversations of other projects left alone (--all-projects takes them)"]
    [hit] = json.loads(machine.out("recall", "rounding of prices", "--k", "1", "--json", cwd=here))
    assert hit["tags"] == ["transcript", "claude-code"] and hit["session"] == "s1" and hit["created_at"] == "2026-05-01T10:00:00.000Z"
    assert seeded(machine, here, "--transcripts", "--commits", "0")["known"] == 2
    assert seeded(machine, here, "--all-projects", "--commits", "0")["stored"] == 1


def test_a_conversation_that_goes_on_is_taken_up_where_it_was(machine: Machine) -> None:
    here = repository(machine)
    said = ["how do we round prices in the shop?", "Half up, since the bank's rule surprised people.", "and in the invoices of partners?"]
    os.utime(converse(machine, here, "s1", *said))
    found = seeded(machine, here, "--transcripts", "--commits", "0")
    assert (found["stored"], found["ignored"]) == (1, {"turns that may still be going on": 1})
    converse(machine, here, "s1", *said, "There too; the contract says so in part four.")
    found = seeded(machine, here, "--transcripts", "--commits", "0")
    assert (found["stored"], found["known"]) == (1, 1)


def test_what_hooks_captured_is_not_stored_again(machine: Machine) -> None:
    here = repository(machine)
    long = "please look at all of these lines: " + "row of the ferry table, " * 400
    said = ["how do we round prices in the shop?", "Half up, since the bank's rule surprised people.", long, "I looked at all of them."]
    path = converse(machine, here, "s1", *said)
    payload = {"session_id": "s1", "transcript_path": str(path), "cwd": str(here), "hook_event_name": "Stop"}
    machine.out("daemon", "start", "--addr", "127.0.0.1:0")
    command = [sys.executable, "-P", "-m", "memory_wire", "hook", "stop", "--host", "claude-code"]
    done = subprocess.run(
        command, input=json.dumps(payload), env=machine.env, cwd=here, text=True, capture_output=True, timeout=30, check=True
    )
    assert done.stderr == ""
    stored = json.loads(machine.out("stats", "--json", cwd=here))["memories"]
    assert stored == 2
    found = seeded(machine, here, "--transcripts", "--commits", "0")
    assert (found["stored"], found["known"]) == (0, 2)
    machine.out("daemon", "stop")


def test_all_hosts_at_once(machine: Machine) -> None:
    makers = [make for make in samples.HOSTS if make is not samples.opencode_db]
    for make in makers:
        old(make(machine.home))
    found = seeded(machine, machine.work, "--all-projects", "--bank", "b")
    assert found["stored"] == len(makers)
    assert seeded(machine, machine.work, "--all-projects", "--bank", "b")["stored"] == 0
