"""What holds for every command: --json, exit statuses, errors on one line with what mends them, colour on a terminal only."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from memory_wire.cli.main import OWNERS, commands, declared
from memory_wire.cli.show import columns

NO_JSON = {"hook", "mcp", "serve"}  # they speak a protocol
SGR = "\x1b["


def run(home: Path, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("MEMORY_WIRE_", "XDG_", "NO_COLOR"))}
    command = [sys.executable, "-m", "memory_wire", *words]
    return subprocess.run(
        command,
        cwd=home,
        capture_output=True,
        text=True,
        env=clean | {"HOME": str(home)} | env,
        timeout=60,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def on_terminal(home: Path, *words: str, **env: str) -> str:
    """What a terminal shows: standard output and errors."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(home)
        os.environ.pop("NO_COLOR", None)
        os.environ.update({"HOME": str(home), "TERM": "xterm"} | env)
        os.execv(sys.executable, [sys.executable, "-m", "memory_wire", *words])
    shown = b""
    try:
        while part := os.read(terminal, 65536):
            shown += part
    except OSError:  # how Linux says that the other side is gone
        shown += b""
    os.close(terminal)
    os.waitpid(pid, 0)
    return shown.decode()


def test_every_verb_is_where_the_table_says() -> None:
    for verb, module in OWNERS.items():
        assert verb in {command.name for command in declared(module)}, verb
    listed = {name: module for module in {*OWNERS.values()} for name in (command.name for command in declared(module))}
    assert listed == OWNERS
    assert not {command.name for command in declared("memories")} & OWNERS.keys()


def test_every_command_has_json_and_a_help() -> None:
    for name, command in commands().items():
        options = {option.name for option in command.options}
        assert ("json" in options) == (name not in NO_JSON), name
        assert command.summary.endswith("."), name
        assert len(f"{name} {command.summary}") < 160, name


def test_json_is_one_document_whatever_the_command(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("")
    assert run(tmp_path, "retain", "first", "--bank", "b").returncode == 0
    asked = [
        ("retain", "x", "--bank", "b"),
        ("recall", "x", "--bank", "b"),
        ("reflect", "x", "--bank", "b"),
        ("memories", "--bank", "b"),
        ("stats", "--bank", "b"),
        ("banks",),
        ("bank",),
        ("config", "--bank", "b"),
        ("check",),
        ("reindex",),
        ("backup", "copy.db"),
        ("export", "all.jsonl"),
        ("import", "all.jsonl"),
        ("health",),
        ("info",),
        ("sweep", "--dry-run"),
        ("daemon", "status"),
        ("doctor",),
        ("connect", "--list"),
        ("disconnect",),
        ("service", "status"),
        ("skill",),
        ("completion", "fish"),
        ("help",),
        ("delete-bank", "b", "--confirm", "b"),
    ]
    for words in asked:
        done = run(tmp_path, *words, "--json")
        assert done.returncode in (0, 1), (words, done)
        json.loads(done.stdout)
        assert SGR not in done.stdout


def test_the_exit_statuses_that_help_documents(tmp_path: Path) -> None:
    shown = run(tmp_path, "help").stdout
    assert "Exit status: 0 done; 1 it failed" in shown and "2 the words or values don't fit" in shown
    assert run(tmp_path, "help", "check").stdout.rstrip().endswith("Exit status 1: something is wrong.")
    assert run(tmp_path, "banks").returncode == 0
    assert run(tmp_path, "get", "00000000-0000-4000-8000-000000000000").returncode == 1
    for words in (
        ("nonsense",),
        ("recall",),
        ("recall", "x", "--k"),
        ("recall", "x", "--k", "many"),
        ("recall", "x", "--k", "0"),
        ("help", "nonsense"),
    ):
        assert run(tmp_path, *words).returncode == 2, words
    assert run(tmp_path, "--version").returncode == 0 == run(tmp_path, "recall", "--help").returncode


@pytest.mark.parametrize(
    ("words", "said", "env"),
    [
        (("get", "00000000-0000-4000-8000-000000000000"), "unknown memory; `memory-wire memories` lists them", {}),
        (
            ("recall", "x"),
            "; unset MEMORY_WIRE_URL, or `memory-wire daemon start --addr 127.0.0.1:1`",
            {"MEMORY_WIRE_URL": "http://127.0.0.1:1"},
        ),
        (("config", "--bank", "nowhere"), "unknown bank; `memory-wire banks` lists them", {}),
        (("backup", "/nonexistent/x"), "/nonexistent", {}),
        (("import", "/nonexistent/x"), "/nonexistent/x", {}),
        (("recall", "x", "--db", "notes.txt"), "notes.txt is not a database; put a backup in place of ", {}),
    ],
)
def test_errors_are_one_line_with_what_mends_them(words: tuple[str, ...], said: str, env: dict[str, str], tmp_path: Path) -> None:
    run(tmp_path, "retain", "first")
    (tmp_path / "notes.txt").write_text("no database at all\n" * 100)
    done = run(tmp_path, *words, **env)
    assert done.returncode in (1, 2) and done.stdout == ""
    assert re.fullmatch(r"memory-wire: [^\n]+\n", done.stderr), done.stderr
    assert said in done.stderr


def test_near_misses_are_named(tmp_path: Path) -> None:
    assert "did you mean `recall`?" in run(tmp_path, "recal", "x").stderr
    assert "did you mean --budget?" in run(tmp_path, "recall", "x", "--buget", "3").stderr
    for option in ("--endpoint", "--api-url"):
        assert "MEMORY_WIRE_URL" in run(tmp_path, "recall", "x", option, "http://x").stderr


def test_colour_on_a_terminal_only(tmp_path: Path) -> None:
    assert SGR in on_terminal(tmp_path, "help") and SGR in on_terminal(tmp_path, "banks")
    assert SGR in on_terminal(tmp_path, "get", "00000000-0000-4000-8000-000000000000")
    assert SGR not in on_terminal(tmp_path, "help", NO_COLOR="1") and SGR not in on_terminal(tmp_path, "help", TERM="dumb")
    assert SGR not in on_terminal(tmp_path, "help", "--json")
    for words in (("help",), ("banks",), ("get", "x")):
        done = run(tmp_path, *words)
        assert SGR not in done.stdout + done.stderr


def test_tables_are_aligned_by_what_is_seen(tmp_path: Path) -> None:
    assert [columns(text) for text in ("abc", "日本", "e\u0301", "\x1b[31mred\x1b[0m", "\x1b[1mé\x1b[0m日")] == [3, 4, 1, 3, 3]
    for bank in ("a", "日本語", "longer-name"):
        run(tmp_path, "retain", "x", "--bank", bank)
    rows = run(tmp_path, "banks").stdout.rstrip("\n").split("\n")
    ends = {columns(row[: row.index("  20")]) for row in rows if "  20" in row}
    assert sum("  20" in row for row in rows) == 3 and ends == {columns(rows[0][: rows[0].index("  newest")])}
    coloured = on_terminal(tmp_path, "banks").replace("\r", "").rstrip("\n").split("\n")
    assert [re.sub(r"\x1b\[\d*m", "", row).rstrip() for row in coloured] == rows


def test_only_the_verbs_own_module_is_loaded(tmp_path: Path) -> None:
    code = """
import sys
from memory_wire.cli.light import lighten
lighten()
from memory_wire.cli.main import run
run(["completion", "bash", "--help"])
print(*sorted(name for name in sys.modules if name.startswith("memory_wire.cli.")), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True, cwd=tmp_path)
    assert done.stderr.split() == [f"memory_wire.cli.{name}" for name in ("args", "completion", "light", "main", "show")]
