"""The load benches run, at small sizes, and what they count can fail them."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from bench.footprint.probe import Reading
from bench.load import coldstart, curve, soak
from bench.report import Report


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> argparse.Namespace:
    """What the command line says, for a run of two seconds in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return argparse.Namespace(seconds=2.0, clients=5, sizes=[100])


def test_the_soak_counts_every_row(given: argparse.Namespace, capsys: pytest.CaptureFixture[str]) -> None:
    assert soak.run(Report("Soak"), given)
    said = capsys.readouterr().out
    assert " 0 requests failed; exit 0." in said and "| replace " in said and "| append " in said


def test_the_soak_fails_when_a_row_is_missing(given: argparse.Namespace, monkeypatch: pytest.MonkeyPatch) -> None:
    rows_of = soak.rows_of
    monkeypatch.setattr(soak, "rows_of", lambda server, bank: rows_of(server, bank) - (bank == "soak-2"))
    assert not soak.run(Report("Soak"), given)


@pytest.mark.parametrize(("rise", "files", "grew"), [(0, 0, False), (60, 0, True), (0, 1, True)])
def test_growth_is_told(rise: int, files: int, grew: bool) -> None:
    readings = [(at, Reading(20_000 + rise * at, 0, 10_000 + rise * at), 40 + files * at // 10) for at in range(0, 600, 20)]
    assert soak.memory(Report("Soak"), readings) is grew


def test_the_curve_finds_all_needles(given: argparse.Namespace) -> None:
    assert curve.run(Report("Curve"), given)


def test_starts_are_timed(given: argparse.Namespace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(coldstart, "STARTS", 2)
    assert coldstart.run(Report("Start"), given)
    assert "| 100 " in capsys.readouterr().out
