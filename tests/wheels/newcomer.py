"""A home folder on which the installer is run, and the interpreter it is told to use."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.cli.installation import Installation

SCRIPT = Path(__file__).parents[2] / "wheels" / "get-memory-wire.sh"


class Newcomer(Installation):
    """A home folder on which the installer is run."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.pip = {"PIP_NO_INDEX": "1"}
        self.bin = self.home / ".local" / "bin"

    def get(self, *words: str | Path, shell: str = "sh", **more: str | Path) -> subprocess.CompletedProcess[str]:
        """The installer with these words and MW_ variables."""
        environ = self.environ | {"PATH": f"{self.bin}:/usr/bin:/bin", "MW_PYTHON": interpreter()}
        environ |= {f"MW_{name.upper()}": str(value) for name, value in more.items()}
        command = [shell, str(SCRIPT), *map(str, words)]
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environ, timeout=240, check=False)


def interpreter() -> str:
    """The interpreter the tests' wheels are for, outside any environment, so that it can make one."""
    return os.path.realpath(getattr(sys, "_base_executable", sys.executable))
