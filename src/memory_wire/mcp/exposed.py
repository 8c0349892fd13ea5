"""Tools that are integrations of the project: listed after ours, called through the gateway. Used by tools.py.

Their arguments are checked by what their schema says at its first level; the integration checks the rest.
"""

from __future__ import annotations

from memory_wire import config
from memory_wire import integrations as i
from memory_wire import types as t
from memory_wire.errors import Forbidden, MemoryWireError, UnknownBank
from memory_wire.mcp import results
from memory_wire.mcp.rpc import PARAMS, Fault, encode, tellable
from memory_wire.mcp.steps import Run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from memory_wire.mcp.rpc import Json
    from memory_wire.mcp.steps import Step, Work
    from memory_wire.mcp.task import Context

INTEGRATION = "memory-wire/integration"  # in a tool's `_meta`: whose it is
KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


def listed(context: Context) -> Generator[Step, object, list[Json]]:
    """The tools as they are shown; none to those who may not call them, or when there is nobody to ask."""
    try:
        return [shown(tool) for tool in (yield from known(context))]
    except MemoryWireError:
        return []


def known(context: Context) -> Generator[Step, object, list[i.ExposedTool]]:
    answer = yield Run("exposed_tools", t.Empty(), context.peer.bank)
    assert isinstance(answer, i.ExposedTools)
    return answer.tools


def shown(tool: i.ExposedTool) -> Json:
    """A tool as `tools/list` has it: what the integration says, under our name."""
    found: Json = {"name": tool.name, "inputSchema": tool.input_schema}
    parts: Json = {
        "title": tool.title,
        "description": tool.description,
        "outputSchema": tool.output_schema,
        "annotations": tool.annotations,
        "_meta": {INTEGRATION: tool.server},
    }
    return found | {key: value for key, value in parts.items() if value is not None}


def call(context: Context, name: str, arguments: Json) -> Work:
    """Calls one. Raises Fault when there is none of that name for this caller."""
    try:
        tools = yield from known(context)
    except (Forbidden, UnknownBank):
        tools = []
    except MemoryWireError as error:
        return results.failure(str(error))
    tool = next((tool for tool in tools if tool.name == name), None)
    if tool is None:
        raise Fault(PARAMS, f"unknown tool: {name[:128]}")
    wrong = unfit(tool.input_schema, arguments)
    if wrong:
        return results.failure(wrong)
    try:
        answer = yield Run("gateway_call", i.GatewayCall(server=tool.server, tool=tool.tool, arguments=arguments), context.peer.bank)
    except MemoryWireError as error:
        return results.failure(str(error))
    assert isinstance(answer, i.GatewayAnswer)
    return passed(answer, tool.output_schema is not None)


def unfit(schema: Mapping[str, object], arguments: Mapping[str, object]) -> str:
    """What is wrong with the arguments by the first level of a JSON Schema; empty when nothing is."""
    properties, required = schema.get("properties"), schema.get("required")
    rules = properties if isinstance(properties, dict) else {}
    missing = [f"`{name}`" for name in required if name not in arguments] if isinstance(required, list) else []
    if missing:
        return f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} required"
    for name, value in arguments.items():
        rule = rules.get(name)
        if rule is None and schema.get("additionalProperties") is False:
            return unknown(name, rules)
        if isinstance(rule, dict):
            kinds = rule.get("type")
            choices = [kinds] if isinstance(kinds, str) else kinds if isinstance(kinds, list) else []
            if choices and not any(of_kind(value, kind) for kind in choices):
                return f"`{name}` must be {' or '.join(map(str, choices))}"
            listed = rule.get("enum")
            if isinstance(listed, list) and value not in listed:
                return f"`{name}` must be {' or '.join(map(str, listed))}"
    return ""


def of_kind(value: object, kind: object) -> bool:
    """Whether a value is of a type of JSON Schema; a type that isn't known is left to others."""
    if kind == "integer" and type(value) is float:
        return value.is_integer()
    return type(value) in KINDS.get(str(kind), (type(value),))


def unknown(name: str, rules: Mapping[str, object]) -> str:
    return f"unknown argument `{name[:128]}`; there are: {', '.join(rules) or 'none'}"


def passed(answer: i.GatewayAnswer, structured: bool) -> Json:
    """The integration's answer as the tool's result; `structured`: its schema says that there is structured content."""
    room = config.MCP_OUTPUT * config.CHARS_PER_TOKEN
    found = answer.result
    if answer.tool is None:  # of HTTP
        text = found if isinstance(found, str) else encode(found).decode()
        if not answer.ok:
            return results.failure(f"{answer.server} answered with status {answer.status}: {cut(text, room)}")
        return {"content": [{"type": "text", "text": tellable(cut(text, room))}], "isError": False}
    assert isinstance(found, dict)
    if "error" in found and "content" not in found:
        error = found["error"]
        return results.failure(f"{answer.server}: {error.get('message') if isinstance(error, dict) else error}")
    content, value = found.get("content"), found.get("structuredContent")
    result: Json = {"content": bounded(content if isinstance(content, list) else [], room), "isError": not answer.ok}
    if value is not None and len(encode(value)) <= room:
        result["structuredContent"] = value
    elif value is not None and structured and answer.ok:  # what a schema says must be there is whole or an error
        return results.failure(f"{answer.server} answers with more than {room:,} characters; ask for less")
    return result


def bounded(content: list[object], room: int) -> list[Json]:
    """The blocks that are some; of their texts, also of resources, as many as fit, the last of them maybe cut."""
    blocks: list[Json] = []
    for block in content:
        kind = block.get("type") if isinstance(block, dict) else None
        if not isinstance(block, dict) or not isinstance(kind, str):
            continue
        resource = block.get("resource")
        told = block if kind == "text" else resource if isinstance(resource, dict) else {}
        text = told.get("text")
        if not isinstance(text, str):
            if kind != "text":
                blocks.append(block)
        elif room > 0:
            shorter = {**told, "text": cut(text, room)}
            blocks.append(shorter if told is block else {**block, "resource": shorter})
            room -= len(text)
    return blocks


def cut(text: str, room: int) -> str:
    return text if len(text) <= room else text[: max(room - len(config.TRUNCATED), 0)] + config.TRUNCATED
