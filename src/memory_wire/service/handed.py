"""Reads of records that somebody left to the reader are written into the log. Loaded when the first heir reads something."""

from __future__ import annotations

from memory_wire import types as t
from memory_wire.kernels.text import content_hash
from memory_wire.service.audit import actor
from memory_wire.store.ids import parse, show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.service.service import Service
    from memory_wire.store.protocol import Tx

ACTION = "record.read"


def noted(service: Service, scope: t.Scope, response: object) -> None:
    """Appends a line for each record in the response that was handed over to the caller."""
    caller = scope.caller
    uids = [uid for uid in map(parse, ids_of(response)) if uid is not None]
    if caller is None or not uids:
        return
    with service.read() as reader:
        left = reader.records.left_by(uids, caller.heir_of)
    if not left:
        return
    now, who = service.now(), actor(caller)

    def work(tx: Tx) -> None:
        for uid, bank, author in left:
            tx.trail.add_of_bank(content_hash, bank, now, who, ACTION, show(uid), f"of {author}")

    service.store.submit(work)


def ids_of(response: object) -> list[str]:
    """Public ids of what a response shows."""
    if isinstance(response, t.SearchResults):
        return [hit.id for hit in response.results]
    if isinstance(response, t.Recalled):
        return [hit.id for hit in response.hits]
    if isinstance(response, t.Page):
        return [item.id for item in response.items]
    return [response.id] if isinstance(response, t.RecordDetail | t.MemoryHistory) else []
