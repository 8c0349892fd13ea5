"""`memory-wire update`: installs a version beside the one in use, proves it on a copy of the store, switches to it, restarts the server and
has the hosts wired anew. Until the switch nothing that is in use is touched; what fails after it is taken back.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from hashlib import sha256
from itertools import pairwise
from urllib.parse import unquote, urlsplit

import msgspec

from memory_wire import __version__
from memory_wire.cli import running
from memory_wire.cli.args import DB, JSON, Command, Option, Usage, Value
from memory_wire.cli.layout import Journal, Layout, UpdateFailed, managed_by, of_running
from memory_wire.cli.proof import apart, prove, quiet, run, said_version, surroundings
from memory_wire.cli.show import as_json, line
from memory_wire.cli.wheel import NAME, PIP_SECONDS, key, last_line, offered, pip, sum_beside
from memory_wire.config import default_db
from memory_wire.errors import MemoryWireError
from memory_wire.process import words_of

STARTS = ("addr", "socket", "db", "sync", "allow-host", "quiet")  # options of a server that `daemon start` takes


def commands() -> list[Command]:
    return [
        Command(
            "update",
            "Install the newest version, prove it on a copy of the store and switch to it; a failure leaves the old one in use.",
            update,
            options=(
                Option("check", "flag", "only say whether there is a newer version"),
                Option("version", help="this version, also an older one"),
                Option("from", "path", "a folder of wheels, each with its sha256 beside it, instead of the package index"),
                Option("rollback", "flag", "switch back to the version that the one in use replaced"),
                Option("into", "path", "make an installation that updates itself in this folder"),
                DB,
                JSON,
            ),
        )
    ]


def update(values: dict[str, Value]) -> int:
    """The exit status. Raises UpdateFailed, Usage."""
    if values.get("rollback") and any(values.get(name) for name in ("version", "from", "check", "into")):
        raise Usage("--rollback takes no other option; it goes to the version that was in use before")
    layout = Layout(str(values["into"])) if values.get("into") else of_running()
    if values.get("check"):
        return check(values, str(values["from"]) if values.get("from") else None)
    if layout is None:
        root = os.path.dirname(default_db())
        raise UpdateFailed(
            f"this installation ({sys.prefix}) does not switch versions by itself: `{managed_by()}` updates it;"
            f" `memory-wire update --into {root}` makes one that does"
        )
    with layout.locked():
        return Update(layout, values).go()


def check(values: dict[str, Value], folder: str | None) -> int:
    newest, _, _ = offered(folder, None)
    newer = key(newest) > key(__version__)
    if values.get("json"):
        as_json({"version": __version__, "newest": newest, "newer": newer})
    else:
        line(f"memory-wire {__version__}, " + (f"newest is {newest}: `memory-wire update` installs it" if newer else "the newest there is"))
    return 0


class Update:
    """One run. Steps are methods, each may raise UpdateFailed; `undo` takes back what was done."""

    def __init__(self, layout: Layout, values: dict[str, Value]) -> None:
        self.layout, self.values = layout, values
        self.folder = os.path.abspath(str(values["from"])) if values.get("from") else None
        self.before = layout.current
        self.after = ""
        self.version = ""
        self.wheel = self.url = self.sum = ""
        self.server = running.look(running.state_path())
        self.serving = self.server.kind == running.SERVING
        self.db = os.path.abspath(str(values.get("db") or (self.server.db if self.serving else default_db())))
        self.options = started_with(self.server) if self.serving else []
        self.done: dict[str, str] = {}
        self.switched = False

    def go(self) -> int:
        self.recover()
        if self.values.get("rollback"):
            return self.through(("target", "prove", "switch", "daemon", "hosts"))
        self.version, self.url, self.sum = offered(self.folder, str(self.values["version"]) if self.values.get("version") else None)
        if self.before is not None and not self.values.get("version") and key(self.version) <= key(__version__):
            return self.say(f"memory-wire {__version__} is in use, the newest offered is {self.version}")
        return self.through(("fetch", "environment", "install", "prove", "switch", "daemon", "hosts"))

    def through(self, names: tuple[str, ...]) -> int:
        """Runs the steps in order; a failure takes everything back."""
        with tempfile.TemporaryDirectory(prefix="update-", dir=self.layout.root) as self.scratch:
            for name in names:
                self.layout.note(self.journal(name))
                try:
                    step: Callable[[], str] = getattr(self, name)
                    self.done[name] = step()
                except BaseException as error:
                    self.undo(name)
                    self.layout.note(None)
                    if not isinstance(error, (MemoryWireError, OSError, subprocess.TimeoutExpired)):
                        raise
                    raise UpdateFailed(f"{name}: {error}; {self.before or 'nothing'} is in use as before") from None
        self.layout.note(None)
        if not self.values.get("rollback"):
            self.layout.prune()
        return self.say(f"memory-wire {self.version} is in use" + (f", {self.before} is kept" if self.before else ""))

    def journal(self, step: str) -> Journal:
        return Journal(step, self.before, self.after, not self.values.get("rollback"), self.serving, self.options)

    def say(self, text: str) -> int:
        if self.values.get("json"):
            as_json({"version": self.version, "before": self.before, "switched": self.switched, "steps": self.done, "text": text})
            return 0
        for name, what in self.done.items():
            line(f"  {name:<12}{what}")
        line(text)
        return 0

    # steps -------------------------------------------------------------------------------------------------------------------------

    def target(self) -> str:
        """The version to go back to."""
        name = self.layout.previous
        if name is None:
            raise UpdateFailed("there is no version to go back to")
        self.after, self.version = name, said_version(self.layout.program_of(name))
        return name

    def fetch(self) -> str:
        """The wheel in the scratch folder, its sha256 compared there."""
        if self.folder is not None:
            source = unquote(urlsplit(self.url).path)
            self.wheel = os.path.join(self.scratch, os.path.basename(source))
            shutil.copyfile(source, self.wheel)
            expected = sum_beside(source)
        else:
            pip("download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", self.scratch, f"{NAME}=={self.version}")
            self.wheel = next(os.path.join(self.scratch, name) for name in os.listdir(self.scratch) if name.endswith(".whl"))
            expected = self.sum
        with open(self.wheel, "rb") as file:
            found = sha256(file.read()).hexdigest()
        if not expected or found != expected:
            raise UpdateFailed(f"{os.path.basename(self.wheel)} has sha256 {found}, expected {expected or 'one, but the index names none'}")
        return f"{os.path.basename(self.wheel)}, sha256 {found[:12]}…"

    def environment(self) -> str:
        """An empty environment beside the one in use."""
        self.after = self.layout.fresh(self.version)
        self.layout.note(self.journal("environment"))
        folder = self.layout.folder(self.after)
        words = [sys.executable, "-m", "venv", "--without-pip", folder]
        done = subprocess.run(words, capture_output=True, env=apart(), timeout=PIP_SECONDS, check=False)
        if done.returncode:
            raise UpdateFailed(last_line(done.stderr or done.stdout))
        return folder

    def install(self) -> str:
        """The wheel and what it requires, into the environment."""
        where = ["--no-index", "--find-links", self.folder] if self.folder is not None else []
        try:
            pip("--python", self.layout.python_of(self.after), "install", "--quiet", "--no-input", *where, self.wheel)
        except UpdateFailed as error:
            more = "; the folder needs the wheels of what it requires as well: `pip wheel memory-wire -w FOLDER`" if self.folder else ""
            raise UpdateFailed(f"{error}{more}") from None
        found = said_version(self.layout.program_of(self.after))
        if found != self.version:
            raise UpdateFailed(f"what was installed says it is {found}")
        return found

    def prove(self) -> str:
        """On a copy of the store; a copy is kept where the format changes, so that one can go back."""
        proved, changed = prove([self.layout.program_of(self.after)], self.db, self.scratch)
        if not changed:
            return proved
        from memory_wire.service import maintenance

        kept = self.layout.copy(self.after)
        if os.path.lexists(kept):
            os.unlink(kept)
        maintenance.backup(self.db, kept, quiet)
        return f"{proved}; it changes the store's format: {kept} is the store as it was"

    def switch(self) -> str:
        if not self.values.get("rollback"):
            self.layout.note_previous(self.after, self.before)
        self.switched = True
        self.layout.switch(self.after)
        return self.layout.program

    def daemon(self) -> str:
        """The server, where one ran, started anew with the same options."""
        if not self.serving:
            return "not running"
        run([self.layout.program], "daemon", "restart", environ=surroundings())
        return "restarted"

    def hosts(self) -> str:
        """Entries of the hosts that are wired; banks named in them stay."""
        return ", ".join(wired_anew([self.layout.program])) or "none wired"

    # back ----------------------------------------------------------------------------------------------------------------------------

    def undo(self, step: str) -> None:
        """What was in use before is again, with its server; what was installed is removed."""
        if self.switched:
            self.layout.switch(self.before)
            self.switched = False
            program = [self.layout.program] if self.before is not None else [sys.executable, "-m", "memory_wire"]
            self.attempt(lambda: self.serve_again(program))
            if step == "hosts":
                self.attempt(lambda: wired_anew(program))
        if self.after and not self.values.get("rollback"):
            self.layout.remove(self.after)

    def serve_again(self, program: list[str]) -> None:
        """The server of a version, where one ran when the update began."""
        if not self.serving:
            return
        if running.look(running.state_path()).kind == running.SERVING:
            run(program, "daemon", "restart", environ=surroundings())
        else:
            run(program, "daemon", "start", *self.options, environ=surroundings())

    def attempt(self, way: Callable[[], object]) -> None:
        """A part of the way back; what can't be done is said, the rest goes on."""
        try:
            way()
        except UpdateFailed as error:
            sys.stderr.write(f"memory-wire: {error}\n")

    def recover(self) -> None:
        """Ends what an update that was killed left: one that had switched is finished, any other removed."""
        left = self.layout.under_way()
        if left is None:
            return
        for name in os.listdir(self.layout.root):
            if name.startswith("update-"):
                shutil.rmtree(os.path.join(self.layout.root, name), ignore_errors=True)
            elif ".new-" in name:
                os.unlink(os.path.join(self.layout.root, name))
        down = running.look(running.state_path()).kind != running.SERVING
        finished = bool(left.after) and left.after == self.layout.current
        self.serving, self.options = left.serving, left.options
        if self.layout.current is not None and (down or (finished and left.step != "hosts")):
            self.attempt(lambda: self.serve_again([self.layout.program]))
        if finished:
            self.attempt(lambda: wired_anew([self.layout.program]))
            self.layout.prune()
            self.done["recovered"] = f"the update to {left.after} was interrupted at {left.step} and is finished"
        else:
            if left.after and left.made:
                self.layout.remove(left.after)
            self.done["recovered"] = f"an update that was interrupted at {left.step} was removed"
        self.layout.note(None)
        self.serving = running.look(running.state_path()).kind == running.SERVING


def wired_anew(program: list[str]) -> list[str]:
    """The hosts that are wired, wired again by a version. Raises UpdateFailed."""
    answer = run(program, "connect", "--list", "--json", environ=surroundings())
    listed = msgspec.json.decode(answer, type=list[dict[str, object]])
    wired = [str(row["host"]) for row in listed if row.get("wired") in ("yes", "partial")]
    if wired:
        run(program, "connect", "--no-daemon", *wired, environ=surroundings())
    return wired


def started_with(server: running.Running) -> list[str]:
    """The options that a server was started with, as far as `daemon start` takes them."""
    words = words_of(server.pid)
    words = words[words.index("serve") + 1 :] if "serve" in words else []
    found = [part for name, value in pairwise(words) if name[2:] in STARTS for part in (name, value)]
    found += ["--insecure"] if "--insecure" in words else []
    return found or ["--addr", server.addr, "--db", server.db]
