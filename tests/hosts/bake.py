"""Writes the golden files of all hosts anew: `python -m tests.hosts.bake`. Read the difference before committing it."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from tests.hosts.machine import HERE, Machine
from tests.hosts.test_golden import GOLDEN, installed

if __name__ == "__main__":
    for name in HERE:
        with tempfile.TemporaryDirectory() as folder:
            machine = Machine(Path(folder))
            machine.have(name)
            machine.install(name)
            shutil.rmtree(GOLDEN / name, ignore_errors=True)
            for inner, text in installed(machine).items():
                path = GOLDEN / name / inner
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
