"""`memory-wire import` as a process: what is stored, what running it again does, what is said of the rest."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memory_wire.cli.importing import NAMES
from memory_wire.sources.formats import OWN, READERS
from tests.cli.commands import Machine
from tests.sources import exports

EXPORTS = {  # name in exports -> (format, memories)
    "CHATGPT": ("chatgpt", 2),
    "CLAUDE": ("claude", 2),
    "MEM0": ("mem0", 2),
    "OPENMEMORY": ("mem0", 2),
    "MCP_MEMORY": ("mcp-memory", 3),
    "AGENTMEMORY": ("agentmemory", 5),
    "HINDSIGHT": ("hindsight", 4),
}


def test_the_formats_that_can_be_named_are_those_there_are() -> None:
    assert list(NAMES) == sorted([*READERS, OWN])


def imported(machine: Machine, path: Path, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(machine.out("import", str(path), "--bank", "b", "--json", *words))
    assert found["read"] == found["stored"] + found["known"] + found["skipped"]
    assert len(found["problems"]) == found["skipped"]
    return found


def memories(machine: Machine) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(machine.out("memories", "--bank", "b", "--limit", "500", "--json"))["items"]
    return found


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_is_stored_once(name: str, machine: Machine, tmp_path: Path) -> None:
    format, count = EXPORTS[name]
    path = exports.write(tmp_path, getattr(exports, name))
    dry = imported(machine, path, "--dry-run")
    assert (dry["format"], dry["stored"], dry["dry_run"]) == (format, count, True)
    assert not machine.data.exists()
    first = imported(machine, path)
    assert (first["format"], first["bank"], first["stored"], first["known"]) == (format, "b", count, 0)
    stored = memories(machine)
    assert len(stored) == count
    again = imported(machine, path)
    assert (again["stored"], again["known"]) == (0, count)
    assert again["skipped"] == first["skipped"] and again["ignored"] == first["ignored"]
    assert memories(machine) == stored


def test_dates_tags_and_sessions_come_along(machine: Machine, tmp_path: Path) -> None:
    imported(machine, exports.write(tmp_path, exports.MEM0))
    [hit] = json.loads(machine.out("recall", "window seat", "--bank", "b", "--k", "1", "--json"))
    assert (hit["created_at"], hit["session"]) == ("2024-07-20T08:30:36.275Z", "mem0:trip-4")
    assert hit["tags"] == ["mem0", "travel", "comfort", "user:mia"]
    [hit] = json.loads(machine.out("recall", "window seat", "--bank", "b", "--until", "2024-07-21", "--tags", "travel", "--json"))
    assert hit["content"] == "Prefers the window seat"


def test_notes_follow_their_files(machine: Machine, tmp_path: Path) -> None:
    root = exports.vault(tmp_path)
    first = imported(machine, root)
    assert (first["format"], first["read"], first["stored"], first["skipped"]) == ("notes", 5, 3, 2)
    assert first["problems"] == [{"place": "bad.md", "reason": "not UTF-8 (byte 0)"}, {"place": "empty.md", "reason": "no text"}]
    before = {each["content"].split("\n")[0]: each["id"] for each in memories(machine)}
    exports.write(root, exports.VAULT["Beans.md"].replace("Washed", "Natural").encode(), "Beans.md")  # type: ignore[union-attr, arg-type, str-bytes-safe]
    exports.write(root, b"---\ndate: 2026-01-02\n---\nA fourth one", "new.md")
    second = imported(machine, root)
    assert (second["stored"], second["known"]) == (2, 2)
    after = {each["content"].split("\n")[0]: each["id"] for each in memories(machine)}
    assert set(after) == {*before, "# new"}
    assert {name for name in before if before[name] != after[name]} == {"# Beans"}
    assert "Natural" in machine.out("recall", "which beans are natural", "--bank", "b", "--k", "1")


def test_what_was_forgotten_comes_back_only_with_its_file(machine: Machine, tmp_path: Path) -> None:
    path = exports.write(tmp_path, exports.CLAUDE)
    imported(machine, path)
    machine.out("forget", memories(machine)[0]["id"], "--bank", "b")
    assert imported(machine, path)["stored"] == 1


def test_items_that_the_store_refuses_are_named(machine: Machine, tmp_path: Path) -> None:
    records = [
        {"id": "fine", "memory": "fine", "created_at": "2026-01-01"},
        {"id": "long", "memory": "x" * 1_000_001},
        {"id": "tag", "memory": "tagged", "categories": ["y" * 300]},
        {"id": "nul", "memory": "with \0 inside"},
        {"id": "wide", "memory": "界" * 999_000, "metadata": {"more": "界" * 999_000}},
    ]
    found = imported(machine, exports.write(tmp_path, records))
    assert (found["stored"], found["skipped"]) == (3, 2)
    assert [(each["place"], each["reason"].split(":")[0]) for each in found["problems"]] == [
        ("export.bin[1]", "invalid content"),
        ("export.bin[2]", "invalid tags"),
    ]
    lone = exports.write(tmp_path, b'[{"id":"a","memory":"fine too"},{"id":"b","memory":"broken \\ud800 text"}]')
    found = imported(machine, lone, "--from", "mem0")
    assert (found["stored"], found["skipped"]) == (1, 1)


def test_the_same_through_a_server(machine: Machine, addr: str, tmp_path: Path) -> None:
    path = exports.write(
        tmp_path, [*exports.MEM0["results"], {"id": "big", "memory": "界" * 999_000}, {"id": "lone", "memory": "after it"}]
    )
    machine.out("daemon", "start", "--addr", addr)
    found = imported(machine, path)
    assert (found["stored"], found["skipped"]) == (4, 1)
    assert imported(machine, path)["known"] == 4
    machine.out("daemon", "stop")


def test_for_a_person(machine: Machine, tmp_path: Path) -> None:
    said = machine.out("import", str(exports.write(tmp_path, exports.MCP_MEMORY)), "--bank", "b")
    assert said.splitlines() == [
        "mcp-memory: 5 read, 3 stored, 0 known, 2 skipped (bank 'b')",
        "  skipped: export.bin line 4: an entity without a name",
        "  skipped: export.bin line 5: a relation without from, to or type",
    ]
    records = b"[" + b",".join([b'{"id":"a","memory":""}'] * 30) + b"]"
    done = machine.run("import", str(exports.write(tmp_path, records)), "--bank", "b")
    assert done.returncode == 1 and done.stdout.splitlines()[-1] == "  …and 10 more; --json names them"


def test_an_export_of_ours_restores_its_banks(machine: Machine, tmp_path: Path) -> None:
    machine.out("retain", "one of bank x", "--bank", "x")
    path = tmp_path / "all.jsonl"
    machine.out("export", str(path))
    before = path.read_text()
    machine.out("delete-bank", "x", "--confirm", "x")
    assert machine.out("import", str(path)) == "1 memories added, 0 were there\n"
    machine.out("export", str(path))
    assert path.read_text() == before
    done = machine.run("import", str(path), "--bank", "y")
    assert done.returncode == 2 and "--bank does not apply" in done.stderr


@pytest.mark.parametrize(
    ("data", "words", "status", "said"),
    [
        (b"hello", [], 2, "in no format that is known; --from names one of agentmemory, chatgpt"),
        (b"{}", ["--from", "zep"], 2, "zep"),
        (b"{}", ["--from", "memory-wire"], 2, "invalid line 1"),
        (exports.zipped({"../x.md": b"x"}), [], 2, "leads out of the archive"),
        (b"no json", ["--from", "mem0"], 1, "damaged"),
    ],
)
def test_what_can_not_be_read(data: bytes, words: list[str], status: int, said: str, machine: Machine, tmp_path: Path) -> None:
    done = machine.run("import", str(exports.write(tmp_path, data)), *words)
    assert done.returncode == status and said in done.stdout + done.stderr
    done = machine.run("import", str(tmp_path / "absent"))
    assert done.returncode == 1 and "absent: No such file or directory" in done.stderr


PEAK = """
import sys
from memory_wire.cli.main import run
status = run(sys.argv[1:])
print(status, next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")), file=sys.stderr)
"""


def test_a_large_export_is_read_in_little_memory(machine: Machine, tmp_path: Path) -> None:
    one = json.dumps(exports.CLAUDE[0]).replace("Twelve hours", "Twelve long hours " * 2_000)
    path = tmp_path / "conversations.json"
    count = 120_000_000 // len(one)
    with path.open("w") as file:
        file.write("[")
        for number in range(count):
            file.write(one.replace("conv-1", f"conv-{number}") + ("," if number < count - 1 else "]"))
    command = [sys.executable, "-P", "-c", PEAK, "import", str(path), "--bank", "b", "--dry-run", "--json"]
    done = subprocess.run(command, env=machine.env, capture_output=True, text=True, timeout=120, check=True)
    status, peak = map(int, done.stderr.split())
    assert (status, json.loads(done.stdout)["stored"]) == (0, 2 * count)
    assert peak < 48 * 1024  # KiB
