"""Memories that seem to be gone because the place has another bank now: `bank` and a recall that finds nothing say where they are."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.commands import Machine


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=True)


def test_a_remote_comes_is_renamed_and_the_folder_is_moved(machine: Machine) -> None:
    project = machine.root / "api"
    project.mkdir()
    git(project, "init", "-q")
    machine.out("retain", "the falcon has landed", cwd=project)
    first = json.loads(machine.out("bank", "--json", cwd=project))["bank"]

    git(project, "remote", "add", "origin", "git@example.com:acme/api.git")
    step(machine, project, first, "acme-api")
    git(project, "remote", "rename", "origin", "upstream")
    found = json.loads(machine.out("bank", "--json", cwd=project))
    assert found["bank"] == first
    step(machine, project, "acme-api", first)
    shutil.move(project, machine.root / "moved" / "api")
    git(machine.root / "moved" / "api", "remote", "remove", "upstream")
    step(machine, machine.root / "moved" / "api", first, None)


def step(machine: Machine, folder: Path, before: str, today: str | None) -> None:
    """A recall says where to look, `bank` says how to move it, and moved it is found."""
    facts = json.loads(machine.out("bank", "--json", cwd=folder))
    today = today or facts["bank"]
    assert facts["bank"] == today
    empty = machine.run("recall", "falcon", cwd=folder)
    assert (empty.returncode, empty.stdout) == (0, "")
    assert empty.stderr == (
        f"memory-wire: nothing found in bank {today}, which is not there yet; {before} holds 1 memories and may be its former name: "
        "`memory-wire bank` says how to move them\n"
    )
    move = f"memory-wire banks rename {before} {today}"
    assert f"other   {before}  (1 memories), if it was this folder's: {move}" in machine.out("bank", cwd=folder).splitlines()
    assert facts["others"] == [{"bank": before, "memories": 1, "move": move}]
    machine.out(*move.split()[1:], cwd=folder)
    assert "the falcon" in machine.out("recall", "falcon", cwd=folder)
    assert json.loads(machine.out("bank", "--json", cwd=folder))["others"] == []


def test_a_bank_that_is_there_is_merged(machine: Machine) -> None:
    project = machine.root / "api"
    project.mkdir()
    machine.out("retain", "old", cwd=project)
    old = json.loads(machine.out("bank", "--json", cwd=project))["bank"]
    git(project, "init", "-q")
    machine.out("retain", "new", cwd=project)
    [other] = json.loads(machine.out("bank", "--json", cwd=project))["others"]
    assert other["move"].startswith(f"memory-wire banks merge {old} api-")


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_nothing_found(machine: Machine, words: tuple[str, ...]) -> None:
    def said(*more: str) -> str:
        done = machine.run("recall", "falcon", *more, *words)
        assert (done.returncode, done.stdout) == (0, "[]\n" if words else "")
        assert done.stderr == "" or not words
        return done.stderr

    machine.out("retain", "a heron", "--bank", "mine")
    assert said("--bank", "mine") == ("" if words else "memory-wire: nothing found in bank mine\n")
    assert "default" not in said("--bank", "other")
    machine.out("retain", "a falcon", "--bank", "default")
    hint = "memory-wire: nothing found in bank other, which is not there yet; default holds 1: `--bank default` asks there\n"
    assert said("--bank", "other") == ("" if words else hint)
