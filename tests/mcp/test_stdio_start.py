"""`memory-wire mcp` as a process: which bank and store it acts on, what it loads before the first call, its words."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memory_wire.client import Memory
from tests.mcp.child import Child
from tests.serve.serving import Serving

NO_BANK = {"MEMORY_WIRE_BANK": ""}
LIGHT = """
import sys
sys.argv = ["memory-wire", "mcp", "--db", {db!r}]
from memory_wire.__main__ import main
status = main()
peak = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")][0]
sys.stderr.write(" ".join([peak, *sys.modules]))
sys.exit(status)
"""
HEAVY = frozenset("asyncio uvloop typing inspect logging ssl argparse dataclasses re json socket sqlite3 subprocess".split())
LATER = ("memory_wire.service", "memory_wire.client", "memory_wire.store", "memory_wire.kernels")
HELLO = b"""{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
"""


def project(folder: Path, origin: str | None) -> Path:
    """A checkout."""
    (folder / ".git").mkdir(parents=True)
    if origin is not None:
        (folder / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {origin}\n')
    return folder


def banks(db: Path) -> dict[str, int]:
    with Memory(db) as memory:
        return {row.bank: row.memories for row in memory.banks() if row.memories}


def test_the_bank_is_the_projects(tmp_path: Path) -> None:
    here = project(tmp_path / "here", "git@github.com:acme/api.git")
    for words, env, bank in (
        ((), NO_BANK, "acme-api"),
        (("--bank", "flagged"), {"MEMORY_WIRE_BANK": "named"}, "flagged"),
        ((), {"MEMORY_WIRE_BANK": "named"}, "named"),
    ):
        with Child(here, *words, env=env, db="../memory.db") as child:
            child.begin()
            assert child.call("memory_retain", content="kept")["isError"] is False
            (entry,) = child.ask("resources/list")["result"]["resources"]  # type: ignore[index]
            assert entry["uri"].startswith(f"memory://{bank}/")
            assert child.end() == 0
        assert banks(tmp_path / "memory.db")[bank] == 1


def test_outside_of_a_project(tmp_path: Path) -> None:
    with Child(tmp_path, env=NO_BANK) as child:  # HOME is this folder
        child.call("memory_retain", content="kept")
        assert child.end() == 0
    assert banks(tmp_path / "memory.db") == {"memory-wire": 1}


def test_a_bank_of_the_former_name_is_used_as_long_as_only_that_one_exists(tmp_path: Path) -> None:
    here = project(tmp_path / "api", None)
    with Memory(tmp_path / "memory.db") as memory:
        memory.retain("of former times", bank="api")
    with Child(here, env=NO_BANK, db="../memory.db") as child:
        assert "of former times" in str(child.call("memory_recall", query="former times"))
        child.call("memory_retain", content="and now")
        assert child.end() == 0
    assert banks(tmp_path / "memory.db") == {"api": 2}


def test_the_store_is_the_running_servers(tmp_path: Path) -> None:
    with Serving(tmp_path) as server:
        with Child(tmp_path) as child:
            child.begin()
            assert child.call("memory_retain", content="told to the server")["isError"] is False
            assert child.end() == 0
        assert server.counter("acknowledged_total") == 1
        with Child(tmp_path, "--embedded") as child:
            assert "told to the server" in str(child.call("memory_recall", query="server"))
            child.call("memory_retain", content="told to the store")
            assert child.end() == 0
        assert server.counter("acknowledged_total") == 1
        found: Any = server.ask("POST", "/banks/child/recall", {"query": "told"}).json
        assert sorted(found) == ["told to the server", "told to the store"]
        assert server.stop() == 0


def test_nothing_is_made_before_the_first_call(tmp_path: Path) -> None:
    with Child(tmp_path, "--tools", "all") as child:
        child.begin()
        assert child.ask("tools/list")["result"]
        assert child.ask("prompts/list")["result"]
        assert child.end() == 0
    assert not list(tmp_path.glob("memory.db*"))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the peak")
def test_a_light_start(tmp_path: Path) -> None:
    """A host waits for the answer to `initialize`, and has one such process a window."""
    path = f"import sys; sys.path += {[entry for entry in sys.path if entry]!r}\n"
    code = path + LIGHT.format(db=str(tmp_path / "memory.db"))
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], input=HELLO, capture_output=True, check=True)
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1, 2]
    peak, *modules = done.stderr.decode().split()
    assert not sorted(set(modules) & HEAVY)
    assert not [name for name in modules if name.startswith(LATER)]
    assert int(peak) < 14 * 1024


def test_words_that_do_not_fit(tmp_path: Path) -> None:
    def said(*words: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run([sys.executable, "-m", "memory_wire", "mcp", *words], check=False, capture_output=True, input=b"")

    for words in (("--tools", "many"), ("--tools",), ("--unknown",), ("word",)):
        done = said(*words)
        assert done.returncode == 2 and done.stdout == b"" and b"memory-wire mcp: " in done.stderr
    done = said("--help")
    assert done.returncode == 0 and b"--tools" in done.stdout


def test_what_is_wrong_with_the_store_is_told_to_the_host_once(tmp_path: Path) -> None:
    with Child(tmp_path) as child:
        child.call("memory_retain", content="kept")
        with sqlite3.connect(tmp_path / "memory.db") as other:
            other.execute("DROP TABLE unit")
        other.close()
        for _ in range(3):
            found = child.call("memory_list")
            assert found["isError"] is True and "storage error" in str(found["content"]) and "unit" not in str(found["content"])
        assert child.stderr.count("\n") == 1 and "unit" in child.stderr
        assert child.end() == 0
