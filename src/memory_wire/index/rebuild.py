"""Reindexing: a bank's index made anew from the store, in memory bounded by one arena, while the old index goes on answering."""

from __future__ import annotations

import os

from memory_wire import config
from memory_wire.errors import StorageError
from memory_wire.index.manifest import Entry, FolderLock, Manifest, hexed, publish
from memory_wire.index.merge import merge_under_lock, segment_name, settle
from memory_wire.index.pieces import Piece, Pieces
from memory_wire.index.state import Gap, State
from memory_wire.kernels.postings import Segment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.index.rows import RowSource


def rebuild(folder: str, language: int, rows: RowSource, progress: Callable[[int, int], None] | None) -> None:
    """Writes new segments, merges them, publishes. Renews the transaction of `rows` from page to page. Raises StorageError, OSError."""
    with FolderLock(folder, config.LOCK_SECONDS) as lock:
        if not lock.held:
            raise StorageError(f"{folder} is being sealed or merged by another process")
        rows.renew()
        started = rows.state()[1]
        entries = _write_all(folder, language, rows, progress)
        covered = rows.synced()
        removals, removed = rows.removed(started)
        _bury(folder, entries, [unit_id for _, unit_id in removals])
        manifest = Manifest(
            generation=0,
            store=rows.store_id.hex(),
            analyser=config.ANALYSER,
            language=language,
            covered=covered,
            covered_id=hexed(rows.identity(covered)) if covered else "",
            removed=removed,
            removed_id=hexed(rows.removal(removed)) if removed else "",
            segments=entries,
        )
        publish(folder, manifest, twice=True)
        merge_under_lock(folder, manifest, None)


def _write_all(folder: str, language: int, rows: RowSource, progress: Callable[[int, int], None] | None) -> list[Entry]:
    """Segments of all rows; the last page was read in the transaction that `rows` has now."""
    state, entries = State(folder, language), []
    gap = Gap(0)
    while True:
        newest = rows.state()[0]
        state.newest = max(newest, gap.after + config.REINDEX_UNITS)  # large arenas
        page = rows.rows(gap.after, None, config.INDEX_PAGE)
        for row in page:
            state.take(gap, row)
        if progress is not None:
            progress(gap.after if page else newest, newest)
        done = len(page) < config.INDEX_PAGE
        for piece in state.pieces.live():
            if done or piece is not gap.piece:
                entries.append(_write(folder, piece, rows.store_id))
                state.pieces.remove(piece)
        if done:
            return entries
        rows.renew()


def _write(folder: str, piece: Piece, store_id: bytes) -> Entry:
    name = segment_name()
    piece.live.write(os.path.join(folder, f"{name}.tmp"), store_id)
    return settle(folder, name)


def _bury(folder: str, entries: list[Entry], unit_ids: list[int]) -> None:
    """Enters removals made while the segments were written."""
    pieces = Pieces()
    try:
        for entry in entries if unit_ids else []:
            pieces.add(Piece(Segment.open(os.path.join(folder, entry.file)), entry))
        for unit_id in unit_ids:
            pieces.kill(unit_id)
        for at, piece in enumerate(pieces.all):
            entries[at] = piece.described([])
    finally:
        for piece in pieces.all:
            piece.segment.close()
