"""Units and works for the tests of the record store."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from memory_wire.store.ids import new_uid
from memory_wire.store.rows import Bank, Inserted, NewUnit, Unit
from memory_wire.store.sqlite import Store
from memory_wire.store.tx import Tx

T0 = 1_790_000_000_000


def digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()[:16]


def unit(content: str, **fields: object) -> NewUnit:
    return NewUnit(**{"uid": new_uid(), "hash": digest(content), "content": content, "created": T0, **fields})  # type: ignore[arg-type]


def the(tx: Tx, name: str = "default") -> Bank:
    bank = tx.bank("default", name, create=True)
    assert bank is not None
    return bank


def put(new: NewUnit, name: str = "default", **fields: object) -> Callable[[Tx], Inserted]:
    """A work that inserts one unit."""
    return lambda tx: tx.insert(the(tx, name), new, **fields)  # type: ignore[arg-type]


def retain(new: NewUnit, name: str = "default") -> Callable[[Tx], tuple[int, bool]]:
    """A work that inserts a unit unless the bank has its content: (id, whether it was there)."""

    def work(tx: Tx) -> tuple[int, bool]:
        bank = the(tx, name)
        found = tx.duplicate(bank, new.hash)
        return (found[0], True) if found else (tx.insert(bank, new).id, False)

    return work


def remove(unit_id: int, name: str = "default") -> Callable[[Tx], object]:
    return lambda tx: tx.delete(the(tx, name), unit_id)


def contents(store: Store, name: str = "default") -> list[str]:
    return [row.content for row in rows(store, name)]


def rows(store: Store, name: str = "default") -> list[Unit]:
    with store.read() as reader:
        bank = reader.bank("default", name)
        return reader.page(bank, 1_000_000) if bank else []
