"""The home view, `info`, and `bank`, as a person meets them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from memory_wire import __version__
from tests.cli.commands import Machine

LINES = ["bin", "description", "server", "bank", "store", "memories", "tags", "help[5]"]


def view(machine: Machine, **env: str) -> dict[str, str]:
    """The lines of the home view by name."""
    text = machine.out(**env)
    heads = [line for line in text.splitlines() if not line.startswith("  ")]
    assert [line.partition(":")[0] for line in heads] == LINES
    return {name: rest.strip() for name, _, rest in (line.partition(":") for line in heads)}


def test_nothing_here_yet(machine: Machine) -> None:
    found = view(machine)
    assert found["server"] == "down  (not running)"
    assert found["store"] == f"{machine.data / 'memory.db'}  (missing)"
    assert (found["memories"], found["tags"]) == ("0", "-")
    assert not machine.data.exists()  # looking makes nothing


def test_a_project_with_memories(machine: Machine, addr: str) -> None:
    for number in range(3):
        tags = f"all,{'odd' if number % 2 else 'even'},t{number},u{number}"
        machine.out("retain", f"note {number}", "--tags", tags, "--created-at", f"2020-01-0{1 + number}")
    bank = json.loads(machine.out("bank", "--json"))["bank"]
    found = view(machine)
    assert found["bank"] == f"{bank}  (folder)"
    assert re.fullmatch(r"3  ·  newest \d+d ago", found["memories"])
    assert found["tags"] == "all 3, even 2, odd 1, t0 1, t1 1"
    machine.out("retain", "just said")
    assert view(machine)["memories"] == "4  ·  newest just now"
    machine.out("daemon", "start", "--addr", addr)
    assert re.fullmatch(rf"up  http://{addr}  \(process \d+, \ds\)", view(machine)["server"])


def test_whatever_is_wrong_is_said_with_exit_0(machine: Machine) -> None:
    machine.data.mkdir(parents=True)
    (machine.data / "memory.db").write_bytes(b"no database " * 100)
    machine.state.write_text("{")
    found = view(machine)
    assert "unreadable" in found["store"] and "corrupt" in found["server"]
    assert "down" in view(machine, MEMORY_WIRE_URL="http://127.0.0.1:1")["server"]
    assert "down" in view(machine, MEMORY_WIRE_URL="nonsense")["server"]
    assert view(machine, MEMORY_WIRE_BANK="mine")["bank"] == "mine  (environment)"


def test_a_server_of_another_store_is_looked_at(machine: Machine, addr: str) -> None:
    other = machine.root / "other.db"
    machine.out("retain", "elsewhere", "--db", str(other), "--bank", "b")
    machine.out("daemon", "start", "--addr", addr, "--db", str(other))
    found = view(machine, MEMORY_WIRE_BANK="b")
    assert found["store"].startswith(str(other)) and found["memories"].startswith("1  ·")


def test_info(machine: Machine) -> None:
    assert __version__ in machine.out("info")
    facts = json.loads(machine.out("info", "--json"))
    assert facts["version"] == __version__ and os.path.isdir(facts["package"]) and "README.md" in facts["documents"]


# the bank of a place ----------------------------------------------------------------------------------------------------------------


def repository(folder: Path, url: str | None = None) -> Path:
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    if url:
        subprocess.run(["git", "-C", str(folder), "remote", "add", "origin", url], check=True)
    return folder


def test_the_bank_says_which_rule_named_it(machine: Machine) -> None:
    project = repository(machine.root / "p", "https://someone:secret@example.com/acme/api.git")
    assert machine.out("bank", cwd=project).splitlines() == [
        "bank    acme-api  (not there yet)",
        "rule    remote  https://example.com/acme/api.git",
    ]
    assert machine.out("bank", "--bank", "x", cwd=project).splitlines()[1] == "rule    flag  --bank"
    assert machine.out("bank", cwd=project, MEMORY_WIRE_BANK="y").splitlines()[1] == "rule    environment  MEMORY_WIRE_BANK"
    assert machine.out("bank", cwd=Path("/")).splitlines() == ["bank    memory-wire  (not there yet)", "rule    none  /"]
    assert machine.out("bank", cwd=repository(machine.root / "q")).splitlines()[1] == f"rule    repository  {machine.root / 'q'}"


def test_verbs_act_in_the_bank_of_the_place(machine: Machine) -> None:
    project = repository(machine.root / "p", "git@example.com:acme/api.git")
    machine.out("retain", "of the project", cwd=project)
    (project / "deep").mkdir()
    assert "of the project" in machine.out("recall", "project", cwd=project / "deep")
    assert machine.run("recall", "project").stdout == ""
    assert [row["bank"] for row in json.loads(machine.out("banks", "--json"))["banks"]] == ["acme-api", "default"]
    assert "of the project" in machine.out("recall", "project", MEMORY_WIRE_BANK="acme-api")
    assert machine.out("config", '{"a":1}', cwd=project) == '{"a":1}\n'


def test_a_folder_that_was_removed_is_no_project(machine: Machine) -> None:
    gone = machine.root / "gone"
    gone.mkdir()
    program = f"cd {gone} && rmdir {gone} && exec {sys.executable} -P -m memory_wire bank"
    done = subprocess.run(["/bin/sh", "-c", program], env=machine.env, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines() == ["bank    memory-wire  (not there yet)", "rule    none  /"]


@pytest.mark.parametrize("served", [False, True])
def test_a_former_bank_is_used_and_named_until_it_is_moved(machine: Machine, addr: str, served: bool) -> None:
    if served:
        machine.out("daemon", "start", "--addr", addr)
    project = repository(machine.root / "p", "https://example.com/a-b/c")
    machine.out("retain", "from before", "--bank", "a-b-c")
    facts = json.loads(machine.out("bank", "--json", cwd=project))
    today = facts["bank"]
    assert today.startswith("a-b-c-") and (facts["used"], facts["former"], facts["former_memories"]) == ("a-b-c", "a-b-c", 1)
    assert facts["move"] == f"memory-wire banks rename a-b-c {today}"
    assert "from before" in machine.out("recall", "before", cwd=project)
    machine.out("retain", "and from now", cwd=project)
    assert json.loads(machine.out("stats", "--bank", "a-b-c", "--json"))["memories"] == 2
    machine.out("retain", "made by hand", "--bank", today)
    text = machine.out("bank", cwd=project)
    assert f"move    memory-wire banks merge a-b-c {today}" in text
    empty = machine.run("recall", "before", cwd=project)  # both are there: today's counts
    assert empty.stdout == "" and f"nothing found in bank {today}; a-b-c holds 2 memories and may be its former name" in empty.stderr
    assert machine.out("banks", "merge", "a-b-c", today) == f"2 memories moved to {today}\n"
    assert "from before" in machine.out("recall", "before", cwd=project)
    assert "former" not in machine.out("bank", cwd=project)


def test_moving_banks(machine: Machine) -> None:
    machine.out("retain", "one", "--bank", "a", "--document-id", "d")
    assert machine.out("banks", "copy", "a", "b") == "1 memories copied to b\n"
    assert machine.out("banks", "rename", "b", "c") == "1 memories moved to c\n"
    machine.out("retain", "two", "--bank", "c", "--document-id", "d")
    done = machine.out("banks", "merge", "c", "a").splitlines()
    assert done == ["1 memories moved to a", "1 came without their document_id, which a holds with another text: d"]
    refused = machine.run("banks", "rename", "a", "default")
    assert refused.returncode == 1 and "bank already exists" in refused.stderr
    assert machine.run("banks", "rename", "nowhere", "x").returncode == 1
    assert machine.run("banks", "rename", "a").returncode == 2
    assert machine.run("banks", "move", "a", "b").returncode == 2


def test_sweep_prints_the_contracts_lines(machine: Machine) -> None:
    assert machine.out("sweep").splitlines() == [
        "memory-wire sweep",
        "  default  skipped (no ttl_days)",
        "total 0 deleted",
        "nothing was ever a candidate: no bank sets ttl_days",
    ]
    for bank in ("old", "much-too-long-a-name", "kept"):
        machine.out("retain", "ancient", "--bank", bank, "--created-at", "1970-01-01")
    machine.out("config", '{"ttl_days": 30}', "--bank", "old")
    machine.out("config", '{"ttl_days": 4294967295}', "--bank", "much-too-long-a-name")
    dry = machine.out("sweep", "--dry-run").splitlines()
    assert dry[0] == "memory-wire sweep"
    assert re.fullmatch(r"  old         ttl 30d  cutoff \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z  would delete 1", dry[1])
    assert dry[2:] == [
        "  default  skipped (no ttl_days)",
        "  much-too-long-a-name  skipped (ttl_days is further out than a date can hold)",
        "  kept  skipped (no ttl_days)",
        "total 1 would be deleted",
    ]
    done = machine.out("sweep").splitlines()
    assert done[1].endswith("deleted 1") and "would" not in done[1] and done[-1] == "total 1 deleted"
    assert json.loads(machine.out("sweep", "--json"))["deleted"] == 0
    assert json.loads(machine.out("stats", "--bank", "kept", "--json"))["memories"] == 1
