"""The log of what was done: only added to, each line's chain a hash of the line and of all before it. Reached through Tx and Reader.

A line that was changed or taken out breaks the chain there; lines taken off the end show in the number that SQLite keeps of the last one,
and, where somebody mends that too, to whoever noted the newest chain somewhere else.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.json import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from sqlite3 import Connection

    Hash = Callable[[bytes, bytes], bytes]  # of data, under a key

_COLUMNS = "seq, at, account, project, bank, actor, action, target, detail, chain"
_PAGE = """
SELECT a.at, p.name, b.name, a.actor, a.action, a.target, a.detail, a.chain
FROM audit a LEFT JOIN project p ON p.id = a.project LEFT JOIN bank b ON b.id = a.bank
WHERE a.at >= :since AND (:account IS NULL OR a.account = :account) AND (:project IS NULL OR p.name = :project)
  AND (:actor IS NULL OR a.actor = :actor) AND (:kind IS NULL OR a.action = :kind OR substr(a.action, 1, length(:kind) + 1) = :kind || '.')
ORDER BY a.at, a.seq LIMIT :limit OFFSET :skip
"""


class Line(Struct):
    """One line as it is shown; `project` and `bank` are names, None where there is none or it is gone."""

    at: int
    project: str | None
    bank: str | None
    actor: str
    action: str
    target: str | None
    detail: str | None
    chain: bytes | None


class Asked(Struct, kw_only=True):
    """Which lines: from `since` on, of an account and project unless None, `skip` left out before the first."""

    since: int = 0
    account: int | None = None
    project: str | None = None
    actor: str | None = None
    kind: str | None = None
    limit: int
    skip: int = 0


class Verdict(Struct):
    """How many lines hold, the newest chain of them, and what is wrong with the next one, if anything."""

    lines: int
    head: bytes
    fault: str | None
    known: bool


class Trail:
    """The log in one transaction."""

    __slots__ = ("_execute",)

    def __init__(self, connection: Connection) -> None:
        self._execute = connection.execute

    def add(
        self,
        hashed: Hash,
        at: int,
        account: int | None,
        project: int | None,
        bank: int | None,
        actor: str,
        action: str,
        target: str | None,
        detail: str | None,
    ) -> None:
        """Appends a line."""
        row = self._execute("SELECT seq, chain FROM audit ORDER BY seq DESC LIMIT 1").fetchone() or (0, b"")
        seq = max(row[0], self._given()) + 1
        said = (seq, at, account, project, bank, actor, action, target, detail)
        chain = hashed(encode(said), row[1] or b"")
        self._execute(f"INSERT INTO audit ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (*said, chain))

    def add_of_bank(self, hashed: Hash, bank: int, at: int, actor: str, action: str, target: str | None, detail: str | None) -> None:
        """Appends a line about something in a bank."""
        row = self._execute("SELECT p.account, p.id FROM bank b JOIN project p ON p.id = b.project WHERE b.id = ?", (bank,)).fetchone()
        account, project = row or (None, None)
        self.add(hashed, at, account, project, bank, actor, action, target, detail)

    def page(self, asked: Asked) -> list[Line]:
        """Lines in order of time."""
        names = ("since", "account", "project", "actor", "kind", "limit", "skip")
        return [Line(*row) for row in self._execute(_PAGE, {name: getattr(asked, name) for name in names})]

    def verify(self, hashed: Hash, found: Verdict, noted: bytes | None, limit: int) -> bool:
        """Walks the chain on from where `found` stands, at most so many lines; True while there may be more and nothing is wrong.

        `known` becomes true at the chain that was noted before. What is to come after the last line is looked at in its transaction.
        """
        rows = self._execute(f"SELECT {_COLUMNS} FROM audit WHERE seq > ? ORDER BY seq LIMIT ?", (found.lines, limit)).fetchall()
        for *said, chain in rows:
            if said[0] != found.lines + 1:
                found.fault = f"line {found.lines + 1} is missing"
                return False
            if chain is None or hashed(encode(said), found.head) != chain:
                found.fault = f"line {said[0]} is not what was written, or what was before it is not"
                return False
            found.lines, found.head = found.lines + 1, chain
            found.known = found.known or chain == noted
        if len(rows) == limit:
            return True
        if self._given() != found.lines:
            found.fault = f"lines {found.lines + 1} to {self._given()} are missing"
        elif not found.known:
            found.fault = "the chain that was noted is not in it"
        return False

    def _given(self) -> int:
        """The number of the last line ever written."""
        row = self._execute("SELECT seq FROM sqlite_sequence WHERE name = 'audit'").fetchone()
        return int(row[0]) if row is not None else 0
