"""What a handler asks of its surroundings while it works. A handler returns its result or is a generator that yields these.

`Run` and `Ask` give what was asked for, or raise its error at the `yield`; the others give None.
"""

from __future__ import annotations

from msgspec import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from memory_wire.mcp.rpc import Json
    from memory_wire.mcp.task import Context


class Run(Struct, frozen=True):
    """An operation of the table. Gives its response; raises MemoryWireError."""

    operation: str
    request: Struct
    bank: str = "default"


class Notify(Struct, frozen=True):
    """A notification to the client, on the stream of the request that is being answered. Progress nobody asked for is dropped."""

    method: str
    params: dict[str, object]


class Ask(Struct, frozen=True):
    """A request to the client (legacy only; a modern handler returns `resultType: input_required`). Gives its result; raises Fault."""

    method: str
    params: dict[str, object]


class Hold(Struct, frozen=True):
    """Nothing to do for now: the handler goes on when somebody calls its task's `resume`, and is closed when the client leaves."""


class Send(Struct, frozen=True):
    """What a transport gets to see of Notify and Ask: bytes for the client. `answer_to` is the id that the client will answer to."""

    data: bytes
    answer_to: str | None = None


if TYPE_CHECKING:
    Step = Run | Notify | Ask | Hold
    Work = Generator[Step, object, Json]
    Handler = Callable[[Context, Mapping[str, object]], Json | Work]
