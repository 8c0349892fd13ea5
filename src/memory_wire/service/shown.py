"""The way to what everybody may see: the operation's function answers, and its payload gets the ETag that it has not given itself."""

from __future__ import annotations

from memory_wire.kernels.text import content_hash
from memory_wire.publishing import Payload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from msgspec import Struct

    from memory_wire.ops import Op
    from memory_wire.service.service import Service
    from memory_wire.types import Scope


def shown(service: Service, op: Op, request: Struct, scope: Scope) -> object:
    """The response of a public operation. Raises NotPublic for what isn't there for everybody, and what else the operation raises."""
    from memory_wire.service.table import PUBLIC

    answer = PUBLIC[op.name](service, request, scope)
    if isinstance(answer, Payload) and not answer.etag:
        answer.etag = f'"{content_hash(answer.body).hex()}"'
    return answer
