"""The public projection of a hub: rows and index of what everybody may see, with statistics of its own. Used by everything public.

A caller gets a reader, the hub and its bank from `with Public(service, slug) as found`. Ranking is `service.recalls.found` with the
projection PUBLIC of index/cache.py; rows come from the view public_chunk alone. What has expired since is taken out first, in a write of
its own.
"""

from __future__ import annotations

from memory_wire.errors import UnknownHub
from memory_wire.index.cache import PUBLIC
from memory_wire.service.empty import NOTHING
from memory_wire.service.rows import CHUNK_BIT, BankRows, row_of
from memory_wire.store.place import frozen
from memory_wire.store.rows import IndexRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager
    from types import TracebackType

    from memory_wire.service.rows import Row
    from memory_wire.service.service import Service
    from memory_wire.store.hubs import Hub
    from memory_wire.store.protocol import Tx
    from memory_wire.store.reader import Reader
    from memory_wire.store.rows import Bank, Found


class PublicRows(BankRows):
    """The published chunks of one bank as their index follows them, within one read transaction. Ids are places in `published`."""

    __slots__ = ("_hubs", "newest", "pruned", "withdrawn")

    def __init__(self, store_id: bytes, reader: Reader, bank: Bank, language: int) -> None:
        super().__init__(store_id, reader, bank, language)
        self._hubs = reader.hubs
        self.newest, self.withdrawn, self.pruned = self._hubs.state(bank.id)

    def state(self) -> tuple[int, int]:
        return self.newest, self.withdrawn

    def identity(self, unit_id: int) -> bytes | None:
        return self._hubs.identity(self.bank.id, unit_id)

    def found(self, ids: Sequence[int]) -> dict[int, Found]:
        return self._hubs.found(self.bank.id, ids)  # type: ignore[return-value]  # has what a recall looks at

    def rows(self, after: int, upto: int | None, limit: int) -> list[Row]:
        found = []
        for place, created, tags, content, breadcrumb in self._hubs.rows(self.bank.id, after, upto, limit):
            named = tags.decode().split("\0") if tags else []
            found.append(row_of(IndexRow(place, created, CHUNK_BIT, -1, 0, named, None, breadcrumb, content), self.language))
        return found

    def removed(self, after_seq: int) -> tuple[list[tuple[int, int]], int]:
        return self._hubs.removed(self.bank.id, after_seq, self.pruned), self.withdrawn

    def removal(self, seq: int) -> bytes | None:
        return self._hubs.removal(self.bank.id, seq)

    def synced(self) -> int:
        self.reader.synced(self.bank)
        return self.newest

    def n_sessions(self) -> int:
        return 0

    def renew(self) -> None:
        super().renew()
        self.newest, self.withdrawn, self.pruned = self._hubs.state(self.bank.id)


class Public:
    """One public hub within one read transaction."""

    __slots__ = ("_open", "_service", "_slug", "bank", "hub", "reader")
    projection = PUBLIC

    bank: Bank
    hub: Hub
    reader: Reader

    def __init__(self, service: Service, slug: str) -> None:
        self._service, self._slug = service, slug
        self._open: AbstractContextManager[Reader] | None = None

    def __enter__(self) -> Public:
        """Raises UnknownHub for a hub that is unknown or isn't public: one answer."""
        if self._enter():
            withdraw(self._service, self.hub)
            self._enter()
        return self

    def _enter(self) -> bool:
        """Begins the transaction; True, and it has ended again, when something has to be taken out first."""
        opened = self._service.read()
        self.reader = opened.__enter__()
        try:
            hub = self.reader.hubs.public(self._slug)
            bank = self.reader.bank(hub.project, hub.bank_name) if hub is not None else None
            if hub is None or bank is None:
                raise UnknownHub
            self.hub, self.bank = hub, bank
            if self._open is None and self.reader.hubs.lapsed(bank.id) and not frozen(self._service.path):
                opened.__exit__(None, None, None)
                self._open = NOTHING
                return True
        except BaseException as error:
            opened.__exit__(type(error), error, error.__traceback__)
            raise
        self._open = opened
        return False

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> bool | None:
        return self._open.__exit__(kind, error, trace) if self._open is not None else None


def withdraw(service: Service, hub: Hub) -> None:
    """Takes out what has expired."""

    def work(tx: Tx) -> None:
        tx.hubs.reconcile(hub.bank)

    service.store.submit(work)
