"""A record store as the index sees one: rows by id, removals by seq, snapshots. Small, in memory, and able to lose its newest commits."""

from __future__ import annotations

from copy import deepcopy

from memory_wire.errors import Pruned

Row = tuple[int, int, int, int, int, list[bytes], str, str]


class Truth:
    """One bank. Ids and seqs are shared with other banks, so `skip` may leave gaps."""

    def __init__(self) -> None:
        self.store_id = b"truth-is-16-byte"
        self.units: dict[int, Row] = {}
        self.identities: dict[int, bytes] = {}  # of removed rows too
        self.removals: list[tuple[int, int]] = []
        self.newest = self.newest_removal = self.pruned = 0
        self._next = self._next_seq = self._serial = 0
        self._kept: Truth | None = None

    def skip(self, n: int) -> None:
        """What other banks used up."""
        self._next += n
        self._next_seq += n

    def insert(
        self, text: str, created: int = 0, session: int = -1, position: int = -1, fields: tuple[bytes, ...] = (), flags: int = 0
    ) -> tuple[Row, int]:
        """(row, newest unit before it)"""
        after = self.newest
        self._next += 1
        self._serial += 1
        row = (self._next, created, flags, session, position, list(fields), "", text)
        self.units[self._next] = row
        self.identities[self._next] = b"%016d" % self._serial
        self.newest = self._next
        return row, after

    def remove(self, unit_id: int) -> tuple[int, int]:
        """(seq, newest removal before it)"""
        after = self.newest_removal
        del self.units[unit_id]
        self._next_seq += 1
        self.removals.append((self._next_seq, unit_id))
        self.newest_removal = self._next_seq
        return self._next_seq, after

    def prune(self, seq: int) -> None:
        """Forgets removals below a seq."""
        if seq - 1 > self.pruned:
            self.pruned = seq - 1
            self.removals = [(one, unit_id) for one, unit_id in self.removals if one >= seq]

    def save(self) -> None:
        """The moment to which `lose` goes back."""
        self._kept = None
        self._kept = deepcopy(self)

    def lose(self) -> None:
        """Everything since `save` is gone, and its ids and seqs are given out again; identities are not."""
        if self._kept is not None:
            serial, kept = self._serial, deepcopy(self._kept)
            self.__dict__.update(kept.__dict__)
            self._serial = serial
            self._kept = kept._kept


class View:
    """A read transaction over a Truth, as index.rows.RowSource wants it."""

    def __init__(self, truth: Truth) -> None:
        self.truth = truth
        self.store_id = truth.store_id
        self.renew()

    def renew(self) -> None:
        truth = self.truth
        self._units, self._identities, self._removals = dict(truth.units), dict(truth.identities), list(truth.removals)
        self._newest, self._newest_removal, self._pruned = truth.newest, truth.newest_removal, truth.pruned

    def state(self) -> tuple[int, int]:
        return self._newest, self._newest_removal

    def identity(self, unit_id: int) -> bytes | None:
        return self._identities.get(unit_id)

    def rows(self, after: int, upto: int | None, limit: int) -> list[Row]:
        ids = sorted(unit_id for unit_id in self._units if unit_id > after and (upto is None or unit_id <= upto))
        return [self._units[unit_id] for unit_id in ids[:limit]]

    def removed(self, after_seq: int) -> tuple[list[tuple[int, int]], int]:
        if after_seq < self._pruned:
            raise Pruned(f"{self._pruned}")
        return [(seq, unit_id) for seq, unit_id in self._removals if seq > after_seq], self._newest_removal

    def removal(self, seq: int) -> bytes | None:
        return next((self._identities[unit_id] for one, unit_id in self._removals if one == seq), None)

    def synced(self) -> int:
        return self._newest

    def n_sessions(self) -> int:
        return max((row[3] for row in self._units.values()), default=-1) + 1
