"""Vectors rounded to int8: rounding, products, exact search. A *row* is a float32 scale and an int8 for each dimension, little-endian."""

from __future__ import annotations

from collections.abc import Iterable

from memory_wire.kernels.postings import Parts
from memory_wire.kernels.rank import Filter

DIMENSION_MAX: int

def quantise(vectors: bytes, dimension: int) -> bytes:
    """Rows of float32 vectors, rounded to 255 steps. Raises ValueError for another size and for what isn't finite."""

def dots(question: bytes, rows: list[bytes]) -> list[float]:
    """Product of a question's float32 vector, rounded to 13 bits, with each row: the cosine of vectors of length 1. Raises ValueError."""

def layout(dimension: int, n_rows: int) -> tuple[int, int, int, int, int, int]:
    """(bytes of a row in a file, offsets of scales, units and checksums, number of checksums, length of the file)."""

class Mask:
    """Which rows of one piece a search looks at."""

    count: int
    """How many."""

class Piece:
    """Rows of units, never changed: a mapped file or in memory. The map goes with the object."""

    path: str
    n_rows: int
    n_bytes: int
    dimension: int
    store_id: bytes
    model: bytes
    after: int
    upto: int
    stamp: int
    """The header's checksum, which stands for all of the file; 0 in memory."""
    witnesses: list[tuple[int, bytes]]
    """(row id, key) of the newest rows when the file was written."""
    @staticmethod
    def open(path: str) -> Piece:
        """Maps a file and checks all of it. Raises Corrupt, OSError."""
    @staticmethod
    def of(rows: list[tuple[int, bytes]], dimension: int) -> Piece:
        """A piece in memory of (unit, row). Raises ValueError for a row that isn't one."""
    def rows(self, start: int = 0, limit: int = ...) -> list[tuple[int, bytes]]:
        """(unit, row) of some of its rows. For tests and check."""
    def mask(self, parts: Parts, filter: Filter | None = None, rows: list[int] | None = None) -> Mask:
        """The rows, all or of these, whose units live in a snapshot and that a filter over it lets through. Raises ValueError."""
    def mask_of(self, ids: Iterable[int]) -> Mask:
        """The rows of these units."""
    def search(self, question: bytes, k: int, mask: Mask | None = None) -> list[tuple[int, float]]:
        """(unit, product of the question with its best row) of the k best, best first, equal ones by the lower id. Raises ValueError."""
