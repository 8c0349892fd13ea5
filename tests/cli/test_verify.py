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
    assert machine.out("verify-sources", *BANK) == "fresh    docs/deploy.md\n1 source: 1 fresh, 0 stale, 0 missing, 0 unknown\n"
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
    assert machine.out("forget", id, "--purge", *BANK).splitlines() == [f"{id}  memory  its id", "1 erased in bank notes: 1 memory"]
    record = remember(machine, "Something else.", "a.md")
    assert machine.out("forget-record", "--memory-id", record, "--purge", *BANK) == "forgotten: 1\n"


def test_hooks_that_end_early_or_serve_everybody(machine: Machine, repository: Path) -> None:
    hook = repository / ".git" / "hooks" / "post-commit"
    hook.write_text("#!/bin/sh\necho theirs\nexit 0\n")
    before = hook.read_bytes()
    install = ("verify-sources", "--git-hook", "install")
    machine.out(*install, PATH=program(machine))
    assert hook.read_text().splitlines()[1] == "# >>> memory-wire >>>" and hook.read_text().endswith("exit 0\n")
    assert machine.out(*install, PATH=program(machine)).count("unchanged") == 2
    machine.out("verify-sources", "--git-hook", "remove")
    assert hook.read_bytes() == before
    hook.write_text("#!/usr/bin/perl\n")
    done = machine.run(*install, PATH=program(machine))
    assert (done.returncode, done.stdout) == (1, "") and "is no shell script; add this line to it: if mw=" in done.stderr
    everybody = machine.root / "hooks"
    git(repository, "config", "core.hooksPath", str(everybody))
    done = machine.run(*install, PATH=program(machine))
    assert done.returncode == 1 and "serves other repositories" in done.stderr and not everybody.exists()


def program(machine: Machine, script: str = f'exec "{sys.executable}" -P -m memory_wire "$@"') -> str:
    """A launcher of this version, with a blank in its path; the PATH that has it in front."""
    folder = machine.root / "the programs"
    folder.mkdir(exist_ok=True)
    (folder / "memory-wire").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "memory-wire").chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def commit(machine: Machine, repository: Path, text: str) -> str:
    """What git says while it commits a changed file, in a shell whose PATH has no launcher."""
    (repository / "docs" / "deploy.md").write_text(text)
    words = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qam", "changed"]
    env = machine.env | {"GIT_CONFIG_GLOBAL": "/dev/null", "PATH": os.defpath}
    done = subprocess.run(words, cwd=repository, env=env, capture_output=True, text=True, check=True, timeout=60)
    return done.stdout + done.stderr


def test_the_git_hook_looks_at_what_a_commit_changed(machine: Machine, repository: Path) -> None:
    hook = repository / ".git" / "hooks" / "post-commit"
    hook.write_text("#!/bin/sh\necho theirs\nexit 0\n")
    hook.chmod(0o755)
    before = hook.read_bytes()
    install = ("verify-sources", "--git-hook", "install", *BANK)
    assert machine.out(*install, PATH=program(machine)).count("installed") == 2
    assert machine.out(*install, PATH=program(machine)).count("unchanged") == 2
    first = remember(machine, "Deploys run from main.", "docs/deploy.md", sha256("deploys run from main\n"))
    log = repository / ".git" / "memory-wire.log"
    assert commit(machine, repository, "deploys run from release\n") == "theirs\n"
    until(lambda: log.exists() and log.read_text() == f"stale    docs/deploy.md  {first}\n")
    assert "stale" in machine.out("search", "deploys", *BANK)
    gate, passed = machine.root / "gate", machine.root / "passed"
    os.mkfifo(gate)
    program(machine, f"cat '{gate}' > '{passed}'")
    assert commit(machine, repository, "again\n") == "theirs\n"
    gate.write_text("open")  # the commit is done while the program still waits for this
    until(lambda: passed.exists() and passed.read_text() == "open")
    machine.out("verify-sources", "--git-hook", "remove")
    assert hook.read_bytes() == before and not hook.with_name("post-merge").exists()


def test_hooks_of_other_hands(machine: Machine, repository: Path) -> None:
    hook = repository / ".git" / "hooks" / "post-commit"
    hook.parent.mkdir(exist_ok=True)
    install = ("verify-sources", "--git-hook", "install")
    before = b"#!/bin/sh\n# caf\xe9\ntouch ran\n"
    hook.write_bytes(before)
    machine.out(*install, PATH=program(machine))
    assert before.splitlines()[1] in hook.read_bytes() and b">>> memory-wire >>>" in hook.read_bytes()
    machine.out("verify-sources", "--git-hook", "remove")
    assert hook.read_bytes() == before
    hook.write_bytes(b"#!/bin/sh\r\ntouch ran\r\n")
    done = machine.run(*install, PATH=program(machine))
    assert done.returncode == 1 and "line ends of Windows" in done.stderr and hook.read_bytes() == b"#!/bin/sh\r\ntouch ran\r\n"


def test_the_first_commit_of_a_repository_says_nothing(machine: Machine) -> None:
    git(machine.work, "init")
    machine.out("verify-sources", "--git-hook", "install", PATH=program(machine))
    (machine.work / "docs").mkdir()
    (machine.work / "docs" / "deploy.md").touch()
    git(machine.work, "add", ".")
    assert commit(machine, machine.work, "one\n") == "" and not (machine.work / ".git" / "memory-wire.log").exists()


def test_a_hook_outside_of_a_repository(machine: Machine) -> None:
    done = machine.run("verify-sources", "--git-hook", "install", PATH=program(machine))
    assert (done.returncode, done.stdout) == (1, "") and "is in no git repository; run this inside of one" in done.stderr


def test_exit_statuses_of_both_commands(machine: Machine, repository: Path) -> None:
    fresh, old = sha256("deploys run from main\n"), sha256("something else\n")
    remember(machine, "Deploys run from main.", "docs/deploy.md", fresh)
    remember(machine, "Builds run at night.", "docs/build.md#when", old)
    (repository / "docs" / "build.md").write_text("builds run at noon\n")

    def status(*words: str) -> int:
        return machine.run(*words, *BANK).returncode

    assert (status("verify-sources", "docs/deploy.md"), status("validate-memory", "docs/deploy.md", fresh)) == (0, 0)
    assert (status("verify-sources", "docs/build.md"), status("validate-memory", "docs/build.md#when", fresh)) == (1, 1)
    assert (status("verify-sources", "--bogus"), status("validate-memory", "docs/build.md")) == (2, 2)
    (repository / "docs" / "build.md").unlink()
    assert (status("verify-sources"), status("verify-sources", "docs/deploy.md")) == (1, 0)
    for words in (("verify-sources", "docs/deplyo.md"), ("validate-memory", "docs/deplyo.md", fresh)):
        done = machine.run(*words, *BANK)
        assert done.returncode == 1 and "no record names docs/deplyo.md; `memory-wire verify-sources` lists" in done.stderr
    inside = machine.run("verify-sources", "deploy.md", "--quiet", *BANK, cwd=repository / "docs")
    assert (inside.returncode, inside.stdout, inside.stderr) == (0, "", "")


def test_hashes_of_several_forms_of_one_source(machine: Machine, repository: Path) -> None:
    file = repository / "docs" / "deploy.md"
    text, digests = file.read_bytes(), []
    for spelt in ("sha256:{sha256}", "{sha256}", "git:{blob}", "{blob}", "SHA-1:{sha1}", "md5:{md5}"):
        made = {name: hashlib.new(name, text, usedforsecurity=False).hexdigest() for name in ("sha256", "sha1", "md5")}
        digests.append(spelt.format(**made, blob=git(repository, "hash-object", str(file)).strip()))
    ids = [remember(machine, f"By {digest}.", "docs/deploy.md", digest) for digest in digests]
    assert "1 source: 1 fresh" in machine.out("verify-sources", *BANK)
    found = machine.out("search", "By", "--limit", "20", *BANK)
    assert "stale" not in found and all(id in found for id in ids)
    file.write_text("deploys run from release\n")
    done = machine.run("verify-sources", *BANK, "--quiet")
    assert all(id in done.stdout for id in ids)
    file.write_bytes(text)
    assert machine.out("verify-sources", *BANK, "--quiet") == ""


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
        file.write_text("deploys run from main\n")
        until(lambda: log.read_text().count("fresh    docs/deploy.md") == 2)
        file.parent.rename(repository / "papers")  # the folder alone is told of
        until(lambda: log.read_text().count("missing  docs/deploy.md") == 2)
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
    assert hashed(str(odd), ["0" * 64, "v12"]) == sha256("x") and hashed(str(odd), ["v12"]) == ""
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
