"""The installation runbook, executed top to bottom by a user with nothing but Python, against a real installation of this tree."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from memory_wire.hosts.skill import read
from tests.plugins.packing import wheel

STEP = re.compile(r"^## (?P<title>\d+\. [^\n]+)\n.*?^```sh\n(?P<command>.*?)^```\n\n```text\n(?P<output>.*?)^```$", re.M | re.S)


def steps() -> list[tuple[str, str, str]]:
    """(title, command, output to assert) of every step."""
    return [(found["title"], found["command"], found["output"]) for found in STEP.finditer(read("RUNBOOK.md"))]


def test_every_step_has_a_command_and_an_output() -> None:
    titles = re.findall(r"^## (\d+\. [^\n]+)$", read("RUNBOOK.md"), re.M)
    assert [title for title, _, _ in steps()] == titles
    assert [int(title.partition(".")[0]) for title in titles] == list(range(1, len(titles) + 1))


def test_the_runbook(tmp_path: Path) -> None:
    home = tmp_path / "home with space"
    home.mkdir()
    tools = tmp_path / "tools"  # an interpreter and a system's tools, nothing of the surroundings
    tools.mkdir()
    (tools / "python3").symlink_to(getattr(sys, "_base_executable", sys.executable))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    env = {
        "HOME": str(home),
        "PATH": f"{tools}:/usr/bin:/bin",
        "MEMORY_WIRE_PACKAGE": os.environ.get("MEMORY_WIRE_WHEEL") or str(wheel(tmp_path)),
        "MEMORY_WIRE_ADDR": f"127.0.0.1:{port}",
        **{
            name: value
            for name, value in os.environ.items()
            if name.startswith(("PIP_", "LANG", "LC_", "TMPDIR")) or "proxy" in name.lower()
        },
    }
    server = home / ".local" / "bin" / "memory-wire"
    try:
        for title, command, output in steps():
            done = subprocess.run(["/bin/sh", "-c", command], env=env, cwd=home, capture_output=True, text=True, timeout=300, check=False)
            if done.stdout != output and server.exists():
                doctor = subprocess.run([str(server), "doctor"], env=env, cwd=home, capture_output=True, text=True, timeout=60, check=False)
                pytest.fail(f"{title}\n{done.stdout}\n{done.stderr}\n{doctor.stdout}\n{doctor.stderr}")
            assert (done.stdout, done.stderr) == (output, ""), title
            skill = home / ".claude" / "skills"
            if title.startswith("5."):
                assert not skill.exists()  # connect never writes the skill
            if title.startswith("7."):
                assert (skill / "memory-wire" / "SKILL.md").read_text() == read("SKILL.md")
    finally:
        if server.exists():
            subprocess.run([str(server), "daemon", "stop"], env=env, cwd=home, capture_output=True, timeout=60, check=False)
    left = [str(path.relative_to(home)) for path in home.rglob("*") if path.is_file() and ".cache" not in path.parts]
    assert left == []  # not a trace, once the last step is done
