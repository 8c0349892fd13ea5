"""Erasing for good."""

from __future__ import annotations

from memory_wire.ops.op import NEW, Later, Op

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire import erasure as e
else:
    e = Later("erasure")

OPS: tuple[Op, ...] = (
    Op(
        name="erase",
        request=e.Erase,
        response=e.Erased,
        http=("POST", f"{NEW}/erase"),
        body=True,
        contract=False,
        apart=True,
        needs="admin",
        summary="Remove memories, records and documents for good: text, index and log.",
        errors=("invalid", "storage"),
    ),
)
