"""Writes the golden index folder of the format this source writes: `python -m tests.golden.make`. Only for a new format version."""

from __future__ import annotations

import shutil
from pathlib import Path

from memory_wire.index.manifest import FORMAT, name_of
from memory_wire.index.rebuild import rebuild
from memory_wire.index.seal import seal
from memory_wire.index.state import State
from tests.golden.content import bury, truth
from tests.oracle.truth import View

FOLDER = Path(__file__).parent / f"v{FORMAT}"


def main() -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    bank = truth()
    rebuild(str(FOLDER), 1, View(bank), None)
    bury(bank)
    bank.insert("the last one, in a segment of its own", 0)
    state = State(str(FOLDER), 1)
    state.follow(View(bank))
    assert seal(state, View(bank), 0.0)
    assert state.manifest is not None
    for path in FOLDER.iterdir():
        if path.name == "LOCK" or (path.name.startswith("manifest-") and path.name != name_of(state.manifest.generation)):
            path.unlink()


if __name__ == "__main__":
    main()
