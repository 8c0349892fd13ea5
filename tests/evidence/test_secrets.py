"""The gate for credentials in a repository of its own: files, messages, pushes, samples that are allowed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUARD = Path("src") / "memory_wire" / "guard"
KEY = "ghp_" + "Zq8Rk2Lw5Tn9Xc4Vb7Hd1Js6"


class Clone:
    """A repository with the gate turned on."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "clone"
        shutil.copytree(ROOT / ".githooks", self.root / ".githooks", ignore=shutil.ignore_patterns("__pycache__"))
        (self.root / ".githooks" / "allowed.txt").unlink()
        shutil.copytree(ROOT / GUARD, self.root / GUARD, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "src" / "memory_wire" / "__init__.py", self.root / "src" / "memory_wire")
        (self.root / ".gitignore").write_text("__pycache__/\n")
        self.ok("init", "-q", "-b", "main")
        self.ok("config", "core.hooksPath", ".githooks")
        gate = [sys.executable, str(self.root / ".githooks" / "secrets.py")]
        subprocess.run([*gate, "allow", "src/memory_wire/guard/redact.py", "src/memory_wire/guard/rules.py"], check=True)
        self.ok("add", "-A")
        self.ok("commit", "-qm", "all")

    def git(self, *words: str) -> subprocess.CompletedProcess[str]:
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        names = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {"PATH": path} | names
        return subprocess.run(["git", *words], cwd=self.root, env=env, capture_output=True, text=True, check=False)

    def ok(self, *words: str) -> None:
        done = self.git(*words)
        assert done.returncode == 0, done.stderr

    def write(self, name: str, text: str) -> None:
        (self.root / name).write_text(text)
        self.ok("add", "-A")


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path)


def test_a_file_with_a_credential_is_not_committed(clone: Clone) -> None:
    clone.write("notes.txt", f"first\nthe key is {KEY}\n")
    done = clone.git("commit", "-qm", "notes")
    assert done.returncode == 1 and "notes.txt:2: github_token" in done.stderr and KEY not in done.stderr
    clone.write("notes.txt", "first\nthe key is elsewhere; write to someone@example.com\n")  # an address is nobody's credential
    clone.ok("commit", "-qm", "notes")


def test_what_is_staged_counts_not_what_lies_about(clone: Clone) -> None:
    clone.write("notes.txt", "clean")
    (clone.root / "notes.txt").write_text(KEY)
    clone.ok("commit", "-qm", "notes")


def test_a_message_with_a_credential_is_refused(clone: Clone) -> None:
    clone.write("notes.txt", "clean")
    done = clone.git("commit", "-qm", f"uses {KEY}")
    assert done.returncode == 1 and "message:1: github_token" in done.stderr


def test_a_push_looks_at_every_commit(clone: Clone, tmp_path: Path) -> None:
    """What came in past the hooks and was taken out again is in the history all the same."""
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "there")], check=True)
    clone.ok("remote", "add", "origin", str(tmp_path / "there"))
    clone.ok("push", "-q", "origin", "main")
    clone.write("notes.txt", KEY)
    clone.ok("commit", "-qnm", "past the hooks")
    clone.write("notes.txt", "clean")
    clone.ok("commit", "-qm", "taken out")
    done = clone.git("push", "-q", "origin", "main")
    assert done.returncode != 0 and "notes.txt:1: github_token" in done.stderr
    clone.ok("reset", "-q", "--hard", "HEAD~2")
    clone.write("notes.txt", "clean")
    clone.ok("commit", "-qm", "notes")
    clone.ok("push", "-q", "origin", "main")


def test_a_sample_is_allowed_where_it_stands(clone: Clone) -> None:
    clone.write("sample.txt", KEY)
    subprocess.run([sys.executable, str(clone.root / ".githooks" / "secrets.py"), "allow", "sample.txt"], check=True)
    clone.ok("add", "-A")
    clone.ok("commit", "-qm", "sample")
    assert KEY not in (clone.root / ".githooks" / "allowed.txt").read_text()
    clone.write("other.txt", KEY)
    assert "other.txt:1: github_token" in clone.git("commit", "-qm", "the same elsewhere").stderr
    (clone.root / "other.txt").unlink()
    clone.write("sample.txt", KEY[:-1] + "Q")
    assert "sample.txt:1: github_token" in clone.git("commit", "-qm", "another one there").stderr


def test_the_whole_tree_is_clean() -> None:
    done = subprocess.run([sys.executable, str(ROOT / ".githooks" / "secrets.py"), "tree"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
