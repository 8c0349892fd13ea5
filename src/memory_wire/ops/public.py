"""What everybody may read: pages of documents, bundles and hubs. Nobody needs a key, and the caller's project and bank play no part."""

from __future__ import annotations

from memory_wire.ops.op import Later, Op

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire import publishing as p
else:
    p = Later("publishing")

OPS: tuple[Op, ...] = (
    Op(
        name="style",
        request=p.Style,
        response=p.Payload,
        http=("GET", "/hub.css"),
        contract=False,
        public=True,
        summary="The style sheet of all pages.",
    ),
)
