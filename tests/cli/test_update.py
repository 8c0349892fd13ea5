"""Updates of a real installation from real wheels: there and back, and what is in use when something goes wrong or it is killed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from memory_wire.cli.layout import UpdateFailed
from memory_wire.cli.wheel import key, sum_beside
from tests.cli import wheelhouse
from tests.cli.wheelhouse import Change

LONG = bool(os.environ.get("MEMORY_WIRE_LONG"))
NOTE = "the falcon flies over the harbour at noon"


class Machine:
    """A home folder of its own with an installation in its data folder, a store, a server and a wired host."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.root = self.home / "data" / "memory-wire"
        self.program = self.root / "bin" / "memory-wire"
        self.wheels = wheelhouse.house(folder / "wheels")
        (self.home / ".claude").mkdir(parents=True)

    @property
    def environ(self) -> dict[str, str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("MEMORY_WIRE_", "PYTHON", "XDG_"))}
        return clean | {"HOME": str(self.home), "XDG_DATA_HOME": str(self.home / "data"), "PATH": f"{self.program.parent}:/usr/bin:/bin"}

    def run(self, *words: str | Path, program: list[str] | None = None) -> subprocess.CompletedProcess[str]:
        command = [*(program or [str(self.program)]), *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, env=self.environ, cwd=self.home, timeout=120, check=False)

    def ok(self, *words: str | Path, program: list[str] | None = None) -> str:
        done = self.run(*words, program=program)
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    def folder(self, version: str, changes: Mapping[str, Change] | None = None, without: str = "", digest: bool = True) -> Path:
        """A folder with one version's wheel and, linked, the wheels of what it requires."""
        made = self.wheels.parent / f"for-{version}"
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir()
        for path in self.wheels.iterdir():
            if not without or not path.name.startswith(without):
                os.link(path, made / path.name)
        wheelhouse.wheel(made, version, changes, digest)
        return made

    @property
    def version(self) -> str:
        return self.ok("--version").split()[1]

    @property
    def served_by(self) -> str:
        """The version whose files the running server's process was started from."""
        state = json.loads((self.root / "serve.json").read_text())
        words = Path(f"/proc/{state['pid']}/cmdline").read_bytes().decode().split("\0")
        return next(word for word in words if "/versions/" in word).split("/versions/")[1].split("/")[0].split("-")[0]

    def whole(self, version: str, served_by: str | None = None) -> None:
        """A version is in use, the memories are there, the server answers, the host is wired with its bank, nothing is left lying about."""
        assert self.version == version
        assert NOTE in self.ok("recall", "where does the falcon fly", "--bank", "birds")
        assert json.loads(self.ok("stats", "--bank", "birds", "--json"))["memories"] == 4
        assert json.loads(self.ok("daemon", "status", "--json"))["kind"] == "serving"
        assert self.served_by == (served_by or version)
        wired = (self.home / ".claude" / "settings.json").read_text()
        assert str(self.program) in wired and "--bank birds" in wired
        assert not list(self.root.glob("update-*")) and not list(self.root.glob("*.new-*")) and not (self.root / "update.json").exists()

    @property
    def versions(self) -> list[str]:
        return sorted(path.name for path in (self.root / "versions").iterdir())


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """Version 1.0 in use, its server running, Claude Code wired with a bank of its own."""
    found = Machine(tmp_path_factory.mktemp("machine"))
    here = [sys.executable, "-m", "memory_wire"]
    found.ok("retain", NOTE, "--bank", "birds", program=here)
    for number in range(3):
        found.ok("retain", f"sighting {number} of an owl in the tower", "--bank", "birds", "--session", "owls", program=here)
    said = found.ok("update", "--into", found.root, "--from", found.folder("1.0"), program=here)
    assert said.endswith("memory-wire 1.0 is in use\n") and "4 memories, one recalled" in said
    found.ok("daemon", "start", "--addr", "127.0.0.1:0")
    try:
        found.ok("connect", "claude-code", "--bank", "birds", "--no-daemon")
        yield found
    finally:
        found.run("daemon", "stop")


@pytest.fixture
def back(machine: Machine) -> Iterator[Machine]:
    """The machine, at version 1.0 again afterwards."""
    machine.whole("1.0")
    yield machine
    if machine.version != "1.0":
        machine.ok("update", "--rollback")
    machine.whole("1.0")


def test_there_and_back(back: Machine) -> None:
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
def test_a_wheel_that_is_not_to_be_trusted_is_not_installed(back: Machine, case: str, said: str) -> None:
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


def test_the_list_of_sums_of_a_folder_counts_as_well(back: Machine) -> None:
    folder = back.folder("3.0")
    [sums] = folder.glob("*.sha256")
    (folder / "SHA256SUMS").write_text("0" * 64 + "  other.whl\n" + sums.read_text().replace("  ", " *"))
    sums.unlink()
    assert back.ok("update", "--check", "--from", folder) == "memory-wire 1.0, newest is 3.0: `memory-wire update` installs it\n"
    assert len(sum_beside(str(next(folder.glob("memory_wire-*.whl"))))) == 64
    (folder / "SHA256SUMS").write_text("0" * 64 + "  other.whl\n")
    with pytest.raises(UpdateFailed, match="no sha256 beside"):
        sum_beside(str(next(folder.glob("memory_wire-*.whl"))))


def instead(old: str, new: str) -> Change:
    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new)

    return change


BROKEN: dict[str, tuple[dict[str, Change], str]] = {
    "recall": ({"memory_wire/cli/memories.py": instead("return answer.hits", "return []")}, "prove: it doesn't find memory"),
    "daemon": (
        {"memory_wire/cli/serve.py": instead("def serve(", "def serve(words: object) -> int:\n    return 3\n\n\ndef serve_(")},
        "daemon: its `daemon` ends with 1",
    ),
}
if LONG:
    BROKEN |= {
        "requires": ({}, "`pip wheel memory-wire -w FOLDER`"),
        "version": (
            {"memory_wire/cli/main.py": instead('f"memory-wire {__version__}"', '"memory-wire 0"')},
            "install: what was installed says it is 0",
        ),
        "import": ({"memory_wire/errors.py": lambda text: "1 / 0"}, "install: its `--version` ends with 1"),
        "store": (
            {"memory_wire/store/migrate.py": instead("APPLICATION_ID = 0x", "APPLICATION_ID = 1 + 0x")},
            "prove: its `check` ends with 1",
        ),
        "export": (
            {"memory_wire/service/transfer.py": instead("for entry in page:", "for entry in page[1:]:")},
            "prove: it exports 3 memories of the store's 4",
        ),
        "ids": (
            {"memory_wire/service/transfer.py": instead("memory=show(unit.uid)", "memory=show(unit.uid[::-1])")},
            "prove: it exports 4 memories",
        ),
        "connect": (
            {
                "memory_wire/cli/connect.py": instead(
                    "    env = Environment.current()\n",
                    "    if not values.get('list'):\n        raise OSError('no')\n    env = Environment.current()\n",
                )
            },
            "hosts: its `connect` ends with 1",
        ),
    }


@pytest.mark.parametrize("case", BROKEN)
def test_a_version_that_does_not_work_is_taken_back(back: Machine, case: str) -> None:
    changes, said = BROKEN[case]
    before = back.versions
    done = back.run("update", "--from", back.folder("4.0", changes, without="msgspec" if case == "requires" else ""))
    assert done.returncode == 1 and said in done.stderr and "1.0 is in use as before" in done.stderr, done.stderr
    assert back.versions == before
    back.whole("1.0")


DEATH = """
import os, subprocess, sys
from memory_wire.cli import update
from memory_wire.cli.main import run
step, moment = sys.argv[1], sys.argv[2]
there = getattr(update.Update, step)
def dying(self):
    if moment == "after":
        there(self)
    elif moment == "within":
        subprocess.run([self.layout.program, "daemon", "stop"], check=True, stdout=subprocess.DEVNULL)
    os.kill(os.getpid(), 9)
setattr(update.Update, step, dying)
run(sys.argv[3:])
"""
DEATHS = [("install", "after"), ("daemon", "within")]
if LONG:
    DEATHS = [
        (step, moment)
        for step in ("fetch", "environment", "install", "prove", "switch", "daemon", "hosts")
        for moment in ("before", "after")
    ]
    DEATHS.append(("daemon", "within"))
SWITCHED = {("switch", "after"), *((step, moment) for step in ("daemon", "hosts") for moment in ("before", "after", "within"))}


@pytest.mark.parametrize(("step", "moment"), DEATHS)
def test_an_update_that_is_killed_leaves_a_whole_version_and_is_ended_by_the_next(back: Machine, step: str, moment: str) -> None:
    folder = back.folder("5.0")
    python = [str(back.root / "current" / "bin" / "python")]
    killed = back.run("-c", DEATH, step, moment, "update", "--from", folder, program=python)
    assert killed.returncode == -9
    switched = (step, moment) in SWITCHED
    assert back.version == ("5.0" if switched else "1.0")
    assert NOTE in back.ok("recall", "where does the falcon fly", "--bank", "birds")
    running = json.loads(back.run("daemon", "status", "--json").stdout)["kind"] == "serving"
    assert running == (moment != "within")
    if running:
        assert back.served_by == ("5.0" if (step, moment) in {("daemon", "after"), ("hosts", "before"), ("hosts", "after")} else "1.0")
    said = back.ok("update", "--from", folder)
    assert "interrupted" in said
    back.whole("5.0", served_by="5.0")
    assert [name.split("-")[0] for name in back.versions] == ["1.0", "5.0"]


def test_two_updates_at_once(back: Machine) -> None:
    import fcntl

    with (back.root / "update.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = back.run("update", "--from", back.folder("3.0"))
    assert done.returncode == 1 and "another update is under way" in done.stderr


def test_an_installation_of_another_kind_says_what_to_do(tmp_path: Path, machine: Machine) -> None:
    done = machine.run("update", program=[sys.executable, "-m", "memory_wire"])
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert f"`{sys.executable} -m pip install --upgrade memory-wire` updates it" in done.stderr
    assert f"`memory-wire update --into {machine.root}` makes one that does" in done.stderr


def test_words_that_exclude_each_other(machine: Machine) -> None:
    done = machine.run("update", "--rollback", "--version", "1")
    assert done.returncode == 2 and "--rollback takes no other option" in done.stdout


@pytest.mark.parametrize(
    ("older", "newer"), [("1.0", "1.0.1"), ("1.9", "1.10"), ("2.0rc1", "2.0"), ("2.0.dev3", "2.0"), ("0.9.9", "1"), ("1.0", "1.1a1")]
)
def test_versions_are_in_order(older: str, newer: str) -> None:
    assert key(older) < key(newer) and not key(newer) < key(older)
    assert key("1.0") == key("1") == key("v1.0.0")
