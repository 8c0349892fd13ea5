"""What a key may do: its right, the state of its account, the role of its member. Asked for every call that comes with a key."""

from __future__ import annotations

from memory_wire.errors import Forbidden, SubscriptionInactive, SubscriptionReadOnly

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.ops import Op
    from memory_wire.types import Caller

RANKS = {"read": 0, "write": 1, "admin": 2}
STATES = ("active", "grace", "ended")
SAID = {"write": "this key may only read", "admin": "this needs a key with the right `admin`"}
OWN = 1  # the store's own account, whose administrators run the store
LOG = "audit"


def allow(op: Op, caller: Caller) -> None:
    """Raises Forbidden, SubscriptionReadOnly or SubscriptionInactive when the caller may not do it."""
    right = op.right
    runs = right == "admin" and operator(caller)  # or nobody could take an account out of its state
    if caller.state == "ended" and not runs:
        raise SubscriptionInactive
    if caller.role == "auditor":
        if op.name != LOG:
            raise Forbidden("an auditor may read the log only")
        return
    if RANKS[right] > RANKS[caller.rights]:
        raise Forbidden(SAID[right])
    if caller.state == "grace" and not runs and (right == "write" or (right == "admin" and op.writes)):
        raise SubscriptionReadOnly


def operator(caller: Caller | None) -> bool:
    """Whether the caller runs the store itself: this machine's own, or an administrator of its first account bound to nothing."""
    return caller is None or (caller.account == OWN and caller.rights == "admin" and caller.project is None and caller.member is None)
