"""The record store's interface, for type checkers and for a second store to come. Never imported at run time by the serving path.

`sqlite.Store` is the one there is. All text that comes in is redacted already; all keys and hashes are
16 bytes computed by the caller (`content_hash(raw, key=store.secret)` for keys). Times are integer milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from memory_wire.store.bulk import Bulk
from memory_wire.store.bundles import Bundles
from memory_wire.store.descriptions import Descriptions
from memory_wire.store.documents import Documents
from memory_wire.store.embeddings import Embeddings
from memory_wire.store.erasing import Erasing
from memory_wire.store.filing import Filing
from memory_wire.store.graph import Graph
from memory_wire.store.guests import Guests
from memory_wire.store.hubs import Hubs
from memory_wire.store.integrations import Integrations
from memory_wire.store.jobs import Jobs
from memory_wire.store.kept_vectors import KeptVectors
from memory_wire.store.keyring import Keyring
from memory_wire.store.ledger import Ledger
from memory_wire.store.people import People
from memory_wire.store.records import Records
from memory_wire.store.rows import (
    Bank,
    BankSummary,
    Existing,
    Exported,
    Found,
    IndexRow,
    Inserted,
    NewUnit,
    Removed,
    Tally,
    Unit,
)
from memory_wire.store.sessions import Sessions
from memory_wire.store.trail import Trail

T = TypeVar("T")


class Nouns(Protocol):
    """What both sides are asked through."""

    @property
    def records(self) -> Records:
        """Provenance of records."""

    @property
    def documents(self) -> Documents:
        """Documents, their versions and chunks."""

    @property
    def filing(self) -> Filing:
        """Documents by where they come from."""

    @property
    def hubs(self) -> Hubs:
        """Hubs and the public projection."""

    @property
    def graph(self) -> Graph:
        """What documents of hubs are about."""

    @property
    def descriptions(self) -> Descriptions:
        """What models made of documents."""

    @property
    def bundles(self) -> Bundles:
        """Bundles of documents."""

    @property
    def trail(self) -> Trail:
        """The log of what was done."""

    @property
    def keyring(self) -> Keyring:
        """Keys and who they stand for."""

    @property
    def people(self) -> People:
        """Accounts, projects, members and the units of their organisation."""

    @property
    def integrations(self) -> Integrations:
        """What agents of a project may call."""

    @property
    def guests(self) -> Guests:
        """Documents that some may read."""

    @property
    def kept_vectors(self) -> KeptVectors:
        """Vectors of documents and bundles."""

    @property
    def embeddings(self) -> Embeddings:
        """Vectors of passages."""

    @property
    def jobs(self) -> Jobs:
        """Work that waits to be done in the background."""

    @property
    def sessions(self) -> Sessions:
        """Sessions that were uploaded."""

    @property
    def erasing(self) -> Erasing:
        """What leaves the store for good."""

    @property
    def ledger(self) -> Ledger:
        """What hooks injected and captured."""


class Tx(Nouns, Protocol):
    """The write side of one group commit. Valid only inside the work it is passed to.

    A work may run twice (after a full disk the members of a group run again one by one), so it must have no effect but through the Tx.
    """

    def bank(self, project: str, name: str, create: bool = False) -> Bank | None:
        """The bank of that name, made (with its project) when `create` is set and it isn't there."""

    def session(self, bank: Bank, key: bytes, shown: str) -> int:
        """The bank-wide dense ordinal of a session, from 0; a new key gets the next one."""

    def next_position(self, bank: Bank, session: int) -> int:
        """Takes the next free position of a session, from 0. Positions are never reused."""

    def claim_position(self, bank: Bank, session: int, position: int) -> None:
        """Marks a position as taken, and all before it: for rows that bring their own (an import)."""

    def duplicate(self, bank: Bank, hash: bytes) -> tuple[int, bytes] | None:
        """(unit id, uid) of the oldest memory with that hash; records and chunks never vouch."""

    def document(self, bank: Bank, key: bytes) -> Existing | None:
        """The memory that a document id holds in this bank."""

    def find(self, bank: Bank, uid: bytes) -> int | None:
        """Unit id of a live memory or record by its public id."""

    def insert(
        self, bank: Bank, unit: NewUnit, session: int | None = None, position: int | None = None, document: tuple[bytes, str] | None = None
    ) -> Inserted:
        """Stores one unit. `document` is (key, shown form); the key must be free (delete its row first). `position` goes with `session`."""

    def delete(self, bank: Bank, unit_id: int, how: str = "delete", by: int | None = None) -> Removed | None:
        """Deletes a memory, or marks a record as deleted, `how` and by whom; None when the bank has no such live unit."""

    def config(self, bank: Bank) -> bytes | None:
        """The configuration as it was put."""

    def set_config(self, bank: Bank, body: bytes) -> None:
        """Replaces the configuration, kept byte for byte."""

    def delete_bank(self, bank: Bank) -> int:
        """Deletes a bank; returns how many memories it listed. Its name is free at once; large banks are emptied by `Store.purge`."""

    def prune(self, bank: Bank, seq: int, keep: Sequence[int] = ()) -> int:
        """Forgets removals below `seq`, except those of the units in `keep`; returns how many.

        `seq` is the lower of the removal seqs of the manifests still in use and `keep` the unit ids they name as covered, so that
        `removal` and `identity` go on answering for what a manifest names.
        """

    def rename(self, bank: Bank, name: str) -> None:
        """Gives the bank another name, which must be free."""

    @property
    def bulk(self) -> Bulk:
        """Work on whole banks."""

    def recount(self, bank: Bank) -> None:
        """Counts the bank anew; makes `tally` cheap again after the oldest or newest memory was deleted."""


class Reader(Nouns, Protocol):
    """One read transaction: everything it returns is of one moment."""

    version: tuple[int, int]  # (connection, PRAGMA data_version): equal pairs mean that nothing was committed in between

    @property
    def has_jobs(self) -> bool:
        """Whether there is any work that waits or was given up."""

    def bank(self, project: str, name: str) -> Bank | None: ...

    def bank_ids(self) -> list[int]:
        """Ids of the banks that aren't deleted, of all projects."""

    def config(self, bank: Bank) -> bytes | None:
        """The configuration as it was put."""

    def units(self, bank: Bank, ids: Sequence[int]) -> dict[int, Unit]:
        """Live units of the bank by id, in id order; ids that are gone or another bank's are missing."""

    def found(self, bank: Bank, ids: Sequence[int]) -> dict[int, Found]:
        """`units` with what a recall needs of each: a third cheaper."""

    def by_uid(self, bank: Bank, uid: bytes) -> Unit | None:
        """A live memory or record of this bank."""

    def page(self, bank: Bank, limit: int, offset: int = 0, without: Collection[int] = ()) -> list[Unit]:
        """Memories and records in order of writing."""

    def tally(self, bank: Bank) -> Tally: ...

    def span(self, bank: Bank, without: Collection[int]) -> tuple[int, int | None, int | None]:
        """(count, oldest, newest) of what the bank lists without some units, counted now."""

    def count(self, bank: Bank) -> int:
        """Live memories and records of the bank."""

    def banks(self, project: str | None = None) -> list[BankSummary]:
        """All banks (of one project), by project and name."""

    def session(self, bank: Bank, key: bytes) -> int | None:
        """Ordinal of a session if the bank has it."""

    # what the index follows
    def identity(self, bank: Bank, unit_id: int) -> bytes | None:
        """16 bytes that no other row has had, also for a deleted row whose removal is still kept; None for a row the store doesn't know."""

    def rows(self, bank: Bank, after: int, upto: int | None, limit: int) -> list[IndexRow]:
        """Live units with after < id <= upto, ascending."""

    def removed(self, bank: Bank, after_seq: int) -> tuple[list[tuple[int, int]], int]:
        """[(seq, unit id)] after that seq, and the newest seq. Raises Pruned when older ones are no longer kept."""

    def removal(self, bank: Bank, seq: int) -> bytes | None:
        """16 bytes that tell this removal from any other that may have had its seq before a loss; None for an unknown one."""

    def synced(self, bank: Bank) -> int:
        """Newest unit id of this snapshot, after making sure that its commit has reached the disk."""

    def n_sessions(self, bank: Bank) -> int: ...

    def export(self, bank: Bank, after: int, limit: int) -> list[Exported]:
        """Live memories and records with after < id, ascending: pages of an export, each in a transaction of its own."""


class Store(Protocol):
    """The record store. Thread-safe and fork-safe; opens on first use and again after `idle()`."""

    path: str
    commits: int  # transactions that were committed
    acknowledged: int  # works that were answered after one

    @property
    def id(self) -> bytes:
        """16 random bytes made with the store: what a manifest names."""

    @property
    def secret(self) -> bytes:
        """32 random bytes made with the store: key of the hashes of ids."""

    def open(self) -> None:
        """Opens (and makes or migrates) the database now. Raises StoreMissing or StoreRefused."""

    def write(self, works: Sequence[Callable[[Tx], object]]) -> list[object]:
        """One group commit: per work its result, or the exception it met (a MemoryWireError, or what the work raised)."""

    def submit(self, work: Callable[[Tx], T]) -> T:
        """Runs one work in the next group commit; returns when it is durable, raises what the work raised or StorageError."""

    def read(self) -> AbstractContextManager[Reader]:
        """A read transaction, at most four at a time; keep it short."""

    def purge(self, limit: int = 2_000) -> bool:
        """Empties a slice of deleted banks in its own commit; True while there is more to do."""

    def checkpoint(self) -> None:
        """Moves the write-ahead log into the database file as far as readers allow."""

    def empty_log(self) -> None:
        """The same, waiting for readers: afterwards the log holds nothing that was written before. Raises StorageError."""

    def idle(self) -> None:
        """Closes connections that are not in use; the next call opens them again."""

    def close(self) -> None:
        """Closes everything; the store can't be used afterwards."""
