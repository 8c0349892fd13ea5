"""The runner of PrecisionMemBench on a few beliefs of our own; one case asks for more than names and must fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.precision.__main__ import NAMED, main

HERE = Path(__file__).parent


def cells(text: str, name: str) -> list[str]:
    """The row of that name in a table."""
    (line,) = [line for line in text.splitlines() if line.startswith(f"| {name} ")]
    return [cell.strip() for cell in line.split("|")[2:-1]]


def test_every_tier_is_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "precision.md"
    assert main(["--data", str(HERE), "--gate", "--out", str(out)]) == 1
    text = out.read_text()
    assert capsys.readouterr().out.strip().startswith("# Precision")
    assert cells(text.partition("\n\n| search, named")[0], NAMED) == ["8 of 9", "5", "0.83", "0.83"]
    assert cells(text, "search")[0] == "5 of 9" and cells(text, "turns of conversations") == ["3 of 3", "3", "1.00", "1.00"]
    assert cells(text, "names")[0] == "4 of 5" and cells(text, "relations")[0] == "1 of 1"
    assert [line for line in text.splitlines() if line.startswith("- ")] == ["- beyond-names: missing: crane"]
    assert [line for line in text.splitlines() if line.startswith("MISSED")] == ["MISSED recall 0.83 under 0.90"]
