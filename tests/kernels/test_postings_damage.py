"""Segment files that are cut off, flipped or scribbled over: Corrupt, or exactly the answer of the whole file. Never anything else."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_wire.errors import Corrupt
from memory_wire.kernels.postings import Live, Parts, Segment, merge
from tests.oracle.packed import pack
from tests.oracle.postings import Facts, Unit, expected, observed


def unit(number: int) -> Unit:
    n_passages, position = 1 + number % 3, number if number % 4 else -1
    passages = [([b"w%d" % n_passages, b"all"], 2)] * n_passages
    return Unit(number * 5, number, number % 8, number % 4 - 1, position, [b"\x02t%d" % (number % 3)], passages)


SOME = [unit(number) for number in range(1, 200)]
FACTS = expected(SOME)


def write(folder: Path) -> bytes:
    live = Live(256)
    for unit in SOME:
        packed = pack([(terms[:counted], terms[counted:]) for terms, counted in unit.passages])
        assert live.append(unit.id, unit.time, unit.flags, unit.session, unit.position, list(unit.fields), packed)
    live.write(str(folder / "whole"), b"0123456789abcdef")
    return (folder / "whole").read_bytes()


def answer(path: Path) -> Facts | None:
    """Everything the file says, or None when it turned out to be damaged on the way."""
    try:
        segment = Segment.open(str(path))
        return observed(Parts([(segment, segment.n_units, None)], 0), FACTS)
    except Corrupt:
        return None


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return write(tmp_path_factory.mktemp("segment"))


def test_the_whole_file_answers(whole: bytes, tmp_path: Path) -> None:
    (tmp_path / "same").write_bytes(whole)
    assert answer(tmp_path / "same") == FACTS


def test_every_length_but_the_right_one_is_refused(whole: bytes, tmp_path: Path) -> None:
    for length in [*range(0, 600, 7), *range(700, len(whole), 97), len(whole) - 1]:
        (tmp_path / "cut").write_bytes(whole[:length])
        with pytest.raises(Corrupt):
            Segment.open(str(tmp_path / "cut"))
    (tmp_path / "cut").write_bytes(whole + b"\0")
    with pytest.raises(Corrupt):
        Segment.open(str(tmp_path / "cut"))


def test_a_flipped_bit_anywhere_is_found_or_harmless(whole: bytes, tmp_path: Path) -> None:
    path, found = tmp_path / "flipped", 0
    positions = range(0, len(whole), 41)
    for at in positions:
        damaged = bytearray(whole)
        damaged[at] ^= 1 << (at % 8)
        path.write_bytes(damaged)
        said = answer(path)
        assert said in (None, FACTS), f"byte {at}"
        found += said is None
        with contextlib.suppress(Corrupt):
            segment = Segment.open(str(path))
            segment.verify()
            assert said == FACTS, f"byte {at}"  # verify passes only over padding
        path.unlink()
    assert found > len(positions) // 2


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_scribbles_are_found(whole: bytes, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    damaged = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(whole) - 1))
        scribble = data.draw(st.binary(min_size=1, max_size=64))
        damaged[at : at + len(scribble)] = scribble[: len(whole) - at]
    path = tmp_path_factory.mktemp("scribble") / "file"
    path.write_bytes(damaged)
    assert answer(path) in (None, FACTS)


def test_damage_is_remembered_and_not_merged_on(whole: bytes, tmp_path: Path) -> None:
    damaged = bytearray(whole)
    damaged[-200] ^= 4  # postings or checksums: not touched by opening
    (tmp_path / "bad").write_bytes(damaged)
    try:
        segment = Segment.open(str(tmp_path / "bad"))
    except Corrupt:
        pytest.fail("the header is sound")
    assert not segment.damaged
    with pytest.raises(Corrupt):
        merge([(segment, segment.n_units, None)], str(tmp_path / "merged"), b"0123456789abcdef")
    assert segment.damaged
    assert not (tmp_path / "merged").exists()
