"""The open banks of a store's index folder: at most so many, the least recently used one is given back. Used by the service."""

from __future__ import annotations

import os
from _thread import allocate_lock

from memory_wire import config
from memory_wire.index.bank import BankIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


GONE = ".gone-"  # in the name of a folder that is being removed
PUBLIC = "public"  # the projection of what everybody may see
VECTORS = "vectors"  # no projection: files of vectors.py, which lie beside the bank's folder


def name_of(bank: int, projection: str = "") -> str:
    """The folder of a bank's index, or of the index of a part of it."""
    return f"{bank}-{projection}" if projection else str(bank)


def bank_of(name: str) -> str:
    """The bank whose folder it is, as digits; empty for what is none, or is being removed."""
    digits, _, projection = name.partition("-")
    return digits if digits.isdecimal() and projection in ("", PUBLIC, VECTORS) else ""


class IndexCache:
    """`folder` is the store's index folder; a bank's own folder in it is named by the bank's id, which is never reused.

    A projection is a part of a bank with an index of its own, and so with statistics of its own.
    """

    def __init__(self, folder: str, most: int = config.OPEN_BANKS) -> None:
        self.folder, self.most = folder, most
        self._banks: dict[str, BankIndex] = {}
        self._lock = allocate_lock()
        self._pid = os.getpid()

    def open(self, bank: int, language: int, projection: str = "") -> BankIndex:
        """The bank's index, made on first use; another language than before makes it anew."""
        name = name_of(bank, projection)
        self._after_fork()
        given_back: list[BankIndex] = []
        with self._lock:
            index = self._banks.pop(name, None)
            if index is not None and index.language != language:
                given_back.append(index)
                index = None
            if index is None:
                index = BankIndex(os.path.join(self.folder, name), language)
            self._banks[name] = index  # the newest is last
            while len(self._banks) > self.most:
                given_back.append(self._banks.pop(next(iter(self._banks))))
        for old in given_back:
            old.idle()
        return index

    def opened(self) -> list[BankIndex]:
        """The open banks, least recently used first."""
        self._after_fork()
        with self._lock:
            return list(self._banks.values())

    def drop(self, bank: int) -> None:
        """Forgets a deleted bank and removes its folders."""
        self._after_fork()
        for name in (name_of(bank), name_of(bank, PUBLIC), name_of(bank, VECTORS)):
            with self._lock:
                index = self._banks.pop(name, None)
            if index is not None:
                index.close()
            remove_folder(os.path.join(self.folder, name))

    def forget(self) -> None:
        """Lets every bank go as it is, unsealed, while others may still use it: its store isn't there any more."""
        self._after_fork()
        with self._lock:
            self._banks = {}

    def folders(self) -> list[str]:
        """Names of the folders that are there: of banks, by their ids, and of what a removal left that was cut off."""
        try:
            return [name for name in os.listdir(self.folder) if bank_of(name) or GONE in name]
        except (FileNotFoundError, NotADirectoryError):
            return []

    def idle(self, seal: Callable[[BankIndex], object] | None = None) -> None:
        """Gives every bank's arenas and maps back; `seal` is called first for one that has much in memory only."""
        for index in self.opened():
            if seal is not None and index.worth_sealing:
                seal(index)
            index.idle()

    def close(self, seal: Callable[[BankIndex], object] | None = None) -> None:
        """The same for good, after running merges have ended."""
        self.idle(seal)
        for index in self.opened():
            index.close()
        with self._lock:
            self._banks.clear()

    def _after_fork(self) -> None:
        """A child opens everything anew: what it inherits may be in the middle of a change by a thread it doesn't have."""
        if self._pid != os.getpid():
            self._pid = os.getpid()
            self._banks = {}
            self._lock = allocate_lock()


def remove_folder(folder: str) -> None:
    """Removes a bank's folder, out of the way first; one that isn't there is fine, so is another process that removes it too."""
    gone = folder
    if GONE not in os.path.basename(folder):
        gone = f"{folder}{GONE}{os.urandom(4).hex()}"
        try:
            os.rename(folder, gone)
        except FileNotFoundError:
            return
    try:
        for name in os.listdir(gone):
            os.unlink(os.path.join(gone, name))
        os.rmdir(gone)
    except FileNotFoundError:
        return
