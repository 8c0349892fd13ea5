"""Sources of records against the files they name: real repositories, real editors' ways of saving, a real git with its hooks."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_wire import Memory
from memory_wire.sources.hashing import Folders, form, hashed, path_of
from tests.cli.commands import Machine

BANK = ("--bank", "notes")


def until(met: Callable[[], bool], seconds: float = 20.0) -> None:
    limit = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < limit, met
        time.sleep(0.3)


def git(folder: Path, *words: str) -> str:
    env = os.environ | {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    return subprocess.run(["git", *who, *words], cwd=folder, env=env, check=True, capture_output=True, text=True).stdout


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def remember(machine: Machine, content: str, source: str, hash: str | None = None) -> str:
    words = ["remember", content, "--source-id", source, *BANK, "--json"]
    done = machine.out(*words, *(["--source-hash", hash] if hash else []))
    return str(json.loads(done)["id"])


@pytest.fixture
def repository(machine: Machine) -> Path:
    folder = machine.work
    (folder / "docs").mkdir()
    (folder / "docs" / "deploy.md").write_text("deploys run from main\n")
    git(folder, "init")
    git(folder, "add", ".")
    git(folder, "commit", "-m", "first")
    return folder


def test_a_changed_file_makes_its_records_stale_and_the_way_back_fresh(machine: Machine, repository: Path) -> None:
    file = repository / "docs" / "deploy.md"
    first = remember(machine, "Deploys run from main.", "docs/deploy.md", "sha256:" + sha256("deploys run from main\n").upper())
    assert machine.out("verify-sources", *BANK) == "fresh    docs/deploy.md\n1 sources: 1 fresh, 0 stale, 0 missing, 0 unknown\n"
    file.write_text("deploys run from release\n")
    done = machine.run("verify-sources", *BANK, "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (1, f"stale    docs/deploy.md  {first}\n", "")
    found = machine.out("search", "deploys", *BANK)
    assert "stale" in found
    file.write_text("deploys run from main\n")
    assert machine.out("verify-sources", *BANK, "--quiet") == ""
    assert "stale" not in machine.out("search", "deploys", *BANK)


def test_git_blobs_anchors_lines_and_addresses(machine: Machine, repository: Path) -> None:
    blob = git(repository, "hash-object", "docs/deploy.md").strip()
    remember(machine, "One.", "docs/deploy.md#intro", blob)
    remember(machine, "Two.", "docs/deploy.md:1", "git:" + blob)
    remember(machine, "Three.", (repository / "docs" / "deploy.md").as_uri(), hashlib.sha1(b"deploys run from main\n").hexdigest())
    assert "3 sources: 3 fresh" in machine.out("verify-sources", *BANK, cwd=repository / "docs")


def test_what_is_no_file_or_lies_elsewhere_is_never_read(machine: Machine, repository: Path) -> None:
    secret = machine.root / "outside.txt"
    secret.write_text("x")
    (repository / "link.txt").symlink_to(secret)
    for source in ("JIRA-12", "https://example.org/a.md", str(secret), "../outside.txt", "link.txt", "docs/deploy.md"):
        remember(machine, f"Told by {source}.", source, None if source == "docs/deploy.md" else sha256("x"))
    lines = machine.out("verify-sources", *BANK).splitlines()
    assert set(lines[:-1]) == {
        "unknown  JIRA-12  no file",
        "unknown  https://example.org/a.md  no file",
        f"unknown  {secret}  outside",
        "unknown  ../outside.txt  outside",
        "unknown  link.txt  outside",
        "unknown  docs/deploy.md  no hash was stored",
    }
    both = machine.out("verify-sources", *BANK, "--root", str(repository), "--root", str(machine.root))
    assert f"fresh    {secret}" in both and "fresh    link.txt" in both


def test_a_file_that_went_elsewhere_is_named(machine: Machine, repository: Path) -> None:
    remember(machine, "Deploys run from main.", "docs/deploy.md", sha256("deploys run from main\n"))
    (repository / "ops").mkdir()
    git(repository, "mv", "docs/deploy.md", "ops/deploy.md")
    done = machine.run("verify-sources", *BANK)
    assert done.returncode == 1 and f"missing  docs/deploy.md  now at {repository / 'ops' / 'deploy.md'}" in done.stdout


def test_a_file_of_another_name_is_found_by_what_git_keeps(machine: Machine, repository: Path) -> None:
    text = "deploys run from main\n"
    for source, stored in (
        ("docs/deploy.md", sha256(text)),
        ("docs/deploy.md#top", git(repository, "hash-object", "docs/deploy.md").strip()),
    ):
        remember(machine, f"Told by {source}.", source, stored)
    git(repository, "mv", "docs/deploy.md", "release.md")
    where = f"now at {repository / 'release.md'}"
    for _ in ("before the commit", "after"):
        lines = machine.run("verify-sources", *BANK, "--quiet").stdout.splitlines()
        assert sorted(lines) == [f"missing  docs/deploy.md  {where}", f"missing  docs/deploy.md#top  {where}"]
        git(repository, "commit", "--allow-empty", "-m", "renamed")


def test_the_words_of_forget_and_erase(machine: Machine) -> None:
    id = machine.out("retain", "Something of mine.", *BANK).strip()
    assert machine.out("forget", id, "--purge", *BANK).splitlines() == [f"{id}  its id", "1 erased"]
    record = remember(machine, "Something else.", "a.md")
    assert machine.out("forget-record", "--memory-id", record, "--purge", *BANK) == "forgotten: 1\n"


def test_hooks_that_end_early_or_serve_everybody(machine: Machine, repository: Path) -> None:
    hook = repository / ".git" / "hooks" / "post-commit"
    hook.write_text("#!/bin/sh\necho theirs\nexit 0\n")
    before = hook.read_bytes()
    machine.out("verify-sources", "--git-hook", "install")
    assert hook.read_text().splitlines()[1] == "# >>> memory-wire >>>" and hook.read_text().endswith("exit 0\n")
    assert machine.out("verify-sources", "--git-hook", "install").count("unchanged") == 2
    machine.out("verify-sources", "--git-hook", "remove")
    assert hook.read_bytes() == before
    everybody = machine.root / "hooks"
    git(repository, "config", "core.hooksPath", str(everybody))
    done = machine.run("verify-sources", "--git-hook", "install")
    assert done.returncode and "serves other repositories" in done.stderr and not everybody.exists()


def test_the_git_hook_looks_at_what_a_commit_changed(machine: Machine, repository: Path) -> None:
    hook = repository / ".git" / "hooks" / "post-commit"
    hook.write_text("#!/bin/sh\necho theirs\n")
    hook.chmod(0o755)
    before = hook.read_bytes()
    assert machine.out("verify-sources", "--git-hook", "install").count("installed") == 2
    assert machine.out("verify-sources", "--git-hook", "install").count("unchanged") == 2
    remember(machine, "Deploys run from main.", "docs/deploy.md", sha256("deploys run from main\n"))
    programs = machine.root / "bin"
    programs.mkdir()
    program = programs / "memory-wire"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m memory_wire "$@"\n')
    program.chmod(0o755)
    env = machine.env | {"PATH": f"{programs}:{os.environ['PATH']}", "MEMORY_WIRE_BANK": "notes", "GIT_CONFIG_GLOBAL": "/dev/null"}
    (repository / "docs" / "deploy.md").write_text("deploys run from release\n")
    commit = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qam", "second"]
    done = subprocess.run(commit, cwd=repository, env=env, capture_output=True, text=True, check=True)
    assert "theirs" in done.stdout + done.stderr and "stale    docs/deploy.md" in done.stdout + done.stderr
    program.write_text("#!/bin/sh\nexit 3\n")
    (repository / "docs" / "deploy.md").write_text("again\n")
    subprocess.run(commit, cwd=repository, env=env, capture_output=True, check=True)
    machine.out("verify-sources", "--git-hook", "remove")
    assert hook.read_bytes() == before and not hook.with_name("post-merge").exists()


def test_watch_tells_of_a_change_also_by_rename(machine: Machine, repository: Path) -> None:
    file = repository / "docs" / "deploy.md"
    first = remember(machine, "Deploys run from main.", "docs/deploy.md", sha256("deploys run from main\n"))
    log = machine.root / "watch.log"
    with log.open("wb") as out:
        command = [sys.executable, "-P", "-u", "-m", "memory_wire", "watch", *BANK]
        process = subprocess.Popen(command, cwd=repository, env=machine.env, stdout=out, stderr=subprocess.STDOUT)
    try:
        until(lambda: "watching" in log.read_text())

        def seen(mark: str) -> bool:  # the watch itself begins a moment after its first line
            fresh = file.with_name(".deploy.md.swp")
            fresh.write_text("deploys run from release\n" if mark.startswith("stale") else "deploys run from main\n")
            fresh.replace(file)
            return mark in log.read_text()

        until(lambda: seen(f"stale    docs/deploy.md  {first}"))
        until(lambda: seen("fresh    docs/deploy.md"))
        file.unlink()
        until(lambda: "missing  docs/deploy.md" in log.read_text())
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    assert "Traceback" not in log.read_text()


@pytest.mark.parametrize(
    ("stored", "known"),
    [
        ("a" * 64, ("", "sha256")),
        ("sha256:" + "a" * 64, ("sha256:", "sha256")),
        ("SHA-1:" + "b" * 40, ("SHA-1:", "sha1")),
        ("c" * 40, ("", "git")),
        ("v12", None),
        ("etag:xyz", None),
        ("crc:1234", None),
        ("", None),
    ],
)
def test_forms_of_hashes(stored: str, known: tuple[str, str] | None) -> None:
    assert form(stored) == known


def test_paths_in_source_ids(tmp_path: Path) -> None:
    odd = tmp_path / "a#b:3"
    odd.write_text("x")
    assert path_of(str(odd)) == str(odd)
    read = {"a.md:3:7": "a.md", "a.md#L3-L9": "a.md", "file:///a%20b.md": "/a b.md", "a.md:3-9": "a.md"}
    assert {text: path_of(text) for text in read} == read
    assert [path_of(text) for text in ("[REDACTED:key:12]", "x\0y", "s3://b/k")] == [None, None, None]
    assert hashed(str(odd), "0" * 64) == sha256("x")
    assert Folders([str(tmp_path)]).find("nowhere.md") == (None, "missing")


def test_sources_page_by_page(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db") as memory:
        assert memory.list_sources().sources == []
        for number in range(25):
            memory.remember(f"Fact {number}.", source_id=f"docs/{number % 5}.md", source_hash=f"{number % 10:02x}")
        whole = memory.list_sources()
        assert whole.cursor is None and {row.source_id: row.records for row in whole.sources} == {f"docs/{n}.md": 5 for n in range(5)}
        assert {row.source_id: row.hashes for row in whole.sources}["docs/3.md"] == ["03", "08"]
        paged, cursor = [], None
        while True:
            page = memory.list_sources(limit=2, cursor=cursor)
            paged += page.sources
            cursor = page.cursor
            if cursor is None:
                break
        assert paged == whole.sources and all(row.observed == row.hashes[0] for row in paged)
