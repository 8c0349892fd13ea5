"""The schema's version and the steps from one to the next. An upgrade is one transaction: a store is at a version, never between two.

`PRAGMA application_id` tells our files from other SQLite databases, `PRAGMA user_version` is the version.
"""

from __future__ import annotations

import os

from memory_wire.errors import StoreRefused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from sqlite3 import Connection, complete_statement

    Step = Callable[[Connection], None]  # runs inside the upgrade's transaction
else:
    from _sqlite3 import complete_statement

VERSION = 4
APPLICATION_ID = 0x4D576972  # "MWir"


def run_script(connection: Connection, script: str) -> None:
    """Runs the statements of a script inside the transaction that is open (executescript would commit it)."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if complete_statement(statement):
            connection.execute(statement)
            statement = ""
    if statement.strip():
        raise ValueError(f"unfinished statement: {statement.strip()[:80]}")


def run_file(connection: Connection, name: str) -> None:
    """Runs a script that stands beside this module."""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        run_script(connection, file.read())


def create(connection: Connection) -> None:
    """Version 1: the schema, the store's id and its secret, project and bank `default`."""
    run_file(connection, "schema.sql")
    connection.execute("INSERT INTO meta VALUES ('store', ?), ('secret', ?)", (os.urandom(16), os.urandom(32)))


def hooks(connection: Connection) -> None:
    """Version 2: what hooks injected and captured."""
    run_file(connection, "schema2.sql")


def records(connection: Connection) -> None:
    """Version 3: indexes for records."""
    run_file(connection, "schema3.sql")


def work(connection: Connection) -> None:
    """Version 4: background work, uploaded sessions, integrations, vectors, the hub."""
    run_file(connection, "schema4.sql")


STEPS: Mapping[int, Step] = {1: create, 2: hooks, 3: records, 4: work}  # the version a step leads to -> the step


def version(connection: Connection, path: str) -> int:
    """The store's version, 0 for an empty database. Raises StoreRefused for a database that isn't a store, or one of a newer version."""
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    holds = found or connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    (mark,) = connection.execute("PRAGMA application_id").fetchone()  # last: another process may be making the store now
    if mark != APPLICATION_ID and holds:
        raise StoreRefused(f"store refused: {path} is a database of another program")
    if found > VERSION:
        raise StoreRefused(f"store refused: {path} has format {found}, this program reads up to {VERSION}; upgrade memory-wire")
    return int(found)


def upgrade(connection: Connection, path: str, steps: Mapping[int, Step] = STEPS) -> int:
    """Brings a store to the newest version in `steps`; returns the version it had. Several processes may try at once: one does it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        found = version(connection, path)
        for number in range(found + 1, max(steps) + 1):
            steps[number](connection)
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return found
