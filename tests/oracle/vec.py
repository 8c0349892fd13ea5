"""Slow, plain versions of kernels/vec, in whole numbers and doubles: the reference its tests compare with."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable, Sequence

QUESTION_STEPS = 4095


def float32(value: float) -> float:
    return struct.unpack("<f", struct.pack("<f", value))[0]


def packed(vector: Sequence[float]) -> bytes:
    return array("f", vector).tobytes()


def row(vector: Sequence[float]) -> bytes:
    """The nearest of 255 steps of the largest number, and the scale for which that is nearest to the vector."""
    values = [float32(value) for value in vector]
    step = max(map(abs, values)) / 127
    steps = [round(value / step) if step else 0 for value in values]
    squares = sum(whole * whole for whole in steps)
    scale = sum(value * whole for value, whole in zip(values, steps, strict=True)) / squares if squares else 0.0
    return packed([scale]) + array("b", steps).tobytes()


def dot(question: Sequence[float], kept: bytes) -> float:
    values = [float32(value) for value in question]
    step = max(map(abs, values)) / QUESTION_STEPS
    steps = [round(value / step) if step else 0 for value in values]
    (scale,) = struct.unpack("<f", kept[:4])
    return sum(whole * other for whole, other in zip(steps, array("b", kept[4:]), strict=True)) * scale * step


def nearest(question: Sequence[float], rows: Iterable[tuple[int, bytes]], k: int) -> list[tuple[int, float]]:
    """The k units with the largest product of the question and one of their rows, equal ones by the lower id."""
    best: dict[int, float] = {}
    for unit, kept in rows:
        score = dot(question, kept)
        best[unit] = max(score, best.get(unit, score))
    return sorted(best.items(), key=lambda found: (-found[1], found[0]))[:k]
