"""Integrations as tools of their own: what a project's callers are shown of them, kept for a while. Loaded when tools are first listed.

What an MCP server says of its tools is asked for when nobody has lately; while it doesn't answer, what it last said holds.
"""

from __future__ import annotations

import time

from msgspec import ValidationError, convert
from msgspec.json import decode, encode

from memory_wire import config
from memory_wire import integrations as i
from memory_wire.errors import MemoryWireError, OutsideFailed
from memory_wire.service import gateway
from memory_wire.service.integrations import ALL, misnamed, named, own_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.service.service import Service
    from memory_wire.types import Empty, Scope

    Row = tuple[str, bytes]

LATE = "not asked in time"
PASSED = {  # what an integration says of a tool, and our name for it
    "title": "title",
    "description": "description",
    "inputSchema": "input_schema",
    "outputSchema": "output_schema",
    "annotations": "annotations",
}
HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
EXPOSED = b'"expose":["'  # in the spec of one that is; what an administrator wrote has its quotes escaped there


class Found:
    """What is known of one integration's tools. `due`: when it is asked again, in milliseconds; `why`: the last time it didn't answer."""

    __slots__ = ("due", "refused", "spec", "tools", "why")

    def __init__(self, spec: bytes) -> None:
        self.spec = spec
        self.due = 0
        self.tools: list[i.ExposedTool] = []
        self.refused: list[i.RefusedTool] = []
        self.why = ""


def exposed_tools(service: Service, request: Empty, scope: Scope) -> i.ExposedTools:
    """The project's tools, and what can't be one. Asks the integrations that are due, all together for a few seconds at most."""
    until = time.monotonic() + config.GATEWAY_LIST_SECONDS
    taken = own_names()
    answer = i.ExposedTools(tools=[], refused=[])
    for name, spec in rows(service, scope.project):
        found = known(service, scope.project, name, spec, until)
        answer.refused += found.refused
        if found.why:
            answer.refused.append(i.RefusedTool(server=name, tool=None, why=found.why))
        for tool in found.tools:
            if tool.name in taken:
                answer.refused.append(refused(tool, "another tool has the name"))
            elif len(answer.tools) == config.GATEWAY_TOOLS:
                answer.refused.append(refused(tool, f"a project has at most {config.GATEWAY_TOOLS} tools"))
            else:
                taken.add(tool.name)
                answer.tools.append(tool)
    return answer


def refused(tool: i.ExposedTool, why: str) -> i.RefusedTool:
    return i.RefusedTool(server=tool.server, tool=tool.tool, why=f"{tool.name}: {why}")


def stale(service: Service, project: str) -> bool:
    """Whether somebody outside would be asked now."""
    return any(fresh(service, project, name, spec) is None for name, spec in rows(service, project))


def rows(service: Service, project: str) -> list[Row]:
    """(name, spec) of the integrations that are exposed, by name."""
    with service.read() as reader:
        found = reader.integrations.all(project)
    return [(name, spec) for name, spec, _ in found if EXPOSED in spec]


def shelf(service: Service) -> dict[tuple[str, str], Found]:
    """What is kept, by project and integration; a trim of the service drops it."""
    return service.kept.setdefault("exposed", {})  # type: ignore[return-value]  # each module knows what it keeps


def fresh(service: Service, project: str, name: str, spec: bytes) -> Found | None:
    """What is known of an integration as it is set now, unless it has to be asked again."""
    found = shelf(service).get((project, name))
    return found if found is not None and found.spec == spec and service.now() < found.due else None


def known(service: Service, project: str, name: str, spec: bytes, until: float) -> Found:
    """What is known of an integration, after asking it where that is due."""
    found = fresh(service, project, name, spec)
    if found is not None:
        return found
    lists = shelf(service)
    kept, before = decode(spec, type=i.Integration), lists.pop((project, name), None)
    found = Found(spec)
    seconds = min(kept.seconds, until - time.monotonic())
    try:
        if kept.kind == "http":
            take(found, name, [template(name, kept)])
        elif seconds > 0:
            take(found, name, listed(service, name, kept, seconds))
            there = {tool.tool for tool in found.tools} | {tool.tool for tool in found.refused} | {ALL}
            found.refused += [i.RefusedTool(server=name, tool=tool, why="it has no such tool") for tool in kept.expose if tool not in there]
        else:
            found.why = LATE
        found.due = 0 if found.why else service.now() + config.GATEWAY_LIST_MS
    except MemoryWireError as error:
        found.why, found.due = str(error), service.now() + config.GATEWAY_RETRY_MS
    if found.why and before is not None and before.spec == spec:
        found.tools, found.refused = before.tools, before.refused
    for oldest in list(lists)[: len(lists) + 1 - config.GATEWAY_LISTS]:
        lists.pop(oldest, None)
    lists[project, name] = found
    if before is not None and encode(before.tools) != encode(found.tools) and service.retold is not None:
        service.retold(project)
    return found


def template(name: str, kept: i.Integration) -> dict[str, object]:
    """The tool that an integration of HTTP is."""
    needed = [argument for argument, kind in kept.arguments.items() if not kind.endswith("?")]
    reads = kept.method == "GET"
    return {
        "description": kept.description or f"Call {name}.",
        "inputSchema": {
            "type": "object",
            "properties": {argument: {"type": kind.removesuffix("?")} for argument, kind in kept.arguments.items()},
            **({"required": needed} if needed else {}),
        },
        "annotations": {
            "readOnlyHint": reads,
            "destructiveHint": not reads,
            "idempotentHint": kept.method in ("GET", "PUT", "DELETE"),
            "openWorldHint": True,
        },
    }


def listed(service: Service, name: str, kept: i.Integration, seconds: float) -> list[dict[str, object]]:
    """What an MCP server says of the tools that are exposed. Raises OutsideFailed, OutsideTimeout."""
    wanted = kept.tools if ALL in kept.expose else kept.expose
    answer = gateway.asked(service, name, kept, None, wanted, b"{}", seconds)
    body = answer["body"]
    assert isinstance(body, bytes)
    result = decode(body)
    tools = result.get("tools") if isinstance(result, dict) else None
    if not isinstance(tools, list):
        raise OutsideFailed(f"{name} doesn't list its tools")
    return [tool for tool in tools if isinstance(tool, dict)]


def take(found: Found, server: str, tools: list[dict[str, object]]) -> None:
    """Sorts what an integration says of its tools into those that can be shown and those that can't."""
    room = config.GATEWAY_LIST_BYTES
    for given in tools[: config.GATEWAY_TOOLS]:
        tool = str(given["name"])[: config.SOURCE_CHARS] if "name" in given else None
        room -= len(encode(given))
        why = misnamed(server, tool) or misshapen(given)
        if room < 0:
            why = f"all of them say more than {config.GATEWAY_LIST_BYTES >> 10} KiB of themselves"
        if why:
            found.refused.append(i.RefusedTool(server=server, tool=tool, why=why))
            continue
        fields: dict[str, object] = {ours: given[key] for key, ours in PASSED.items() if given.get(key) is not None}
        fields["annotations"] = hints(given.get("annotations"))
        try:
            found.tools.append(convert({**fields, "name": named(server, tool), "server": server, "tool": tool}, i.ExposedTool))
        except ValidationError as error:
            found.refused.append(i.RefusedTool(server=server, tool=tool, why=str(error)))


def misshapen(given: dict[str, object]) -> str | None:
    """Why what an integration says of a tool can't be passed on, if it can't."""
    for key in ("inputSchema", "outputSchema"):
        why = unlike_object(given.get(key)) if key == "inputSchema" or given.get(key) is not None else None
        if why:
            return f"its {key} {why}"
    if len(encode(given)) > config.GATEWAY_TOOL_BYTES:
        return f"it says more than {config.GATEWAY_TOOL_BYTES >> 10} KiB of itself"
    return None


def unlike_object(schema: object) -> str | None:
    """Why a schema is none of an object as clients take it, if it isn't: one bad schema costs them the whole list."""
    if not isinstance(schema, dict) or schema.get("type") != "object":
        return "is none of an object"
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if not isinstance(properties, dict) or not all(isinstance(rule, dict) for rule in properties.values()):
        return "has properties that are no schemas"
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        return "requires what is no name"
    return None


def hints(given: object) -> dict[str, object] | None:
    """What an integration says of how a tool behaves, as far as it says that as clients take it."""
    if not isinstance(given, dict):
        return None
    kinds = {"title": str, **dict.fromkeys(HINTS, bool)}
    return {key: value for key, value in given.items() if isinstance(value, kinds.get(key, object))} or None
