"""Members and the units of the organisation. Called by the service for administrators; loaded when first asked for."""

from __future__ import annotations

from memory_wire import config, grants
from memory_wire.errors import Invalid, NameTaken, UnknownName
from memory_wire.service import dates
from memory_wire.service.admin import account_of, days_of, name_of, noted, whole
from memory_wire.service.changes import Outcome
from memory_wire.service.gate import ROLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.service.service import Service
    from memory_wire.store.people import Membership
    from memory_wire.store.protocol import Tx
    from memory_wire.store.reader import Reader
    from memory_wire.types import Scope

    Work = Callable[[Tx], Outcome]

LEVELS = ("holding", "legal_entity", "branch", "department", "unit", "team")  # each only above what comes later
EMAIL_CHARS = 254


def shown(ms: int | None) -> str | None:
    return None if ms is None else dates.stamp(ms)


# units -----------------------------------------------------------------------------------------------------------------------------


def units(reader: Reader, request: grants.OfAccount, scope: Scope) -> grants.Units:
    """The account's units, those above before their parts. Raises UnknownName, Forbidden."""
    whole(scope)
    rows = reader.people.units(account_of(reader, scope, request.account).id)
    return grants.Units(units=[grants.UnitRow(name=row.name, level=row.level, parent=row.parent) for row in rows])


def create_unit(request: grants.CreateUnit, scope: Scope, service: Service) -> Work:
    """The work that makes a unit, part of another one or of none. Raises NameTaken, UnknownName, Invalid, Forbidden."""
    whole(scope)
    name, now = name_of("name", request.name), service.now()
    if request.level not in LEVELS:
        raise Invalid("level", f"must be one of {', '.join(LEVELS)}")

    def work(tx: Tx) -> Outcome:
        account = account_of(tx, scope, request.account)
        if tx.people.unit(account.id, name) is not None:
            raise NameTaken("unit", name)
        parent = None if request.parent is None else tx.people.unit(account.id, request.parent)
        if request.parent is not None and parent is None:
            raise UnknownName("unit", request.parent)
        if parent is not None and LEVELS.index(parent[1]) >= LEVELS.index(request.level):
            raise Invalid("level", f"a {request.level} is no part of a {parent[1]}")
        tx.people.add_unit(account.id, name, request.level, parent[0] if parent is not None else None)
        noted(tx, scope, account.id, None, "unit.create", name, now, request.level)
        return Outcome(grants.UnitRow(name=name, level=request.level, parent=request.parent))

    return work


# members ---------------------------------------------------------------------------------------------------------------------------


def members(reader: Reader, request: grants.OfAccount, scope: Scope) -> grants.Members:
    """The account's members by name. Raises UnknownName, Forbidden."""
    whole(scope)
    return grants.Members(members=rows(reader.people.members(account_of(reader, scope, request.account).id)))


def rows(found: list[Membership]) -> list[grants.MemberRow]:
    """One row a member, out of one line a membership."""
    by_name: dict[str, grants.MemberRow] = {}
    for line in found:
        row = by_name.get(line.name)
        if row is None:
            row = by_name[line.name] = grants.MemberRow(
                name=line.name, email=line.email, places=[], departed_at=shown(line.departed), heir=line.heir
            )
        if line.unit is not None and line.role is not None:
            row.places.append(grants.Place(unit=line.unit, role=line.role, expires_at=shown(line.expires)))
    return list(by_name.values())


def set_member(request: grants.SetMember, scope: Scope, service: Service) -> Work:
    """The work that makes a member, or gives one a role in a unit. Raises UnknownName, Invalid, Forbidden."""
    whole(scope)
    name, now = name_of("name", request.name), service.now()
    if request.email is not None and not (1 <= len(request.email) <= EMAIL_CHARS and request.email.isprintable()):
        raise Invalid("email", f"must be 1 to {EMAIL_CHARS} visible characters")
    role = request.role or "member"
    if role not in ROLES:
        raise Invalid("role", f"must be one of {', '.join(ROLES)}")
    if request.unit is None and (request.role is not None or request.days is not None):
        raise Invalid("unit", "is needed: a role is one in a unit")
    if role == "contractor" and request.days is None:
        raise Invalid("days", f"is needed: a contractor's term, 1 to {config.TERM_DAYS}")
    expires = days_of(request.days, config.TERM_DAYS, now)

    def work(tx: Tx) -> Outcome:
        account, people = account_of(tx, scope, request.account), tx.people
        found = people.member(account.id, name)
        if found is not None and found[1] is not None:
            raise Invalid("name", "is that of a member who has left")
        member = people.add_member(account.id, name, now) if found is None else found[0]
        if request.email is not None:
            people.set_email(member, request.email)
        if request.unit is not None:
            unit = people.unit(account.id, request.unit)
            if unit is None:
                raise UnknownName("unit", request.unit)
            people.join(member, unit[0], role, expires)
        noted(tx, scope, account.id, None, "member.set", name, now, None if request.unit is None else f"{role} of {request.unit}")
        return Outcome(next(row for row in rows(people.members(account.id)) if row.name == name))

    return work


def depart(request: grants.Depart, scope: Scope, service: Service) -> Work:
    """The work that lets a member go: their keys end at once, their records are the heir's. Raises UnknownName, Invalid, Forbidden."""
    whole(scope)
    now = service.now()

    def work(tx: Tx) -> Outcome:
        account, people = account_of(tx, scope, request.account), tx.people
        found = people.member(account.id, request.name)
        if found is None or found[1] is not None:
            raise UnknownName("member", request.name)
        heir = None
        if request.heir is not None:
            left_to = people.member(account.id, request.heir)
            if left_to is None or left_to[1] is not None:
                raise UnknownName("heir", request.heir)
            if left_to[0] == found[0]:
                raise Invalid("heir", "must be somebody else")
            heir = left_to[0]
        people.depart(found[0], heir, now)
        revoked = tx.keyring.revoke_member(found[0], now)
        noted(tx, scope, account.id, None, "member.depart", request.name, now, f"{revoked} keys revoked; heir {request.heir}")
        return Outcome(next(row for row in rows(people.members(account.id)) if row.name == request.name))

    return work
