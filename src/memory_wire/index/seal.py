"""Sealing: what a process holds in arenas becomes segment files and a new manifest. Under the bank folder's LOCK; used by BankIndex."""

from __future__ import annotations

import os
from bisect import bisect_right

from memory_wire import config
from memory_wire.errors import Corrupt
from memory_wire.index.manifest import Entry, FolderLock, Manifest, hexed, publish
from memory_wire.index.merge import planned, segment_name, settle
from memory_wire.index.pieces import Piece
from memory_wire.index.state import State
from memory_wire.kernels.postings import Live, Segment, merge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.index.rows import RowSource

Member = tuple[Segment | Live, int, bytes | None]


class Run:
    """Pieces that become one segment: most often one arena, or one that is merged with the small segments before it."""

    __slots__ = ("live", "members", "merged", "n_dead", "pieces", "units")

    def __init__(self, pieces: list[Piece], members: list[Member]) -> None:
        self.pieces, self.members = pieces, members
        self.units = sum(units for _, units, _ in members)
        self.n_dead = sum(count_dead(dead, units) for _, units, dead in members)
        self.live = self.units - self.n_dead
        self.merged = False  # sealed pieces among them are rewritten


def count_dead(dead: bytes | None, n_units: int) -> int:
    return (int.from_bytes(dead, "little") & ((1 << n_units) - 1)).bit_count() if dead else 0


def seal(state: State, rows: RowSource, seconds: float) -> bool:
    """Seals what of the state is durable in the store, merged with small segments. False when LOCK is taken or there is nothing to seal.

    Raises OSError; the state is then as it was.
    """
    with FolderLock(state.folder, seconds) as lock:
        if not lock.held:
            return False
        state.refresh(rows)
        state.follow(rows)
        try:
            manifest, twice = _write(state, rows)
        except Corrupt:
            state.drop_damaged()
            return False
        if manifest is None:
            return False
        publish(state.folder, manifest, twice)
        state.adopt(manifest, rows)
    return True


def _write(state: State, rows: RowSource) -> tuple[Manifest | None, bool]:
    """Writes the arenas' segments; (manifest or None when nothing would change or nothing is durable yet, whether segments were merged).

    The manifest is of the moment of `rows`: units written and removals made since then stay in the arena and in the list of removals.
    """
    covered = min(rows.synced(), state.tail)
    removed = min(rows.state()[1], state.removed)
    identity, removal = rows.identity(covered), rows.removal(removed)
    if covered < state.covered or (covered and identity is None) or (removed and removal is None):
        return None, False
    revived = [unit_id for seq, unit_id in state.removals if seq > removed]
    runs = _runs([Run([piece], [_member(piece, covered, revived)]) for piece in state.pieces.all])
    entries = [entry for run in runs if (entry := _entry(state.folder, run, revived, rows.store_id)) is not None]
    old = state.manifest
    if old is not None and (old.covered, old.removed, old.segments) == (covered, removed, entries):
        return None, False
    manifest = Manifest(
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
    return manifest, any(run.merged for run in runs)


def _member(piece: Piece, upto: int, revived: list[int]) -> Member:
    """What of a piece goes into the manifest: all of a segment, of an arena the units with ids up to `upto`."""
    n_units = piece.n_units
    if piece.entry is None and piece.max_id > upto:
        n_units = bisect_right(piece.live.ids(), upto)
    return piece.part, n_units, piece.dead_without(revived)


def _runs(runs: list[Run]) -> list[Run]:
    """Puts together what is merged now: adjacent pieces, as `merge.plan` says, below the size that is merged aside."""
    runs = [run for run in runs if run.units]
    while True:
        sizes = [Entry(file="", min_id=1, max_id=1, units=run.units, n_dead=0 if run.merged else run.n_dead) for run in runs]
        found = planned(sizes, config.MERGE_INLINE)
        if found is None:
            return runs
        first, end = found
        joined = Run([piece for run in runs[first:end] for piece in run.pieces], [one for run in runs[first:end] for one in run.members])
        joined.units, joined.merged = joined.live, True
        runs[first:end] = [joined] if joined.live else []


def _entry(folder: str, run: Run, revived: list[int], store_id: bytes) -> Entry | None:
    """The run's place in the manifest, its segment written unless it is one already; None when no unit lives."""
    if len(run.pieces) == 1 and run.pieces[0].entry is not None and not run.merged:
        return run.pieces[0].described(revived)
    if not run.live:
        return None
    name = segment_name()
    merge(run.members, os.path.join(folder, f"{name}.tmp"), store_id)
    return settle(folder, name)
