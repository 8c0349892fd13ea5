"""Sealing: what a process holds in arenas becomes segment files and a new manifest. Under the bank folder's LOCK; used by BankIndex."""

from __future__ import annotations

import os
from bisect import bisect_right

from memory_wire import config
from memory_wire.index.manifest import Entry, FolderLock, Manifest, hexed, publish
from memory_wire.index.merge import DamagedSegments, merge_under_lock, segment_name, settle
from memory_wire.index.pieces import Piece
from memory_wire.index.state import State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.index.rows import RowSource


def seal(state: State, rows: RowSource, seconds: float) -> bool:
    """Seals what of the state is durable in the store; merges small segments. False when LOCK is taken or there is nothing to seal.

    Raises OSError; the state is then as it was.
    """
    with FolderLock(state.folder, seconds) as lock:
        if not lock.held:
            return False
        state.refresh(rows)
        state.follow(rows)
        manifest = _write(state, rows)
        if manifest is None:
            return False
        publish(state.folder, manifest)
        state.adopt(manifest, rows)
        try:
            merged = Manifest(**{name: getattr(manifest, name) for name in Manifest.__struct_fields__})
            merged.segments = list(manifest.segments)
            if merge_under_lock(state.folder, merged, config.MERGE_INLINE):
                state.adopt(merged, rows)
        except DamagedSegments as damage:
            state.drop_damaged(damage.files)
    return True


def _write(state: State, rows: RowSource) -> Manifest | None:
    """Writes the arenas' segments and describes the result; None when nothing would change or nothing of it is durable yet.

    The manifest is of the moment of `rows`: units written and removals made since then stay in the arena and in the list of removals.
    """
    covered = min(rows.synced(), state.tail)
    removed = min(rows.state()[1], state.removed)
    identity, removal = rows.identity(covered), rows.removal(removed)
    if covered < state.covered or (covered and identity is None) or (removed and removal is None):
        return None
    revived = [unit_id for seq, unit_id in state.removals if seq > removed]
    entries = []
    for piece in state.pieces.all:
        entry = piece.described(revived) if piece.entry is not None else _write_live(state, piece, covered, revived, rows.store_id)
        if entry is not None:
            entries.append(entry)
    old = state.manifest
    if old is not None and (old.covered, old.removed, old.segments) == (covered, removed, entries):
        return None
    return Manifest(
        generation=0,
        store=rows.store_id.hex(),
        analyser=config.ANALYSER,
        language=state.language,
        covered=covered,
        covered_id=hexed(identity) if covered else "",
        removed=removed,
        removed_id=hexed(removal) if removed else "",
        segments=entries,
        lost=[(gap.after, gap.upto) for gap in state.gaps if gap.upto is not None],
    )


def _write_live(state: State, piece: Piece, upto: int, revived: list[int], store_id: bytes) -> Entry | None:
    """A segment of an arena's living units with ids up to `upto`; None when there is none."""
    live = piece.live
    n_units = live.n_units if live.max_id <= upto else bisect_right(live.ids(), upto)
    dead = piece.dead_without(revived)
    n_dead = (int.from_bytes(dead, "little") & ((1 << n_units) - 1)).bit_count() if dead else 0
    if n_dead == n_units:
        return None
    name = segment_name()
    live.write(os.path.join(state.folder, f"{name}.tmp"), store_id, dead, n_units)
    return settle(state.folder, name)
