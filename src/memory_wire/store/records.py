"""Provenance of records: their rows, groups by fact and by source, what they were derived from. Reached through Tx and Reader.

Every question that answers a caller takes a Sight, the condition for what the caller may see. Nothing here decides what a status is.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.json import encode

from memory_wire.config import DERIVED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from sqlite3 import Connection

    from memory_wire.store.rows import Bank

_SIZES = (1, 8, 50, 320)  # values per statement: few texts, so that they stay prepared
_COLUMNS = (
    "fact_key, fact, sameness, source, source_id, source_key, source_hash, source_revision, confidence, scope, aliases, kind, pinned,"
    " supersedes, visibility, author, org_unit, redactions, flags"
)
_INSERT = f"INSERT INTO record (unit, bank, {_COLUMNS}) VALUES ({', '.join('?' * 21)})"
_ROWS = f"SELECT r.unit, {', '.join('r.' + name for name in _COLUMNS.split(', '))} FROM record r WHERE r.unit IN"
_MARKS = """
SELECT u.id, u.deleted IS NULL, r.unit IS NULL OR ({sight}), r.fact, r.sameness, r.source_key, r.source_hash
FROM unit u LEFT JOIN record r ON r.unit = u.id WHERE u.id IN {ids}
"""
_CLOSURE = """
WITH RECURSIVE up(id) AS
    (SELECT unit FROM derived WHERE unit IN {ids} UNION SELECT d.source FROM up JOIN derived d ON d.unit = up.id)
SELECT d.unit, d.source FROM up JOIN derived d ON d.unit = up.id ORDER BY d.unit, d.ordinal
"""
_BELOW = """
WITH RECURSIVE down(id) AS
    (SELECT unit FROM derived WHERE source IN {ids} UNION SELECT d.unit FROM down JOIN derived d ON d.source = down.id)
SELECT id FROM down
"""
_PEERS = """
SELECT r.unit, r.sameness FROM record r WHERE r.bank = ? AND r.fact = ? AND r.fact IS NOT NULL AND r.forgotten_how IS NULL AND ({sight})
{unlike} ORDER BY r.unit DESC LIMIT ?
"""
_OF_SOURCE = """
SELECT r.unit FROM record r WHERE r.bank = ? AND r.source_key = ? AND r.source_key IS NOT NULL AND r.forgotten_how IS NULL AND ({sight})
ORDER BY r.unit
"""
_SUPERSEDED = """
SELECT r.supersedes, max(r.unit) FROM record r
WHERE ({sight}) AND r.supersedes IN {ids} AND r.supersedes IS NOT NULL AND r.forgotten_how IS NULL GROUP BY r.supersedes
"""
_SEEN = """
SELECT (SELECT r.source_id FROM record r WHERE r.bank = o.bank AND r.source_key = o.source_key AND r.source_key IS NOT NULL LIMIT 1),
       o.source_key, o.hash, o.at FROM observation o WHERE o.bank = ?
"""
_LINKS = """
SELECT l.source, l.target, l.type, l.weight, l.reason FROM link l
WHERE l.bank = ? AND l.source_kind = 'unit' AND l.target_kind = 'unit' AND l.{end} IN {ids}
"""


class Sight(Struct, frozen=True):
    """What a caller may see, as SQL over `r`, a row of table record."""

    condition: str
    params: tuple[object, ...] = ()


EVERYTHING = Sight("1")


class Mark(Struct):
    """What statuses need of a unit; a memory has no provenance and may be seen."""

    unit: int
    live: int
    visible: int
    fact: bytes | None
    sameness: bytes | None
    source_key: bytes | None
    source_hash: str | None


class Provenance(Struct):
    """A row of table record, as its columns are named; `aliases`, `redactions` and `flags` are JSON."""

    unit: int
    fact_key: str | None = None
    fact: bytes | None = None
    sameness: bytes | None = None
    source: str | None = None
    source_id: str | None = None
    source_key: bytes | None = None
    source_hash: str | None = None
    source_revision: str | None = None
    confidence: float | None = None
    scope: str | None = None
    aliases: str | None = None
    kind: str | None = None
    pinned: int | None = None
    supersedes: int | None = None
    visibility: str | None = None
    author: int | None = None
    org_unit: int | None = None
    redactions: str | None = None
    flags: str | None = None


class Link(Struct):
    """What the archivist found between two units."""

    source: int
    target: int
    type: str
    weight: float | None
    reason: str | None


class Records:
    """The queries of one transaction."""

    __slots__ = ("_execute",)

    def __init__(self, connection: Connection) -> None:
        self._execute = connection.execute

    def _many(self, query: str, ids: Iterable[int], before: tuple[object, ...] = ()) -> Iterator[tuple[object, ...]]:
        """Rows of a query over a list of numbers of any length, `{ids}` in it: slices padded to few sizes."""
        wanted = list(ids)
        for start in range(0, len(wanted), _SIZES[-1]):
            part = wanted[start : start + _SIZES[-1]]
            size = next(size for size in _SIZES if size >= len(part))
            part += part[-1:] * (size - len(part))
            yield from self._execute(query.replace("{ids}", f"({', '.join('?' * size)})"), (*before, *part))

    # rows --------------------------------------------------------------------------------------------------------------------------

    def rows(self, ids: Iterable[int]) -> dict[int, Provenance]:
        """Provenance by unit id; what is no record is missing."""
        return {row[0]: Provenance(*row) for row in self._many(_ROWS + " {ids}", ids)}  # type: ignore[misc, arg-type]

    def marks(self, ids: Iterable[int], sight: Sight) -> dict[int, Mark]:
        """Marks by unit id; units that are gone without a trace are missing."""
        rows = self._many(_MARKS.replace("{sight}", sight.condition), ids, sight.params)
        return {row[0]: Mark(*row) for row in rows}  # type: ignore[misc, arg-type]

    def uids(self, ids: Iterable[int]) -> dict[int, bytes]:
        """Public ids by unit id, those of forgotten records too."""
        return dict(self._many("SELECT id, uid FROM unit WHERE id IN {ids}", ids))  # type: ignore[arg-type]

    def find(self, bank: Bank, uid: bytes, sight: Sight, kinds: Sequence[int]) -> int | None:
        """Unit id of a live memory or record, of one of the kinds, that the caller may see."""
        query = (
            "SELECT u.id, u.kind FROM unit u LEFT JOIN record r ON r.unit = u.id WHERE substr(u.uid, 1, 8) = substr(?, 1, 8) AND u.uid = ?"
            f" AND u.bank = ? AND u.deleted IS NULL AND (r.unit IS NULL OR ({sight.condition}))"
        )
        row = self._execute(query, (uid, uid, bank.id, *sight.params)).fetchone()
        return int(row[0]) if row is not None and row[1] in kinds else None

    def unit(self, bank: Bank, uid: bytes) -> int | None:
        """Unit id by public id, also of a forgotten record."""
        query = "SELECT id FROM unit WHERE substr(uid, 1, 8) = substr(?, 1, 8) AND uid = ? AND bank = ? AND kind < 2"
        row = self._execute(query, (uid, uid, bank.id)).fetchone()
        return None if row is None else int(row[0])

    # groups ------------------------------------------------------------------------------------------------------------------------

    def peers(self, bank: Bank, fact: bytes, sight: Sight, limit: int) -> list[tuple[int, bytes]]:
        """(unit, sameness) of the live records of a fact key, newest first."""
        query = _PEERS.replace("{sight}", sight.condition).replace("{unlike}", "")
        return self._execute(query, (bank.id, fact, *sight.params, limit)).fetchall()

    def unlike(self, bank: Bank, fact: bytes, sameness: bytes, sight: Sight, limit: int) -> list[tuple[int, bytes]]:
        """Those of them that say something else, newest first."""
        query = _PEERS.replace("{sight}", sight.condition).replace("{unlike}", "AND r.sameness <> ?")
        return self._execute(query, (bank.id, fact, *sight.params, sameness, limit)).fetchall()

    def of_source(self, bank: Bank, key: bytes, sight: Sight) -> list[int]:
        """Live records of a source, oldest first."""
        query = _OF_SOURCE.replace("{sight}", sight.condition)
        return [unit for (unit,) in self._execute(query, (bank.id, key, *sight.params))]

    def older(self, bank: Bank, row: Provenance, sight: Sight, limit: int) -> tuple[list[int], list[int]]:
        """The newest live records before one: of its fact key, of its source."""
        found = []
        for column, key in (("fact", row.fact), ("source_key", row.source_key)):
            query = (
                f"SELECT r.unit FROM record r WHERE r.bank = ? AND r.{column} = ? AND r.{column} IS NOT NULL AND r.unit < ?"
                f" AND r.forgotten_how IS NULL AND ({sight.condition}) ORDER BY r.unit DESC LIMIT ?"
            )
            values = (bank.id, key, row.unit, *sight.params, limit)
            found.append([unit for (unit,) in self._execute(query, values)] if key is not None else [])
        return found[0], found[1]

    def by_source(self, bank: Bank, sight: Sight, after: bytes, limit: int) -> list[tuple[bytes, int, str, str | None]]:
        """(source key, unit, source id, source hash) of the live records of the next sources, by key and then the oldest first."""
        live = f"r.bank = ? AND r.source_key > ? AND r.source_key IS NOT NULL AND r.forgotten_how IS NULL AND ({sight.condition})"
        query = (
            f"SELECT r.source_key, r.unit, r.source_id, r.source_hash FROM record r WHERE {live} AND r.source_key IN"
            f" (SELECT DISTINCT r.source_key FROM record r WHERE {live} ORDER BY r.source_key LIMIT ?) ORDER BY r.source_key, r.unit"
        )
        values = (bank.id, after, *sight.params)
        return self._execute(query, (*values, *values, limit)).fetchall()

    def hidden(self, bank: Bank, sight: Sight) -> set[int]:
        """Live records that may not be seen and what was derived from them; only those with a visibility of their own are looked at."""
        query = (
            "SELECT r.unit FROM record r WHERE r.bank = ? AND r.visibility >= '' AND r.forgotten_how IS NULL"
            f" AND ifnull(({sight.condition}), 0) = 0"
        )
        found = {int(unit) for (unit,) in self._execute(query, (bank.id, *sight.params))}
        return found.union(self.below(found)) if found else found

    def left_by(self, uids: Iterable[bytes], members: Sequence[int]) -> list[tuple[bytes, int, str]]:
        """(uid, bank, author's name) of the records among these that the members wrote."""
        query = (
            "SELECT u.uid, r.bank, m.name FROM unit u JOIN record r ON r.unit = u.id JOIN member m ON m.id = r.author"
            " WHERE substr(u.uid, 1, 8) = substr(?, 1, 8) AND u.uid = ? AND r.author IN (SELECT value FROM json_each(?))"
        )
        listed = encode(members).decode()
        return [row for uid in uids for row in self._execute(query, (uid, uid, listed))]

    # what was derived from what ----------------------------------------------------------------------------------------------------

    def closure(self, ids: Iterable[int]) -> list[tuple[int, int]]:
        """(unit, source) for the units and everything they were derived from, to any depth; each pair once per slice of ids."""
        return list(self._many(_CLOSURE, ids))  # type: ignore[arg-type]

    def below(self, ids: Iterable[int]) -> list[int]:
        """Units that were derived from these, to any depth."""
        return sorted({int(row[0]) for row in self._many(_BELOW, ids)})  # type: ignore[call-overload]

    def sources(self, ids: Iterable[int]) -> dict[int, list[int]]:
        """The direct sources of each unit, in the order in which they were named."""
        found: dict[int, list[int]] = {}
        for unit, source in self._many("SELECT unit, source FROM derived WHERE unit IN {ids} ORDER BY unit, ordinal", ids):
            found.setdefault(unit, []).append(source)  # type: ignore[arg-type]
        return {unit: list(dict.fromkeys(sources)) for unit, sources in found.items()}

    def superseded(self, ids: Iterable[int], sight: Sight) -> dict[int, int]:
        """The newest live record that supersedes each unit, where there is one."""
        return dict(self._many(_SUPERSEDED.replace("{sight}", sight.condition), ids, sight.params))  # type: ignore[arg-type]

    def links(self, bank: Bank, ids: Sequence[int]) -> list[Link]:
        """Links of the units, those to them included."""
        rows = {row: None for end in ("source", "target") for row in self._many(_LINKS.replace("{end}", end), ids, (bank.id,))}
        return [Link(*row) for row in rows]  # type: ignore[arg-type]

    # what was seen of sources ------------------------------------------------------------------------------------------------------

    def heads(self, bank: Bank, keys: Iterable[bytes]) -> dict[bytes, str]:
        """The last hash seen of each source."""
        found = {}
        for key in keys:
            row = self._execute("SELECT hash FROM observation WHERE bank = ? AND source_key = ?", (bank.id, key)).fetchone()
            if row is not None:
                found[key] = row[0]
        return found

    def observed(self, bank: Bank, keys: Iterable[bytes]) -> dict[bytes, tuple[str, int]]:
        """(hash, time) last seen of each source."""
        query = "SELECT hash, at FROM observation WHERE bank = ? AND source_key = ?"
        rows = [(key, self._execute(query, (bank.id, key)).fetchone()) for key in keys]
        return {key: row for key, row in rows if row is not None}

    def observations(self, bank: Bank) -> list[tuple[bytes, str, int]]:
        """(source key, hash, time) of everything that was seen."""
        return self._execute("SELECT source_key, hash, at FROM observation WHERE bank = ?", (bank.id,)).fetchall()

    def seen(self, bank: Bank) -> list[tuple[str, bytes, str, int]]:
        """(shown source id, source key, hash, time) of the sources that records name."""
        return [row for row in self._execute(_SEEN, (bank.id,)) if row[0] is not None]

    def observe(self, bank: Bank, key: bytes, hash: str, at: int) -> None:
        """Notes what a source's hash is now."""
        self._execute("INSERT OR REPLACE INTO observation (bank, source_key, hash, at) VALUES (?, ?, ?, ?)", (bank.id, key, hash, at))

    # writing -----------------------------------------------------------------------------------------------------------------------

    def add(self, bank: Bank, row: Provenance, sources: Sequence[int]) -> None:
        """Stores the provenance of a unit that was just inserted."""
        self._execute(_INSERT, (row.unit, bank.id, *[getattr(row, name) for name in _COLUMNS.split(", ")]))
        for ordinal, source in enumerate(sources):
            self._execute("INSERT INTO derived (unit, source, ordinal) VALUES (?, ?, ?)", (row.unit, source, ordinal))

    def claimed(self, project: str, operation: str, key: str, since: int) -> tuple[bytes, bytes] | None:
        """(fingerprint, answer) of an idempotency key that is not too old."""
        found: tuple[bytes, bytes] | None = self._execute(
            "SELECT i.fingerprint, i.result FROM idempotency i JOIN project p ON p.id = i.project"
            " WHERE p.name = ? AND i.operation = ? AND i.key = ? AND i.created >= ?",
            (project, operation, key, since),
        ).fetchone()
        return found

    def claim(self, project: str, operation: str, key: str, fingerprint: bytes, result: bytes, at: int, before: int) -> None:
        """Keeps an answer under an idempotency key; those from before a time go."""
        self._execute("DELETE FROM idempotency WHERE created < ?", (before,))
        self._execute(
            "INSERT INTO idempotency (project, operation, key, fingerprint, result, created)"
            " SELECT id, ?, ?, ?, ?, ? FROM project WHERE name = ?",
            (operation, key, fingerprint, result, at, project),
        )

    def derive(self, unit: int, source: int | None, place: int) -> None:
        """Stores one source of an imported record; None is one that is gone, a number that no unit ever has."""
        source = -(unit * DERIVED + place) - 1 if source is None else source
        self._execute("INSERT OR IGNORE INTO derived (unit, source, ordinal) VALUES (?, ?, ?)", (unit, source, place))

    def hand_over(self, source: Bank, target: Bank, units: Mapping[int, int]) -> None:
        """Copies to another bank what was seen of sources, where it is newer, and the links between units that have come along."""
        self._execute(
            "INSERT INTO observation (bank, source_key, hash, at) SELECT ?, source_key, hash, at FROM observation WHERE bank = ?"
            " ON CONFLICT DO UPDATE SET hash = excluded.hash, at = excluded.at WHERE excluded.at > observation.at",
            (target.id, source.id),
        )
        query = (
            "SELECT source, type, target, weight, reason, made_by, at FROM link"
            " WHERE bank = ? AND source_kind = 'unit' AND target_kind = 'unit'"
        )
        for one, kind, other, *rest in self._execute(query, (source.id,)).fetchall():
            if one in units and other in units:
                self._execute(
                    "INSERT OR IGNORE INTO link VALUES (?, 'unit', ?, ?, 'unit', ?, ?, ?, ?, ?)",
                    (target.id, units[one], kind, units[other], *rest),
                )

    def relate(self, bank: Bank, unit: int, links: Sequence[Link], made_by: str, at: int) -> None:
        """Replaces the links between a unit and older ones that one maker made; an end that was forgotten meanwhile gets none."""
        for one, other in (("source", "target"), ("target", "source")):
            self._execute(
                f"DELETE FROM link WHERE bank = ? AND source_kind = 'unit' AND target_kind = 'unit' AND {one} = ? AND {other} < ?"
                " AND made_by = ?",
                (bank.id, unit, unit, made_by),
            )
        for link in links:
            self._execute(
                "INSERT OR IGNORE INTO link SELECT ?1, 'unit', ?2, ?3, 'unit', ?4, ?5, ?6, ?7, ?8"
                " WHERE (SELECT count(*) FROM unit WHERE id IN (?2, ?4) AND bank = ?1 AND deleted IS NULL) = 2",
                (bank.id, link.source, link.type, link.target, link.weight, link.reason, made_by, at),
            )

    def bury(self, bank: Bank, unit: int, how: str, by: int | None) -> None:
        """A record was forgotten: it leaves its groups and its links."""
        self._execute("UPDATE record SET forgotten_how = ?, forgotten_by = ? WHERE unit = ?", (how, by, unit))
        self._execute("DELETE FROM link WHERE bank = ? AND source_kind = 'unit' AND source = ?", (bank.id, unit))
        self._execute("DELETE FROM link WHERE bank = ? AND target_kind = 'unit' AND target = ?", (bank.id, unit))
