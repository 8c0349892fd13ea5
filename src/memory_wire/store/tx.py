"""The write side: what a work may do inside a group commit. Only `group` makes a Tx; SQLite's errors pass through it to `group`."""

from __future__ import annotations

import time

from memory_wire.store import banks
from memory_wire.store.nouns import Nouns
from memory_wire.store.rows import CHUNK, RECORD, Bank, Existing, Inserted, NewUnit, Removed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from sqlite3 import Connection

    from memory_wire.store.bulk import Bulk

_INSERT = """
INSERT INTO unit (bank, kind, uid, hash, created, stored, content, context, tags, session, position, role, speaker)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_DUPLICATE = """
SELECT id, uid FROM unit WHERE bank = ? AND kind = 0 AND substr(hash, 1, 8) = substr(?, 1, 8) AND hash = ? ORDER BY id LIMIT 1
"""
_FIND = """
SELECT id FROM unit WHERE substr(uid, 1, 8) = substr(?, 1, 8) AND uid = ? AND bank = ? AND kind < 2 AND deleted IS NULL LIMIT 1
"""
_DOCUMENT = """
SELECT u.id, u.uid, u.session, u.position, s.key, u.hash, u.created, u.context, u.tags FROM document_key d JOIN unit u ON u.id = d.unit
LEFT JOIN session s ON s.bank = u.bank AND s.ordinal = u.session WHERE d.bank = ? AND d.key = ?
"""
_DROP_TAG = "UPDATE tag SET units = units - 1 WHERE bank = ? AND tag = ?"
_ADD_TAG = "INSERT INTO tag VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET units = units + 1"


def now() -> int:
    return time.time_ns() // 1_000_000


class Tx(Nouns):
    """One write transaction. Banks it returned are kept current (`newest`, `removed`) while it lasts; don't keep them longer."""

    __slots__ = ("_banks", "_execute")

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._execute = connection.execute
        self._banks: dict[tuple[str, str], Bank] = {}

    def forget_banks(self) -> None:
        """What was read is not true any more: a part of the transaction was undone, or a new one begins."""
        self._banks.clear()

    # banks -------------------------------------------------------------------------------------------------------------------------

    def bank(self, project: str, name: str, create: bool = False) -> Bank | None:
        """The bank of that name, made (with its project) when `create` is set and it isn't there."""
        bank = self._banks.get((project, name))
        if bank is None:
            bank = banks.find(self.connection, project, name)
            if bank is None and create:
                at = now()
                self._execute("INSERT INTO project (account, name, created) VALUES (1, ?, ?) ON CONFLICT DO NOTHING", (project, at))
                self._execute(
                    "INSERT INTO bank (project, name, created) SELECT id, ?, ? FROM project WHERE name = ?",
                    (name, at, project),
                )
                bank = banks.find(self.connection, project, name)
            if bank is not None:
                self._banks[project, name] = bank
        return bank

    def config(self, bank: Bank) -> bytes | None:
        """The configuration as it was put."""
        row = self._execute("SELECT config FROM bank WHERE id = ?", (bank.id,)).fetchone()
        return None if row is None else row[0]

    def set_config(self, bank: Bank, body: bytes) -> None:
        """Replaces the configuration, kept byte for byte."""
        self._execute("UPDATE bank SET config = ?, config_version = config_version + 1 WHERE id = ?", (body, bank.id))
        bank.config_version += 1

    def recount(self, bank: Bank) -> None:
        """Counts the bank anew; makes `tally` cheap again after the oldest or newest memory was deleted."""
        banks.recount(self.connection, bank)

    def delete_bank(self, bank: Bank) -> int:
        """Deletes a bank; returns how many memories it listed. Its name is free at once; large banks are emptied by `Store.purge`."""
        listed, _, _ = banks.tally(self.connection, bank.id)
        self._execute("UPDATE bank SET name = NULL, config = NULL WHERE id = ?", (bank.id,))
        self._execute("UPDATE hub SET public = 0 WHERE bank = ?", (bank.id,))
        self._banks.pop((bank.project, bank.name), None)
        (units,) = self._execute(
            "SELECT count(*) FROM (SELECT 1 FROM unit WHERE bank = ? LIMIT ?)", (bank.id, banks.INLINE_PURGE + 1)
        ).fetchone()
        if units <= banks.INLINE_PURGE:
            banks.empty(self.connection, bank.id, banks.INLINE_PURGE + 1)
        return listed

    def rename(self, bank: Bank, name: str) -> None:
        """Gives the bank another name, which must be free."""
        self._execute("UPDATE bank SET name = ? WHERE id = ?", (name, bank.id))
        self._banks.pop((bank.project, bank.name), None)
        bank.name = name
        self._banks[bank.project, name] = bank

    @property
    def bulk(self) -> Bulk:
        """Work on whole banks."""
        from memory_wire.store.bulk import Bulk  # few processes ever move or sweep

        return Bulk(self.connection)

    def empty_deleted(self, limit: int) -> bool:
        """Empties a slice of some deleted bank; True when there may be more."""
        row = self._execute("SELECT id FROM bank WHERE name IS NULL LIMIT 1").fetchone()
        if row is None:
            return False
        banks.empty(self.connection, row[0], limit)
        return True

    # sessions ----------------------------------------------------------------------------------------------------------------------

    def session(self, bank: Bank, key: bytes, shown: str) -> int:
        """The bank-wide dense ordinal of a session, from 0; a new key gets the next one."""
        row = self._execute("SELECT ordinal FROM session WHERE bank = ? AND key = ?", (bank.id, key)).fetchone()
        if row is not None:
            return int(row[0])
        (ordinal,) = self._execute("SELECT coalesce(max(ordinal) + 1, 0) FROM session WHERE bank = ?", (bank.id,)).fetchone()
        self._execute("INSERT INTO session (bank, ordinal, key, shown) VALUES (?, ?, ?, ?)", (bank.id, ordinal, key, shown))
        return int(ordinal)

    def next_position(self, bank: Bank, session: int) -> int:
        """Takes the next free position of a session, from 0. Positions are never reused."""
        row = self._execute("SELECT next FROM session WHERE bank = ? AND ordinal = ?", (bank.id, session)).fetchone()
        self._execute("UPDATE session SET next = next + 1 WHERE bank = ? AND ordinal = ?", (bank.id, session))
        return int(row[0])

    def claim_position(self, bank: Bank, session: int, position: int) -> None:
        """Marks a position as taken, and all before it: for rows that bring their own (an import)."""
        self._execute("UPDATE session SET next = max(next, ?) WHERE bank = ? AND ordinal = ?", (position + 1, bank.id, session))

    # units -------------------------------------------------------------------------------------------------------------------------

    def duplicate(self, bank: Bank, hash: bytes) -> tuple[int, bytes] | None:
        """(unit id, uid) of the oldest memory with that hash; records and chunks never vouch."""
        found: tuple[int, bytes] | None = self._execute(_DUPLICATE, (bank.id, hash, hash)).fetchone()
        return found

    def document(self, bank: Bank, key: bytes) -> Existing | None:
        """The memory that a document id holds in this bank."""
        row = self._execute(_DOCUMENT, (bank.id, key)).fetchone()
        return None if row is None else Existing(*(*row[:-1], row[-1].decode().split("\0") if row[-1] else []))

    def find(self, bank: Bank, uid: bytes) -> int | None:
        """Unit id of a live memory or record by its public id."""
        row = self._execute(_FIND, (uid, uid, bank.id)).fetchone()
        return None if row is None else int(row[0])

    def insert(
        self, bank: Bank, unit: NewUnit, session: int | None = None, position: int | None = None, document: tuple[bytes, str] | None = None
    ) -> Inserted:
        """Stores one unit. `document` is (key, shown form); the key must be free (delete its row first). `position` goes with `session`."""
        tags = unit.tags
        values = (
            bank.id,
            unit.kind,
            unit.uid,
            unit.hash,
            unit.created,
            unit.stored,
            unit.content,
            unit.context,
            "\0".join(tags).encode() if tags else None,
            session,
            position,
            unit.role or None,
            unit.speaker,
        )
        id = self._execute(_INSERT, values).lastrowid
        assert id is not None
        if tags and unit.kind != CHUNK:
            for tag in tags:
                self._execute(_ADD_TAG, (bank.id, tag))
        if document is not None:
            self._execute("INSERT INTO document_key (unit, bank, key, shown) VALUES (?, ?, ?, ?)", (id, bank.id, *document))
        after, bank.newest = bank.newest, id
        if id - bank.tally_upto >= banks.TALLY_TAIL:
            banks.advance(self.connection, bank)
        return Inserted(id, after)

    def delete(self, bank: Bank, unit_id: int, how: str = "delete", by: int | None = None) -> Removed | None:
        """Deletes a memory, or marks a record as deleted, `how` and by whom; None when the bank has no such live unit."""
        row = self._execute(
            "SELECT kind, uid, created, tags FROM unit WHERE id = ? AND bank = ? AND deleted IS NULL", (unit_id, bank.id)
        ).fetchone()
        if row is None:
            return None
        kind, uid, created, tags = row
        seq = self._execute("INSERT INTO removed (bank, unit, uid) VALUES (?, ?, ?)", (bank.id, unit_id, uid)).lastrowid
        assert seq is not None
        if kind != CHUNK:
            self._discount(bank, unit_id, created, tags.decode().split("\0") if tags else [])
        if kind == RECORD:
            self._execute("UPDATE unit SET deleted = ? WHERE id = ?", (now(), unit_id))
            self.records.bury(bank, unit_id, how, by)
        else:
            self._execute("DELETE FROM document_key WHERE unit = ?", (unit_id,))
            self._execute("DELETE FROM chunk WHERE unit = ?", (unit_id,))
            self._execute("DELETE FROM unit WHERE id = ?", (unit_id,))
            if unit_id == bank.newest:
                self._execute("UPDATE bank SET kept = ?, kept_uid = ? WHERE id = ?", (unit_id, uid, bank.id))
        after, bank.removed = bank.removed, seq
        return Removed(seq, after, kind)

    def _discount(self, bank: Bank, unit_id: int, created: int, tags: list[str]) -> None:
        """Takes a listed unit out of the bank's counts."""
        for tag in tags:
            self._execute(_DROP_TAG, (bank.id, tag))
            self._execute("DELETE FROM tag WHERE bank = ? AND tag = ? AND units = 0", (bank.id, tag))
        if unit_id <= bank.tally_upto:
            self._execute(
                "UPDATE bank SET tally_count = tally_count - 1, tally_oldest = nullif(tally_oldest, ?),"
                " tally_newest = nullif(tally_newest, ?) WHERE id = ?",
                (created, created, bank.id),
            )

    def prune(self, bank: Bank, seq: int, keep: Sequence[int] = ()) -> int:
        """Forgets removals below `seq`, except those of the units in `keep`; returns how many."""
        below = [
            (number,)
            for number, unit in self._execute("SELECT seq, unit FROM removed WHERE bank = ? AND seq < ?", (bank.id, seq)).fetchall()
            if unit not in keep
        ]
        self.connection.executemany("DELETE FROM removed WHERE seq = ?", below)
        if seq - 1 > bank.pruned:
            bank.pruned = min(seq - 1, bank.removed)
            self._execute("UPDATE bank SET pruned = ? WHERE id = ?", (bank.pruned, bank.id))
        return len(below)
