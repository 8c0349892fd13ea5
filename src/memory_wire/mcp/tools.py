"""Tools: the list, and calls as operations of the table with their arguments read and their results bounded.

Used by serving.py. What a tool looks like is baked by catalog.py; how a response reads for a model is decided by results.py.
"""

from __future__ import annotations

import os

from msgspec import Struct
from msgspec.json import decode

from memory_wire import config
from memory_wire import types as t
from memory_wire.errors import MemoryWireError
from memory_wire.mcp import exposed, results
from memory_wire.mcp.rpc import PARAMS, Fault
from memory_wire.mcp.steps import Run
from memory_wire.ops import BY_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence
    from typing import Any

    from memory_wire.mcp.rpc import Json
    from memory_wire.mcp.steps import Step, Work
    from memory_wire.mcp.task import Context

    Values = dict[str, Any]

CATALOG = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "mcp_tools.json")
SETS = {"core": ("core",), "records": ("core", "records"), "hub": ("core", "records", "hub"), "all": ()}  # name -> sets shown; () is all
KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}
IDEMPOTENCY = "memory-wire/idempotency-key"  # in `_meta`
BAD_BANK = "invalid bank id"


class Unfit(Exception):
    """Arguments a model can mend; the text is what it is told."""


class Tools:
    """`tools/list` and `tools/call`."""

    def __init__(self, catalog: bytes | None = None) -> None:
        if catalog is None:
            with open(CATALOG, "rb") as file:
                catalog = file.read()
        self.rows: list[Json] = decode(catalog)
        self.by_name: dict[str, Json] = {str(row["tool"]["name"]): row for row in self.rows}
        self.one_set = all(row["set"] == "core" for row in self.rows)

    # the list ----------------------------------------------------------------------------------------------------------------------

    def list(self, context: Context, params: Mapping[str, object]) -> Work:
        """A page of the tools that the peer is shown: a set of ours, then integrations that are tools of their own."""
        return self.listed(context, page_start(params))

    def listed(self, context: Context, first: int) -> Work:
        name = context.peer.tools
        if not name and not self.one_set:
            name = yield from configured(context)
        return self.page(name, first, (yield from exposed.listed(context)))

    def page(self, name: str, first: int, more: Sequence[Json] = ()) -> Json:
        shown = SETS.get(name, SETS["core"])
        rows = [*(row["tool"] for row in self.rows if not shown or row["set"] in shown), *more]
        if first > len(rows):
            raise Fault(PARAMS, "`cursor` is none that was given out")
        last = first + config.MCP_TOOLS
        return {"tools": rows[first:last], **({"nextCursor": str(last)} if last < len(rows) else {})}

    # a call ------------------------------------------------------------------------------------------------------------------------

    def call(self, context: Context, params: Mapping[str, object]) -> Json | Work:
        """Runs a tool. A tool that isn't there is a fault of the protocol, arguments that don't fit are a result the model can mend."""
        name, arguments = params.get("name"), params.get("arguments")
        if not isinstance(name, str):
            raise Fault(PARAMS, "`name` must be a string")
        row = self.by_name.get(name)
        if arguments is None:
            arguments = {}
        if not isinstance(arguments, dict):
            raise Fault(PARAMS, "`arguments` must be an object")
        if row is None:
            return exposed.call(context, name, arguments)
        try:
            schema = row["tool"]["inputSchema"]  # type: ignore[index]
            bank = bank_of(arguments.get("workspace" if "workspace" in schema["properties"] else "bank"), context)
            values = read(schema, arguments)
        except Unfit as error:
            return results.failure(str(error))
        return self.run(context, str(row["operation"]), values, bank)

    def run(self, context: Context, operation: str, values: Values, bank: str) -> Work:
        """The operation, and its response or error as a tool result."""
        most = results.bound(values)
        key = context.meta.get(IDEMPOTENCY, context.peer.key)
        if key is not None and "idempotency_key" in BY_NAME[operation].request.__struct_fields__:
            values = {**values, "idempotency_key": key}
        try:
            response = yield Run(operation, request_of(operation, values, most, bank), bank)
        except MemoryWireError as error:
            return results.failure(str(error))
        only = context.peer.bank if context.peer.pinned else None
        return results.SHAPES[operation](response, values, most, only)


def configured(context: Context) -> Generator[Step, object, str]:
    """The set that the bank's configuration names."""
    try:
        body = yield Run("get_config", t.Empty(), context.peer.bank)
        assert isinstance(body, bytes)
        return str(decode(body).get("mcpTools"))
    except MemoryWireError:
        return ""  # no bank yet, or a store that can't be read: calls will say so, the list is there


def page_start(params: Mapping[str, object]) -> int:
    """Where a page begins: the cursor is a decimal number, and an empty one the beginning."""
    cursor = params.get("cursor")
    if cursor is None or cursor == "":
        return 0
    if not isinstance(cursor, str) or not (cursor.isascii() and cursor.isdigit()) or len(cursor) > 18:
        raise Fault(PARAMS, f"`cursor` is not a row offset: {str(cursor)[:40]}")
    return int(cursor)


def bank_of(given: object, context: Context) -> str:
    """The bank of a call: the one that is named, if that is allowed, else the peer's. Raises Unfit."""
    peer = context.peer
    if given is None:
        return peer.bank
    if not isinstance(given, str) or not given.strip():
        raise Unfit(BAD_BANK)
    if peer.pinned and given != peer.bank:
        raise Unfit(pinned(peer.bank, given))
    return given


def pinned(bank: str, given: str) -> str:
    return f"`bank` is pinned to `{bank}` by this endpoint; refusing `{given}`"


def read(schema: Mapping[str, object], arguments: Mapping[str, object]) -> Values:
    """The arguments, checked against the tool's schema. Raises Unfit naming the field."""
    values: Values = {}
    properties, required = schema["properties"], schema.get("required", ())
    assert isinstance(properties, dict) and isinstance(required, list | tuple)
    for name in arguments:
        if name not in properties:
            raise Unfit(exposed.unknown(name, properties))
    for name, rule in properties.items():
        value = arguments.get(name)
        if name in required and (value is None or type(value) not in KINDS[rule["type"]]):
            raise Unfit(f"`{name}` is required and must be {article(rule['type'])}")
        if name in {"bank", "workspace"} or value is None:
            continue
        values[name] = checked(name, value, rule)
    return values


def checked(name: str, value: object, rule: Mapping[str, object]) -> object:
    """The value of an argument. Raises Unfit."""
    kind = str(rule["type"])
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        value = int(value)  # the same number to JSON
    if type(value) not in KINDS[kind]:
        raise Unfit(f"`{name}` must be {article(kind)}")
    if isinstance(value, list) and not all(isinstance(entry, str) for entry in value):
        raise Unfit(f"`{name}` must be an array of strings")
    if isinstance(value, dict) and "additionalProperties" in rule and not all(isinstance(entry, str) for entry in value.values()):
        raise Unfit(f"`{name}` must be an object of strings")
    if type(value) is int and not 0 <= value < 1 << 64:
        raise Unfit(f"`{name}` must be an unsigned integer")
    choices = rule.get("enum")
    if isinstance(choices, list) and value not in choices:
        raise Unfit(f"`{name}` must be {' or '.join(choices)}")
    return value


def article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def request_of(operation: str, values: Values, most: int, bank: str) -> Struct:
    """The operation's request."""
    if "bank" in BY_NAME[operation].request.__struct_fields__:
        values = {**values, "bank": bank}
    if operation == "recall":
        values = {**values, "format": "full"}
        if "budget" in values:
            values["budget"] = min(values["budget"], most)
    elif operation == "memories":
        limit = min(values.get("limit", config.PAGE_LIMIT), config.MCP_PAGE)
        values = {**values, "limit": limit, "truncate": most * config.CHARS_PER_TOKEN // max(limit, 1)}
    elif operation == "read_doc":
        values = {**values, "limit": most * config.CHARS_PER_TOKEN}
    return BY_NAME[operation].request(**values)
