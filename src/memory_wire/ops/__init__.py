"""The operation table: one row an operation. HTTP, the command line and the Python API are loops over it.

`name` is also the function of the service that does the work; `writes` says that it runs inside a group commit.
"""

from __future__ import annotations

from memory_wire.ops import (
    administration,
    background,
    banks,
    bundles,
    descriptions,
    embedding,
    erasing,
    filing,
    gateway,
    graph,
    hub,
    memories,
    public,
    questions,
    raw,
    records,
    sessions,
)
from memory_wire.ops.op import Op as Op

OPS: tuple[Op, ...] = (
    *memories.OPS,
    *records.OPS,
    *banks.OPS,
    *administration.OPS,
    *background.OPS,
    *embedding.OPS,
    *erasing.OPS,
    *gateway.OPS,
    *hub.OPS,
    *bundles.OPS,
    *descriptions.OPS,
    *filing.OPS,
    *sessions.OPS,
    *public.OPS,
    *graph.OPS,
    *raw.OPS,
    *questions.OPS,
)
BY_NAME = {op.name: op for op in OPS}
