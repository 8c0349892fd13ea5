"""The block about a project's memory in its instruction files: everything outside it stays, and it goes without a trace."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_wire.hosts.base import Refused
from memory_wire.hosts.guidelines import FENCE, FILES, presets, removed, written
from memory_wire.hosts.presets import MEMORY, RECORDS, body
from tests import package
from tests.plugins.playing import Home

TEXTS = st.text(st.sampled_from("ab \n\r\t`<!-->#é\ufeff"), max_size=60)


@given(TEXTS)
def test_what_goes_in_comes_out(text: str) -> None:
    put = written(text, "shop")
    assert put.startswith(text) and written(put, "shop") == put
    assert removed(put) == text
    other = written(put, "other")
    assert removed(other) == text and "`other`" in other


@given(TEXTS, TEXTS)
def test_what_was_written_around_it_stays(before: str, after: str) -> None:
    old = f"{before}{FENCE.start}\nold\n{FENCE.end}{after}"
    new = written(old, "shop")
    assert new.startswith(before + FENCE.start) and new.endswith(FENCE.end + after)


def test_a_file_made_for_it_goes_with_it() -> None:
    assert removed(written(None, "shop")) is None
    assert removed("nothing of ours") == "nothing of ours"


@pytest.mark.parametrize(
    "text",
    [
        FENCE.start,
        FENCE.end,
        f"{FENCE.end}\n{FENCE.start}\n",
        f"{FENCE.start}\n{FENCE.start}\n{FENCE.end}\n",
        f"{FENCE.start}\n{FENCE.end}\n{FENCE.end}\n",
        f"{FENCE.start}\n{FENCE.end}\n{FENCE.start}\n{FENCE.end}\n",
    ],
)
def test_marks_that_are_no_pair_are_refused(text: str) -> None:
    for edit in (lambda: written(text, "shop"), lambda: removed(text)):
        with pytest.raises(Refused, match="not one pair; left untouched"):
            edit()


def connect(home: Home, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "memory_wire", "connect", "--guidelines", *words]
    env = home.environ(PYTHONPATH=package.PATH)
    return subprocess.run(command, cwd=home.project, env=env, capture_output=True, text=True, timeout=60, check=False)


def tree(folder: Path) -> dict[str, bytes | None]:
    return {str(path.relative_to(folder)): None if path.is_dir() else path.read_bytes() for path in folder.rglob("*")}


@pytest.mark.parametrize("preset", ["memory", "records"])
def test_a_look_first_makes_nothing(preset: str, tmp_path: Path) -> None:
    home = Home(tmp_path)
    before = tree(tmp_path)
    dry = connect(home, "--preset", preset, "--dry-run")
    assert dry.returncode == 0 and "+<!-- memory-wire:start -->" in dry.stdout and tree(tmp_path) == before


def test_a_project_with_and_without(tmp_path: Path) -> None:
    home = Home(tmp_path)
    (home.project / "AGENTS.md").write_bytes(b"# Rules\r\nNo tabs.")
    (home.project / "CLAUDE.md").symlink_to("AGENTS.md")
    before = tree(home.project)
    dry = connect(home, "--dry-run")
    assert dry.returncode == 0 and "+## Memory" in dry.stdout and tree(home.project) == before
    done = connect(home)
    assert (done.returncode, done.stderr) == (0, "")
    assert [row.split()[:2] for row in done.stdout.splitlines()] == [
        ["AGENTS.md", "updated"],
        ["CLAUDE.md", "unchanged"],  # a link to the first
        ["GEMINI.md", "created"],
        [".cursorrules", "created"],
        [".github/copilot-instructions.md", "created"],
    ]
    backup = Path(done.stdout.partition("(backup: ")[2].partition(")")[0])
    assert [path.read_bytes() for path in backup.rglob("AGENTS.md")] == [b"# Rules\r\nNo tabs."]
    text = (home.project / "AGENTS.md").read_bytes()
    assert text.startswith(b"# Rules\r\nNo tabs.\r\n\r\n" + FENCE.start.encode()) and b"\n" not in text.replace(b"\r\n", b"")
    after = tree(home.project)
    assert {row["word"] for row in json.loads(connect(home, "--json").stdout)} == {"unchanged"}
    assert tree(home.project) == after
    gone = connect(home, "--uninstall")
    assert gone.returncode == 0 and gone.stdout.count("removed") == 4
    assert tree(home.project) == before and (home.project / "CLAUDE.md").is_symlink()


def test_one_refused_file_stops_no_other(tmp_path: Path) -> None:
    home = Home(tmp_path)
    (home.project / "AGENTS.md").write_text(f"{FENCE.end}\n{FENCE.start}\n")
    (home.project / "GEMINI.md").write_bytes(b"\xff\xfe")
    (home.project / "CLAUDE.md").mkdir()
    done = connect(home)
    assert done.returncode == 1
    assert [row.split()[1] for row in done.stdout.splitlines()] == ["REFUSED", "REFUSED", "REFUSED", "created", "created"]
    assert (home.project / "AGENTS.md").read_text() == f"{FENCE.end}\n{FENCE.start}\n"


@given(TEXTS, st.lists(st.sampled_from([MEMORY, RECORDS]), min_size=1, max_size=3), st.permutations([MEMORY, RECORDS]))
def test_presets_come_and_go_by_themselves(text: str, order: list[str], away: list[str]) -> None:
    put = text
    for preset in order:
        put = written(put, "shop", preset)
        assert written(put, "shop", preset) == put
    assert presets(put) == set(order) and put.count(FENCE.start) == 1
    assert removed(put) == text
    left: str | None = put
    for preset in away:
        left = removed(left, "shop", preset)
        assert preset not in presets(left) and presets(left) == presets(left) & set(order)
    assert left == text


@pytest.mark.parametrize("before", [None, b"# Rules\n\n- No tabs.\n", b"# Rules\r\nNo tabs.", "---\nglobs: *\n---\nÜber\n".encode()])
def test_a_preset_in_every_file_that_hosts_read(tmp_path: Path, before: bytes | None) -> None:
    home = Home(tmp_path)
    for file in FILES if before is not None else ():
        (home.project / file).parent.mkdir(exist_ok=True)
        (home.project / file).write_bytes(before or b"")
    whole = tree(home.project)

    def words(*given: str) -> set[str]:
        done = connect(home, "--json", *given)
        assert (done.returncode, done.stderr) == (0, "")
        rows = json.loads(done.stdout)
        assert [row["file"] for row in rows] == list(FILES)
        return {row["word"] for row in rows}

    assert words("--preset", "records") == {"created" if before is None else "updated"}
    alone = tree(home.project)
    for file in FILES:
        text = (home.project / file).read_bytes().decode()
        assert presets(text) == {RECORDS} and all(word in text for word in ("Search before big work", "fact_key", "source_hash"))
    assert words("--preset", "records") == {"unchanged"} and tree(home.project) == alone
    assert words() == {"updated"}
    assert {frozenset(presets((home.project / file).read_bytes().decode())) for file in FILES} == {frozenset({MEMORY, RECORDS})}
    assert words("--preset", "records") == {"unchanged"}
    assert words("--uninstall", "--preset", "memory") == {"updated"} and tree(home.project) == alone
    assert words("--uninstall", "--preset", "records") == {"removed"} and tree(home.project) == whole


def test_a_preset_is_of_guidelines(tmp_path: Path) -> None:
    home = Home(tmp_path)
    odd = connect(home, "--preset", "everything")
    assert odd.returncode == 2 and "--preset is memory or records, not 'everything'" in odd.stderr


def test_the_commands_in_the_block_work(tmp_path: Path) -> None:
    """What an agent reads, it runs: every command of the table, as it stands there."""
    home = Home(tmp_path)
    path = home.folder / "bin" / "memory-wire"
    path.parent.mkdir()
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m memory_wire "$@"\n')
    path.chmod(0o755)
    with home.serving() as server:
        env = home.environ(
            MEMORY_WIRE_URL=f"http://{server.found['addr']}",
            PATH=f"{path.parent}{os.pathsep}{os.environ['PATH']}",
            PYTHONPATH=package.PATH,
        )
        rows = [line.split(" | ") for line in body("it's", (MEMORY, RECORDS)).splitlines() if line.startswith("| ")]
        commands = {row[0].strip("| "): [cell.strip(" |").strip("`") for cell in row[1:]] for row in rows if "`" in row[1]}
        assert list(commands) == ["recall", "retain", "reflect", "search", "remember", "check"]
        for verb in ("retain", "recall", "reflect", "remember", "search", "check"):
            for command in commands[verb]:
                done = subprocess.run(
                    command, shell=True, env=env, cwd=home.project, capture_output=True, text=True, timeout=60, check=True
                )
                assert done.stdout and "error" not in done.stdout.lower(), (command, done.stdout)
