"""The interface between hosts and the engine: where things are (`Environment`), what goes in (`Slot`), what is remembered (`Trace`).

A host only says which slots it has; a slot edits the text of one file and touches no file itself. The engine groups slots by file, plans
all of a host before it writes any, and does backup, atomic write, verification and the record.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from typing import Literal, Protocol

from msgspec import Struct, field

from memory_wire.config import default_db

# absent: nothing of ours. same: what would be written is there. stale: ours, with another launcher, bank or an older shape; replaced.
# changed: ours, edited by the user since; left alone. foreign: somebody else's entry has our place; left alone.
State = Literal["absent", "same", "stale", "changed", "foreign"]
EVENTS = ("session-start", "prompt", "stop", "pre-compact", "session-end")


class Refused(Exception):
    """A file can't be edited safely: `reason` as the report shows it, `snippet` what to put in by hand. Nothing of the host is written."""

    def __init__(self, reason: str, snippet: str = "") -> None:
        super().__init__(reason)
        self.reason, self.snippet = reason, snippet


class Environment(Struct, frozen=True):
    """The machine as connect sees it; tests pass a scratch one. `data` is the folder of the default store."""

    home: str
    data: str
    cwd: str
    variables: Mapping[str, str]
    platform: str = sys.platform

    @classmethod
    def current(cls) -> Environment:
        return cls(os.path.expanduser("~"), os.path.dirname(default_db()), os.getcwd(), dict(os.environ))

    def at(self, *parts: str) -> str:
        """A path under the home folder."""
        return os.path.join(self.home, *parts)

    def folder(self, variable: str, *default: str) -> str:
        """The folder that a variable such as CODEX_HOME names when it is an absolute path, else the default under the home folder."""
        named = self.variables.get(variable, "")
        return named if os.path.isabs(named) else self.at(*default)

    def config(self, *parts: str) -> str:
        """A path under $XDG_CONFIG_HOME, else ~/.config."""
        return os.path.join(self.folder("XDG_CONFIG_HOME", ".config"), *parts)

    def has(self, binary: str) -> bool:
        return shutil.which(binary, path=self.variables.get("PATH", "")) is not None


class Wiring(Struct, frozen=True):
    """What entries say: absolute path of the stable launcher, and the bank when one is baked in."""

    launcher: str
    bank: str | None = None

    def command(self, event: str, host: str) -> str:
        """The hook command as a shell reads it; one of EVENTS."""
        return shlex.join([self.launcher, "hook", event, "--host", host, *self.pinned()])

    def server(self) -> list[str]:
        """The words after the launcher that start the stdio MCP server."""
        return ["mcp", *self.pinned()]

    def pinned(self) -> list[str]:
        return ["--bank", self.bank] if self.bank else []


class Trace(Struct):
    """What connect did to one file, kept in `<data dir>/connect.json` and handed back when the entries are taken out.

    `made`: names of what was created for us ("file", "hooks", "hooks/Stop"). `wrote`: by label of a slot, what was put in, in a form that
    the slot chooses (JSON text, digest). `kept`: by label, what the slot displaced and puts back. `folders`: created for the file. `known`
    is false when nothing is recorded of what was there before; then everything of ours that is empty goes.
    """

    known: bool = False
    folders: list[str] = field(default_factory=list)
    made: list[str] = field(default_factory=list)
    wrote: dict[str, str] = field(default_factory=dict)
    kept: dict[str, str] = field(default_factory=dict)


class Slot(Protocol):
    """One entry of ours in one file. `text` is the file as it stands, line ends and all, None when there is no file."""

    path: str
    label: str  # in reports, and key in a trace: "hooks.Stop", "mcpServers.memory-wire"; unique within the path
    mode: int  # of the file when it is created
    counts: bool  # whether finding it says that the host is wired; false for settings that may be there anyway

    def look(self, text: str | None, trace: Trace) -> State:
        """What is there. Raises Refused when the text can't be read or has something else where a container should be."""
        ...

    def put(self, text: str | None, trace: Trace) -> str:
        """The text with the entry in, for states absent, stale and changed (then at most launcher and bank of the user's version are
        brought up to date); notes in the trace what was made. Raises Refused."""
        ...

    def take(self, text: str, trace: Trace) -> str | None:
        """The text without the entry, for states same and stale; None when the file itself goes. Taking out what was put in gives the bytes
        that were there before. Raises Refused."""
        ...

    def bank(self, text: str | None) -> str | None:
        """The bank baked into the entry that is there, if any."""
        ...

    def snippet(self) -> str:
        """What to put in by hand where the file is refused."""
        ...


class Host:
    """One agent host. Subclasses set the names and say which slots they have; `HOST` in the module is the instance."""

    name: str
    title: str
    binaries: tuple[str, ...] = ()
    reply: Literal["json", "text", "none"] = "json"  # what the host makes of a hook's stdout; judged by verify
    probe: tuple[str, str] | None = None  # (event, payload) of a recorded firing, run once after wiring; None without shell hooks
    local = False  # whether it may have files in the project of the working directory

    def folders(self, env: Environment) -> list[str]:
        """Folders of which one existing says that the host is here."""
        raise NotImplementedError

    def slots(self, env: Environment, wiring: Wiring) -> list[Slot]:
        """Every entry of ours, in report order."""
        raise NotImplementedError

    def notes(self, env: Environment) -> list[str]:
        """What the user has still to do after wiring; lines of the summary."""
        return []

    def detect(self, env: Environment) -> bool:
        return any(os.path.isdir(folder) for folder in self.folders(env)) or any(env.has(binary) for binary in self.binaries)
