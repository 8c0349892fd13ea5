"""Postings storage: mapped segments, the live arena, snapshots over both."""

from __future__ import annotations

from collections.abc import Callable, Sequence

NO_SESSION: int
"""Session of a unit that has none (2^32 - 1); -1 is accepted as well, and then any position."""

class Segment:
    """A sealed segment file, mapped read-only; the descriptor is closed after mapping."""

    n_units: int
    n_passages: int
    n_terms: int
    n_tokens: int
    min_id: int
    max_id: int
    n_bytes: int
    n_sessions: int
    store_id: bytes
    language: int
    analyser: int
    path: str
    closed: bool
    damaged: bool
    """A read found bytes that contradict checksum or format; never reset."""
    @classmethod
    def open(cls, path: str) -> Segment:
        """Map a segment file. Raises Corrupt when its header, length or tables are wrong, OSError when it can't be read."""
    def find_unit(self, unit_id: int) -> int:
        """Number of the unit with this id, -1 if the segment has none."""
    def ids(self) -> list[int]:
        """All unit ids, ascending, dead ones included."""
    def verify(self) -> None:
        """Check every checksum and every structure of the file. Raises Corrupt."""
    def page_drop(self) -> None:
        """Give the mapped pages back to the kernel; they return on the next touch."""
    def close(self) -> None:
        """Drop the map as soon as no Parts uses it; only n_* attributes work afterwards."""

class Live:
    """An in-memory arena of the newest units: one writer, any number of lock-free readers through Parts."""

    n_units: int
    n_passages: int
    n_terms: int
    n_bytes: int
    min_id: int
    max_id: int
    language: int
    analyser: int
    max_units: int
    def __init__(self, max_units: int, language: int = 1, max_passages: int = 0, analyser: int = 1) -> None:
        """max_passages 0: room for the usual mix. Raises MemoryError."""
    def append(self, unit_id: int, time_s: int, flags: int, session: int, position: int, fields: list[bytes], packed: bytes) -> bool:
        """Index one unit from its packed analysis; ids must ascend. False when the arena has no room for it (nothing is added).
        Raises ValueError for a malformed analysis or field."""
    def find_unit(self, unit_id: int) -> int:
        """Number of the unit with this id, -1 if there is none."""
    def ids(self) -> list[int]:
        """All unit ids, ascending, dead ones included."""
    def write(self, path: str, store_id: bytes, dead: bytes | None = None, n_units: int = -1) -> None:
        """Write the first n_units units (all if negative), less the dead, as a sealed, synced file.
        Raises OSError, ValueError if none is left."""

class Parts:
    """An immutable snapshot over segments and live arenas with the bank's live statistics."""

    members: tuple[tuple[Segment | Live, int, bytes | None], ...]
    n_units: int
    n_passages: int
    n_tokens: int
    n_groups: int
    n_sessions: int
    def __init__(self, members: Sequence[tuple[Segment | Live, int, bytes | None]], n_sessions: int, previous: Parts | None = None) -> None:
        """members: (part, visible units, tombstone bitset as little-endian 64-bit words or None), id ranges ascending and disjoint.
        previous: a snapshot to derive the statistics from instead of counting every unit. Raises Corrupt."""
    def postings(self, key: bytes) -> list[tuple[int, int, int]]:
        """(unit id, passage within it, tf) of every live posting of a key, ascending; for fields passage is 0. For tests and check."""
    def forward(self, unit_id: int) -> list[tuple[list[bytes], int]]:
        """(keys of the tokens, counted ones) per passage of a live unit. Raises KeyError. For tests and check."""
    def unit(self, unit_id: int) -> tuple[int, int, int, int, int]:
        """(time, flags, session or -1, position or -1, length) of a live unit. Raises KeyError."""
    def neighbour(self, session: int, position: int) -> int:
        """Id of the live unit at this place of a session, -1 if none."""
    def terms(self) -> list[bytes]:
        """Every key with a live posting, ascending."""
    def session(self, session: int) -> tuple[int, int]:
        """(live units, counted tokens) of a session."""

def merge(
    members: Sequence[tuple[Segment | Live, int, bytes | None]],
    path: str,
    store_id: bytes,
    progress: Callable[[float], None] | None = None,
) -> None:
    """Write one sealed, synced segment file from parts (as for Parts) with ascending disjoint id ranges; dead units are dropped. Streaming.
    Raises ValueError when no unit is left or the id range exceeds 32 bits, Corrupt, OSError."""

def tag_counts(parts: Parts, prefix: bytes) -> list[tuple[bytes, int]]:
    """(key, live postings) of every key with this prefix, ascending."""

def dead_runs(dead: bytes | None, n_units: int) -> list[int]:
    """A tombstone bitset as run lengths: living, dead, living, … without the last living run."""

def dead_bits(runs: list[int], n_units: int) -> bytearray:
    """The bitset of such run lengths, little-endian 64-bit words. Raises Corrupt when they exceed n_units."""

def crc32c(data: bytes, value: int = 0) -> int:
    """CRC-32C of data, continuing from value."""

def crc32c_portable(data: bytes, value: int = 0) -> int:
    """The same without the processor's instruction: what other machines run, for tests."""

def signature(term: bytes) -> int:
    """64-bit trigram signature of a term."""
