"""Writes the seed corpus of the near target: files of vectors. Run from the project's root with the package importable."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from memory_wire.index.vectors import Vectors
from tests.index.test_vectors import Table

CORPUS = Path("csrc/fuzz/corpus/near")


def write(name: str, units: list[int]) -> None:
    table = Table()
    for unit in units:
        table.add(unit)
    with tempfile.TemporaryDirectory() as folder:
        Vectors(folder, 1).build(table)
        (file,) = (entry for entry in os.listdir(folder) if entry.endswith(".vec"))
        CORPUS.mkdir(parents=True, exist_ok=True)
        (CORPUS / name).write_bytes(Path(folder, file).read_bytes())


def main() -> None:
    write("one", [1])
    write("ascending", list(range(1, 140)))
    write("mixed", [5, 5, 3, 8, 8, 8, 1, 13, 2, 2, 1 << 20] * 9)


if __name__ == "__main__":
    main()
