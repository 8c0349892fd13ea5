"""Updates of a real installation from real wheels: there and back, and what is in use when something goes wrong or it is killed.

MEMORY_WIRE_LONG=1 tries every step (test_update_long.py).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from memory_wire import Memory
from memory_wire.cli import proof
from memory_wire.cli.layout import UpdateFailed
from memory_wire.cli.proof import prove
from memory_wire.cli.wheel import key, sum_beside
from tests.cli.installation import Installation, instead, killed, taken_back


def test_there_and_back(back: Installation) -> None:
    folder = back.folder("2.0")
    assert json.loads(back.ok("update", "--check", "--from", folder, "--json")) == {"version": "1.0", "newest": "2.0", "newer": True}
    back.whole("1.0")
    said = json.loads(back.ok("update", "--from", folder, "--json"))
    assert (said["version"], said["before"], said["switched"]) == ("2.0", "1.0", True)
    assert said["steps"]["daemon"] == "restarted" and said["steps"]["hosts"] == "claude-code" and "4 memories" in said["steps"]["prove"]
    back.whole("2.0")
    assert back.versions == ["1.0", "2.0"]
    assert "is in use, the newest offered is 2.0" in back.ok("update", "--from", folder)
    assert "memory-wire 1.0 is in use" in back.ok("update", "--rollback")
    back.whole("1.0")
    done = back.run("update", "--rollback")
    assert done.returncode == 1 and "there is no version to go back to" in done.stderr
    back.ok("update", "--from", folder)
    assert back.versions == ["1.0", "2.0-2"]  # the 2.0 that was left is gone
    assert back.version == "2.0"
    back.ok("update", "--rollback")


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ("no sum", "no sha256 beside memory_wire-3.0"),
        ("wrong sum", "has sha256"),
        ("other version", "No matching distribution found for memory-wire==9"),
        ("no wheel", "No matching distribution found for memory-wire"),
        ("no folder", "is no folder"),
    ],
)
def test_a_wheel_that_is_not_to_be_trusted_is_not_installed(back: Installation, case: str, said: str) -> None:
    folder = back.folder("3.0", digest=case != "no sum")
    words: list[str | Path] = ["update", "--from", folder]
    if case == "wrong sum":
        with next(folder.glob("memory_wire-*.whl")).open("ab") as file:
            file.write(b" ")
    elif case == "other version":
        words += ["--version", "9"]
    elif case == "no wheel":
        words[2] = back.wheels
    elif case == "no folder":
        words[2] = back.home / "absent"
    before = back.versions
    done = back.run(*words)
    assert done.returncode == 1 and said in done.stderr and done.stderr.count("\n") == 1 and done.stdout == ""
    assert back.versions == before
    back.whole("1.0")


def test_the_list_of_sums_of_a_folder_counts_as_well(back: Installation) -> None:
    folder = back.folder("3.0")
    [sums] = folder.glob("*.sha256")
    (folder / "SHA256SUMS").write_text("0" * 64 + "  other.whl\n" + sums.read_text().replace("  ", " *"))
    sums.unlink()
    assert back.ok("update", "--check", "--from", folder) == "memory-wire 1.0, newest is 3.0: `memory-wire update` installs it\n"
    assert len(sum_beside(str(next(folder.glob("memory_wire-*.whl"))))) == 64
    (folder / "SHA256SUMS").write_text("0" * 64 + "  other.whl\n")
    with pytest.raises(UpdateFailed, match="no sha256 beside"):
        sum_beside(str(next(folder.glob("memory_wire-*.whl"))))


def test_a_version_that_finds_less_is_not_used(back: Installation) -> None:
    changes = {"memory_wire/cli/memories.py": instead("return answer.hits", "return []")}
    taken_back(back, changes, "prove: it doesn't find memory")


def test_a_version_that_does_not_serve_is_taken_back(back: Installation) -> None:
    changes = {"memory_wire/cli/serve.py": instead("def serve(", "def serve(words: object) -> int:\n    return 3\n\n\ndef serve_(")}
    taken_back(back, changes, "daemon: its `daemon` ends with 1")


@pytest.mark.parametrize(("step", "moment"), [("install", "after"), ("daemon", "within")])
def test_an_update_that_is_killed(back: Installation, step: str, moment: str) -> None:
    killed(back, step, moment)


def test_without_a_store_a_new_one_is_the_proof(tmp_path: Path) -> None:
    program = [sys.executable, "-m", "memory_wire"]
    assert prove(program, str(tmp_path / "absent.db"), str(tmp_path)) == ("a new store", False)
    with pytest.raises(UpdateFailed, match="its `retain` ends with"):
        prove([sys.executable, "-c", "raise SystemExit(3)"], str(tmp_path / "absent.db"), str(tmp_path / "other"))


def test_copies_need_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Memory(tmp_path / "memory.db") as store:
        store.retain("one")
    monkeypatch.setattr(proof, "COPIES", 1 << 40)
    with pytest.raises(UpdateFailed, match="copies of the store need"):
        prove(["absent"], str(tmp_path / "memory.db"), str(tmp_path))


def test_two_updates_at_once(back: Installation) -> None:
    import fcntl

    with (back.root / "update.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = back.run("update", "--from", back.folder("3.0"))
    assert done.returncode == 1 and "another update is under way" in done.stderr


def test_an_installation_of_another_kind_says_what_to_do(tmp_path: Path, installation: Installation) -> None:
    done = installation.run("update", program=[sys.executable, "-m", "memory_wire"])
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert f"`{sys.executable} -m pip install --upgrade memory-wire` updates it" in done.stderr
    assert f"`memory-wire update --into {installation.root}` makes one that does" in done.stderr


def test_words_that_exclude_each_other(installation: Installation) -> None:
    done = installation.run("update", "--rollback", "--version", "1")
    assert done.returncode == 2 and "--rollback takes no other option" in done.stderr


@pytest.mark.parametrize(
    ("older", "newer"), [("1.0", "1.0.1"), ("1.9", "1.10"), ("2.0rc1", "2.0"), ("2.0.dev3", "2.0"), ("0.9.9", "1"), ("1.0", "1.1a1")]
)
def test_versions_are_in_order(older: str, newer: str) -> None:
    assert key(older) < key(newer) and not key(newer) < key(older)
    assert key("1.0") == key("1") == key("v1.0.0")
