"""A scratch user for connect: a home with blanks and quotes in its name, a launcher as pip writes it, and files of hosts in it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from memory_wire.hosts import engine, files, load
from memory_wire.hosts.base import Environment, Slot, Wiring
from memory_wire.hosts.engine import Plan
from memory_wire.hosts.entries import Member
from memory_wire.hosts.record import Record, opened
from tests.hosts import plain

HOME = 'the "home" of o\'ne'
HERE = {  # what says that a host is here
    "claude-code": ".claude",
    "codex": ".codex",
    "copilot-cli": ".copilot",
    "cursor": ".cursor",
    "gemini-cli": ".gemini",
    "windsurf": ".codeium/windsurf",
    "vscode": ".config/Code/User",
    "zed": ".config/zed",
    "cline": ".cline",
    "roo-code": ".roo",
    "continue": ".continue",
    "opencode": ".config/opencode",
    "omp": ".omp",
    "hermes": ".hermes",
    "pi": ".pi",
}
LAUNCHER = "#!{python}\nimport sys\nfrom memory_wire.__main__ import main\nsys.exit(main())\n"


class Machine:
    """`launcher` is on PATH; `env` is what hosts see of this machine."""

    def __init__(self, folder: Path, home: str = HOME, platform: str = "linux") -> None:
        self.home = folder / home
        self.data = self.home / ".local" / "share" / "memory-wire"
        self.work = self.home / "work"
        self.work.mkdir(parents=True)
        self.launcher = self.program(self.home / "bin" / "memory-wire")
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("MEMORY_WIRE_", "XDG_", "CLAUDE_", "CODEX_", "COPILOT_", "HERMES_", "PI_"))
        }
        self.variables = {**kept, "HOME": str(self.home), "PATH": f"{self.launcher.parent}:/usr/bin:/bin"}
        self.env = Environment(str(self.home), str(self.data), str(self.work), self.variables, platform)
        self.wiring = Wiring(str(self.launcher))

    def program(self, path: Path, first: str = "") -> Path:
        """A launcher at the path; `first` is code that it runs before ours."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(LAUNCHER.format(python=sys.executable).replace("import sys\n", f"import sys\n{first}\n"))
        path.chmod(0o755)
        return path

    def have(self, *names: str) -> None:
        """Has the hosts installed: their folders exist."""
        for name in names:
            (self.home / HERE[name]).mkdir(parents=True, exist_ok=True)

    def run(self, *words: str, program: Path | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
        """`memory-wire WORDS` of this user."""
        command = [str(program or self.launcher), *words]
        return subprocess.run(
            command, capture_output=True, text=True, env=self.variables | variables, cwd=self.work, timeout=120, check=False
        )

    def tree(self) -> dict[str, tuple[int, bytes]]:
        """Mode and content of every file of the hosts, and every folder with the content `b""`."""
        found = {}
        for path in sorted(self.home.rglob("*")):
            name = str(path.relative_to(self.home))
            if not name.startswith((".local", "bin", "work", "Library/Caches")):
                found[name] = (path.lstat().st_mode, b"" if path.is_dir() else path.read_bytes())
        return found

    def slots(self, name: str) -> list[Slot]:
        return load(name).slots(self.env, self.wiring)

    def install(self, name: str, bank: str | None = None) -> Plan:
        """Wires a host in this process, without running its hooks."""
        with opened(str(self.data)) as record:
            plan = engine.install(load(name), self.env, record, Wiring(self.wiring.launcher, bank))
            self.apply(plan, record)
            return plan

    def remove(self, name: str) -> Plan:
        with opened(str(self.data)) as record:
            plan = engine.removal(load(name), self.env, record, self.wiring)
            self.apply(plan, record)
            return plan

    def apply(self, plan: Plan, record: Record) -> None:
        engine.apply(plan, self.env, record, lambda: None)

    def served(self, name: str) -> dict[str, object]:
        """The server's entry in a host's own JSON file."""
        (slot,) = [slot for slot in self.slots(name) if isinstance(slot, Member)]
        found = plain.load(self.text(slot))
        for key in slot.place:
            assert isinstance(found, dict)
            found = found[key]
        assert isinstance(found, dict)
        return found

    def text(self, slot: Slot) -> str:
        return files.text(files.read(slot.path)) or ""
