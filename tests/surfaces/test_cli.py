"""The command line as a real process: embedded and through a running server, for people and for programs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.surfaces.conftest import served

ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def run(*words: str, db: Path | None = None, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    """One command line; MEMORY_WIRE_* of the surroundings don't count."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MEMORY_WIRE_")}
    command = [sys.executable, "-m", "memory_wire", *words, *(["--db", str(db)] if db else [])]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, env=clean | env, timeout=60, check=False)


def out(*words: str, db: Path | None = None, stdin: str = "", **env: str) -> str:
    """Standard output of a command that must succeed silently otherwise."""
    done = run(*words, db=db, stdin=stdin, **env)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture(params=["embedded", "server"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A store that the commands reach by opening it, or through the server that serves it."""
    if request.param == "embedded":
        yield tmp_path / "memory.db"
        return
    with served(tmp_path, "--addr", "127.0.0.1:0") as path:
        yield path


def test_the_daily_verbs(db: Path) -> None:
    first = out("retain", "we chose postgres for row level security", "--tags", "ops,db", "--session", "s1", db=db).strip()
    assert ID.fullmatch(first)
    second = out("retain", "-", "--created-at", "2026-05-01", db=db, stdin="the café moved to Orléans\n").strip()
    assert out("recall", "why postgres", "--k", "1", db=db).split("  ")[1] == first
    [hit] = json.loads(out("recall", "cafe orleans", "--k", "1", "--json", db=db))
    assert (hit["id"], hit["content"], hit["created_at"]) == (second, "the café moved to Orléans\n", "2026-05-01T00:00:00.000Z")
    assert out("reflect", "why postgres", db=db) == f"based on [{first}]: we chose postgres for row level security\n"
    assert out("get", first, db=db) == "we chose postgres for row level security\n"
    assert json.loads(out("stats", "--json", db=db))["memories"] == 2
    assert [row["id"] for row in json.loads(out("memories", "--json", db=db))["items"]] == [first, second]
    assert "default" in out("banks", db=db)
    assert out("forget", first, db=db) == "deleted\n"
    assert out("forget", first, db=db) == "not there\n"


def test_banks_and_their_configuration(db: Path) -> None:
    out("retain", "alpha beta", "--bank", "other", db=db)
    assert out("config", "--bank", "other", db=db) == "{}\n"
    assert out("config", '{"recallMaxTokens": 1}', "--bank", "other", db=db) == '{"recallMaxTokens": 1}\n'
    assert out("config", db=db, MEMORY_WIRE_BANK="other") == '{"recallMaxTokens": 1}\n'
    refused = run("delete-bank", "other", "--confirm", "wrong", db=db)
    assert refused.returncode == 2
    assert out("delete-bank", "other", "--confirm", "other", db=db) == "deleted 1 memories\n"
    assert run("config", "--bank", "other", db=db).returncode == 1


def test_export_import_backup_check_reindex(db: Path, tmp_path: Path) -> None:
    for i in range(5):
        out("retain", f"note {i} about the falcon", "--bank", f"b{i % 2}", db=db)
    assert out("check", db=db).splitlines()[-1] == "ok"
    assert json.loads(out("reindex", "--json", db=db))["memories"] == 5
    assert out("export", str(tmp_path / "all.jsonl"), db=db).startswith("5 memories")
    assert (tmp_path / "all.jsonl").read_text() == out("export", "-", db=db)
    fresh = tmp_path / "fresh" / "memory.db"
    assert out("import", str(tmp_path / "all.jsonl"), db=fresh) == "5 memories added, 0 were there\n"
    assert out("import", "-", db=fresh, stdin=(tmp_path / "all.jsonl").read_text()) == "0 memories added, 5 were there\n"
    assert out("recall", "falcon", "--bank", "b1", "--json", db=fresh) == out("recall", "falcon", "--bank", "b1", "--json", db=db)
    out("backup", str(tmp_path / "copy.db"), db=db)
    assert json.loads(out("stats", "--bank", "b0", "--json", db=tmp_path / "copy.db"))["memories"] == 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nonsense"], "unknown command 'nonsense'"),
        (["recall"], "recall needs QUERY"),
        (["recall", "x", "--nope"], "unknown option --nope"),
        (["recall", "x", "--k"], "--k needs a value"),
        (["recall", "x", "--k", "many"], "--k takes a number, not 'many'"),
        (["recall", "x", "y"], "unexpected argument 'y'"),
        (["stats", "--json=1"], "--json takes no value"),
        (["import", "-", "--bank", "b"], "--bank does not apply"),
    ],
)
def test_words_that_do_not_fit_are_said_on_stderr_with_exit_2(words: list[str], said: str) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["retain", "  "], "invalid content"),
        (["retain", "x", "--created-at", "soon"], "--created-at must be"),
        (["recall", "x", "--k", "0"], "--k must be 1 to 100"),
        (["recall", "x", "--budget", "-5"], "--budget must be a whole number, 0 or more"),
        (["memories", "--limit", "-1"], "--limit must be"),
        (["search", "x", "--limit", "0"], "--limit must be 1 to 50"),
        (["remember", "x", "--confidence", "7"], "--confidence must be"),
        (["config", "[1]"], "invalid bank config"),
        (["get", "no-such-id"], "unknown memory"),
    ],
)
def test_values_that_break_a_rule_are_one_line_on_stderr(words: list[str], said: str, tmp_path: Path) -> None:
    done = run(*words, db=tmp_path / "memory.db")
    assert done.returncode in {1, 2}
    assert done.stdout == ""
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_bytes_that_are_no_text_are_refused(db: Path) -> None:
    for words in (["retain", "\udcff"], ["config", "\udcff"], ["recall", "\udcff"], ["retain", "x", "--bank", "\udcff"], ["get", "\udcff"]):
        done = run(*words, db=db)
        assert done.returncode in {1, 2} and done.stdout == "" and done.stderr.count("\n") == 1, done.stderr


def test_a_terminal_of_another_encoding(tmp_path: Path) -> None:
    db = tmp_path / "memory.db"
    out("retain", "café 🚀", db=db)
    assert "caf\\xe9 \\U0001f680" in out("recall", "cafe", db=db, PYTHONIOENCODING="ascii")


def test_an_export_never_replaces_the_store(db: Path) -> None:
    out("retain", "kept", db=db)
    done = run("export", str(db), db=db)
    assert done.returncode == 2 and "is part of the store" in done.stderr
    assert "kept" in out("recall", "kept", db=db)


@pytest.mark.parametrize("descriptors", [8, 9, 10, 11, 12])
def test_a_backup_without_descriptors_leaves_no_rest(descriptors: int, tmp_path: Path) -> None:
    db = tmp_path / "memory.db"
    out("retain", "kept", db=db)
    before = set(os.listdir(tmp_path))
    words = f"ulimit -n {descriptors}; exec {sys.executable} -m memory_wire backup {tmp_path / 'copy'} --db {db}"
    subprocess.run(["sh", "-c", words], capture_output=True, timeout=60, check=False)
    assert set(os.listdir(tmp_path)) - before <= {"copy", "memory.db.index", "memory.db-shm", "memory.db-wal"}
    assert "kept" in out("recall", "kept", db=db)


def test_help_and_version() -> None:
    text = out("help")
    for name in ("serve", "retain", "recall", "stats", "memories", "forget", "banks", "reindex", "check", "export", "import", "backup"):
        assert f"\n  {name}" in text
    assert "--created-at TEXT" in out("retain", "--help")
    assert re.fullmatch(r"memory-wire \d+\.\d+\.\d+\n", out("--version"))


def test_a_read_makes_no_store(tmp_path: Path) -> None:
    assert json.loads(out("recall", "anything", "--json", db=tmp_path / "memory.db")) == []
    assert list(tmp_path.iterdir()) == []


def test_a_vanished_store_is_said(tmp_path: Path) -> None:
    db = tmp_path / "memory.db"
    out("retain", "something", db=db)
    out("reindex", db=db)
    db.unlink()
    done = run("retain", "more", db=db)
    assert done.returncode == 1 and done.stderr.startswith(f"memory-wire: store missing: {db}; ")


def test_the_default_store_is_under_the_data_home(tmp_path: Path) -> None:
    out("retain", "at home", XDG_DATA_HOME=str(tmp_path))
    assert (tmp_path / "memory-wire" / "memory.db").exists()


def test_a_url_names_the_server(tmp_path: Path) -> None:
    done = run("recall", "x", MEMORY_WIRE_URL="http://127.0.0.1:1")
    assert done.returncode == 1
    assert done.stderr.startswith("memory-wire: ")
    assert run("stats", "--embedded", db=tmp_path / "memory.db", MEMORY_WIRE_URL="http://127.0.0.1:1").returncode == 0
