"""Keys: their rows, who they stand for, and a number that changes whenever any of it does. Reached through Tx and Reader.

A key's shown id is the first half of its lookup in hexadecimal digits: numbers of rows would tell how many others there are.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.json import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

SHOWN_BYTES = 6
VERSION = "SELECT value FROM meta WHERE key = 'access'"
_STORED = """
SELECT k.lookup, k.salt, k.digest, k.rights, k.expires, k.revoked, k.account, a.name, a.state, a.plan, p.name, k.member, m.name, m.departed
FROM api_key k JOIN account a ON a.id = k.account LEFT JOIN project p ON p.id = k.project LEFT JOIN member m ON m.id = k.member
"""
_LISTED = """
SELECT k.lookup, k.label, k.rights, a.name, p.name, m.name, k.created, k.expires, k.revoked
FROM api_key k JOIN account a ON a.id = k.account LEFT JOIN project p ON p.id = k.project LEFT JOIN member m ON m.id = k.member
WHERE (:account IS NULL OR k.account = :account) AND (:project IS NULL OR p.name = :project) ORDER BY k.id
"""
_INSERT = """
INSERT INTO api_key (account, project, member, label, rights, lookup, salt, digest, created, expires)
VALUES (?, (SELECT id FROM project WHERE name = ?), ?, ?, ?, ?, ?, ?, ?, ?)
"""
_REVOKE = """
UPDATE api_key SET revoked = :at WHERE revoked IS NULL AND substr(lookup, 1, 6) = :shown AND (:account IS NULL OR account = :account)
  AND (:project IS NULL OR project = (SELECT id FROM project WHERE name = :project))
"""
_ABOVE = """
WITH RECURSIVE up(id) AS (
    SELECT value FROM json_each(?) UNION SELECT u.parent FROM up JOIN org_unit u ON u.id = up.id WHERE u.parent IS NOT NULL
)
SELECT id FROM up
"""
_BELOW = """
WITH RECURSIVE down(id) AS (SELECT value FROM json_each(?) UNION SELECT u.id FROM down JOIN org_unit u ON u.parent = down.id)
SELECT id FROM down
"""
_LEFT = """
WITH RECURSIVE left(id) AS (SELECT id FROM member WHERE heir = ? UNION SELECT m.id FROM left JOIN member m ON m.heir = left.id)
SELECT id FROM left
"""
_LIVE = """
SELECT count(*) FROM project p JOIN bank b ON b.project = p.id JOIN record r ON r.bank = b.id
WHERE p.account = ? AND b.name IS NOT NULL AND r.forgotten_how IS NULL
"""


class Stored(Struct):
    """A key as it is stored, with whom it stands for; times in milliseconds."""

    lookup: bytes
    salt: bytes
    digest: bytes
    rights: str
    expires: int | None
    revoked: int | None
    account: int
    account_name: str
    state: str
    plan: str | None
    project: str | None
    member: int | None
    name: str | None
    departed: int | None


class Listed(Struct):
    """A key as administrators see it."""

    lookup: bytes
    label: str
    rights: str
    account: str
    project: str | None
    member: str | None
    created: int
    expires: int | None
    revoked: int | None


class Keyring:
    """Keys in one transaction."""

    __slots__ = ("_execute",)

    def __init__(self, connection: Connection) -> None:
        self._execute = connection.execute

    @property
    def version(self) -> int:
        """A number that every change of keys, accounts, members and units makes larger."""
        row = self._execute(VERSION).fetchone()
        return int(row[0]) if row is not None else 0

    def changed(self) -> None:
        """Has everybody look anew."""
        self._execute("INSERT INTO meta VALUES ('access', 1) ON CONFLICT DO UPDATE SET value = value + 1")

    def any(self) -> bool:
        """Whether there ever was a key; revoked ones count, or revoking the last would open the store to everybody."""
        return bool(self._execute("SELECT EXISTS (SELECT 1 FROM api_key)").fetchone()[0])

    def find(self, lookup: bytes) -> Stored | None:
        """The key of a lookup."""
        row = self._execute(_STORED + "WHERE k.lookup = ?", (lookup,)).fetchone()
        return Stored(*row) if row is not None else None

    def listed(self, account: int | None, project: str | None) -> list[Listed]:
        """Keys of an account and project, or of all, in the order they were made."""
        return [Listed(*row) for row in self._execute(_LISTED, {"account": account, "project": project})]

    def add(
        self,
        account: int,
        project: str | None,
        member: int | None,
        label: str,
        rights: str,
        secret: tuple[bytes, bytes, bytes],
        created: int,
        expires: int | None,
    ) -> None:
        """Stores a key; `secret` is lookup, salt and digest."""
        self._execute(_INSERT, (account, project, member, label, rights, *secret, created, expires))
        self.changed()

    def revoke(self, shown: bytes, account: int | None, project: str | None, at: int) -> bool:
        """Ends a key of the account and project for good; False when there is none that counts."""
        values = {"at": at, "shown": shown, "account": account, "project": project}
        done = self._execute(_REVOKE, values).rowcount > 0
        if done:
            self.changed()
        return done

    def owner(self, shown: bytes) -> tuple[int, str | None]:
        """(account, project) of the key with a shown id."""
        found: tuple[int, str | None] = self._execute(
            "SELECT k.account, p.name FROM api_key k LEFT JOIN project p ON p.id = k.project WHERE substr(k.lookup, 1, 6) = ?", (shown,)
        ).fetchone()
        return found

    def revoke_member(self, member: int, at: int) -> int:
        """Ends all keys of a member; how many."""
        self.changed()
        return int(self._execute("UPDATE api_key SET revoked = ? WHERE member = ? AND revoked IS NULL", (at, member)).rowcount)

    # whom a key stands for ---------------------------------------------------------------------------------------------------------

    def memberships(self, member: int) -> list[tuple[int, str, int | None]]:
        """(unit, role, end) of a member."""
        return self._execute("SELECT org_unit, role, expires FROM membership WHERE member = ? ORDER BY org_unit", (member,)).fetchall()

    def departed(self, member: int) -> bool:
        """Whether a member has left."""
        return self._execute("SELECT 1 FROM member WHERE id = ? AND departed IS NOT NULL", (member,)).fetchone() is not None

    def above(self, units: list[int]) -> list[int]:
        """The units and those that they are part of."""
        return [id for (id,) in self._execute(_ABOVE, (encode(units).decode(),))]

    def below(self, units: list[int]) -> list[int]:
        """The units and their parts, to any depth."""
        return [id for (id,) in self._execute(_BELOW, (encode(units).decode(),))]

    def left_to(self, member: int) -> list[int]:
        """Members who left their records to this one, directly or by way of another who left."""
        return [id for (id,) in self._execute(_LEFT, (member,))]

    def live_records(self, account: int) -> int:
        """Records of an account that aren't forgotten."""
        return int(self._execute(_LIVE, (account,)).fetchone()[0])
