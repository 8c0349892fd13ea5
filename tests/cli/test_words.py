"""What the command line says: of options, of what isn't there, of damage; and what a table shows of hostile names."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from memory_wire.cli.args import Command, usage
from memory_wire.cli.main import commands
from memory_wire.cli.show import escaped
from tests.cli.commands import Machine

ID = "00000000-0000-4000-8000-000000000000"


@pytest.mark.parametrize("bank", ["", " ", "\t"])
@pytest.mark.parametrize("verb", [("recall", "x"), ("stats",), ("bank",), ("export", "-"), ("retain", "x")])
def test_a_blank_bank_is_refused(machine: Machine, verb: tuple[str, ...], bank: str) -> None:
    for words in (("--bank", bank), (f"--bank={bank}",)):
        done = machine.run(*verb, *words)
        assert done.returncode == 2 and "--bank needs a name" in done.stderr and done.stdout == ""
        assert not machine.data.exists()


def test_a_usage_error_shows_the_usage_line_only(machine: Machine) -> None:
    done = machine.run("recall", "x", "--k", "many")
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.splitlines() == [
        "memory-wire recall: --k takes a number, not 'many'",
        "usage: memory-wire recall QUERY  [options]; `memory-wire recall --help` says more",
    ]


def test_values_speak_of_options(machine: Machine) -> None:
    done = machine.run("retain", "x", "--update-mode", "bogus")
    assert done.returncode == 2 and "--update-mode is replace or append, not 'bogus'" in done.stderr
    for words in (
        ("recall", "x", "--budget", "-5"),
        ("memories", "--offset", "-1"),
        ("recall", "x", "--k", "9" * 30),
        ("get", "x", "--json"),
    ):
        assert "JSON body" not in machine.run(*words).stderr


def test_a_bank_that_is_not_there_is_said(machine: Machine) -> None:
    machine.out("retain", "x", "--bank", "mine")
    for words in (("stats",), ("stats", "--json"), ("export", "-"), ("export", "x.jsonl")):
        done = machine.run(*words, "--bank", "typo")
        assert done.returncode == 0 and done.stderr == "memory-wire: there is no bank typo; `memory-wire banks` lists them\n"
        assert machine.run(*words, "--bank", "mine").stderr == ""


def test_one_memory_is_a_row_like_several(machine: Machine) -> None:
    first = machine.out("retain", "one\nand more").strip()
    [row] = machine.out("memories").splitlines()
    machine.out("retain", "two")
    assert machine.out("memories").splitlines()[0] == row and f"  {first}  one and more" in row
    assert machine.out("get", first) == "one\nand more\n"


def test_names_in_tables_move_no_cursor(machine: Machine) -> None:
    for bank in ("a\nb", "red\x1b[31m", "tab\there", "turn\u202ed", "n" * 200):
        machine.out("retain", "x", "--bank", bank)
    rows = machine.out("banks").splitlines()
    assert len(rows) == 7  # with the heads and `default`
    for said in ("a\\nb ", "red\\x1b[31m ", "tab\\there ", "turn\\u202ed ", "n" * 79 + "… "):
        assert any(row.startswith(said) for row in rows), said
    assert {row["bank"] for row in json.loads(machine.out("banks", "--json"))["banks"]} >= {"a\nb", "n" * 200}
    assert escaped("日本 é 👩‍🚀") == "日本 é 👩‍🚀"


@pytest.mark.parametrize("words", ["recall x", "stats", "memories --json", "help", "get x", "recall", "nonsense", "bank"])
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_closed_streams_bring_no_traceback(machine: Machine, words: str, closed: str) -> None:
    machine.out("retain", "x")
    program = f"exec {sys.executable} -P -m memory_wire {words} {closed}"
    done = subprocess.run(
        ["/bin/sh", "-c", program], env=machine.env, cwd=machine.work, capture_output=True, text=True, timeout=60, check=False
    )
    assert "Traceback" not in done.stdout + done.stderr and done.returncode in (0, 1, 2)
    assert machine.out("check").endswith("ok\n")


def test_standard_input_of_another_format(machine: Machine, tmp_path: Path) -> None:
    exported = json.dumps({"results": [{"id": "m1", "memory": "likes falcons", "created_at": "2026-01-02T00:00:00Z"}]})
    command = [sys.executable, "-P", "-m", "memory_wire", "import", "-", "--from", "mem0", "--bank", "b"]
    done = subprocess.run(
        command, input=exported, env=machine.env, cwd=machine.work, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith("mem0: 1 read, 1 stored"), done
    assert "likes falcons" in machine.out("recall", "falcons", "--bank", "b")


def test_a_backup_replaces_nothing_and_says_what_to_do(machine: Machine) -> None:
    machine.out("retain", "x")
    (machine.work / "copy.db").write_text("mine")
    done = machine.run("backup", "copy.db")
    assert done.returncode == 1 and "copy.db exists" in done.stderr and "name a new file" in done.stderr and "doctor" not in done.stderr
    assert (machine.work / "copy.db").read_text() == "mine"


def test_a_damaged_store_says_how_to_go_on(machine: Machine) -> None:
    for number in range(3):
        machine.out("retain", f"falcon number {number} " * 40)
    store = machine.data / "memory.db"
    machine.out("check")
    data = bytearray(store.read_bytes())
    for at in range(4096, len(data), 4096):
        data[at : at + 512] = b"\xa5" * 512
    store.write_bytes(data)
    for left in ("-wal", "-shm"):
        Path(f"{store}{left}").unlink(missing_ok=True)
    for words in (("recall", "falcon"), ("check",), ("retain", "x"), ("reindex",), ("export", "-")):
        done = machine.run(*words)
        said = done.stdout + done.stderr
        assert done.returncode == 1 and "Traceback" not in said, done
        assert str(store) in said and "put a backup in place of" in said and "memory-wire export - --db" in said, said
        assert "`memory-wire check`" not in said and "reindex` builds" not in said


def test_help_has_room_between_an_option_and_its_text() -> None:
    for command in commands().values():
        for line in usage(command).splitlines():
            if line.startswith("    --"):
                assert len(line) <= 27 or line[27] == " " or "  " not in line[4:], line
    wide = Command("x", "X.", lambda values: 0, options=commands()["skill"].options)
    assert "|aider\n" in usage(wide) and "\n" + " " * 28 + "write it" in usage(wide)


def test_help_says_what_is_so() -> None:
    assert "`-`: standard input" in commands()["retain"].summary
    assert "oldest first" not in commands()["memories"].summary
    assert "bank" not in {option.name for option in commands()["delete-bank"].options}
