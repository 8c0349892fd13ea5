"""`memory-wire capture` as a process: where the text comes from, and that nobody sees it unasked."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.cli.commands import Machine
from tests.sources import exports


def rows(machine: Machine, *words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(machine.out("doc", "list", "--json", *words))["docs"]
    return found


def captured(machine: Machine, *words: str, text: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "memory_wire", "capture", *words]
    return subprocess.run(command, cwd=machine.work, env=machine.env, input=text, capture_output=True, text=True, timeout=60, check=False)


def session(machine: Machine, host: str, cwd: Path, answer: str, name: str) -> None:
    lines = exports.lines(
        {"type": "user", "cwd": str(cwd), "sessionId": name, "message": {"role": "user", "content": "first question of all?"}},
        {"type": "assistant", "cwd": str(cwd), "message": {"role": "assistant", "content": [{"type": "text", "text": "earlier answer"}]}},
        {"type": "user", "cwd": str(cwd), "message": {"role": "user", "content": "and then?"}},
        {"type": "assistant", "cwd": str(cwd), "message": {"role": "assistant", "content": [{"type": "text", "text": answer}]}},
    )
    exports.write(
        machine.home, lines, f".claude/projects/-x/{name}.jsonl" if host == "claude-code" else f".windsurf/transcripts/{name}.jsonl"
    )


def test_from_standard_input(machine: Machine) -> None:
    done = captured(machine, "A title", "--bank", "b", text="body\n")
    assert done.returncode == 0, done
    (row,) = rows(machine, "--bank", "b")
    assert (row["title"], row["gates"], done.stdout) == ("A title", ["draft"], f"/{row['id']}\n")
    assert f"memory-wire doc access {row['id']} --publish" in done.stderr
    machine.out("hub", "publish", "shelf", "--bank", "b")
    done = captured(machine, "--hub", "shelf", "--public", text="# Seen\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert [(row["title"], row["public"]) for row in rows(machine, "--bank", "b")] == [("Seen", True), ("A title", False)]


def test_from_a_file_or_nothing(machine: Machine) -> None:
    (machine.work / "note.md").write_text("# Note\n")
    machine.run("capture", "--file", "note.md", "--bank", "b")
    assert [(row["title"], row["source"]) for row in rows(machine, "--bank", "b")] == [("Note", "note.md")]
    done = captured(machine, "--bank", "b")
    assert done.returncode == 2 and "no text on standard input, and no agent's transcript of this folder" in done.stderr


def test_the_last_answer_of_this_folder(machine: Machine) -> None:
    session(machine, "claude-code", machine.work, "The answer to keep.", "s1")
    session(machine, "claude-code", machine.home / "elsewhere", "Another folder's answer.", "s2")
    done = captured(machine, "Kept", "--bank", "b")
    assert done.returncode == 0 and "the last answer of claude-code" in done.stderr, done
    (row,) = rows(machine, "--bank", "b")
    assert (row["title"], row["source"]) == ("Kept", "claude-code session s1")
    assert machine.out("doc", "read", row["id"]) == "The answer to keep."
    assert captured(machine, "--host", "windsurf", "--bank", "b").returncode == 2
    assert "--host is one of" in captured(machine, "--host", "nobody", "--bank", "b").stderr


def test_a_shared_chat_is_off(machine: Machine) -> None:
    done = captured(machine, "https://claude.ai/share/0000-1111", "--bank", "b")
    assert done.returncode == 1 and '{"shares": true}' in done.stderr
    assert not rows(machine, "--bank", "b")


def test_import_and_sync(machine: Machine) -> None:
    for name, text in {"notes/a.md": "# A\n", "notes/deep/b.html": "<h1>B</h1><p>zebra</p>", "notes/c.png": "x", "one.vtt": "no"}.items():
        (machine.work / name).parent.mkdir(parents=True, exist_ok=True)
        (machine.work / name).write_text(text)
    done = machine.out("hub", "import", "notes", "one.vtt", "--hub", "shelf")
    assert done == (
        "notes, one.vtt: 2 new (bank 'shelf')\n  left out: 1 other files\n  not taken: one.vtt: no text\n"
    )  # fmt: skip
    again = json.loads(machine.out("hub", "import", "notes", "--hub", "shelf", "--json"))
    assert (again["created"], again["unchanged"], again["ignored"]) == (0, 2, {"other files": 1})
    assert "bank shelf" in machine.out("hub", "publish", "shelf")
    done = machine.out("hub", "sync", "notes", "--hub", "shelf")
    assert done.startswith("notes: 1 deleted, 1 as before (bank 'shelf')"), done
    refused = machine.run("hub", "sync", "missing", "--hub", "shelf")
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)


def test_a_folder_is_followed(machine: Machine) -> None:
    notes = machine.work / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# A\n")
    process = machine.start("hub", "sync", "notes", "--watch", "--bank", "b", PYTHONUNBUFFERED="1")
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "notes: 1 new (bank 'b')\n"
        (notes / "a.md.swap").write_text("# A\n\nchanged\n")
        os.replace(notes / "a.md.swap", notes / "a.md")
        assert process.stdout.readline() == "notes: 1 changed (bank 'b')\n"
        os.replace(notes / "a.md", notes / "b.md")
        assert process.stdout.readline() == "notes: 1 moved (bank 'b')\n"
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert process.returncode == 0
    assert [(row["source"], row["version"]) for row in rows(machine, "--bank", "b")] == [("notes/b.md", 2)]
