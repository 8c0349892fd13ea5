"""An installation that updates itself, on a machine of its own: a home folder, a store, a server, a wired host; and a package index."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import quote, unquote

from tests.cli import wheelhouse
from tests.cli.wheelhouse import Change

NOTE = "the falcon flies over the harbour at noon"


class Installation:
    """A home folder of its own with an installation in its data folder, a store, a server and a wired host."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.root = self.home / "data" / "memory-wire"
        self.program = self.root / "bin" / "memory-wire"
        self.wheels = wheelhouse.house(folder / "wheels")
        self.pip: dict[str, str] = {}
        (self.home / ".claude").mkdir(parents=True)

    @property
    def environ(self) -> dict[str, str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("MEMORY_WIRE_", "PYTHON", "XDG_"))}
        return (
            clean
            | {"HOME": str(self.home), "XDG_DATA_HOME": str(self.home / "data"), "PATH": f"{self.program.parent}:/usr/bin:/bin"}
            | self.pip
        )

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


@contextmanager
def installed(folder: Path) -> Iterator[Installation]:
    """Version 1.0 in use, its server running, Claude Code wired with a bank of its own."""
    found = Installation(folder)
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


def instead(old: str, new: str) -> Change:
    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new)

    return change


@contextmanager
def index(folder: Path, spoiled: bool = False) -> Iterator[str]:
    """A package index over HTTP with the wheels of a folder, the sha256 in their addresses as PyPI has it."""

    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = unquote(self.path).strip("/").split("/")[-1]
            data = b""
            if name.endswith(".whl"):
                data = (folder / name).read_bytes()
            else:
                for path in folder.glob(f"{name.replace('-', '_')}-*.whl"):
                    sum = hashlib.sha256(path.read_bytes()).hexdigest()
                    data += f'<a href="/files/{quote(path.name)}#sha256={"0" * 64 if spoiled else sum}">{path.name}</a>\n'.encode()
            self.send_response(200 if data else 404)
            self.send_header("content-type", "text/html" if not name.endswith(".whl") else "application/zip")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """No word on standard error."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/simple/"
        finally:
            server.shutdown()
            thread.join()


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
    elif moment == "interrupted":
        raise KeyboardInterrupt
    os.kill(os.getpid(), 9)
setattr(update.Update, step, dying)
sys.exit(run(sys.argv[3:]))
"""
SWITCHED = {("switch", "after"), *((step, moment) for step in ("daemon", "hosts") for moment in ("before", "after", "within"))}


def killed(back: Installation, step: str, moment: str) -> None:
    """An update that dies at a step leaves a whole version in use; the next one ends what it left."""
    folder = back.folder("5.0")
    python = [str(back.root / "current" / "bin" / "python")]
    died = back.run("-c", DEATH, step, moment, "update", "--from", folder, program=python)
    assert died.returncode == -9
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


def taken_back(back: Installation, changes: Mapping[str, Change], said: str, without: str = "") -> None:
    """A version that does not work is taken back, and says why."""
    before = back.versions
    done = back.run("update", "--from", back.folder("4.0", changes, without=without))
    assert done.returncode == 1 and said in done.stderr and "1.0 is in use as before" in done.stderr, done.stderr
    assert back.versions == before
    back.whole("1.0")
