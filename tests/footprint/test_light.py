"""Commands that only ask a running server: what they load, what they hold at their peak."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.footprint.server import Server, launcher

PAYLOAD = {
    "session_id": "{session}",
    "prompt": "Where does the harbour pilot sleep?",
    "cwd": "/",
    "last_assistant_message": "In {session}'s house.",
}
COMMAND = """
import sys
sys.argv = ["memory-wire", *{words!r}]
from memory_wire.__main__ import main
assert main() == 0
"""
AFTER = """
import sys
print([line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")][0], *sys.modules)
"""
NEVER = {
    "asyncio",
    "uvloop",
    "msgspec._utils",
    "msgspec.inspect",
    "typing",
    "inspect",
    "logging",
    "ssl",
    "_ssl",
    "argparse",
    "dataclasses",
    "re",
}
PEAK = 12 * 1024 if sys.version_info < (3, 12) else 13.5 * 1024


@pytest.fixture(name="url", scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with Server(tmp_path_factory.mktemp("light")) as server:
        server.retain("default", {"content": "The harbour pilot sleeps in Rotterdam."})
        yield f"http://127.0.0.1:{server.port}"


def run(code: str, url: str, given: str = "", **env: str) -> tuple[int, set[str], str]:
    """(peak KiB, modules, what it printed before) of a program in an isolated interpreter."""
    path = f"import sys; sys.path += {[entry for entry in sys.path if entry]!r}\n"
    command = [sys.executable, "-I", "-S", "-c", path + code + AFTER]
    env = {**os.environ, "MEMORY_WIRE_BANK": "default", "MEMORY_WIRE_URL": url, **env}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=env, input=given)
    *before, last = done.stdout.splitlines()
    peak, *modules = last.split()
    return int(peak), set(modules), "\n".join(before)


@pytest.mark.parametrize("answers", [True, False])
@pytest.mark.parametrize("event", ["session-start", "prompt", "stop"])
def test_a_hooks_round_trip(event: str, answers: bool, url: str, tmp_path: Path) -> None:
    given = json.dumps(PAYLOAD).replace("{session}", f"{event} {answers}")
    code = COMMAND.format(words=["hook", event, "--bank", "default"])
    peak, modules, shown = run(code, url if answers else "http://127.0.0.1:9", given, XDG_DATA_HOME=str(tmp_path))
    assert ("Rotterdam" in shown) == (answers and event != "stop")
    assert not sorted(modules & (NEVER | {"msgspec", "msgspec._core", "json", "subprocess", "pathlib", "traceback", "threading"}))
    print(f"hook {event}: {peak} KiB")
    assert peak <= PEAK


@pytest.mark.parametrize("words", [["health"], ["recall", "harbour pilot"], ["recall", "--json", "pilot"], ["stats"], ["memories"]])
def test_commands_beside_a_server(words: list[str], url: str) -> None:
    peak, modules, shown = run(COMMAND.format(words=words), url)
    assert not sorted(modules & NEVER)
    assert peak <= PEAK + 1024
    assert shown


def test_the_answers_are_those_of_the_whole_package(url: str) -> None:
    for words in (
        ["recall", "--json", "pilot"],
        ["stats", "--json"],
        ["recall", "--k", "none", "pilot"],
        ["memories", "--limit", "0"],
        ["help"],
    ):
        answers = []
        for slim in ("1", "0"):
            env = {**os.environ, "MEMORY_WIRE_URL": url, "MEMORY_WIRE_SLIM": slim}
            done = subprocess.run([*launcher(), *words], check=False, capture_output=True, text=True, env=env)
            answers.append((done.returncode, done.stdout, done.stderr))
        assert answers[0] == answers[1]


def test_health_without_a_server(tmp_path: Path) -> None:
    env = {key: value for key, value in os.environ.items() if key != "MEMORY_WIRE_URL"}
    done = subprocess.run(
        [*launcher(), "health", "--db", str(tmp_path / "memory.db")], check=False, capture_output=True, text=True, env=env
    )
    assert done.returncode == 1
    assert done.stdout == f"no server answers for {tmp_path / 'memory.db'}\n"
