"""Projects, keys and accounts. Called by the service for administrators; loaded when first asked for.

Who runs the store (service/rights.py) may name any account. A key with the right `admin` reaches its own account, or its project alone.
"""

from __future__ import annotations

from msgspec.json import decode, encode

from memory_wire import config, grants
from memory_wire.errors import Forbidden, Invalid, NameTaken, UnknownName
from memory_wire.kernels.text import content_hash
from memory_wire.service import audit, dates, secrets
from memory_wire.service.changes import Outcome
from memory_wire.service.gate import Plan
from memory_wire.service.rights import RANKS, STATES, operator
from memory_wire.store.keyring import SHOWN_BYTES
from memory_wire.store.people import OWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.service.service import Service
    from memory_wire.store.keyring import Listed
    from memory_wire.store.people import Account
    from memory_wire.store.protocol import Tx
    from memory_wire.store.reader import Reader
    from memory_wire.types import Scope

    Work = Callable[[Tx], Outcome]

DAY_MS = dates.DAY_MS


# what callers reach ----------------------------------------------------------------------------------------------------------------


def name_of(field: str, given: object) -> str:
    """A name as it may be given. Raises Invalid."""
    if not isinstance(given, str) or not given.strip() or len(given) > config.NAME_CHARS or not given.isprintable() or "/" in given:
        raise Invalid(field, f"must be 1 to {config.NAME_CHARS} visible characters, no slash")
    return given.strip()


def days_of(given: int | None, most: int, now: int) -> int | None:
    """The end of so many days from now. Raises Invalid."""
    if given is None:
        return None
    if not isinstance(given, int) or isinstance(given, bool) or not 1 <= given <= most:
        raise Invalid("days", f"must be 1 to {most:,}")
    return now + given * DAY_MS


def account_of(source: Reader | Tx, scope: Scope, named: str | None) -> Account:
    """The account that is meant: the caller's, or another one for who runs the store. Raises UnknownName."""
    caller = scope.caller
    own = "default" if caller is None else caller.account_name
    found = source.people.account(own if named is None else named)
    if found is None or not (operator(caller) or found.name == own):
        raise UnknownName("account", str(named))
    return found


def whole(scope: Scope) -> None:
    """Raises Forbidden for who is bound to a project."""
    if scope.caller is not None and scope.caller.project is not None:
        raise Forbidden(f"this key reaches the project {bare(scope.caller.project)!r} only")


def bound(scope: Scope) -> str | None:
    """The project that the caller is bound to."""
    return None if scope.caller is None else scope.caller.project


def full(account: Account, project: str) -> str:
    """The name of a project in the store."""
    return project if account.id == OWN else f"{account.name}/{project}"


def bare(project: str | None) -> str | None:
    """The name of a project in its account."""
    return None if project is None else project.rpartition("/")[2]


def noted(tx: Tx, scope: Scope, account: int, project: str | None, action: str, target: str, at: int, detail: str | None = None) -> None:
    """Appends a line to the log, and has everybody look at keys anew."""
    project_id = None if project is None else tx.people.project_id(project)
    tx.trail.add(content_hash, at, account, project_id, None, audit.actor(scope.caller), action, target, detail)
    tx.keyring.changed()


# projects --------------------------------------------------------------------------------------------------------------------------


def projects(reader: Reader, request: grants.OfAccount, scope: Scope) -> grants.Projects:
    """The account's projects by name. Raises UnknownName."""
    account = account_of(reader, scope, request.account)
    rows = reader.people.projects(account.id, bound(scope))
    return grants.Projects(
        projects=[grants.ProjectRow(name=str(bare(row.name)), created_at=dates.stamp(row.created), banks=row.banks) for row in rows]
    )


def create_project(request: grants.CreateProject, scope: Scope, service: Service) -> Work:
    """The work that makes a project, empty. Raises NameTaken, UnknownName, Forbidden."""
    whole(scope)
    name, now = name_of("name", request.name), service.now()

    def work(tx: Tx) -> Outcome:
        account = account_of(tx, scope, request.account)
        if tx.people.project_id(full(account, name)) is not None:
            raise NameTaken("project", name)
        tx.people.add_project(account.id, full(account, name), now)
        noted(tx, scope, account.id, full(account, name), "project.create", name, now)
        return Outcome(grants.ProjectRow(name=name, created_at=dates.stamp(now), banks=0))

    return work


# keys ------------------------------------------------------------------------------------------------------------------------------


def keys(reader: Reader, request: grants.OfAccount, scope: Scope) -> grants.Keys:
    """The account's keys, in the order they were made. Raises UnknownName."""
    account, now = account_of(reader, scope, request.account), dates.now_ms()
    return grants.Keys(keys=[key_row(row, now) for row in reader.keyring.listed(account.id, bound(scope))])


def key_row(row: Listed, now: int) -> grants.KeyRow:
    state = "revoked" if row.revoked is not None else "expired" if row.expires is not None and now >= row.expires else "active"
    return grants.KeyRow(
        id=row.lookup[:SHOWN_BYTES].hex(),
        label=row.label,
        rights=row.rights,
        account=row.account,
        project=bare(row.project),
        member=row.member,
        state=state,
        created_at=dates.stamp(row.created),
        expires_at=None if row.expires is None else dates.stamp(row.expires),
    )


def create_key(request: grants.CreateKey, scope: Scope, service: Service) -> Work:
    """The work that makes a key; the answer is the only place where it stands. Raises UnknownName, Invalid."""
    label, now = name_of("label", request.label), service.now()
    if request.rights not in RANKS:
        raise Invalid("rights", f"must be one of {', '.join(RANKS)}")
    expires = days_of(request.days, config.KEY_DAYS, now)
    made = secrets.make(service.store.secret)

    def work(tx: Tx) -> Outcome:
        account = account_of(tx, scope, request.account)
        project = bound(scope) if request.project is None else full(account, request.project)
        if project is not None and (not tx.people.project(account.id, project) or bound(scope) not in (None, project)):
            raise UnknownName("project", str(request.project))
        member = None
        if request.member is not None:
            found = tx.people.member(account.id, request.member)
            if found is None or found[1] is not None:
                raise UnknownName("member", request.member)
            member = found[0]
        first = not tx.keyring.any()
        tx.keyring.add(account.id, project, member, label, request.rights, (made.lookup, made.salt, made.digest), now, expires)
        id = made.lookup[:SHOWN_BYTES].hex()
        noted(tx, scope, account.id, project, "key.create", id, now, request.rights)
        return Outcome(
            grants.NewKey(
                id=id,
                label=label,
                rights=request.rights,
                account=account.name,
                project=bare(project),
                member=request.member,
                state="active",
                created_at=dates.stamp(now),
                expires_at=None if expires is None else dates.stamp(expires),
                key=made.key,
                first=first,
            )
        )

    return work


def revoke_key(request: grants.RevokeKey, scope: Scope, service: Service) -> Work:
    """The work that ends a key at once and for good; one that is unknown, another's or ended already is no error."""
    now = service.now()
    try:
        shown = bytes.fromhex(request.id)
    except (ValueError, TypeError):
        shown = b""

    def work(tx: Tx) -> Outcome:
        caller = scope.caller
        account = None if operator(caller) or caller is None else caller.account
        done = len(shown) == SHOWN_BYTES and tx.keyring.revoke(shown, account, bound(scope), now)
        if done:
            of = tx.keyring.owner(shown)
            noted(tx, scope, of[0], of[1], "key.revoke", request.id, now)
        return Outcome(grants.Revoked(revoked=done))

    return work


# accounts --------------------------------------------------------------------------------------------------------------------------


def accounts(reader: Reader, request: grants.OfAccount, scope: Scope) -> grants.Accounts:
    """All accounts for who runs the store, else the caller's."""
    whole(scope)
    rows = reader.people.accounts() if operator(scope.caller) and request.account is None else [account_of(reader, scope, request.account)]
    return grants.Accounts(accounts=[account_row(row, reader) for row in rows])


def account_row(row: Account, source: Reader | Tx) -> grants.AccountRow:
    plan = plan_of(row)
    return grants.AccountRow(
        name=row.name,
        state=row.state,
        records=plan.records,
        calls_per_minute=plan.calls_per_minute,
        used=source.keyring.live_records(row.id),
        created_at=dates.stamp(row.created),
    )


def plan_of(row: Account) -> Plan:
    return decode(row.plan, type=Plan) if row.plan else Plan()


def limit(field: str, given: int | None, before: int | None) -> int | None:
    """A limit after a change: 0 takes it away. Raises Invalid."""
    if given is None:
        return before
    if not isinstance(given, int) or isinstance(given, bool) or not 0 <= given < 1 << 53:
        raise Invalid(field, "must be a number, 0 for no limit")
    return given or None


def set_account(request: grants.SetAccount, scope: Scope, service: Service) -> Work:
    """The work that makes an account, with a project `default`, or changes its state and limits. Raises Forbidden, Invalid."""
    if not operator(scope.caller):
        raise Forbidden("accounts are set by who runs the store")
    name, now = name_of("name", request.name), service.now()
    if request.state is not None and request.state not in STATES:
        raise Invalid("state", f"must be one of {', '.join(STATES)}")

    def work(tx: Tx) -> Outcome:
        found = tx.people.account(name)
        if found is None:
            tx.people.add_account(name, now)
            found = tx.people.account(name)
            assert found is not None
            if tx.people.project_id(full(found, "default")) is not None:
                raise NameTaken("project", full(found, "default"))
            tx.people.add_project(found.id, full(found, "default"), now)
        plan = plan_of(found)
        plan.records = limit("records", request.records, plan.records)
        plan.calls_per_minute = limit("calls_per_minute", request.calls_per_minute, plan.calls_per_minute)
        tx.people.set_account(found.id, request.state or found.state, encode(plan).decode())
        noted(tx, scope, found.id, None, "account.set", name, now, request.state or found.state)
        after = tx.people.account(name)
        assert after is not None
        return Outcome(account_row(after, tx))

    return work
