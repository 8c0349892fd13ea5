"""Group commit: many works, one transaction, one answer each.

Every work runs in a savepoint. When one fails, its own writes are undone and the others go on. When SQLite gives up the whole transaction
(a full disk does that), nothing of the group is stored and the works run again one by one. A commit that fails fails every work, also one
that only found a row another work of the group had written.
"""

from __future__ import annotations

from memory_wire.errors import StorageError, StoreRefused
from memory_wire.store.migrate import VERSION
from memory_wire.store.tx import Tx

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence

    Work = Callable[[Tx], object]
else:
    import _sqlite3 as sqlite3  # all of SQLite; the package of that name adds converters that cost memory and are never used here


def run(connection: sqlite3.Connection, tx: Tx, works: Sequence[Work]) -> tuple[list[object], int]:
    """Per work its result or the exception it met, and how many transactions were committed."""
    if len(works) == 1:
        result, commits = _alone(connection, tx, works[0])
        return [result], commits
    try:
        _begin(connection, tx)
    except StoreRefused as refused:
        return [refused] * len(works), 0
    except sqlite3.Error as error:
        undo(connection)
        return [storage(error) for _ in works], 0
    try:
        results = _each(connection, tx, works)
        if results is None:
            return _one_by_one(connection, tx, works)
        return _commit(connection, results)
    except BaseException:
        undo(connection)
        raise


def _begin(connection: sqlite3.Connection, tx: Tx) -> None:
    """Another process may have upgraded the store while this one had it open."""
    connection.execute("BEGIN IMMEDIATE")
    tx.forget_banks()
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    if found != VERSION:
        undo(connection)
        raise StoreRefused(f"store refused: it was upgraded to format {found} by a newer program")


def _each(connection: sqlite3.Connection, tx: Tx, works: Sequence[Work]) -> list[object] | None:
    """Runs the works, each in a savepoint; None when SQLite has given up the transaction."""
    execute = connection.execute
    results: list[object] = []
    for work in works:
        execute("SAVEPOINT work")
        try:
            results.append(work(tx))
        except Exception as error:
            if not connection.in_transaction:
                return None
            try:
                execute("ROLLBACK TO work")
            except sqlite3.Error:
                undo(connection)
                return None
            tx.forget_banks()
            results.append(storage(error) if isinstance(error, sqlite3.Error) else error)
        if not connection.in_transaction:
            return None
        execute("RELEASE work")
    return results


def _commit(connection: sqlite3.Connection, results: list[object]) -> tuple[list[object], int]:
    if all(isinstance(result, Exception) for result in results):
        undo(connection)
        return results, 0
    try:
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        undo(connection)
        return [result if isinstance(result, Exception) else storage(error) for result in results], 0
    return results, 1


def _one_by_one(connection: sqlite3.Connection, tx: Tx, works: Sequence[Work]) -> tuple[list[object], int]:
    results, total = [], 0
    for work in works:
        result, commits = _alone(connection, tx, work)
        results.append(result)
        total += commits
    return results, total


def _alone(connection: sqlite3.Connection, tx: Tx, work: Work) -> tuple[object, int]:
    """One work in a transaction of its own; needs no savepoint."""
    try:
        _begin(connection, tx)
        result = work(tx)
        connection.execute("COMMIT")
        return result, 1
    except sqlite3.Error as error:
        undo(connection)
        return storage(error), 0
    except Exception as error:
        undo(connection)
        return error, 0
    except BaseException:
        undo(connection)
        raise


def undo(connection: sqlite3.Connection) -> None:
    """Rolls back what is open. SQLite may have done so itself."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def storage(error: sqlite3.Error) -> StorageError:
    """SQLite's error as ours; the text goes to the log, never on the wire."""
    failed = StorageError(f"{type(error).__name__}: {error}")
    failed.__cause__ = error
    return failed
