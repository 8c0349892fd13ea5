"""The two eras of the protocol: which versions there are, which one a message speaks, and what its answers must look like.

Legacy versions are settled by a handshake; a modern message says everything about itself in `_meta`. A process serves both at any time.
"""

from __future__ import annotations

from memory_wire.mcp.rpc import CAPABILITY, HEADERS, INVALID, METHOD, PARAMS, PARSE, VERSION, Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory_wire.mcp.rpc import Json

LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
_, BATCHES, STRUCTURED, NEWEST = LEGACY  # the one with batches, the first with structured content, the newest with a handshake
MODERN = ("2026-07-28",)
PREFIX = "io.modelcontextprotocol/"
META_VERSION, META_CAPABILITIES, META_LEVEL = PREFIX + "protocolVersion", PREFIX + "clientCapabilities", PREFIX + "logLevel"
META_SERVER, META_SUBSCRIPTION = PREFIX + "serverInfo", PREFIX + "subscriptionId"
LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
STATUS = {PARSE: 400, INVALID: 400, PARAMS: 400, HEADERS: 400, CAPABILITY: 400, VERSION: 400, METHOD: 404}  # modern; others are 200
CACHED = frozenset(  # methods whose modern results say how long they hold
    {"server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"}
)


def meta_of(params: Mapping[str, object]) -> Mapping[str, object]:
    """`_meta` of the parameters; empty when there is none. Raises Fault."""
    found = params.get("_meta")
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise Fault(PARAMS, "`_meta` must be an object")
    return found


def is_modern(meta: Mapping[str, object]) -> bool:
    """Whether a message means to be a modern one."""
    return META_VERSION in meta or META_CAPABILITIES in meta


def check_complete(meta: Mapping[str, object]) -> None:
    """Raises Fault for a modern message that doesn't say what every one has to."""
    missing = [key for key in (META_VERSION, META_CAPABILITIES) if key not in meta]
    if missing:
        raise Fault(PARAMS, f"`_meta` lacks {' and '.join(missing)}", status=400)


def check_modern(meta: Mapping[str, object]) -> str:
    """The version of a modern message. Raises Fault for one that is unknown, and for a `_meta` that isn't as it should be."""
    check_complete(meta)
    version = meta[META_VERSION]
    if not isinstance(version, str):
        raise Fault(PARAMS, f"`{META_VERSION}` must be a string", status=400)
    if version not in MODERN:
        raise Fault(VERSION, "unsupported protocol version", {"supported": list(MODERN), "requested": version}, status=400)
    if not isinstance(meta[META_CAPABILITIES], dict):
        raise Fault(PARAMS, f"`{META_CAPABILITIES}` must be an object", status=400)
    return version


def stamp(result: Json, method: str, server: Json) -> Json:
    """A modern result: complete unless it says otherwise, from whom it is, and how long it holds."""
    meta = result.get("_meta")
    stamped: Json = {"resultType": "complete", **result, "_meta": {META_SERVER: server, **(meta if isinstance(meta, dict) else {})}}
    if method in CACHED:
        stamped.setdefault("ttlMs", 0)
        stamped.setdefault("cacheScope", "private")
    return stamped


def fitted(result: Json, method: str, version: str) -> Json:
    """A legacy result without what the version has no word for."""
    if method != "tools/call" or version >= STRUCTURED:
        return result
    result = {key: value for key, value in result.items() if key != "structuredContent"}
    content = result.get("content")
    if isinstance(content, list):
        result["content"] = [fitted_block(block, version) for block in content]
    return result


def fitted_block(block: object, version: str) -> object:
    """A content block as an old client knows it."""
    kind = block.get("type") if isinstance(block, dict) else None
    if kind == "resource_link":
        assert isinstance(block, dict)
        return {"type": "text", "text": f"{block.get('name', '')} {block.get('uri', '')}".strip()}
    return {"type": "text", "text": "[audio]"} if kind == "audio" and version < BATCHES else block
