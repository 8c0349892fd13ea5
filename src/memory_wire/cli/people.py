"""Verbs of administrators: projects, accounts, members and the units of the organisation. Keys have a module of their own."""

from __future__ import annotations

from memory_wire import grants
from memory_wire.cli.args import COMMON, Command, Option, Usage, Value
from memory_wire.cli.show import as_json, line, table
from memory_wire.cli.target import connect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_wire.client import Client, Memory

ACCOUNT = Option("account", help="of another account (for who runs the store)")
PLAIN = tuple(option for option in COMMON if option.name != "bank")
ROLES = ("admin", "head", "member", "contractor", "auditor")
LEVELS = ("holding", "legal_entity", "branch", "department", "unit", "team")


def commands() -> list[Command]:
    return [
        Command(
            "projects",
            "The projects; `projects create NAME` makes one.",
            projects,
            optional=("action", "name"),
            options=(ACCOUNT, *PLAIN),
            choices=("create",),
        ),
        Command(
            "accounts",
            "The accounts with their states and limits; `accounts set NAME` makes or changes one.",
            accounts,
            optional=("action", "name"),
            options=(
                Option("state", help="grace: reads only; ended: nothing", choices=("active", "grace", "ended")),
                Option("records", "int", "most records, 0 for no limit"),
                Option("calls-per-minute", "int", "of one key, 0 for no limit"),
                *PLAIN,
            ),
            choices=("set",),
        ),
        Command(
            "members",
            "The members; `members set NAME` makes one or gives a role, `members depart NAME` lets one go.",
            members,
            optional=("action", "name"),
            options=(
                Option("unit", help="unit of the role"),
                Option("role", help="in the unit (default member)", choices=ROLES),
                Option("days", "int", "how long the role counts: a contractor's term"),
                Option("email"),
                Option("heir", help="who gets the records of who departs"),
                ACCOUNT,
                *PLAIN,
            ),
            choices=("set", "depart"),
        ),
        Command(
            "units",
            "The units of the organisation; `units create NAME` makes one.",
            units,
            optional=("action", "name"),
            options=(
                Option("level", help="what it is (default unit)", choices=LEVELS),
                Option("parent", help="the unit that it is part of"),
                ACCOUNT,
                *PLAIN,
            ),
            choices=("create",),
        ),
    ]


def given(values: dict[str, Value], *names: str) -> dict[str, str]:
    """Text options that were given."""
    return {name: str(values[name]) for name in names if values.get(name) is not None}


def number(values: dict[str, Value], name: str) -> int | None:
    value = values.get(name)
    return value if isinstance(value, int) else None


def name_in(values: dict[str, Value]) -> str:
    """The name that an action needs. Raises Usage."""
    if values.get("name") is None:
        raise Usage(f"{values['action']} needs NAME")
    return str(values["name"])


def projects(values: dict[str, Value]) -> int:
    with connect(values) as target:
        if values.get("action"):
            made = target.create_project(name_in(values), **given(values, "account"))
            return done(values, made, f"project {made.name}")
        found = target.projects(**given(values, "account"))
    return listed(values, found, ("project", "banks", "since"), [(row.name, row.banks, row.created_at) for row in found.projects])


def accounts(values: dict[str, Value]) -> int:
    with connect(values) as target:
        if values.get("action"):
            limits = {name: number(values, name) for name in ("records", "calls_per_minute")}
            row = target.set_account(name_in(values), **given(values, "state"), **limits)  # type: ignore[arg-type]
            text = f"account {row.name}: {row.state}, {said(row.records)} records, {said(row.calls_per_minute)} calls a minute"
            return done(values, row, text)
        found = target.accounts()
    rows = [(row.name, row.state, row.used, said(row.records), said(row.calls_per_minute)) for row in found.accounts]
    return listed(values, found, ("account", "state", "records", "at most", "calls a minute"), rows)


def said(limit: int | None) -> str:
    return "any" if limit is None else f"{limit:,}"


def members(values: dict[str, Value]) -> int:
    with connect(values) as target:
        if values.get("action"):
            row = changed(values, target)
            return done(values, row, f"{row.name}: {places(row)}")
        found = target.members(**given(values, "account"))
    rows = [(row.name, places(row), row.departed_at or "-", row.heir or "-") for row in found.members]
    return listed(values, found, ("member", "roles", "departed", "heir"), rows)


def changed(values: dict[str, Value], target: Client | Memory) -> grants.MemberRow:
    if values["action"] == "depart":
        return target.depart(name_in(values), **given(values, "heir", "account"))
    return target.set_member(name_in(values), days=number(values, "days"), **given(values, "unit", "role", "email", "account"))


def places(row: grants.MemberRow) -> str:
    if row.departed_at:
        return f"left, records to {row.heir or 'nobody'}"
    parts = [f"{place.role} of {place.unit}" + (f" until {place.expires_at[:10]}" if place.expires_at else "") for place in row.places]
    return ", ".join(parts) or "of no unit"


def units(values: dict[str, Value]) -> int:
    with connect(values) as target:
        if values.get("action"):
            row = target.create_unit(name_in(values), **given(values, "level", "parent", "account"))
            return done(values, row, f"{row.level} {row.name}")
        found = target.units(**given(values, "account"))
    return listed(values, found, ("unit", "level", "part of"), [(row.name, row.level, row.parent or "-") for row in found.units])


def done(values: dict[str, Value], answer: object, text: str) -> int:
    if values.get("json"):
        as_json(answer)
    else:
        line(text)
    return 0


def listed(values: dict[str, Value], answer: object, heads: tuple[str, ...], rows: Sequence[tuple[object, ...]]) -> int:
    if values.get("json"):
        as_json(answer)
    else:
        table(heads, rows)
    return 0
