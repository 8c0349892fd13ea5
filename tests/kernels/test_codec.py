"""Checksums, tombstone run lengths and trigram signatures against readable twins. Blocks and varints are tested in csrc/tests."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_wire.errors import Corrupt
from memory_wire.kernels.postings import crc32c, crc32c_portable, dead_bits, dead_runs, signature


def slow_crc32c(data: bytes, crc: int = 0) -> int:
    crc ^= 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def slow_signature(term: bytes) -> int:
    if not term or term[0] < 0x20:
        return 0
    text = f"^{term.decode()}$"
    bits = 0
    for at in range(len(text) - 2):
        value = 2166136261
        for byte in text[at : at + 3].encode():
            value = (value ^ byte) * 16777619 % 2**32
        bits |= 1 << (value * 2654435769 % 2**32 >> 26)
    return bits


def test_crc_of_the_published_vector() -> None:
    assert crc32c(b"123456789") == crc32c_portable(b"123456789") == 0xE3069283


@given(st.binary(max_size=300), st.binary(max_size=30), st.integers(0, 2**32 - 1))
def test_crc_in_hardware_in_software_and_slowly(data: bytes, more: bytes, start: int) -> None:
    assert crc32c(data, start) == crc32c_portable(data, start) == slow_crc32c(data, start)
    assert crc32c(more, crc32c(data)) == crc32c(data + more)


@given(st.lists(st.booleans(), max_size=300))
def test_tombstones_survive_run_lengths(dead: list[bool]) -> None:
    bits = sum(1 << unit for unit, is_dead in enumerate(dead) if is_dead).to_bytes((len(dead) + 63) // 64 * 8, "little")
    runs = dead_runs(bits, len(dead))
    assert sum(runs[1::2]) == sum(dead)
    assert all(runs[1:])
    assert dead_bits(runs, len(dead)) == bits


def test_no_tombstones_are_no_runs() -> None:
    assert dead_runs(None, 1000) == [] == dead_runs(bytes(128), 1000)
    assert dead_bits([], 65) == bytes(16)


@pytest.mark.parametrize("runs", [[5, 6], [0, 11], [11], [1, 2**40], [2**63, 1]])
def test_runs_beyond_the_segment_are_damage(runs: list[int]) -> None:
    with pytest.raises(Corrupt):
        dead_bits(runs, 10)


def test_a_bitset_too_short_for_its_units_is_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        dead_runs(bytes(8), 65)


@given(st.text(min_size=1, max_size=12).map(lambda text: text.encode(errors="replace")))
def test_signature_has_a_bit_for_every_character_trigram(term: bytes) -> None:
    assert signature(term) == slow_signature(term)


def test_field_keys_have_no_signature() -> None:
    assert signature(b"\x02red") == 0 == signature(b"")
