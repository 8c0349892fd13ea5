"""One bank's index: follows the store, hands out snapshots, seals and merges when the arena is full. Thread-safe; one writer at a time.

The service opens it through IndexCache, passes its own rows as a RowSource and calls `append` and `remove` after each commit. Everything
here is derived: whatever goes wrong is answered by reading the store again.
"""

from __future__ import annotations

import time
from _thread import allocate_lock, start_new_thread

from memory_wire import config
from memory_wire.errors import Corrupt
from memory_wire.index.check import check
from memory_wire.index.manifest import belongs, kept_generations
from memory_wire.index.merge import DamagedSegments, merge_due, merge_folder, purge_folder
from memory_wire.index.rebuild import rebuild
from memory_wire.index.seal import seal
from memory_wire.index.state import State
from memory_wire.kernels.postings import Parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.index.rows import Row, RowSource

REPAIRS = 3
PAUSE_SECONDS = 10.0  # after a failed write, before the folder is tried again


class BankIndex:
    """`fault` is the last thing that went wrong with the folder; it costs no answer, only memory or a later replay."""

    def __init__(self, folder: str, language: int) -> None:
        self.folder, self.language = folder, language
        self.fault = ""
        self._state = State(folder, language)
        self._lock = allocate_lock()
        self._merging = allocate_lock()
        self._parts: Parts | None = None  # the current snapshot, None when something came after it
        self._last: Parts | None = None  # the one before, whose statistics the next is derived from
        self._stale = False  # a newer manifest is on disk
        self._damaged: list[str] = []  # files a merge found damaged
        self._pause_until = 0.0

    # reading -----------------------------------------------------------------------------------------------------------------------

    def snapshot(self, rows: RowSource) -> Parts:
        """What is searchable now: at least everything `rows` sees, but for what progress() says is still to come."""
        newest, removed = rows.state()
        parts, state = self._parts, self._state
        if parts is not None and not self._stale and state.tail >= newest and state.removed >= removed and len(state.gaps) == 1:
            return parts
        with self._lock:
            return self._current(rows)

    def repair(self, rows: RowSource, searched: Parts) -> Parts:
        """After Corrupt from a search over `searched`: drops what was found damaged, reads it from the store again, seals that.

        A small range is read at once; for a large one see progress().
        """
        with self._lock:
            if searched is not self._last:  # someone else was faster
                return self._current(rows)
            if not self._state.drop_damaged():
                self._state.reject(rows)
            self._parts = self._last = None
            self._follow(rows)
            self._seal(rows, 0.0)
            return self._build(rows)

    def progress(self) -> str | None:
        """`rebuilding 37%` while recalls are answered from a part of the bank, else None."""
        state = self._state
        if not state.loaded or not state.missing:
            return None
        return f"rebuilding {min(max(state.percent, 0), 99)}%"

    @property
    def live_units(self) -> int:
        """Units in memory only."""
        return sum(piece.n_units for piece in self._state.pieces.live())

    def _current(self, rows: RowSource) -> Parts:
        self._follow(rows)
        if self._state.waiting():
            self._seal(rows, 0.0)
        return self._parts if self._parts is not None else self._build(rows)

    def _build(self, rows: RowSource) -> Parts:
        for _ in range(REPAIRS):
            try:
                self._parts = self._last = Parts(self._state.pieces.members(), self._state.n_sessions, self._last)
                return self._parts
            except Corrupt:
                if not self._state.drop_damaged():
                    self._state.reject(rows)
                self._last = None
                self._state.follow(rows)
        raise Corrupt(self.folder)

    def _follow(self, rows: RowSource, budget: int | None = None) -> None:
        """Under the lock: takes up newer manifests and rows."""
        state = self._state
        before = (state.tail, state.removed, len(state.gaps))
        if self._damaged:
            state.drop_damaged(self._damaged)
            self._damaged = []
        if self._stale:
            self._stale = False
            if state.loaded:
                state.refresh(rows)
            self._parts = None
        loaded = state.loaded
        state.follow(rows, budget)
        if not loaded or before != (state.tail, state.removed, len(state.gaps)):
            self._parts = None

    # writing -----------------------------------------------------------------------------------------------------------------------

    def append(self, row: Row, packed: bytes | None, after: int) -> bool:
        """Indexes a row just committed, `after` being the bank's newest unit id before it. False when the index isn't there: catch up."""
        with self._lock:
            state = self._state
            if not state.loaded or state.tail != after:
                return False
            state.newest = max(state.newest, row[0])
            self._parts = None
            try:
                state.add(state.gaps[-1], row, packed)
            except MemoryError:
                self._forget()  # the arena may be cut off in the middle of a unit
                raise
            return True

    def remove(self, unit_ids: list[int], seq: int, after: int) -> bool:
        """Takes out units just removed under `seq`, `after` being the bank's newest removal before it. False: catch up."""
        with self._lock:
            state = self._state
            if not state.loaded or state.removed != after or any(unit_id > state.tail for unit_id in unit_ids):
                return False
            for unit_id in unit_ids:
                state.kill(unit_id)
                state.removals.append((seq, unit_id))
            state.removed = seq
            self._parts = None
            return True

    def catch_up(self, rows: RowSource) -> None:
        """Takes in what `rows` sees and the index doesn't have yet."""
        with self._lock:
            self._follow(rows)
            if self._state.waiting():
                self._seal(rows, 0.0)

    def step(self, rows: RowSource) -> bool:
        """One step of a long catch-up, sealed as it goes; True while there is more. For a helper thread, each in its own transaction."""
        with self._lock:
            self._follow(rows, config.STEP_UNITS)
        self.maintain(rows)
        return self.progress() is not None

    # sealing -----------------------------------------------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether `maintain` has something to do."""
        return self._over(1)

    @property
    def worth_sealing(self) -> bool:
        """Whether an idle or closing process should seal rather than drop what it has in memory."""
        state = self._state
        return self.live_units >= config.IDLE_KEEP or len(state.removals) >= config.IDLE_KEEP or bool(state.waiting())

    def _over(self, times: int) -> bool:
        state = self._state
        if len(state.removals) > times * config.LIVE_UNITS or (times == 1 and state.waiting()):
            return True
        if self.progress() is not None:
            return False  # larger arenas while much is to come
        live = state.pieces.live()
        units, used = sum(piece.n_units for piece in live), sum(piece.live.n_bytes for piece in live)
        return units > times * config.LIVE_UNITS or used > times * config.LIVE_BYTES

    def maintain(self, rows: RowSource, force: bool = False) -> bool:
        """Seals when the arena is over its bound (force: when it is worth it); merges. True when a new manifest was published."""
        if not (self.over or (force and self.worth_sealing)):
            return False
        with self._lock:
            sealed = self._seal(rows, config.LOCK_SECONDS if self._over(config.LIVE_WAIT) else 0.0)
        if sealed and merge_due(self._state.manifest):
            self._merge_aside()
        return sealed

    def _seal(self, rows: RowSource, seconds: float) -> bool:
        """Under the lock. A folder that can't be written is no error: the arenas stay and the next call tries again."""
        if time.monotonic() < self._pause_until:
            return False
        try:
            sealed = seal(self._state, rows, seconds)
        except OSError as error:
            self.fault = f"{error.strerror}: {error.filename}"
            self._pause_until = time.monotonic() + PAUSE_SECONDS
            return False
        if sealed:
            self._parts = None
        return sealed

    def _merge_aside(self) -> None:
        """Larger merges run in a thread of their own; it touches files only, the next call takes up its manifest."""
        if self._merging.acquire(blocking=False):
            start_new_thread(self._merge, ())

    def _merge(self) -> None:
        try:
            if merge_folder(self.folder):
                self._stale = True
        except DamagedSegments as damage:
            self._damaged += damage.files
            self._stale = True
        except Exception as error:
            self.fault = f"{type(error).__name__}: {error}"
        finally:
            self._merging.release()

    def kept(self) -> tuple[int, list[int]]:
        """(removals below this seq are needed by no manifest, units whose identity they name): what the store's prune wants.

        (0, []) unless the newest manifest is the one we hold: another may not be of this store.
        """
        held = self._state.manifest
        manifests = kept_generations(self.folder)
        if held is None or not manifests or manifests[0].generation != held.generation:
            return 0, []
        return min((manifest.removed for manifest in manifests), default=0), [manifest.covered for manifest in manifests]

    # upkeep ------------------------------------------------------------------------------------------------------------------------

    def rebuild(self, rows: RowSource, progress: Callable[[int, int], None] | None = None) -> None:
        """Makes the whole index anew beside the old one, which goes on answering. progress(done, total) counts unit ids."""
        rebuild(self.folder, self.language, rows, progress)
        self._stale = True

    def expunge(self, rows: RowSource) -> None:
        """Leaves no unit in the folder's files that `rows` doesn't have any more. Raises StorageError, OSError.

        Segments without such units stay as they are; where the folder can't be trusted it is made anew.
        """
        with self._lock:
            self._follow(rows)
            seal(self._state, rows, config.LOCK_SECONDS)
            self._parts = None
        removed = rows.state()[1]
        try:
            done = purge_folder(
                self.folder, config.LOCK_SECONDS, lambda manifest: belongs(manifest, rows, self.language) and manifest.removed >= removed
            )
        except DamagedSegments:
            done = False
        if not done:
            rebuild(self.folder, self.language, rows, None)
        self._stale = True

    def check(self, rows: RowSource, progress: Callable[[int, int], None] | None = None) -> list[str]:
        """Compares folder and store; a line for each thing that is wrong."""
        return check(self.folder, self.language, rows, progress)

    def idle(self) -> None:
        """Gives arenas and maps back; the next call reads the manifest again and replays what it doesn't cover."""
        with self._lock:
            self._forget()

    def _forget(self) -> None:
        state, self._state = self._state, State(self.folder, self.language)
        self._parts = self._last = None
        for piece in state.pieces.sealed():
            piece.segment.close()

    def close(self) -> None:
        """Like idle, after a running merge has ended."""
        with self._merging:
            self.idle()
