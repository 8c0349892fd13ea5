"""Who may see and write which records. One condition for every question about them; loaded with the first record.

Without a caller, on a machine's own store, everything may be seen and written. A record is its author's, a unit's (of those in it and in
its parts, and of the heads above), the project's (the default) or the organisation's. Leavers' records are their heir's.
"""

from __future__ import annotations

from msgspec.json import encode

from memory_wire.errors import Invalid, RecordLimit
from memory_wire.store.records import EVERYTHING, Sight
from memory_wire.types import Caller, Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.store.protocol import Reader as Asked
    from memory_wire.store.protocol import Tx
    from memory_wire.store.reader import Reader
    from memory_wire.store.rows import Bank

    Owner = tuple[str | None, int | None, int | None]

VISIBILITIES = ("author", "unit", "project", "organization")
NOTHING = Sight("? IS NOT NULL", (None,))
_GONE = "SELECT m.id FROM member m WHERE m.departed IS NOT NULL"
_LIST = "SELECT value FROM json_each(?)"
_ALL_BUT_DRAFTS = f"(r.visibility IS NOT 'author' OR r.author IS ? OR r.author IN ({_GONE}))"
_MEMBER = f"""CASE ifnull(r.visibility, 'project')
WHEN 'author' THEN r.author IS ? OR r.author IN ({_LIST}) OR (r.author IN ({_GONE}) AND r.org_unit IN ({_LIST}))
WHEN 'unit' THEN r.author IS ? OR r.author IN ({_LIST}) OR r.org_unit IN ({_LIST})
WHEN 'organization' THEN ? OR r.author IS ?
ELSE 1 END"""


def sight(source: Asked | Reader | Tx, scope: Scope) -> Sight:
    """What the caller of a scope may see of records. Its parameters are empty for those only who see everything."""
    caller = scope.caller
    if caller is None:
        return EVERYTHING
    if caller.role == "auditor":
        return NOTHING
    if caller.role == "admin" or (caller.member is None and caller.rights == "admin"):
        return Sight(_ALL_BUT_DRAFTS, (caller.member,))
    heirs, headed, units = (encode(ids).decode() for ids in (caller.heir_of, caller.headed, caller.units))
    within = caller.role != "contractor"
    return Sight(_MEMBER, (caller.member, heirs, headed, caller.member, heirs, units, within, caller.member))


def of_author(reader: Reader, author: int | None, now: int) -> Sight:
    """What the author of a record may see now: nothing, if they have left; without one what a key of no member sees."""
    if author is None:
        return Sight(_MEMBER, (None, "[]", "[]", None, "[]", "[]", True, None))
    from memory_wire.service.gate import of_member  # few stores have members

    keyring = reader.keyring
    caller = None if keyring.departed(author) else of_member(keyring, Caller("", 0, "", "read"), author, None, now)
    return NOTHING if caller is None else sight(reader, Scope(caller=caller))


def hidden(source: Asked | Reader | Tx, scope: Scope, bank: Bank) -> set[int]:
    """Units of the bank that the caller may not see, nor anything derived from them."""
    seen = sight(source, scope)
    return source.records.hidden(bank, seen) if seen.params else set()


def check_write(tx: Tx, scope: Scope, bank: Bank) -> None:
    """Whether one more record may be written. Raises RecordLimit."""
    caller = scope.caller
    if caller is not None and caller.records is not None and tx.keyring.live_records(caller.account) >= caller.records:
        raise RecordLimit(f"the account holds {caller.records:,} records, which is its limit; what is forgotten doesn't count")


def owner(tx: Tx, scope: Scope, visibility: str | None) -> Owner:
    """(visibility, author, unit of the organisation) of a record that the caller writes. Raises Invalid."""
    if visibility is not None and visibility not in VISIBILITIES:
        raise Invalid("visibility", f"must be one of {', '.join(VISIBILITIES)}")
    caller = scope.caller
    if caller is None:
        return visibility, None, None
    if visibility == "unit" and caller.unit is None:
        raise Invalid("visibility", "the key's member belongs to no unit" if caller.member is not None else "the key belongs to no member")
    return visibility, caller.member, caller.unit


def observes(scope: Scope) -> bool:
    """Whether what the caller says of a source's hash is noted: not with a key that only reads."""
    return scope.caller is None or (scope.caller.rights != "read" and scope.caller.state == "active")
