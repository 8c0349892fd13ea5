"""Proves another version on a copy of the store before it is used: it opens the copy, finds nothing wrong, finds a memory that this version
finds, and exports just as many. The store itself is only read. Used by update.py.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Sequence
from contextlib import closing
from hashlib import sha256
from urllib.parse import quote

import msgspec

from memory_wire.cli.layout import UpdateFailed

SECONDS = 3_600
WORDS = 12  # of a memory that it is asked for with
LEAST_WORDS = 3
COPIES = 4  # two of the store, and an export and an index of one


class Counted:
    """What an export holds: how many memories, a digest of their ids, and one to ask for."""

    def __init__(self) -> None:
        self.memories = 0
        self.digest = 0
        self.bank = ""
        self.known: tuple[str, str, str] | None = None  # (bank, id, words)

    def take(self, raw: bytes) -> None:
        line = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
        if "bank" in line:
            project = msgspec.json.decode(line["project"]) if "project" in line else "default"
            self.bank = msgspec.json.decode(line["bank"]) if project == "default" else ""
        elif "memory" in line:
            id = msgspec.json.decode(line["memory"], type=str)
            self.memories += 1
            self.digest ^= int.from_bytes(sha256(id.encode()).digest()[:16], "big")
            words = msgspec.json.decode(line["content"], type=str).split()
            if self.bank and len(words) >= LEAST_WORDS:
                self.known = (self.bank, id, " ".join(words[:WORDS]))


def prove(program: Sequence[str], db: str, scratch: str) -> tuple[str, bool]:
    """(what was proved, whether the other version changes the store's format). Raises UpdateFailed."""
    if not os.path.exists(db):
        return fresh(program, os.path.join(scratch, "fresh", "memory.db")), False
    from memory_wire.service import transfer

    mine, theirs = os.path.join(scratch, "mine.db"), os.path.join(scratch, "theirs.db")
    needed, free = COPIES * os.stat(db).st_size, shutil.disk_usage(scratch).free
    if free < needed:
        raise UpdateFailed(f"copies of the store need {needed:,} bytes below {os.path.dirname(scratch)}, {free:,} are free")
    copy(db, mine)
    shutil.copyfile(mine, theirs)
    os.chmod(theirs, 0o600)
    format = format_of(theirs)
    exported = os.path.join(scratch, "mine.jsonl")
    transfer.export(mine, exported, None, quiet)
    expected = counted(exported)
    os.unlink(exported)
    run(program, "check", "--db", theirs)
    exported = os.path.join(scratch, "theirs.jsonl")
    run(program, "export", exported, "--db", theirs)
    found = counted(exported)
    os.unlink(exported)
    if (found.memories, found.digest) != (expected.memories, expected.digest):
        raise UpdateFailed(f"it exports {found.memories:,} memories of the store's {expected.memories:,}")
    asked = recalled(program, expected, mine, theirs)
    return f"{found.memories:,} memories{', one recalled' if asked else ''}", format_of(theirs) != format


def recalled(program: Sequence[str], expected: Counted, mine: str, theirs: str) -> bool:
    """Whether a memory was asked for; it must be among the answers of the other version when it is among ours."""
    from memory_wire.client import Memory

    if expected.known is None:
        return False
    bank, id, words = expected.known
    with Memory(mine, create=False) as store:
        if id not in [hit.id for hit in store.recall(words, bank=bank)]:
            return False
    answer = run(program, "recall", words, "--bank", bank, "--db", theirs, "--embedded", "--json")
    try:
        ids = [hit.get("id") for hit in msgspec.json.decode(answer, type=list[dict[str, object]])]
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise UpdateFailed("its recall answers no JSON") from None
    if id not in ids:
        raise UpdateFailed(f"it doesn't find memory {id} of bank {bank}")
    return True


def fresh(program: Sequence[str], db: str) -> str:
    """Stores and finds a memory in a store of its own, where there is no store to copy."""
    os.makedirs(os.path.dirname(db))
    run(program, "retain", "the update was proved on a new store", "--bank", "proof", "--db", db, "--embedded")
    answer = run(program, "recall", "what was proved on a new store", "--bank", "proof", "--db", db, "--embedded", "--json")
    if b"the update was proved" not in answer:
        raise UpdateFailed("it doesn't find what it stored")
    return "a new store"


def copy(db: str, target: str) -> None:
    """Copies a store in use with SQLite's own backup: this version must not bring its format up to date. Raises UpdateFailed."""
    try:
        with closing(sqlite3.connect(f"file:{quote(db)}?mode=ro", uri=True)) as source, closing(sqlite3.connect(target)) as copied:
            source.backup(copied)
            copied.execute("PRAGMA journal_mode = DELETE").fetchall()
    except sqlite3.Error as error:
        raise UpdateFailed(f"{db} can't be copied: {error}") from None
    os.chmod(target, 0o600)


def counted(path: str) -> Counted:
    found = Counted()
    with open(path, "rb") as file:
        for raw in file:
            if raw.strip():
                found.take(raw)
    return found


def format_of(db: str) -> int:
    """The version of a store's schema."""
    with closing(sqlite3.connect(db)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def run(program: Sequence[str], *words: str, environ: dict[str, str] | None = None) -> bytes:
    """Standard output of another version, by default apart from servers and banks. Raises UpdateFailed with what it said when it fails."""
    try:
        done = subprocess.run(
            [*program, *words], capture_output=True, env=environ or apart(), stdin=subprocess.DEVNULL, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UpdateFailed(f"{program[0]}: {error}") from None
    if done.returncode:
        said = (done.stderr or done.stdout).decode(errors="replace").strip().splitlines()
        raise UpdateFailed(f"its `{words[0]}` ends with {done.returncode}: {said[-1] if said else 'no word'}")
    return done.stdout


def surroundings() -> dict[str, str]:
    """The environment variables less those that name another Python's files."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def apart() -> dict[str, str]:
    """The same without what names a server or a bank."""
    return {name: value for name, value in surroundings().items() if not name.startswith("MEMORY_WIRE_")}


def said_version(program: str) -> str:
    """The version that a program says it is. Raises UpdateFailed."""
    said = run([program], "--version").decode(errors="replace").split()
    return said[-1] if said else "nothing"


def quiet(done: int, total: int) -> None:
    """Progress that nobody sees."""
