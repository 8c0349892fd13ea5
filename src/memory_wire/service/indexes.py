"""The banks' indexes beside the store: opened on demand, fed after each commit, caught up from the store whenever they are behind.

The store is the truth: a fault in here changes no answer of a write. It is counted, and the next call replays what is missing.
"""

from __future__ import annotations

import os

from memory_wire.config import LIVE_UNITS
from memory_wire.errors import MemoryWireError, StorageError
from memory_wire.index.cache import IndexCache, bank_of, name_of, remove_folder
from memory_wire.service.changes import Added, Gone, Outcome
from memory_wire.service.rows import BankRows, row_of
from memory_wire.store.place import frozen, index_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.index.bank import BankIndex
    from memory_wire.store.protocol import Tx
    from memory_wire.store.reader import Reader
    from memory_wire.store.rows import Bank
    from memory_wire.store.sqlite import Store

PURGE_SLICES = 8  # of a deleted bank, emptied before the answer; the rest when idle


class Indexes:
    """The open indexes of one store. Thread-safe."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.cache = IndexCache(index_folder(store.path))
        self.faults = 0
        self.last_fault = ""
        self._known: dict[str, tuple[str, str, int, str]] = {}  # folder -> project, name, language, projection
        self._tended: dict[str, int] = {}  # folder -> units in memory when a recall last tried to seal them
        self._file = store.file  # the database that the open indexes follow

    def open(self, bank: Bank, language: int, projection: str = "") -> BankIndex:
        """The bank's index, or a projection's. Asked for after the store was looked at, so that one that was replaced is noticed."""
        if self._file != self.store.file:
            self._start_over()
        self._known[name_of(bank.id, projection)] = bank.project, bank.name, language, projection
        return self.cache.open(bank.id, language, projection)

    def _start_over(self) -> None:
        """The database was replaced by another, a backup perhaps: what is in memory is of rows that aren't there."""
        self.cache.forget()
        self._known.clear()
        self._tended.clear()
        self._file = self.store.file

    def rows(self, reader: Reader, bank: Bank, language: int, projection: str = "") -> BankRows:
        """The bank's rows as its index, opened before, follows them. Raises StorageError when they are of a database replaced meanwhile."""
        if reader.file != self._file:
            raise StorageError(f"{self.store.path} was replaced while it was read")
        if projection:
            from memory_wire.service.projection import PublicRows  # of stores with hubs

            return PublicRows(self.store.id, reader, bank, language)
        return BankRows(self.store.id, reader, bank, language)

    def follow(self, outcome: Outcome) -> None:
        """Enters a committed write into its bank's index."""
        bank = outcome.bank
        try:
            if bank is not None and outcome.dropped:
                self._drop(bank)
            elif bank is not None and outcome.changes and not self._enter(self.open(bank, outcome.language), outcome):
                self.catch_up(bank.project, bank.name, outcome.language)
            for changed, language in outcome.behind:
                self.catch_up(changed.project, changed.name, language)
        except Exception as error:
            self._fault(error)

    def _fault(self, error: Exception) -> None:
        self.faults += 1
        self.last_fault = f"{type(error).__name__}: {error}"

    def _enter(self, index: BankIndex, outcome: Outcome) -> bool:
        """Appends and removes while the index is just behind each change; False when it has to catch up or holds too much.

        Rows come in before others go, so that a recall in between finds a replaced document in one of its forms.
        """
        for change in outcome.changes:
            if isinstance(change, Added) and not index.append(row_of(change.row, outcome.language), None, change.after):
                return False
        for change in outcome.changes:
            if isinstance(change, Gone) and not index.remove([change.unit], change.seq, change.after):
                return False
        return not index.over

    def tend(self, bank: Bank, index: BankIndex, rows: BankRows) -> None:
        """After a recall: seals what came from other processes or a rebuild. A failed try is repeated when as much again has come."""
        units, name = index.live_units, os.path.basename(index.folder)
        if not index.over or units < self._tended.get(name, 0) + LIVE_UNITS:
            return
        self._tended[name] = units
        try:
            if index.maintain(rows):
                self._tended[name] = 0
        except Exception as error:
            self._fault(error)

    def catch_up(self, project: str, name: str, language: int, projection: str = "") -> None:
        """Brings a bank's index up to the store, sealing and merging what is over the bounds."""
        with self.store.read() as reader:
            bank = reader.bank(project, name)
            if bank is None:
                return
            index, rows = self.open(bank, language, projection), self.rows(reader, bank, language, projection)
            index.catch_up(rows)
            sealed = index.maintain(rows)
        if sealed:
            self._prune(project, name, projection, *index.kept())

    def _prune(self, project: str, name: str, projection: str, removed: int, covered: list[int]) -> None:
        """Lets the store forget removals that both kept manifests cover."""
        if not removed:
            return

        def work(tx: Tx) -> None:
            bank = tx.bank(project, name)
            if bank is not None and projection:
                tx.hubs.prune(bank.id, removed, covered)
            elif bank is not None and bank.pruned < removed - 1:
                tx.prune(bank, removed, covered)

        self.store.submit(work)

    def _drop(self, bank: Bank) -> None:
        """Removes a deleted bank's index and begins to empty its rows."""
        for name in [name for name in self._known if bank_of(name) == str(bank.id)]:
            del self._known[name]
            self._tended.pop(name, None)
        self.cache.drop(bank.id)
        for _ in range(PURGE_SLICES):
            if not self.store.purge():
                break

    def _seal(self, index: BankIndex) -> None:
        """Writes a live part that is worth keeping, before it is given up. Failing costs a replay later, nothing else."""
        folder = os.path.basename(index.folder)
        known = self._known.get(folder)
        if known is None:
            return
        project, name, language, projection = known
        try:
            with self.store.read() as reader:
                bank = reader.bank(project, name)
                if bank is not None and str(bank.id) == bank_of(folder):
                    index.maintain(self.rows(reader, bank, language, projection), force=True)
        except (MemoryWireError, OSError) as error:
            self._fault(error)

    def _sweep(self) -> None:
        """Removes the folders of banks that aren't there: a process that deleted one may have been killed before it came to its words."""
        listed = self.cache.folders()  # before the banks: a bank is committed before its folder is made
        if not listed:
            return
        with self.store.read() as reader:
            banks = set(map(str, reader.bank_ids()))
        for name in listed:
            if bank_of(name) not in banks:
                remove_folder(os.path.join(self.cache.folder, name))

    def _tidy(self, purge: bool) -> None:
        """Before what is in memory is given up: a database that was replaced is noticed, what deleted banks left is removed."""
        try:
            if not frozen(self.store.path):
                while purge and self.store.purge():
                    continue
                self._sweep()
        except (MemoryWireError, OSError) as error:
            self._fault(error)
        if self._file != self.store.file:
            self._start_over()

    def idle(self) -> None:
        """Gives maps and live parts back and empties what is left of deleted banks."""
        self._tidy(purge=True)
        self.cache.idle(self._seal)
        self._known.clear()
        self._tended.clear()

    def close(self) -> None:
        """Gives everything up."""
        self._tidy(purge=False)
        self.cache.close(self._seal)
