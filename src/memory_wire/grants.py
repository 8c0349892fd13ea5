"""Requests and responses of what administrators do: projects, keys, accounts, members, units, the log. As types.py, for those operations.

Importable by every Python layer from the store upward; imports nothing of ours.
"""

from __future__ import annotations

from msgspec import Struct

# requests --------------------------------------------------------------------------------------------------------------------------


class Audit(Struct, kw_only=True):
    """`kind` is an action (`record.remember`) or the first word of some (`record`); `cursor` one that an answer gave."""

    since: str | None = None
    actor: str | None = None
    kind: str | None = None
    limit: int | None = None
    cursor: str | None = None


class VerifyAudit(Struct, kw_only=True):
    """`head` is a chain that was noted before: it must still be part of the log."""

    head: str | None = None


class OfAccount(Struct, kw_only=True):
    """Which account; None is the caller's own."""

    account: str | None = None


class CreateProject(Struct, kw_only=True, forbid_unknown_fields=True):
    name: str
    account: str | None = None


class CreateKey(Struct, kw_only=True, forbid_unknown_fields=True):
    """`rights` read, write or admin; without a project it may go to all of the account; `days` that it counts, for ever when None."""

    label: str
    rights: str = "write"
    project: str | None = None
    member: str | None = None
    days: int | None = None
    account: str | None = None


class RevokeKey(Struct, kw_only=True, forbid_unknown_fields=True):
    id: str


class SetAccount(Struct, kw_only=True, forbid_unknown_fields=True):
    """Makes the account, or changes what is given. A limit of 0 takes the limit away."""

    name: str
    state: str | None = None
    records: int | None = None
    calls_per_minute: int | None = None


class SetMember(Struct, kw_only=True, forbid_unknown_fields=True):
    """Makes the member, or changes what is given; `role` is that in `unit`, `days` how long (a contractor's term)."""

    name: str
    email: str | None = None
    unit: str | None = None
    role: str | None = None
    days: int | None = None
    account: str | None = None


class Depart(Struct, kw_only=True, forbid_unknown_fields=True):
    """The member leaves; `heir` gets their records."""

    name: str
    heir: str | None = None
    account: str | None = None


class CreateUnit(Struct, kw_only=True, forbid_unknown_fields=True):
    """`level` is holding, legal_entity, branch, department, unit or team."""

    name: str
    level: str = "unit"
    parent: str | None = None
    account: str | None = None


# responses -------------------------------------------------------------------------------------------------------------------------


class Event(Struct, kw_only=True):
    """One line of the log. `chain` is for who runs the store only: it depends on everybody's lines."""

    at: str
    project: str | None
    bank: str | None
    actor: str
    action: str
    target: str | None
    detail: str | None
    chain: str | None


class AuditLog(Struct, kw_only=True):
    """Oldest first; `cursor` gives the next page, None after the last."""

    events: list[Event]
    cursor: str | None = None


class AuditVerdict(Struct, kw_only=True):
    """Whether the log is whole, of how many events, its newest chain, and what is wrong with it."""

    whole: bool
    events: int
    head: str
    fault: str | None


class ProjectRow(Struct, kw_only=True):
    name: str
    created_at: str
    banks: int


class Projects(Struct, kw_only=True):
    projects: list[ProjectRow]


class KeyRow(Struct, kw_only=True):
    """A key without its secret. `state` is active, expired or revoked."""

    id: str
    label: str
    rights: str
    account: str
    project: str | None
    member: str | None
    state: str
    created_at: str
    expires_at: str | None


class Keys(Struct, kw_only=True):
    keys: list[KeyRow]


class NewKey(KeyRow, kw_only=True):
    """`key` is shown this once. `first`: from now on everybody needs one."""

    key: str
    first: bool


class Revoked(Struct, kw_only=True):
    revoked: bool


class AccountRow(Struct, kw_only=True):
    """A limit that is None is none. `used` are records that aren't forgotten."""

    name: str
    state: str
    records: int | None
    calls_per_minute: int | None
    used: int
    created_at: str


class Accounts(Struct, kw_only=True):
    accounts: list[AccountRow]


class Place(Struct, kw_only=True):
    """A member's role in a unit."""

    unit: str
    role: str
    expires_at: str | None


class MemberRow(Struct, kw_only=True):
    name: str
    email: str | None
    places: list[Place]
    departed_at: str | None
    heir: str | None


class Members(Struct, kw_only=True):
    members: list[MemberRow]


class UnitRow(Struct, kw_only=True):
    name: str
    level: str
    parent: str | None


class Units(Struct, kw_only=True):
    units: list[UnitRow]
