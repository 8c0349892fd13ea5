"""Index folders written by released versions are still opened, answer as they must, and can be written on."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from memory_wire.index.bank import BankIndex
from memory_wire.index.check import check_folder
from memory_wire.index.manifest import read_newest
from memory_wire.kernels.postings import Segment
from tests.golden.content import bury, truth
from tests.oracle.postings import expected, observed, unit_of
from tests.oracle.truth import Truth, View

FOLDERS = sorted(path for path in Path(__file__).parent.glob("v*") if path.is_dir())


@pytest.fixture
def bank() -> Truth:
    bank = truth()
    bury(bank)
    bank.insert("the last one, in a segment of its own", 0)
    return bank


@pytest.fixture(params=FOLDERS, ids=lambda path: path.name)
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return shutil.copytree(request.param, tmp_path / "1").as_posix()


def test_there_is_one() -> None:
    assert [path.name for path in FOLDERS] == ["v1"]


def test_it_is_whole(folder: str, bank: Truth) -> None:
    assert check_folder(folder, 1, View(bank)) == []
    manifest = read_newest(folder)
    assert manifest is not None and [entry.n_dead > 0 for entry in manifest.segments] == [True, False]
    for entry in manifest.segments:
        Segment.open(str(Path(folder) / entry.file)).verify()


def test_it_answers_without_reading_the_store(folder: str, bank: Truth) -> None:
    class Closed(View):
        def rows(self, after: int, upto: int | None, limit: int) -> list[tuple[int, int, int, int, int, list[bytes], str, str]]:
            raise AssertionError("the folder covers everything")

    facts = expected(unit_of(row) for row in bank.units.values())
    assert observed(BankIndex(folder, 1).snapshot(Closed(bank)), facts) == facts


def test_it_is_written_on_and_merged(folder: str, bank: Truth) -> None:
    index = BankIndex(folder, 1)
    index.snapshot(View(bank))
    for number in range(200):
        row, after = bank.insert(f"written by a newer version {number}")
        assert index.append(row, None, after)
    assert index.maintain(View(bank), force=True)
    manifest = read_newest(folder)
    assert manifest is not None and len(manifest.segments) == 1
    facts = expected(unit_of(row) for row in bank.units.values())
    assert observed(BankIndex(folder, 1).snapshot(View(bank)), facts) == facts
