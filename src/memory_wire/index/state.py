"""What a process knows of one bank's index: the pieces it can search and the id ranges ("gaps") it still has to read from the store.

The last gap is the open tail; others are ranges of segments that were damaged. No lock and no snapshot here: BankIndex holds both.
"""

from __future__ import annotations

import os

from memory_wire import config
from memory_wire.errors import Corrupt, Pruned
from memory_wire.index.manifest import EXHAUSTED, Entry, Manifest, belongs, read_newest
from memory_wire.index.pieces import Piece, Pieces
from memory_wire.kernels.postings import Live, Segment
from memory_wire.kernels.text import analyse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.index.rows import Row, RowSource

MILLISECONDS = 1_000
RELOADS = 3


class Gap:
    """Ids in (after, upto] that no piece holds yet; upto None: to the newest. `piece` is the arena that takes them."""

    __slots__ = ("after", "piece", "upto")

    def __init__(self, after: int, upto: int | None = None) -> None:
        self.after, self.upto = after, upto
        self.piece: Piece | None = None


class State:
    """Pieces, gaps and removals of one bank.

    Removals up to seq `removed` are applied; `removals` are those of them after `removals_from`, which is as far as the manifest goes.
    """

    def __init__(self, folder: str, language: int) -> None:
        self.folder, self.language = folder, language
        self.loaded = False
        self.manifest: Manifest | None = None
        self.pieces = Pieces()
        self.gaps = [Gap(0)]
        self.removed = 0
        self.removals: list[tuple[int, int]] = []
        self.removals_from = 0
        self.newest = 0  # unit id of the store, as last seen
        self.most_missing = 0
        self.n_sessions = 0
        self.rejected = 0  # manifests up to this generation are not to be used
        self.bad_files: set[str] = set()

    # where it stands ---------------------------------------------------------------------------------------------------------------

    @property
    def tail(self) -> int:
        """Units up to here are indexed, but for damaged ranges."""
        return self.gaps[-1].after

    @property
    def covered(self) -> int:
        return self.manifest.covered if self.manifest is not None else 0

    @property
    def missing(self) -> int:
        """Most units that are still to be indexed: ids, which other banks share."""
        holes = sum((gap.upto or gap.after) - gap.after for gap in self.gaps)
        return holes + max(self.newest - self.tail, 0)

    @property
    def percent(self) -> int:
        """How much of what was missing when most was missing is indexed."""
        return 100 * (self.most_missing - self.missing) // self.most_missing if self.most_missing else 100

    def waiting(self) -> list[Piece]:
        """Arenas that take no more units and are in memory only."""
        open_ones = [gap.piece for gap in self.gaps]
        return [piece for piece in self.pieces.live() if piece not in open_ones]

    # manifests ---------------------------------------------------------------------------------------------------------------------

    def load(self, rows: RowSource) -> None:
        """Takes up the newest manifest on disk, or starts from nothing."""
        manifest = self.newest_manifest(rows)
        if manifest is None:
            self.reset(rows)
        else:
            self._take_up(manifest, rows)
        self.loaded = True

    def refresh(self, rows: RowSource) -> None:
        """Takes up what another process (or a merge) published meanwhile; starts from nothing when our manifest is gone."""
        manifest = self.newest_manifest(rows)
        if manifest is not None and (self.manifest is None or manifest.generation != self.manifest.generation):
            self._take_up(manifest, rows)
        elif manifest is None and self.manifest is not None:
            self.reset(rows)

    def _take_up(self, manifest: Manifest, rows: RowSource) -> None:
        """Adopts a manifest, or the one after it when its files were merged away meanwhile."""
        for _ in range(RELOADS):
            if self.adopt(manifest, rows):
                return
            newer = self.newest_manifest(rows)
            if newer is None or newer.generation == manifest.generation:
                return
            manifest = newer

    def newest_manifest(self, rows: RowSource) -> Manifest | None:
        """The newest manifest that belongs to this store and isn't ahead of it."""
        try:
            manifest = read_newest(self.folder)
        except OSError as error:
            if error.errno in EXHAUSTED:
                raise
            return None
        if manifest is None or manifest.generation <= self.rejected:
            return None
        if not belongs(manifest, rows, self.language):
            rows.renew()  # the transaction may only be older than what another process has sealed
            if not belongs(manifest, rows, self.language):
                return None
        return manifest

    def reset(self, rows: RowSource) -> None:
        """Everything is to be read from the store again."""
        self.manifest = None
        self.pieces = Pieces()
        self.gaps = [Gap(0)]
        self.newest, self.removed = rows.state()
        self.removals, self.removals_from = [], self.removed
        self.n_sessions = rows.n_sessions()

    def adopt(self, manifest: Manifest, rows: RowSource) -> bool:
        """Replaces the sealed pieces by those of a manifest; keeps arenas of units behind it where nothing between is missing.

        False when one of its files can't be used: its range is then a gap.
        """
        kept, tail = self._kept_behind(manifest), self.gaps[-1]
        held = {piece.entry.file: piece for piece in self.pieces.sealed() if piece.entry is not None}
        pieces, gaps = Pieces(), [Gap(after, upto) for after, upto in manifest.lost]
        for entry in manifest.segments:
            piece = self._open(entry, held.get(entry.file), rows)
            if piece is not None:
                pieces.add(piece)
            else:
                gaps.append(Gap(entry.min_id - 1, entry.max_id))
        for piece in kept:
            pieces.add(piece)
        gaps.sort(key=lambda gap: gap.after)
        if tail.piece not in kept:
            tail = Gap(tail.after if kept else manifest.covered)
        if not self._knows_removals(manifest):
            self.removals, self.removed = [], manifest.removed
        self.manifest, self.pieces, self.gaps = manifest, pieces, [*gaps, tail]
        self.removals = [(seq, unit_id) for seq, unit_id in self.removals if seq > manifest.removed]
        self.removals_from = manifest.removed
        self.n_sessions = max(self.n_sessions, rows.n_sessions())
        for _, unit_id in self.removals:
            self.kill(unit_id)
        return len(gaps) == len(manifest.lost)

    def _knows_removals(self, manifest: Manifest) -> bool:
        """Whether every removal after the manifest's last one, as far as we are, is in our list."""
        return self.loaded and self.removals_from <= manifest.removed <= self.removed

    def _kept_behind(self, manifest: Manifest) -> list[Piece]:
        """Arenas that go on being valid: all of what lies behind the manifest, or none."""
        live = [piece for piece in self.pieces.live() if piece.max_id > manifest.covered]
        whole = all(piece.min_id > manifest.covered for piece in live)
        return live if whole and manifest.covered >= self.covered and self._knows_removals(manifest) else []

    def _open(self, entry: Entry, held: Piece | None, rows: RowSource) -> Piece | None:
        """The piece of an entry, mapped anew unless we hold it; None when its file is missing or not what the entry says."""
        if entry.file in self.bad_files:
            return None
        try:
            if held is not None and not held.segment.damaged:
                held.revive(entry)
                return held
            segment = Segment.open(os.path.join(self.folder, entry.file))
            said = (entry.min_id, entry.max_id, entry.units, rows.store_id, self.language, config.ANALYSER)
            if said != (segment.min_id, segment.max_id, segment.n_units, segment.store_id, segment.language, segment.analyser):
                return None
            return Piece(segment, entry)
        except Corrupt:
            return None
        except OSError as error:
            if error.errno in EXHAUSTED:
                raise
            return None

    # following the store -----------------------------------------------------------------------------------------------------------

    def follow(self, rows: RowSource, budget: int | None = None) -> None:
        """Takes in what was removed and written, at most `budget` units (None: a small rest whole, of a long one a step)."""
        if not self.loaded:
            self.load(rows)
        newest, removed = rows.state()
        self.newest = max(self.newest, newest)
        if removed > self.removed:
            self._take_removals(rows)
        self.most_missing = max(self.most_missing, self.missing)
        if budget is None:
            budget = config.REBUILD_INLINE if self.missing <= config.REBUILD_INLINE else config.STEP_UNITS
        for gap in list(self.gaps):
            if budget > 0:
                budget -= self._fill(gap, rows, budget)
        if not self.missing:
            self.most_missing = 0

    def _take_removals(self, rows: RowSource) -> None:
        for _ in range(RELOADS):
            try:
                removals, newest = rows.removed(self.removed)
            except Pruned:
                before = self.manifest
                self.refresh(rows)
                if self.manifest is before:
                    break
                continue
            for seq, unit_id in removals:
                self.kill(unit_id)
                self.removals.append((seq, unit_id))
            self.removed = max(self.removed, newest)
            return
        self.reset(rows)

    def kill(self, unit_id: int) -> None:
        """Marks a unit dead if a piece holds it."""
        try:
            self.pieces.kill(unit_id)
        except Corrupt:
            self.drop_damaged()

    def _fill(self, gap: Gap, rows: RowSource, budget: int) -> int:
        """Reads up to `budget` rows of a gap; closes it when there are no more. Returns how many."""
        newest, taken = rows.state()[0], 0
        if gap.upto is None and gap.after >= newest:
            return 0
        while taken < budget:
            wanted = min(config.INDEX_PAGE, budget - taken)
            page = rows.rows(gap.after, gap.upto, wanted)
            for row in page:
                self.take(gap, row)
            taken += len(page)
            if len(page) == wanted:
                continue
            if gap.upto is None:
                gap.after = max(gap.after, newest)
            else:
                self.gaps.remove(gap)
            break
        return taken

    def take(self, gap: Gap, row: Row) -> None:
        """Indexes one row of a gap. One that can't be is passed over, so that the others are still found: `check` names it."""
        try:
            self.add(gap, row, None)
        except ValueError:
            gap.after = row[0]

    def add(self, gap: Gap, row: Row, packed: bytes | None) -> None:
        """Indexes one row of a gap. Raises ValueError for a row that can't be indexed."""
        unit_id, created, flags, session, position, fields, header, text = row
        if packed is None:
            packed = analyse(text, self.language, header)
        lone = len(packed) > config.LONE_BYTES
        if lone or (gap.piece is not None and gap.piece.n_units % config.INDEX_PAGE == 0 and gap.piece.live.n_bytes > config.REINDEX_BYTES):
            gap.piece = None  # waits to be sealed
        unit = (unit_id, created // MILLISECONDS, flags, session, position, fields, packed)
        if gap.piece is None or not gap.piece.live.append(*unit):
            live = self._arena(gap, int.from_bytes(packed[:4], "little"), lone)
            if not live.append(*unit):
                raise ValueError(f"unit {unit_id} does not fit into an arena")
            gap.piece = Piece(live)
            self.pieces.add(gap.piece)
        if lone:
            gap.piece = None
        gap.after = unit_id
        self.n_sessions = max(self.n_sessions, session + 1)

    def _arena(self, gap: Gap, n_passages: int, lone: bool) -> Live:
        """An arena for the usual number of units, for many when many are missing, or for one of so many passages."""
        usual = config.LIVE_WAIT * config.LIVE_UNITS
        width = (self.newest if gap.upto is None else gap.upto) - gap.after
        units = 1 if lone else config.REINDEX_UNITS if width > usual else usual
        return Live(units, self.language, 4 * units + 16_384 + n_passages, config.ANALYSER)

    # damage ------------------------------------------------------------------------------------------------------------------------

    def drop_damaged(self, files: list[str] | None = None) -> bool:
        """Takes out segments that were found damaged, or these; their ranges become gaps. True when there was one."""
        found = False
        for piece in self.pieces.sealed():
            entry = piece.entry
            assert entry is not None
            if piece.segment.damaged or (files is not None and entry.file in files):
                self.pieces.remove(piece)
                self.bad_files.add(entry.file)
                self.gaps.insert(0, Gap(entry.min_id - 1, entry.max_id))
                found = True
        self.gaps[:-1] = sorted(self.gaps[:-1], key=lambda gap: gap.after)
        return found

    def reject(self, rows: RowSource) -> None:
        """Gives up everything sealed, also for later: something is wrong that no single segment accounts for."""
        self.rejected = self.manifest.generation if self.manifest is not None else self.rejected
        self.reset(rows)
