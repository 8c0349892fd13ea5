"""Graphs over large files of vectors (hnswlib), in the child program: built, kept with a checksum of ours, loaded when asked.

A graph is made of one file of index/vectors.py, whose rows never change, and lies beside it: `<file>.graph`, and `<file>.graph.sum` with
the sums of both. It finds rows by their numbers; whoever asked takes the scores from the rows. Anything wrong with it, and it is made anew.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module
from struct import Struct, error
from typing import Any

from memory_wire import config
from memory_wire.errors import Corrupt
from memory_wire.index.vector_file import GRAPH, HEADER, SUM
from memory_wire.kernels.postings import crc32c
from memory_wire.kernels.vec import Piece, layout
from memory_wire.outside.told import Told

BATCH = 20_000
CHUNK = 1 << 20
KEPT = 2
STAMP = Struct("<8sIIQ")  # magic, sum of the file of vectors' header, sum and length of the graph
MAGIC = b"mwhnsw\r\n"

_loaded: dict[str, Any] = {}


def build(payload: dict[str, Any]) -> dict[str, Any]:
    """Makes the graph of the file `path`, in as many `threads`. Raises Told."""
    path = payload["path"]
    library, numpy = libraries()
    piece = opened(path)
    rows = numpy.memmap(path, numpy.int8, "r", HEADER, (piece.n_rows, layout(piece.dimension, 0)[0]))[:, : piece.dimension]
    scales = numpy.memmap(path, numpy.float32, "r", layout(piece.dimension, piece.n_rows)[1], (piece.n_rows,))
    graph = library.Index("ip", piece.dimension)
    graph.init_index(piece.n_rows, M=config.GRAPH_LINKS, ef_construction=config.GRAPH_BUILD)
    graph.set_num_threads(payload.get("threads", 1))
    for start in range(0, piece.n_rows, BATCH):
        end = min(start + BATCH, piece.n_rows)
        graph.add_items(rows[start:end] * scales[start:end, None], numpy.arange(start, end))
    keep(graph, path, piece.stamp)
    return {"rows": piece.n_rows}


def keep(graph: Any, path: str, header: int) -> None:
    """Writes graph and sums, durably, unless the file of vectors isn't that one any more."""
    target, sums = path + GRAPH, path + SUM
    graph.save_index(f"{target}.tmp")
    stamp = STAMP.pack(MAGIC, header, *sum_of(f"{target}.tmp"))
    with open(f"{sums}.tmp", "wb") as file:
        file.write(stamp)
        file.flush()
        os.fsync(file.fileno())
    os.chmod(f"{target}.tmp", 0o600)
    os.chmod(f"{sums}.tmp", 0o600)
    os.rename(f"{target}.tmp", target)
    os.rename(f"{sums}.tmp", sums)
    if header_sum(path) != header:
        os.unlink(sums)
        os.unlink(target)


def nearest(payload: dict[str, Any]) -> dict[str, Any]:
    """Numbers of the `k` rows of the file `path` that are nearest to a `vector`, as uint32; none without a vector.

    `stamp` tells which file of that name is meant. Raises Told.
    """
    library, numpy = libraries()
    path, stamp = payload["path"], payload["stamp"]
    held = _loaded.get(path)
    graph = held[1] if held is not None and held[0] == stamp else load(library, path, stamp)
    if not payload["vector"]:
        return {"rows": b""}
    k = min(payload["k"], graph.get_current_count())
    graph.set_ef(max(config.GRAPH_LOOK, k))
    labels, _ = graph.knn_query(numpy.frombuffer(payload["vector"], "<f4")[None, :], k=k, num_threads=1)
    return {"rows": labels[0].astype("<u4").tobytes()}


def load(library: Any, path: str, stamp: int) -> Any:
    """The graph of a file, once its sums are right. Raises Told."""
    target = path + GRAPH
    try:
        with open(path + SUM, "rb") as file:
            magic, header, *sums = STAMP.unpack(file.read())
        fine = magic == MAGIC and header == stamp and tuple(sums) == sum_of(target)
    except (OSError, error):
        fine = False
    if not fine:
        raise Told(f"{os.path.basename(target)} is damaged")
    while len(_loaded) >= KEPT:
        del _loaded[next(iter(_loaded))]
    graph = library.Index("ip", opened(path).dimension)
    graph.load_index(target)
    _loaded[path] = (stamp, graph)
    return graph


def libraries() -> tuple[Any, Any]:
    """Raises Told without them."""
    try:
        return import_module("hnswlib"), import_module("numpy")
    except ImportError:
        raise Told("graphs over vectors need hnswlib: pip install 'memory-wire[graph]'") from None


def opened(path: str) -> Piece:
    try:
        return Piece.open(path)
    except (Corrupt, OSError):
        raise Told(f"{os.path.basename(path)} can't be read") from None


def header_sum(path: str) -> int:
    """That of the header, which has the sums of all the rest; -1 without a file."""
    try:
        with open(path, "rb") as file:
            return int.from_bytes(file.read(HEADER)[-4:], "little")
    except FileNotFoundError:
        return -1


def sum_of(path: str) -> tuple[int, int]:
    """(CRC, length) of a file."""
    crc = length = 0
    for chunk in chunks(path):
        crc, length = crc32c(chunk, crc), length + len(chunk)
    return crc, length


def chunks(path: str) -> Iterator[bytes]:
    with open(path, "rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk
