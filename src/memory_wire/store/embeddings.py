"""Vectors of passages: which space of a bank has which. Reached through Tx and Reader; what a model makes of a text is no business of it.

A space is of one bank and one model with all its options, so vectors of two models never meet. Rows of units that were deleted stay until
`follow`, so that a text which is written anew finds its vector.
"""

from __future__ import annotations

from msgspec import Struct, json

from memory_wire.config import JOB_DIED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from sqlite3 import Connection

    from memory_wire.store.rows import Bank

PIECE = 200  # keys of one query


class Space(Struct, frozen=True):
    """One model's vectors of one bank: `upto` is the newest unit that was embedded, `removed` the newest removal that was followed."""

    id: int
    bank: int
    model: bytes
    config: bytes
    name: str
    dimension: int
    upto: int
    removed: int


class Embedding(Struct, frozen=True):
    """The vector of one passage: `row` is a float32 scale and int8 numbers, little-endian."""

    unit: int
    passage: int
    key: bytes
    row: bytes


_SPACE = "SELECT id, bank, model, config, name, dimension, upto, removed FROM space"
_GONE = "NOT EXISTS (SELECT 1 FROM unit u WHERE u.id = e.unit AND u.bank = s.bank AND u.deleted IS NULL)"


class Embeddings:
    """The queries of one transaction."""

    __slots__ = ("_connection", "_execute")

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._execute = connection.execute

    def spaces(self, bank: Bank) -> list[Space]:
        """The bank's spaces, oldest first."""
        return [Space(*row) for row in self._execute(f"{_SPACE} WHERE bank = ? ORDER BY id", (bank.id,))]

    def space(self, bank: Bank, model: bytes) -> Space | None:
        """The space of one model."""
        row = self._execute(f"{_SPACE} WHERE bank = ? AND model = ?", (bank.id, model)).fetchone()
        return None if row is None else Space(*row)

    def open(self, bank: Bank, model: bytes, config: bytes, name: str, dimension: int) -> Space:
        """The space of one model, made if it isn't there."""
        self._execute(
            "INSERT OR IGNORE INTO space (bank, model, config, name, dimension) VALUES (?, ?, ?, ?, ?)",
            (bank.id, model, config, name, dimension),
        )
        space = self.space(bank, model)
        assert space is not None
        return space

    def known(self, model: bytes, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Rows by key that some bank's space of this model has already."""
        wanted: list[bytes] = sorted(set(keys))
        found: dict[bytes, bytes] = {}
        for start in range(0, len(wanted), PIECE):
            part = wanted[start : start + PIECE]
            marks = ", ".join("?" * len(part))
            rows = self._execute(
                f"SELECT e.key, e.row FROM embedding e JOIN space s ON s.id = e.space WHERE substr(e.key, 1, 8) IN ({marks})"
                f" AND e.key IN ({marks}) AND s.model = ?",
                (*(key[:8] for key in part), *part, model),
            )
            found.update((bytes(key), bytes(row)) for key, row in rows)
        return found

    def put(self, space: Space, rows: Iterable[Embedding], upto: int) -> None:
        """Adds rows and says up to which unit all are there."""
        self._connection.executemany(
            "INSERT OR REPLACE INTO embedding (space, unit, passage, key, row) VALUES (?, ?, ?, ?, ?)",
            [(space.id, row.unit, row.passage, row.key, row.row) for row in rows],
        )
        self._execute("UPDATE space SET upto = max(upto, ?) WHERE id = ?", (upto, space.id))

    def rows(self, space: Space, units: Sequence[int]) -> list[Embedding]:
        """What a space has of some units, by unit and passage."""
        found = []
        for start in range(0, len(units), PIECE):
            part = units[start : start + PIECE]
            found += self._execute(
                f"SELECT unit, passage, key, row FROM embedding WHERE space = ? AND unit IN ({', '.join('?' * len(part))})"
                " ORDER BY unit, passage",
                (space.id, *part),
            ).fetchall()
        return [Embedding(*row) for row in found]

    def after(self, space: Space, id: int, limit: int) -> list[tuple[int, Embedding]]:
        """(row id, row) in the order they were written: what a file of the space follows."""
        rows = self._execute(
            "SELECT id, unit, passage, key, row FROM embedding WHERE space = ? AND id > ? ORDER BY id LIMIT ?", (space.id, id, limit)
        )
        return [(row[0], Embedding(*row[1:])) for row in rows]

    def newest(self, space: Space) -> int:
        """Largest id of a row of the space, 0 without rows."""
        return int(self._execute("SELECT ifnull(max(id), 0) FROM embedding WHERE space = ?", (space.id,)).fetchone()[0])

    def given(self) -> int:
        """Largest id that a row of any space ever had."""
        row = self._execute("SELECT seq FROM sqlite_sequence WHERE name = 'embedding'").fetchone()
        return 0 if row is None else int(row[0])

    def behind(self, space: Space, id: int) -> int:
        """How many rows have a larger id."""
        return int(self._execute("SELECT count(*) FROM embedding WHERE space = ? AND id > ?", (space.id, id)).fetchone()[0])

    def keys(self, space: Space, ids: Sequence[int]) -> dict[int, bytes]:
        """Keys of some rows by id, as far as they are there."""
        marks = ", ".join("?" * len(ids))
        return dict(self._execute(f"SELECT id, key FROM embedding WHERE space = ? AND id IN ({marks})", (space.id, *ids)).fetchall())

    def count(self, space: Space) -> tuple[int, int]:
        """(units, passages) that the space has."""
        units, rows = self._execute("SELECT count(DISTINCT unit), count(*) FROM embedding WHERE space = ?", (space.id,)).fetchone()
        return int(units), int(rows)

    def wipe(self, unit: int) -> None:
        """Deletes all that was made of a unit."""
        self._execute("DELETE FROM embedding WHERE space IN (SELECT id FROM space) AND unit = ?", (unit,))

    def follow(self, space: Space, gone: Sequence[int] | None, removed: int) -> None:
        """Deletes the rows of units that are gone, or of all that aren't live when None is given."""
        if gone is None:
            orphans = f"SELECT e.id FROM embedding e JOIN space s ON s.id = e.space WHERE s.id = ? AND {_GONE}"
            self._execute(f"DELETE FROM embedding WHERE id IN ({orphans})", (space.id,))
        else:
            self._connection.executemany("DELETE FROM embedding WHERE space = ? AND unit = ?", [(space.id, unit) for unit in gone])
        self._execute("UPDATE space SET removed = ? WHERE id = ?", (removed, space.id))

    def living(self, bank: Bank, units: Sequence[int]) -> list[int]:
        """Those of the units that are there, in their order."""
        query = "SELECT id FROM unit WHERE bank = ? AND deleted IS NULL AND id IN (SELECT value FROM json_each(?))"
        found = {int(row[0]) for row in self._execute(query, (bank.id, json.encode(list(units)).decode()))}
        return [unit for unit in units if unit in found]

    def left(self, bank: Bank, upto: int) -> int:
        """How many live units are newer than one."""
        query = "SELECT count(*) FROM unit WHERE bank = ? AND id > ? AND deleted IS NULL"
        return int(self._execute(query, (bank.id, upto)).fetchone()[0])

    def failure(self, bank: Bank, kind: str) -> str | None:
        """What the bank's job last ended with; while it is being done for the first time, nothing."""
        query = "SELECT failure FROM job WHERE kind = ? AND bank = ? AND failure IS NOT NULL AND (attempts > 1 OR failure <> ?)"
        row = self._execute(query, (kind, bank.id, JOB_DIED)).fetchone()
        return None if row is None else str(row[0])

    def orphans(self, space: Space) -> int:
        """How many rows are of units that aren't live."""
        query = f"SELECT count(*) FROM embedding e JOIN space s ON s.id = e.space WHERE s.id = ? AND {_GONE}"
        return int(self._execute(query, (space.id,)).fetchone()[0])

    def rewind(self, bank: Bank) -> None:
        """Units with smaller ids have come into the bank: it is gone through again."""
        self._execute("UPDATE space SET upto = 0 WHERE bank = ?", (bank.id,))

    def drop(self, bank: Bank, keep: int = 0) -> None:
        """Deletes the bank's spaces but one."""
        self._execute("DELETE FROM embedding WHERE space IN (SELECT id FROM space WHERE bank = ? AND id <> ?)", (bank.id, keep))
        self._execute("DELETE FROM space WHERE bank = ? AND id <> ?", (bank.id, keep))
