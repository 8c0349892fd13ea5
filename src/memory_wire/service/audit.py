"""The log of what was done, never with content. Notes are written in the transaction of what they tell of.

Administrators and auditors read what belongs to their account or project; who runs the store reads everything, with the chain that shows
what was taken out.
"""

from __future__ import annotations

from memory_wire import grants
from memory_wire.errors import Forbidden, Invalid
from memory_wire.kernels.text import content_hash
from memory_wire.service import dates, validate
from memory_wire.service.rights import operator
from memory_wire.store.trail import Asked, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.service.service import Service
    from memory_wire.store.protocol import Tx
    from memory_wire.store.reader import Reader
    from memory_wire.store.rows import Bank
    from memory_wire.types import Caller, Scope

LOCAL = "local"
CHAIN_CHARS = 32
PAGE = 2_000  # lines of the chain that are looked at in one transaction


def actor(caller: Caller | None) -> str:
    """Who did it: the member, else the key, or this machine."""
    if caller is None:
        return LOCAL
    return f"member:{caller.name}" if caller.name is not None else f"key:{caller.key}"


def note(tx: Tx, scope: Scope, bank: Bank, action: str, target: str | None, at: int, detail: str | None = None) -> None:
    """Appends one line: who did what to which record."""
    tx.trail.add_of_bank(content_hash, bank.id, at, actor(scope.caller), action, target, detail)


def audit(reader: Reader, request: grants.Audit, scope: Scope) -> grants.AuditLog:
    """A page of the log, oldest first. Raises Invalid."""
    caller = scope.caller
    limit = validate.page_limit(request.limit)
    since, skip = place(request)
    asked = Asked(since=since, actor=request.actor, kind=request.kind, limit=limit + 1, skip=skip)
    if caller is not None and not operator(caller):
        asked.account, asked.project = caller.account, caller.project
    lines = reader.trail.page(asked)
    shown = lines[:limit]
    events = [
        grants.Event(
            at=dates.stamp(line.at),
            project=line.project and line.project.rpartition("/")[2],
            bank=line.bank,
            actor=line.actor,
            action=line.action,
            target=line.target,
            detail=line.detail,
            chain=line.chain.hex() if operator(caller) and line.chain is not None else None,
        )
        for line in shown
    ]
    if len(lines) <= limit:
        return grants.AuditLog(events=events)
    last = shown[-1].at
    again = sum(line.at == last for line in shown) + (skip if last == since else 0)
    return grants.AuditLog(events=events, cursor=f"{last}.{again}")


def place(request: grants.Audit) -> tuple[int, int]:
    """(time, lines of that time to leave out) where a page begins. Raises Invalid."""
    if request.cursor is not None:
        at, _, skip = request.cursor.partition(".")
        if not (at.isascii() and at.isdigit() and skip.isascii() and skip.isdigit() and len(at) < 16 and len(skip) < 10):
            raise Invalid("cursor", "is none that was given")
        return int(at), int(skip)
    if request.since is None:
        return 0, 0
    try:
        return max(dates.parse(request.since), 0), 0
    except ValueError as error:
        raise Invalid("since", str(error)) from None


def verify_audit(service: Service, request: grants.VerifyAudit, scope: Scope) -> grants.AuditVerdict:
    """Whether every line that was ever written is there as it was written. Raises Invalid, Forbidden.

    A long log takes seconds, so it is read a page at a time, each in a transaction of its own: lines are only ever added behind.
    """
    if not operator(scope.caller):
        raise Forbidden("the log as a whole is looked at by who runs the store")
    noted = None
    if request.head is not None:
        try:
            noted = bytes.fromhex(request.head) if len(request.head) == CHAIN_CHARS else b""
        except ValueError:
            noted = b""
        if not noted:
            raise Invalid("head", f"must be {CHAIN_CHARS} hexadecimal digits")
    found, more = Verdict(0, b"", None, noted is None), True
    while more:
        with service.read() as reader:
            more = reader.trail.verify(content_hash, found, noted, PAGE)
    return grants.AuditVerdict(whole=found.fault is None, events=found.lines, head=found.head.hex(), fault=found.fault)
