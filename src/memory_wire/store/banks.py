"""Rows of banks and the running tally of each, shared by the read and the write side.

The tally (count, oldest, newest of what a bank lists) covers units up to `tally_upto`; the units after it are counted when asked. So a
retain pays nothing for it, except that every TALLY_TAIL ids the writer moves it on.
"""

from __future__ import annotations

from memory_wire.store.rows import Bank

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

TALLY_TAIL = 512
INLINE_PURGE = 4_096  # units of a bank that is emptied in the transaction that deletes it

_BANK = """
SELECT b.id, b.created, b.kept, b.pruned, b.config_version, b.tally_upto,
       (SELECT max(id) FROM unit WHERE bank = b.id), (SELECT max(seq) FROM removed WHERE bank = b.id)
FROM bank b JOIN project p ON p.id = b.project
WHERE p.name = ? AND b.name = ?
"""
_TAIL = """
SELECT count(*), min(created), max(created) FROM unit
WHERE bank = ? AND id > ? AND id <= ? AND kind < 2 AND deleted IS NULL
"""
_NO_LIMIT = (1 << 63) - 1


def find(connection: Connection, project: str, name: str) -> Bank | None:
    row = connection.execute(_BANK, (project, name)).fetchone()
    if row is None:
        return None
    id, created, kept, pruned, config_version, upto, newest, removed = row
    return Bank(
        id=id,
        project=project,
        name=name,
        created=created,
        newest=max(newest or 0, kept),
        removed=max(removed or 0, pruned),
        pruned=pruned,
        config_version=config_version,
        tally_upto=upto,
    )


def tally(connection: Connection, bank_id: int) -> tuple[int, int | None, int | None]:
    """(count, oldest, newest) of what the bank lists now."""
    upto, count, oldest, newest = connection.execute(
        "SELECT tally_upto, tally_count, tally_oldest, tally_newest FROM bank WHERE id = ?", (bank_id,)
    ).fetchone()
    if not count:
        oldest = newest = None
    elif oldest is None or newest is None:
        _, oldest, newest = connection.execute(_TAIL, (bank_id, 0, upto)).fetchone()
    tail, tail_oldest, tail_newest = connection.execute(_TAIL, (bank_id, upto, _NO_LIMIT)).fetchone()
    return count + tail, lowest(oldest, tail_oldest), highest(newest, tail_newest)


def advance(connection: Connection, bank: Bank) -> None:
    """Moves the tally on to the bank's newest unit. An unknown oldest or newest stays unknown: finding it is not a writer's business."""
    connection.execute(
        """
        UPDATE bank SET (tally_upto, tally_count, tally_oldest, tally_newest) = (
            SELECT :upto, tally_count + count(*),
                   CASE WHEN tally_count = 0 THEN min(u.created) WHEN tally_oldest IS NULL OR count(*) = 0 THEN tally_oldest
                        ELSE min(tally_oldest, min(u.created)) END,
                   CASE WHEN tally_count = 0 THEN max(u.created) WHEN tally_newest IS NULL OR count(*) = 0 THEN tally_newest
                        ELSE max(tally_newest, max(u.created)) END
            FROM unit u WHERE u.bank = :bank AND u.id > tally_upto AND u.id <= :upto AND u.kind < 2 AND u.deleted IS NULL)
        WHERE id = :bank
        """,
        {"bank": bank.id, "upto": bank.newest},
    )
    bank.tally_upto = bank.newest


def recount(connection: Connection, bank: Bank) -> None:
    """Sets the tally from the rows."""
    count, oldest, newest = connection.execute(_TAIL, (bank.id, 0, bank.newest)).fetchone()
    connection.execute(
        "UPDATE bank SET tally_upto = ?, tally_count = ?, tally_oldest = ?, tally_newest = ? WHERE id = ?",
        (bank.newest, count, oldest, newest, bank.id),
    )
    bank.tally_upto = bank.newest


def lowest(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else min(one, other)


def highest(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else max(one, other)


def empty(connection: Connection, bank_id: int, limit: int) -> int:
    """Deletes up to `limit` units of a bank that has no name any more, the bank itself with the last of them; returns how many units."""
    ids = connection.execute("SELECT id FROM unit WHERE bank = ? ORDER BY id LIMIT ?", (bank_id, limit)).fetchall()
    for statement in (
        "DELETE FROM document_key WHERE unit = ?",
        "DELETE FROM chunk WHERE unit = ?",
        "DELETE FROM record WHERE unit = ?",
        "DELETE FROM derived WHERE unit = ?",
        "DELETE FROM derived WHERE source = ?",
        "DELETE FROM unit WHERE id = ?",
    ):
        connection.executemany(statement, ids)
    if len(ids) < limit:
        for statement in (
            "DELETE FROM published WHERE bank = ?",
            "DELETE FROM withdrawn WHERE bank = ?",
            "DELETE FROM kept_vector WHERE bundle IN (SELECT id FROM bundle WHERE bank = ?)",
            "DELETE FROM kept_vector WHERE document IN (SELECT id FROM document WHERE bank = ?)",
            "DELETE FROM embedded_document WHERE document IN (SELECT id FROM document WHERE bank = ?)",
            "DELETE FROM bundle_member WHERE bundle IN (SELECT id FROM bundle WHERE bank = ?)",
            "DELETE FROM bundle WHERE bank = ?",
            "DELETE FROM version WHERE document IN (SELECT id FROM document WHERE bank = ?)",
            "DELETE FROM gist WHERE document IN (SELECT id FROM document WHERE bank = ?)",
            "DELETE FROM document WHERE bank = ?",
            "DELETE FROM suggestion WHERE bank = ?",
            "DELETE FROM injection WHERE bank = ?",
            "DELETE FROM hook_session WHERE bank = ?",
            "DELETE FROM captured_turn WHERE bank = ?",
            "DELETE FROM hub WHERE bank = ?",
            "DELETE FROM embedding WHERE space IN (SELECT id FROM space WHERE bank = ?)",
            "DELETE FROM space WHERE bank = ?",
            "DELETE FROM job WHERE bank = ?",
            "DELETE FROM link WHERE bank = ?",
            "DELETE FROM observation WHERE bank = ?",
            "DELETE FROM removed WHERE bank = ?",
            "DELETE FROM tag WHERE bank = ?",
            "DELETE FROM session WHERE bank = ?",
            "DELETE FROM bank WHERE id = ?",
        ):
            connection.execute(statement, (bank_id,))
    return len(ids)
