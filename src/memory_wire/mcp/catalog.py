"""The tools as agents see them, made from the operation table: `python -m memory_wire.mcp.catalog` writes `data/mcp_tools.json`.

Which fields of an operation a tool has, and what models are told of them, stands here; their types come from the request Structs. Never
imported by a serving process, which reads the baked file; a test checks that the file is fresh.
"""

from __future__ import annotations

import os
import sys
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from msgspec import json
from msgspec.structs import fields

from memory_wire import ops
from memory_wire.mcp.told import GATEWAY, HUB, RECORDS
from memory_wire.mcp.tools import CATALOG

Json = dict[str, Any]

NAMES = {str: "string", int: "integer", float: "number", bool: "boolean"}
BANK: Json = {"type": "string", "description": "bank; leave out for this project's own"}
TAGS = "any of these matches"
TEXT: Json = {"type": "string"}
TRUNCATED: Json = {"truncated": {"type": "boolean"}}


def many(shape: Json) -> Json:
    return {"type": "array", "items": shape}


def shape(required: str = "", **properties: Json) -> Json:
    return {"type": "object", "properties": properties, **({"required": required.split()} if required else {})}


MEMORY = shape("content created_at id", content=TEXT, created_at=TEXT, id=TEXT, status=TEXT)
BANKS = shape("bank memories", bank=TEXT, memories={"type": "integer"}, newest={"anyOf": [TEXT, {"type": "null"}]})
ROWS: dict[str, Json] = {
    "retain": {
        "title": "Remember",
        "text": "Store one fact, decision or preference so that later sessions find it. Secrets are redacted, repetitions dropped.",
        "fields": {
            "content": "what to remember, in whole sentences that make sense alone",
            "context": "where it comes from; not searched",
            "tags": "",
            "document_id": "makes a later store under this id replace this one",
            "update_mode": ["replace", "append"],
            "created_at": "when it happened, RFC 3339 or YYYY-MM-DD; default now",
        },
        "output": shape("id", id=TEXT),
    },
    "recall": {
        "title": "Recall",
        "text": "Search what past sessions stored, best match first, dated. Ask in plain words before you assume or repeat work.",
        "fields": {
            "query": "",
            "budget": "most tokens to return, default 8000",
            "tags": TAGS,
            "exclude_tags": "none of these matches",
            "format": ["full"],
        },
        "output": shape("memories", memories=many(MEMORY), degraded=TEXT, **TRUNCATED),
    },
    "reflect": {
        "title": "Best memory",
        "text": "The single best memory for a question, with its id.",
        "fields": {"query": "", "tags": TAGS},
        "output": shape("answer", answer=TEXT),
    },
    "get_config": {"title": "Bank configuration", "text": "The configuration of a bank, a JSON object.", "fields": {}, "output": shape()},
    "forget": {
        "title": "Forget",
        "text": "Delete one memory for good. The id comes from memory_recall or memory_list.",
        "fields": {"id": ""},
        "output": shape("deleted", deleted={"type": "boolean"}),
    },
    "memories": {
        "title": "List memories",
        "text": "A page of a bank, oldest first; long memories are cut.",
        "fields": {"limit": "default 50, at most 100", "offset": ""},
        "output": shape("memories total", memories=many(MEMORY), total={"type": "integer"}, **TRUNCATED),
    },
    "banks": {
        "title": "List banks",
        "text": "The banks with their number of memories.",
        "fields": {},
        "output": shape("banks", banks=many(BANKS), **TRUNCATED),
    },
}
ROWS |= RECORDS | GATEWAY | HUB
SETS: dict[str, str] = dict.fromkeys(RECORDS | GATEWAY, "records") | dict.fromkeys(HUB, "hub")  # operation -> tool set, if it isn't core
HINTS = {  # read-only, destructive, idempotent; where the operation alone doesn't say it
    "forget": (False, True, True),
    "forget_record": (False, True, True),
    "search": (True, False, True),
    "search_docs": (True, False, True),
    "hub_recall": (True, False, True),
    "read_doc": (True, False, True),
    "validate_memory": (True, False, True),  # it notes the hash it was told, and changes no record
    "gateway_call": (False, True, False),  # whatever is behind it
}
PLAIN = frozenset({"gateway_call", "hub_recall", "memory_banks"})  # tools that act on no bank


def catalog() -> list[Json]:
    """Every tool in the order of the operation table: operation, set and what `tools/list` shows."""
    return [{"operation": op.name, "set": SETS.get(op.name, "core"), "tool": tool(op)} for op in ops.OPS if op.tool]


def tool(op: ops.Op) -> Json:
    """One tool. Only forgetting destroys anything, though it may be repeated; what only reads says so."""
    row = ROWS[op.name]
    properties = {name: described(field_type(op, name), note) for name, note in row["fields"].items()}
    if op.tool not in PLAIN and "workspace" not in properties:
        properties["bank"] = BANK
    needed = [field.name for field in fields(op.request) if field.required and field.name in properties]
    required = str(row.get("required", "")).split() or needed
    hints = dict(zip(("readOnlyHint", "destructiveHint", "idempotentHint"), HINTS.get(op.name, (not op.writes, False, False)), strict=True))
    return {
        "name": op.tool,
        "title": row["title"],
        "description": row["text"],
        "inputSchema": shape(" ".join(required), **properties),
        "outputSchema": row["output"],
        "annotations": {**hints, "openWorldHint": op.apart},
    }


def field_type(op: ops.Op, name: str) -> Json:
    """The schema of a request's field; that it may be null goes without saying."""
    hint = get_type_hints(op.request)[name]
    if get_origin(hint) is UnionType:
        (hint,) = [choice for choice in get_args(hint) if choice is not NoneType]
    if get_origin(hint) is dict and get_args(hint)[1] is object:
        return {"type": "object"}
    if get_origin(hint) is dict:
        return {"type": "object", "additionalProperties": {"type": NAMES[get_args(hint)[1]]}}
    return many({"type": NAMES[get_args(hint)[0]]}) if get_origin(hint) is list else {"type": NAMES[hint]}


def described(schema: Json, note: object) -> Json:
    """With what is said of it: a list is all that may be given."""
    if isinstance(note, list):
        return {**schema, "enum": note}
    return {**schema, **({"minimum": 0} if schema["type"] == "integer" else {}), **({"description": note} if note else {})}


def render() -> bytes:
    """The file's bytes."""
    return json.format(json.encode(catalog()), indent=1) + b"\n"


def main() -> int:
    os.makedirs(os.path.dirname(CATALOG), exist_ok=True)
    with open(CATALOG, "wb") as file:
        file.write(render())
    return 0


if __name__ == "__main__":
    sys.exit(main())
