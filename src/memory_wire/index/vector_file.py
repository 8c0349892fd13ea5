"""Files of vectors: written from the store's rows of one space, found again by their names. The format is in FORMAT.md. Used by Vectors.

`<space>-<after>-<upto>.vec` has the rows with after < id <= upto. There is no manifest: of files that say the same the widest counts, and
what no file has is read from the store.
"""

from __future__ import annotations

import os
from struct import pack

from memory_wire import config
from memory_wire.errors import Corrupt
from memory_wire.index.manifest import EXHAUSTED, private, sync_file, sync_folder
from memory_wire.kernels.postings import crc32c
from memory_wire.kernels.vec import Piece, layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from io import BufferedWriter
    from typing import Protocol

    class Source(Protocol):
        """One space of the store. Everything is of one read transaction, until `renew`."""

        store_id: bytes
        space: int
        model: bytes
        dimension: int

        def newest(self) -> int:
            """Largest id of a row, 0 without rows."""

        def given(self) -> int:
            """Largest id that any space's row ever had."""

        def count(self, after: int) -> int:
            """Rows with a larger id."""

        def after(self, id: int, limit: int) -> list[tuple[int, int, bytes, bytes]]:
            """(id, unit, key, row) with a larger id, ascending."""

        def keys(self, ids: list[int]) -> dict[int, bytes]:
            """Keys of the rows with these ids that are there."""

        def renew(self) -> None:
            """Begins a new read transaction."""


MAGIC = b"mwvec\r\n\x1a"
HEADER, CHUNK, ALIGN = 256, 65_536, 64
WITNESSES = 4
ENDING = ".vec"
GRAPH, SUM = ".graph", ".graph.sum"  # behind it: of a graph that outside/graphs.py made of the file
LOOKS = 3  # at a folder that others write to


def name_of(space: int, after: int, upto: int) -> str:
    return f"{space}-{after}-{upto}{ENDING}"


def listed(folder: str, space: int) -> list[tuple[int, int]]:
    """The ranges that a space has files of."""
    try:
        names = os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    parts = [name.removesuffix(ENDING).split("-") for name in names if name.endswith(ENDING)]
    return [(int(part[1]), int(part[2])) for part in parts if len(part) == 3 and all(map(str.isdecimal, part)) and int(part[0]) == space]


def opened(folder: str, source: Source) -> list[Piece]:
    """The space's pieces by ascending, disjoint ranges; what is damaged or of another store is left out. Raises OSError when the process
    has too much open."""
    found: list[Piece] = []
    for _ in range(LOOKS):
        before = listed(folder, source.space)
        found = chosen(folder, before, source)
        if listed(folder, source.space) == before:
            break
    return found


def chosen(folder: str, ranges: list[tuple[int, int]], source: Source) -> list[Piece]:
    pieces: list[Piece] = []
    upto = 0
    for after, end in sorted(ranges, key=lambda found: (found[0], -found[1])):
        if after >= upto:
            piece = trusted(folder, after, end, source)
            if piece is not None:
                pieces.append(piece)
                upto = end
    return pieces


def trusted(folder: str, after: int, upto: int, source: Source) -> Piece | None:
    """The piece, if it is what its name says, of this space, and not ahead of the store: the rows it saw last are there, or deleted."""
    try:
        piece = Piece.open(os.path.join(folder, name_of(source.space, after, upto)))
    except Corrupt:
        return None
    except OSError as error:
        if error.errno in EXHAUSTED:
            raise
        return None
    said = (piece.store_id, piece.model, piece.dimension, piece.after, piece.upto)
    if said != (source.store_id, source.model, source.dimension, after, upto) or upto > source.given():
        return None
    witnesses = dict(piece.witnesses)
    seen = source.keys(list(witnesses))
    return piece if (seen or not witnesses) and all(witnesses[id] == key for id, key in seen.items()) else None


def write(folder: str, source: Source, after: int, upto: int) -> bool:
    """Makes the file of a range, durably; LOCK is held. False, and no file, when no row is left in it. Raises OSError.

    The transaction is renewed from page to page: rows that go meanwhile may be in the file, as rows may that go later.
    """
    path = os.path.join(folder, name_of(source.space, after, upto))
    scales, units, last, n, at = bytearray(), bytearray(), list[tuple[int, bytes]](), 0, after
    stride = layout(source.dimension, 0)[0]
    padding = bytes(stride - source.dimension)
    with open(f"{path}.tmp", "wb", opener=private) as file:
        file.write(bytes(HEADER))
        section = Section(file)
        while page := source.after(at, config.INDEX_PAGE):
            for id, unit, key, row in page:
                if id > upto:
                    break
                section.write(row[4:] + padding)
                scales += row[:4]
                units += unit.to_bytes(8, "little")
                last, n = [(id, key), *last[: WITNESSES - 1]], n + 1
            at = page[-1][0]
            if at >= upto:
                break
            source.renew()
        crcs = section.end()
        for values in (scales, units):
            section = Section(file)
            section.write(values)
            crcs += section.end()
        file.write(crcs)
        file.seek(0)
        file.write(header(source, after, upto, n, crcs, last))
        file.flush()
        sync_file(file.fileno())
    if n:
        os.rename(f"{path}.tmp", path)
        sync_folder(folder)
    else:
        os.unlink(f"{path}.tmp")
    return n > 0


def header(source: Source, after: int, upto: int, n: int, crcs: bytes, last: list[tuple[int, bytes]]) -> bytes:
    length = layout(source.dimension, n)[-1]
    start = pack("<8sHHIQ16s16sQQ", MAGIC, 1, 0, HEADER, length, source.store_id, source.model, after, upto)
    start += pack("<IIII", source.dimension, n, len(crcs) // 4, crc32c(crcs))
    start += b"".join(pack("<Q16s", id, key) for id, key in last)
    start = start.ljust(HEADER, b"\0")
    return start[:-4] + pack("<I", crc32c(start))


class Section:
    """Bytes of one section on their way into a file, with the checksums of its chunks."""

    def __init__(self, file: BufferedWriter) -> None:
        self.file, self.buffer, self.crcs = file, bytearray(), b""

    def write(self, data: bytes | bytearray) -> None:
        self.buffer += data
        while len(self.buffer) >= CHUNK:
            self._out(bytes(self.buffer[:CHUNK]))
            del self.buffer[:CHUNK]

    def _out(self, chunk: bytes) -> None:
        self.file.write(chunk)
        self.crcs += crc32c(chunk).to_bytes(4, "little")

    def end(self) -> bytes:
        """The checksums, after what is left was written, up to where the next section starts."""
        if self.buffer:
            self._out(bytes(self.buffer))
        self.file.write(bytes(-self.file.tell() % ALIGN))
        return self.crcs
