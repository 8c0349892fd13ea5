"""Calls that are safe to repeat: a key stands for one request of one caller, of one operation in a project, for IDEMPOTENCY_HOURS.

The key is claimed in the transaction that does the work, so a second caller waits for the first one's commit and then sees it. Requests
that fail claim nothing.
"""

from __future__ import annotations

from msgspec import Struct, json, structs

from memory_wire import config
from memory_wire.errors import IdempotencyConflict, IdempotencyKeyInvalid
from memory_wire.service import forms
from memory_wire.service.keys import Keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.store.protocol import Tx
    from memory_wire.types import Scope

HOUR_MS = 3_600_000


class Claim(Struct):
    """A key with what it was given for; the fingerprint is keyed, as the request may hold secrets."""

    operation: str
    key: str
    fingerprint: bytes
    at: int

    def answered(self, tx: Tx, scope: Scope) -> bytes | None:
        """What was answered before. Raises IdempotencyConflict."""
        found = tx.records.claimed(scope.project, self.operation, self.key, self.at - config.IDEMPOTENCY_HOURS * HOUR_MS)
        if found is None:
            return None
        if found[0] != self.fingerprint:
            raise IdempotencyConflict
        return found[1]

    def keep(self, tx: Tx, scope: Scope, response: Struct) -> None:
        """Keeps the answer for those who ask again."""
        before = self.at - config.IDEMPOTENCY_HOURS * HOUR_MS
        tx.records.claim(scope.project, self.operation, self.key, self.fingerprint, json.encode(response), self.at, before)


def claim(operation: str, request: Struct, scope: Scope, keys: Keys, at: int) -> Claim | None:
    """The claim of a request that brings a key. Raises IdempotencyKeyInvalid."""
    values = structs.asdict(request)
    key = values.pop("idempotency_key")
    if key is None:
        return None
    if not isinstance(key, str) or not 1 <= len(key) <= config.IDEMPOTENCY_CHARS or not all("!" <= letter <= "~" for letter in key):
        raise IdempotencyKeyInvalid("idempotency_key", f"idempotency key must be 1 to {config.IDEMPOTENCY_CHARS} visible ASCII characters")
    if scope.caller is not None:  # another caller may not see what this one was answered
        who = scope.caller
        key = f"member:{who.member} {key}" if who.member is not None else f"key:{who.key} {key}"  # no given key has a blank
    values["workspace"] = scope.bank
    if values.get("confidence", 0) is None:
        values["confidence"] = config.CONFIDENCE
    canonical = forms.composed(json.encode(values, order="sorted").decode())
    return Claim(operation, key, keys.digest(canonical.encode()), at)
