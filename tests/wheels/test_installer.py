"""The installer on a machine of its own, offline: from files that are here, forward and back, and when something is wrong.

The steps build on each other: each test leaves what the next one finds. MEMORY_WIRE_LONG=1 goes further (test_installer_long.py).
"""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
from collections.abc import Iterator

import pytest

from tests.cli import wheelhouse
from tests.cli.installation import NOTE, instead
from tests.wheels.newcomer import SCRIPT, Newcomer, interpreter

BROKEN = {"memory_wire/__main__.py": instead("from __future__", "raise SystemExit(9)\nfrom __future__")}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Newcomer]:
    made = Newcomer(tmp_path_factory.mktemp("newcomer"))
    yield made
    if made.program.exists():
        made.run("daemon", "stop")


def test_words_that_it_does_not_know(home: Newcomer) -> None:
    for words, said in ((["--banana"], "unexpected argument"), (["--db"], "needs a value"), (["--hosts", "a", "--no-connect"], "exclude")):
        done = home.get(*words)
        assert done.returncode == 2 and said in done.stderr
    assert home.get().returncode == 2  # nobody said where the files are
    assert "--uninstall" in home.get("--help").stdout


def test_a_file_that_is_not_what_was_published(home: Newcomer) -> None:
    folder = home.folder("1.0")
    [wheel] = folder.glob("memory_wire-*.whl")
    shutil.copy(wheel, folder / "kept")
    with wheel.open("ab") as file:
        file.write(b" ")
    done = home.get("--no-connect", local_asset=folder)
    assert done.returncode == 1 and "sha256 differs" in done.stderr and not home.program.exists()
    wheel.with_name(wheel.name + ".sha256").unlink()
    done = home.get("--no-connect", local_asset=folder)
    assert done.returncode == 1 and "no sha256 is published" in done.stderr and not home.program.exists()


def test_no_file_that_starts(home: Newcomer) -> None:
    done = home.get("--no-connect", local_asset=home.folder("1.0", BROKEN))
    assert done.returncode == 1 and "does not start here" in done.stdout and "nothing is in use as before" in done.stderr
    assert not home.program.exists() and not home.bin.exists()
    done = home.get("--no-connect", local_asset=home.wheels)
    assert done.returncode == 1 and "no file of memory-wire" in done.stderr


def test_fresh_with_a_server_and_a_host(home: Newcomer) -> None:
    """The first file is broken, the second one is taken; by a shell that has only what POSIX asks for."""
    folder = home.folder("1.0")
    [good] = folder.glob("memory_wire-*.whl")
    bad = wheelhouse.wheel(home.home, "1.0", BROKEN)
    name = good.name.replace("linux_", "manylinux_2_17_")
    shutil.move(bad, folder / name)
    shutil.move(f"{bad}.sha256", folder / f"{name}.sha256")
    done = home.get("--hosts", "claude-code", "--bank", "birds", "--db", home.home / "own" / "memory.db", shell="dash", local_asset=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{name} does not start here" in done.stdout and "memory-wire 1.0 is installed" in done.stdout
    assert home.version == "1.0" and os.readlink(home.bin / "memory-wire") == str(home.program)
    assert "--bank birds" in (home.home / ".claude" / "settings.json").read_text()
    home.ok("retain", NOTE, "--bank", "birds", "--db", str(home.home / "own" / "memory.db"))
    assert str(home.home / "own" / "memory.db") in home.ok("daemon", "status", "--json")
    again = home.get("--no-connect", local_asset=folder)
    assert again.returncode == 0 and "in use already" in again.stdout


def test_forward_and_back(home: Newcomer) -> None:
    newer = home.folder("2.0")
    done = home.get("--no-connect", local_asset=next(newer.glob("memory_wire-*.whl")))
    assert done.returncode == 1, "a lone wheel has what it requires from nowhere when there is no index"
    assert home.version == "1.0" and home.served_by == "1.0"
    done = home.get("--no-connect", local_asset=newer)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "memory-wire 1.0 is in use; installing memory-wire 2.0" in done.stdout
    assert home.version == home.served_by == "2.0"
    older = home.folder("1.5")
    done = home.get("--no-connect", local_asset=older)
    assert done.returncode == 1 and "2.0 is in use and 1.5 is older: MW_VERSION=1.5 goes back" in done.stderr and home.version == "2.0"


def test_on_a_terminal_hosts_are_chosen_by_number(home: Newcomer) -> None:
    current = home.version
    (home.home / ".codex").mkdir(exist_ok=True)
    home.ok("disconnect")
    ours, theirs = pty.openpty()
    environ = home.environ | {"MW_PYTHON": interpreter(), "MW_LOCAL_ASSET": str(home.folder(current)), "TERM": "dumb"}
    process = subprocess.Popen(["sh", str(SCRIPT)], stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, env=environ, text=True)
    os.close(theirs)
    os.write(ours, b"2, 9\n")
    said, _ = process.communicate(timeout=120)
    os.close(ours)
    assert process.returncode == 0, said
    listed = dict(line.split(maxsplit=1) for line in home.ok("connect", "--list").splitlines())
    assert "wired=yes" in listed["codex"] and "wired=no" in listed["claude-code"]


def test_uninstall_keeps_the_data(home: Newcomer) -> None:
    store = home.home / "own" / "memory.db"
    done = home.get("--uninstall")
    assert done.returncode == 0 and "the data stay" in done.stdout
    assert not home.program.exists() and not os.path.lexists(home.bin / "memory-wire") and not (home.root / "versions").exists()
    assert store.exists() and not (home.home / ".codex" / "config.toml").exists()
    assert home.get("--uninstall").returncode == 0  # nothing to do is no failure
