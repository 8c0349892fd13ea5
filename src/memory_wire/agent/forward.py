"""The agent's side of the protocol: the server's tools with one of its own, calls carried on, writes through the courier.

Plugs into mcp/stdio.py as a provider and as what runs its steps.
"""

from __future__ import annotations

import os
from hashlib import sha256

from msgspec import DecodeError, Struct
from msgspec.json import decode, encode

from memory_wire import __version__, config
from memory_wire.agent.courier import Courier
from memory_wire.agent.remote import Remote, reason
from memory_wire.agent.spool import SpoolFull
from memory_wire.errors import Unreachable
from memory_wire.hooks import files
from memory_wire.mcp.exposed import INTEGRATION
from memory_wire.mcp.provider import Provider
from memory_wire.mcp.results import failure, success
from memory_wire.mcp.rpc import PARAMS, Fault
from memory_wire.mcp.serving import INSTRUCTIONS
from memory_wire.mcp.steps import Run
from memory_wire.mcp.tools import IDEMPOTENCY, Tools, page_start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memory_wire.mcp.rpc import Json
    from memory_wire.mcp.steps import Work
    from memory_wire.mcp.task import Context

STATUS = "mmw_sync_status"
KEPT_WRITES = frozenset({"memory_retain", "remember", "forget"})  # writes that a server knows when they come twice
OUTSIDE = "gateway_call"
STATUS_TOOL: dict[str, object] = {
    "name": STATUS,
    "title": "State of the local agent",
    "description": "Whether session history is uploaded with the user's consent, how far it is, and which writes wait for the server.",
    "inputSchema": {"type": "object", "properties": {}},
    "outputSchema": {
        "type": "object",
        "properties": {
            "server": {"type": "string"},
            "consent": {"type": "boolean"},
            "last_cycle": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "files": {"type": "integer"},
            "bytes": {"type": "integer"},
            "last_error": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "waiting": {"type": "integer"},
            "set_aside": {"type": "integer"},
        },
        "required": ["server", "consent", "last_cycle", "files", "bytes", "last_error", "waiting", "set_aside"],
    },
    "annotations": {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False},
}


class Asked(Struct, frozen=True):
    """Parameters of a message that is carried on."""

    params: dict[str, object]
    key: object = None


class Forwarder:
    """One host's agent. `status` tells what `mmw_sync_status` shows."""

    def __init__(self, remote: Remote, bank: str, status: Callable[[], Json]) -> None:
        self.remote = remote
        self.bank = bank
        self.status = status
        self.courier = Courier(remote)
        name = sha256(f"{remote.target}\n{bank}".encode("utf-8", "surrogateescape")).hexdigest()[:16]
        self.cache = os.path.join(remote.folder, f"tools-{name}.json")
        self.known: list[Json] = []

    def provider(self) -> Provider:
        methods = {"tools/list": self.listed, "tools/call": self.call}
        return Provider({"name": "memory-wire", "version": __version__}, methods, capabilities={"tools": {}}, instructions=INSTRUCTIONS)

    def listed(self, context: Context, params: Mapping[str, object]) -> Work:
        page_start(params)
        found = yield Run("tools/list", Asked({}))
        assert isinstance(found, dict)
        return found

    def call(self, context: Context, params: Mapping[str, object]) -> Work | Json:
        name, arguments = params.get("name"), params.get("arguments")
        if not isinstance(name, str):
            raise Fault(PARAMS, "`name` must be a string")
        if arguments is not None and not isinstance(arguments, dict):
            raise Fault(PARAMS, "`arguments` must be an object")
        return self.carried(name, dict(arguments or {}), context.meta.get(IDEMPOTENCY))

    def carried(self, name: str, arguments: Json, key: object) -> Work:
        found = yield Run("tools/call", Asked({"name": name, "arguments": arguments}, key))
        if isinstance(found, Fault):
            raise found
        assert isinstance(found, dict)
        return found

    # on the threads of stdio.py ----------------------------------------------------------------------------------------------------

    def run(self, step: Run) -> object:
        """A result, or the Fault that the server has answered."""
        request = step.request
        assert isinstance(request, Asked)
        if step.operation == "tools/list":
            return {"tools": [*self.tools(), STATUS_TOOL]}
        name, arguments = str(request.params["name"]), request.params["arguments"]
        assert isinstance(arguments, dict)
        if name == STATUS:
            told = self.status()
            return success(encode(told), told)
        try:
            return self.answered(name, self.placed(name, arguments), request.key)
        except Fault as fault:
            return fault
        except Unreachable as error:
            return failure(f"the memory server can't be asked now: {reason(error)}")
        except (SpoolFull, OSError) as error:
            return failure(f"nothing was stored: {error}")

    def answered(self, name: str, arguments: Json, key: object) -> Json:
        """What the server says, or that a write waits for it."""
        if name in KEPT_WRITES and arguments.get("update_mode") != "append":  # appending twice would double
            found = self.courier.sent(name, arguments, key)
            return self.waits(name) if found is None else found
        params: Json = {"name": name, "arguments": arguments}
        if key is not None:
            params["_meta"] = {IDEMPOTENCY: key}
        leaves = name == OUTSIDE or self.schema(name, "_meta").get(INTEGRATION) is not None
        seconds = config.GATEWAY_SECONDS_MAX + config.AGENT_SEND_SECONDS if leaves else config.AGENT_SEND_SECONDS
        return self.remote.message("tools/call", params, seconds=seconds)

    def tools(self) -> list[Json]:
        """The server's tools as they are; while it is away those it had, or those of this version."""
        try:
            found: list[Json] = []
            cursor: object = None
            while True:
                page = self.remote.message("tools/list", {} if cursor is None else {"cursor": cursor}, self.bank, config.AGENT_LIST_SECONDS)
                tools, cursor = page.get("tools"), page.get("nextCursor")
                found += [tool for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
                if cursor is None:
                    break
            if found != self.known:
                files.put(self.cache, encode(found))
        except (Unreachable, Fault, OSError):
            found = self.known or cached(self.cache) or own_tools()
        self.known = found
        return found

    def schema(self, name: str, part: str) -> Json:
        """A schema or `_meta` of a tool, also of one that the server has but doesn't show; empty when it is unknown."""
        known = [*(self.known or cached(self.cache)), *own_tools("all")]
        found = next((tool.get(part) for tool in known if tool.get("name") == name), None)
        return found if isinstance(found, dict) else {}

    def placed(self, name: str, arguments: Json) -> Json:
        """The arguments with this place's bank, where a tool of the memory takes one and none is given."""
        if self.schema(name, "_meta").get(INTEGRATION) is not None:
            return arguments  # what it calls a workspace is none of ours
        properties = self.schema(name, "inputSchema").get("properties")
        field = next((field for field in ("bank", "workspace") if isinstance(properties, dict) and field in properties), None)
        return arguments if field is None or arguments.get(field) is not None else {**arguments, field: self.bank}

    def waits(self, name: str) -> Json:
        """The result of a write that waits. Hosts check results by the tool's schema, so it has every field that must be there."""
        schema = self.schema(name, "outputSchema")
        properties, required = schema.get("properties"), schema.get("required")
        shape = (
            {field: blank(properties.get(field)) for field in required}
            if isinstance(properties, dict) and isinstance(required, list)
            else {}
        )
        why = self.courier.spool.trouble or "others are sent first"
        text = f"Kept on this machine; it is stored when the memory server answers again ({why})."
        return success(text.encode(), {**shape, "waiting": True})


def blank(rule: object) -> object:
    """A value of a field's type that says nothing."""
    kind = rule.get("type") if isinstance(rule, dict) else None
    return {"string": "waiting", "boolean": False, "integer": 0, "number": 0, "array": [], "object": {}}.get(str(kind))


def cached(path: str) -> list[Json]:
    """Tools that a server had."""
    try:
        found = decode(files.get(path, config.MCP_LINE))
    except DecodeError:
        return []
    return [tool for tool in found if isinstance(tool, dict)] if isinstance(found, list) else []


def own_tools(shown: str = "core") -> list[Json]:
    """The tools of this version, of a set."""
    found = Tools().page(shown, 0)["tools"]
    assert isinstance(found, list)
    return found
