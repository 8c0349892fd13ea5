"""Does the database agree with itself? For `memory-wire check`; the agreement with the index is the index's own check."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from sqlite3 import Connection

from memory_wire.store.rows import Finding
from memory_wire.store.sqlite import Store

# Each selects what must not be; a row's columns are shown.
_RULES = (
    (
        "bank {} tallies {} memories, it has {}",
        """
        SELECT b.id, b.tally_count, count(u.id) FROM bank b
        LEFT JOIN unit u ON u.bank = b.id AND u.id <= b.tally_upto AND u.kind < 2 AND u.deleted IS NULL
        WHERE b.name IS NOT NULL GROUP BY b.id HAVING b.tally_count <> count(u.id)""",
    ),
    (
        "bank {} dates its oldest and newest memory wrong",
        """
        SELECT b.id FROM bank b JOIN unit u ON u.bank = b.id AND u.id <= b.tally_upto AND u.kind < 2 AND u.deleted IS NULL
        WHERE b.name IS NOT NULL GROUP BY b.id
        HAVING b.tally_oldest <> min(u.created) OR b.tally_newest <> max(u.created)""",
    ),
    ("unit {} has an id or hash of a wrong length", "SELECT id FROM unit WHERE length(uid) <> 16 OR length(hash) <> 16"),
    (
        "units {} and {} of bank {} have the same id",
        """
        SELECT a.id, b.id, a.bank FROM unit a JOIN unit b ON substr(b.uid, 1, 8) = substr(a.uid, 1, 8)
        WHERE a.id < b.id AND a.uid = b.uid AND a.bank = b.bank""",
    ),
    (
        "unit {} names session {}, which bank {} doesn't have",
        """
        SELECT u.id, u.session, u.bank FROM unit u LEFT JOIN session s ON s.bank = u.bank AND s.ordinal = u.session
        WHERE u.session IS NOT NULL AND s.key IS NULL""",
    ),
    (
        "unit {} has position {} in session {}, whose next is {}",
        """
        SELECT u.id, u.position, u.session, s.next FROM unit u JOIN session s ON s.bank = u.bank AND s.ordinal = u.session
        WHERE u.position IS NULL OR u.position >= s.next""",
    ),
    (
        "bank {} numbers its sessions with gaps",
        """
        SELECT bank FROM session GROUP BY bank HAVING min(ordinal) <> 0 OR max(ordinal) + 1 <> count(*)""",
    ),
    (
        "document key of unit {} belongs to another bank",
        """
        SELECT d.unit FROM document_key d JOIN unit u ON u.id = d.unit WHERE u.bank <> d.bank""",
    ),
    (
        "unit {} is removed and still there",
        """
        SELECT r.unit FROM removed r JOIN unit u ON u.id = r.unit WHERE u.deleted IS NULL""",
    ),
    ("bank {} keeps the identity of unit {}, which is still there", "SELECT b.id, b.kept FROM bank b JOIN unit u ON u.id = b.kept"),
    ("record {} has no provenance row", "SELECT u.id FROM unit u LEFT JOIN record r ON r.unit = u.id WHERE u.kind = 1 AND r.unit IS NULL"),
    (
        "document {} has no text of version {}",
        """
        SELECT d.public_id, d.version FROM document d LEFT JOIN version v ON v.document = d.id AND v.version = d.version
        WHERE d.version > 0 AND v.version IS NULL""",
    ),
    (
        "document {} is of version {}, its chunk {} of another",
        """
        SELECT d.public_id, d.version, c.unit FROM chunk c JOIN document d ON d.id = c.document
        WHERE c.version <> d.version OR d.deleted IS NOT NULL""",
    ),
    (
        "chunk {} is published and may not be seen",
        """
        SELECT p.unit FROM published p LEFT JOIN public_chunk c ON c.unit = p.unit LEFT JOIN document d ON d.id = p.document
        WHERE c.unit IS NULL AND d.expires IS NULL""",
    ),
    (
        "chunk {} is public and isn't published",
        "SELECT c.unit FROM public_chunk c LEFT JOIN published p ON p.unit = c.unit WHERE p.unit IS NULL",
    ),
    ("chunk {} belongs to no document", "SELECT u.id FROM unit u LEFT JOIN chunk c ON c.unit = u.id WHERE u.kind = 2 AND c.unit IS NULL"),
)
_SHOWN = 10  # findings of one rule


def check(store: Store, progress: Callable[[int, int], None] | None = None) -> list[Finding]:
    """What is wrong, and what is worth knowing; no "error" among them means sound. Reads the whole database, one snapshot a step."""
    steps: list[Callable[[Connection], list[Finding]]] = [_pages, _references, _tags, *(_rule(*rule) for rule in _RULES)]
    findings = _files(store.path)
    for number, step in enumerate(steps, 1):
        with store.read() as reader:
            findings += step(reader.connection)
        if progress is not None:
            progress(number, len(steps))
    return findings


def _pages(connection: Connection) -> list[Finding]:
    rows = connection.execute("PRAGMA integrity_check(20)").fetchall()
    return [Finding("error", f"database: {text}") for (text,) in rows if text != "ok"]


def _references(connection: Connection) -> list[Finding]:
    rows = connection.execute("PRAGMA foreign_key_check").fetchmany(_SHOWN)
    return [Finding("error", f"{table} row {row} refers to a row of {parent} that isn't there") for table, row, parent, _ in rows]


def _tags(connection: Connection) -> list[Finding]:
    counted: dict[tuple[int, str], int] = {}
    for bank, tags in connection.execute("SELECT bank, tags FROM unit WHERE tags IS NOT NULL AND kind < 2 AND deleted IS NULL"):
        for tag in tags.decode().split("\0"):
            counted[bank, tag] = counted.get((bank, tag), 0) + 1
    named = {id for (id,) in connection.execute("SELECT id FROM bank WHERE name IS NOT NULL")}
    kept = {(bank, tag): units for bank, tag, units in connection.execute("SELECT bank, tag, units FROM tag")}
    wrong = {bank for (bank, tag), units in kept.items() ^ counted.items() if bank in named}
    return [Finding("error", f"bank {bank} counts its tags wrong") for bank in sorted(wrong)]


def _rule(text: str, query: str) -> Callable[[Connection], list[Finding]]:
    def step(connection: Connection) -> list[Finding]:
        return [Finding("error", text.format(*row)) for row in connection.execute(query).fetchmany(_SHOWN)]

    return step


def _files(path: str) -> list[Finding]:
    findings = []
    for name in (path, path + "-wal"):
        if os.path.exists(name) and (mode := stat.S_IMODE(os.stat(name).st_mode)) & 0o077:
            findings.append(Finding("note", f"{name} is open to other users (mode {mode:o}); chmod 600 closes it"))
    return findings
