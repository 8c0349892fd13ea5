"""Accounts with their projects, members and units of the organisation. Reached through Tx and Reader; keyring.py has what keys need.

The store's own account is the first; the projects of another are named `account/project`.
"""

from __future__ import annotations

from msgspec import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

OWN = 1  # the account that every store has
_PROJECTS = """
SELECT p.name, p.created, count(b.id) FROM project p LEFT JOIN bank b ON b.project = p.id AND b.name IS NOT NULL
WHERE p.account = :account AND (:project IS NULL OR p.name = :project) GROUP BY p.id ORDER BY p.name
"""
_MEMBERS = """
SELECT m.id, m.name, m.email, m.created, m.departed, h.name, u.name, s.role, s.expires
FROM member m LEFT JOIN member h ON h.id = m.heir LEFT JOIN membership s ON s.member = m.id LEFT JOIN org_unit u ON u.id = s.org_unit
WHERE m.account = ? ORDER BY m.name, u.name
"""
_UNITS = """
SELECT u.name, u.level, p.name FROM org_unit u LEFT JOIN org_unit p ON p.id = u.parent WHERE u.account = ? ORDER BY u.id
"""
_JOIN = """
INSERT INTO membership (member, org_unit, role, expires) VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET role = excluded.role, expires = excluded.expires
"""


class Account(Struct):
    """`plan` is JSON."""

    id: int
    name: str
    state: str
    plan: str | None
    created: int


class Project(Struct):
    name: str
    created: int
    banks: int


class Membership(Struct):
    """A member in one unit, or in none; several lines when in several."""

    id: int
    name: str
    email: str | None
    created: int
    departed: int | None
    heir: str | None
    unit: str | None
    role: str | None
    expires: int | None


class OrgUnit(Struct):
    name: str
    level: str
    parent: str | None


class People:
    """Who there is, in one transaction. What changes here must be followed by `Keyring.changed`."""

    __slots__ = ("_execute",)

    def __init__(self, connection: Connection) -> None:
        self._execute = connection.execute

    def accounts(self) -> list[Account]:
        """All accounts, in the order they were made."""
        return [Account(*row) for row in self._execute("SELECT id, name, state, plan, created FROM account ORDER BY id")]

    def account(self, name: str) -> Account | None:
        row = self._execute("SELECT id, name, state, plan, created FROM account WHERE name = ?", (name,)).fetchone()
        return Account(*row) if row is not None else None

    def add_account(self, name: str, at: int) -> None:
        self._execute("INSERT INTO account (name, created) VALUES (?, ?)", (name, at))

    def set_account(self, id: int, state: str, plan: str | None) -> None:
        self._execute("UPDATE account SET state = ?, plan = ? WHERE id = ?", (state, plan, id))

    def projects(self, account: int, project: str | None = None) -> list[Project]:
        """The account's projects by name, with how many banks each has."""
        return [Project(*row) for row in self._execute(_PROJECTS, {"account": account, "project": project})]

    def project(self, account: int, name: str) -> bool:
        """Whether the account has a project of that name."""
        return self._execute("SELECT 1 FROM project WHERE account = ? AND name = ?", (account, name)).fetchone() is not None

    def project_id(self, name: str) -> int | None:
        row = self._execute("SELECT id FROM project WHERE name = ?", (name,)).fetchone()
        return int(row[0]) if row is not None else None

    def owner(self, project: str) -> tuple[int, int] | None:
        """(account, id) of a project."""
        found: tuple[int, int] | None = self._execute("SELECT account, id FROM project WHERE name = ?", (project,)).fetchone()
        return found

    def add_project(self, account: int, name: str, at: int) -> int:
        """The id of a new project."""
        self._execute("INSERT INTO project (account, name, created) VALUES (?, ?, ?)", (account, name, at))
        return int(self._execute("SELECT last_insert_rowid()").fetchone()[0])

    # members -----------------------------------------------------------------------------------------------------------------------

    def members(self, account: int) -> list[Membership]:
        """The account's members by name, a line for each unit."""
        return [Membership(*row) for row in self._execute(_MEMBERS, (account,))]

    def member(self, account: int, name: str) -> tuple[int, int | None] | None:
        """(id, when they left) of a member."""
        found: tuple[int, int | None] | None = self._execute(
            "SELECT id, departed FROM member WHERE account = ? AND name = ?", (account, name)
        ).fetchone()
        return found

    def add_member(self, account: int, name: str, at: int) -> int:
        """The id of a new member."""
        self._execute("INSERT INTO member (account, name, created) VALUES (?, ?, ?)", (account, name, at))
        return int(self._execute("SELECT last_insert_rowid()").fetchone()[0])

    def set_email(self, member: int, email: str) -> None:
        self._execute("UPDATE member SET email = ? WHERE id = ?", (email, member))

    def join(self, member: int, unit: int, role: str, expires: int | None) -> None:
        """Makes the member one of the unit, or gives another role there."""
        self._execute(_JOIN, (member, unit, role, expires))

    def depart(self, member: int, heir: int | None, at: int) -> None:
        """The member leaves; the heir has their records from now on."""
        self._execute("UPDATE member SET departed = ?, heir = ? WHERE id = ?", (at, heir, member))

    # units -------------------------------------------------------------------------------------------------------------------------

    def units(self, account: int) -> list[OrgUnit]:
        """The account's units, in the order they were made."""
        return [OrgUnit(*row) for row in self._execute(_UNITS, (account,))]

    def unit(self, account: int, name: str) -> tuple[int, str] | None:
        """(id, level) of a unit."""
        found: tuple[int, str] | None = self._execute(
            "SELECT id, level FROM org_unit WHERE account = ? AND name = ?", (account, name)
        ).fetchone()
        return found

    def add_unit(self, account: int, name: str, level: str, parent: int | None) -> None:
        self._execute("INSERT INTO org_unit (account, parent, level, name) VALUES (?, ?, ?, ?)", (account, parent, level, name))
