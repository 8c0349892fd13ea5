"""Updates, the long form: every step that can fail, a kill before and after each, the package index, a format that changes."""

from __future__ import annotations

import json
import os
import re
import shutil

import pytest

from tests.cli.installation import DEATH, Installation, index, instead, killed, taken_back
from tests.cli.wheelhouse import Change

STEPS = ("fetch", "environment", "install", "prove", "switch", "daemon", "hosts")
BROKEN: dict[str, tuple[dict[str, Change], str]] = {
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
def test_a_version_that_does_not_work_is_taken_back(back: Installation, case: str) -> None:
    taken_back(back, *BROKEN[case], without="msgspec" if case == "requires" else "")


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("step", STEPS)
def test_an_update_that_is_killed(back: Installation, step: str, moment: str) -> None:
    killed(back, step, moment)


@pytest.mark.parametrize("step", ["install", "hosts"])
def test_an_update_that_is_interrupted_is_taken_back(back: Installation, step: str) -> None:
    before = back.versions
    python = [str(back.root / "current" / "bin" / "python")]
    done = back.run("-c", DEATH, step, "interrupted", "update", "--from", back.folder("8.0"), program=python)
    assert done.returncode == 130 and done.stderr == ""
    assert back.versions == before
    back.whole("1.0")


def test_from_the_package_index(back: Installation) -> None:
    folder = back.folder("6.0", digest=False)
    with index(folder) as url:
        back.pip = {"PIP_INDEX_URL": url, "PIP_CONFIG_FILE": os.devnull}
        try:
            assert "newest is 6.0" in back.ok("update", "--check")
            said = json.loads(back.ok("update", "--json"))
            assert said["version"] == "6.0" and "sha256" in said["steps"]["fetch"]
            back.whole("6.0")
            back.ok("update", "--rollback")
        finally:
            back.pip = {}
    with index(folder, spoiled=True) as url:
        back.pip = {"PIP_INDEX_URL": url, "PIP_CONFIG_FILE": os.devnull}
        try:
            done = back.run("update")
        finally:
            back.pip = {}
    assert done.returncode == 1 and "hash" in done.stderr.lower()


def with_another_format(text: str) -> str:
    """The steps of the schema with one more, which changes nothing."""
    found = re.search(r"\nVERSION = (\d+)\n", text)
    assert found is not None
    text = text.replace(found[0], f"\nVERSION = {int(found[1]) + 1}\n")
    text, count = re.subn(r"(\nSTEPS: [^=]*= \{[^}]*)\}", rf"\g<1>, {int(found[1]) + 1}: lambda connection: None}}", text)
    assert count == 1
    return text


def test_a_format_that_an_older_version_can_not_read(back: Installation) -> None:
    """The store as it was is kept; going back needs it, and works with it."""
    changes = {"memory_wire/store/migrate.py": with_another_format}
    said = back.ok("update", "--from", back.folder("7.0", changes))
    copy = back.root / "before-7.0.db"
    assert f"it changes the store's format: {copy} is the store as it was" in said and copy.stat().st_mode & 0o777 == 0o600
    back.whole("7.0")
    done = back.run("update", "--rollback")
    assert (
        done.returncode == 1
        and "prove: its `check` ends with 1: memory-wire: store refused" in done.stderr
        and "7.0 is in use as before" in done.stderr
    )
    back.whole("7.0")
    options = json.loads((back.root / "serve.json").read_text())
    back.ok("daemon", "stop")
    shutil.rmtree(back.root / "memory.db.index", ignore_errors=True)
    for end in ("-wal", "-shm"):
        (back.root / f"memory.db{end}").unlink(missing_ok=True)
    shutil.copyfile(copy, back.root / "memory.db")
    back.ok("update", "--rollback")
    back.ok("daemon", "start", "--addr", options["addr"])
    back.whole("1.0")
