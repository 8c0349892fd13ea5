"""What a dispatcher serves, apart from the protocol itself. The product's is made by serving.py; tests have others."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memory_wire.mcp.rpc import Json
    from memory_wire.mcp.steps import Handler


class Provider:
    """`methods` by name (`tools/list`, `prompts/get`, …) answer both eras, `legacy` ones only the older.

    `modern` are capabilities that only the newer era has. `subscribable` are the filters of `subscriptions/listen` that are honoured.
    """

    def __init__(
        self,
        info: Json,
        methods: Mapping[str, Handler],
        *,
        capabilities: Json | None = None,
        modern: Json | None = None,
        instructions: str | None = None,
        legacy: Mapping[str, Handler] | None = None,
        subscribable: frozenset[str] = frozenset(),
    ) -> None:
        self.info = info
        self.methods = methods
        self.capabilities: Json = capabilities or {}
        self.modern: Json = modern or {}
        self.instructions = instructions
        self.legacy: Mapping[str, Handler] = legacy or {}
        self.subscribable = subscribable
        self.publish: Callable[..., None] = unheard  # the dispatcher's, once there is one

    def header_params(self, tool: str) -> Mapping[tuple[str, ...], tuple[str, str]]:
        """For a tool, the header that carries each argument marked `x-mcp-header`, with the argument's type, by the argument's path."""
        return {}


def unheard(kind: str, uri: str = "") -> None:
    """No dispatcher serves this provider."""
