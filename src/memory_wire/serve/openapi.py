"""Makes `data/openapi.json` from the operation table: `python -m memory_wire.serve.openapi` writes it, a test checks that it is fresh.

Never imported by a serving process, which sends the baked file.
"""

from __future__ import annotations

import os
import sys
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from msgspec import NODEFAULT, UNSET, Struct, UnsetType, json
from msgspec.structs import FieldInfo, fields

from memory_wire import __version__, config, errors, ops
from memory_wire import types as t
from memory_wire.publishing import HEARD, Payload
from memory_wire.serve.dispatch import OPENAPI
from memory_wire.serve.notes import FIELDS

Json = dict[str, Any]

REF = "#/components/schemas/{name}"
NAMES = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
INTEGER = {"type": "integer", "minimum": 0}
HINTS: dict[str, Json] = {
    "limit": {**INTEGER, "default": config.PAGE_LIMIT, "maximum": config.PAGE_MAX},
    "offset": {**INTEGER, "default": 0},
    "truncate": {**INTEGER, "description": "characters kept of each content"},
    "format": {"type": "string", "enum": ["json", "toon"], "default": "json"},
    "session": {"type": "string", "description": "of one session only"},
    "confirm": {"type": "string", "description": "the bank's name again"},
    "since": {"type": "string", "description": "not before this date or RFC 3339 time"},
    "actor": {"type": "string", "description": "local, member:NAME or key:ID"},
    "kind": {"type": "string", "description": "an action, or the first word of some"},
    "cursor": {"type": "string", "description": "of the page before"},
    "head": {"type": "string", "description": "a chain noted before, which must still be part of the log"},
    "account": {"type": "string", "description": "default: the caller's"},
    "project": {"type": "string", "description": "default: the caller's"},
    "workspace": {"type": "string", "description": "the bank, default `default`"},
}
TRUTH = {"type": "boolean", "default": False}
HINTS |= {
    "bank": {"type": "string", "description": "only in this bank"},
    "deleted": {**TRUTH, "description": "the deleted ones"},
    "doc": {"type": "string", "description": "only those that hold this document"},
    "lines": {"type": "string", "description": "first-last, counted from 1"},
    "new": {**INTEGER, "description": "to this version, default the newest"},
    "occurrence": {"type": "integer", "minimum": 1, "description": "which of several sections of that heading"},
    "old": {**INTEGER, "description": "from this version, default the one before"},
    "outline": {**TRUTH, "description": "the headings instead of the text"},
    "purge": {**TRUTH, "description": "for good, with all versions"},
    "read_doc.limit": {**INTEGER, "description": "characters"},
    "section": {"type": "string", "description": "a heading, `A > B` or `#anchor`"},
    "subtree": {**TRUTH, "description": "the section with all below it"},
    "version": {**INTEGER, "description": "an older version's number"},
}
FLAG = {"type": "string", "enum": ["1", "true", "0", "false"], "default": "0"}
HINTS |= {  # of what everybody may read
    "at": {"type": "string", "description": "as it was at this date or RFC 3339 time"},
    "compact": {**FLAG, "description": "without comments and needless blanks"},
    "digest": {**FLAG, "default": "1", "description": "0 is full=1"},
    "full": {**FLAG, "description": "all of it instead of a digest"},
    "graph": {**FLAG, "default": "1", "description": "concepts and relations as well"},
    "link": {"type": "string", "description": "token of a one-time link"},
    "what": {"type": "string", "enum": ["digest", "graph", "picture", "lint", "log", "queries"], "default": "digest"},
    "cross_refs.limit": {**INTEGER, "default": 20, "maximum": 100},
    "page": {"type": "string", "description": "counted from 1"},
    "q": {"type": "string", "description": "what is searched for"},
}
RECEIPT = {"name": "receipt", "in": "query", "schema": FLAG, "description": "also say what was redacted and whether the memory was there"}
OWN: tuple[tuple[str, str, str], ...] = (
    ("health", "The process answers; says nothing of the storage.", "text/plain"),
    ("ready", "Store and index answer.", "application/json"),
    ("metrics", "Counters in Prometheus' text form.", "text/plain"),
    ("openapi.json", "This document.", "application/json"),
)
KEYED = "makes the call safe to repeat: the same key and request get the first answer"
KEY = {"type": "string", "maxLength": config.IDEMPOTENCY_CHARS}
IDEMPOTENCY = {"name": "X-Idempotency-Key", "in": "header", "schema": KEY, "description": KEYED}
BATCH_RESULT = {"oneOf": [{"$ref": REF.format(name=name)} for name in ("Retained", "BatchError")]}


def document() -> Json:
    """The whole description, as plain values."""
    found: set[type[Struct]] = {t.BatchError, t.Hit, t.Item, t.Ready, t.Retained}
    paths: Json = {}
    for op in ops.OPS:
        verb, path = op.http
        paths.setdefault(path, {})[verb.lower()] = operation(op, found)
    for name, summary, kind in OWN:
        answers: Json = {"200": {"description": "OK", "content": {kind: {"schema": shape_of_own(name)}}}}
        if name == "ready":
            answers["503"] = {"description": "not ready", "content": {"application/json": {"schema": ref("Error")}}}
        paths[f"/{name}"] = {"get": {"operationId": name.partition(".")[0], "summary": summary, "responses": answers}}
    paths["/mcp"] = {"post": agents("")}
    paths["/mcp/{bank}"] = {"post": agents("bank")}
    schemas: Json = {}
    for shape in found:
        add(schemas, shape)
    schemas["Error"] = error_schema()
    return {
        "openapi": "3.1.0",
        "info": {"title": "memory-wire", "version": __version__, "license": {"name": "MIT", "identifier": "MIT"}},
        "servers": [{"url": f"http://{config.DEFAULT_ADDR}"}],
        "paths": paths,
        "components": {"schemas": dict(sorted(schemas.items()))},
    }


def operation(op: ops.Op, found: set[type[Struct]]) -> Json:
    entry: Json = {"operationId": op.name, "summary": op.summary}
    parameters = list(parameters_of(op))
    if parameters:
        entry["parameters"] = parameters
    if op.form:
        found.add(op.request)
        entry["requestBody"] = {"required": True, "content": {"application/x-www-form-urlencoded": {"schema": ref(op.request.__name__)}}}
    if op.body:
        body: Json = {"type": "object"}
        if op.request is not t.PutConfig:
            found.add(op.request)
            body = ref(op.request.__name__)
        entry["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    if "idempotency_key" in op.request.__struct_fields__:
        entry.setdefault("parameters", []).append(IDEMPOTENCY)
    done = answer(op, found)
    if op.response is t.Remembered:
        entry["responses"] = {"200": {**done, "description": "the answer of the first call"}, "201": done, **refusals(op)}
        return entry
    entry["responses"] = {"200": done, **refusals(op)}
    return entry


def agents(place: str) -> Json:
    """The Model Context Protocol's endpoint, with a bank in the path or without; its messages are described by that protocol."""
    message = {"application/json": {"schema": {"type": "object"}}}
    answers: Json = {
        "200": {
            "description": "the answer, or a stream of it",
            "content": {**message, "text/event-stream": {"schema": {"type": "string"}}},
        },
        "202": {"description": "nothing to answer"},
        **{status: {"description": "a protocol error", "content": message} for status in ("400", "404")},
    }
    entry: Json = {"operationId": f"mcp_{place}".rstrip("_"), "summary": "A message of the Model Context Protocol (JSON-RPC)."}
    if place:
        entry["summary"] = "The same, in this bank only."
        entry["parameters"] = [{"name": place, "in": "path", "required": True, "schema": {"type": "string"}}]
    return {**entry, "requestBody": {"required": True, "content": message}, "responses": answers}


def parameters_of(op: ops.Op) -> list[Json]:
    places = [part[1:-1] for part in op.http[1].split("/") if part.startswith("{")]
    found: list[Json] = [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in places]
    if not op.body and not op.form:
        asked = [name for name in op.request.__struct_fields__ if name not in places and name not in HEARD]
        found += [{"name": name, "in": "query", "required": name == "confirm", "schema": hint(op, name)} for name in asked]
    if op.response in (t.Retained, t.BatchRetained):
        found.append(RECEIPT)
    return found


def hint(op: ops.Op, name: str) -> Json:
    """What a parameter is, where it isn't the same for all operations."""
    return HINTS.get(f"{op.name}.{name}") or HINTS[name]


def answer(op: ops.Op, found: set[type[Struct]]) -> Json:
    """The response for status 200, as reply.py puts it on the wire."""
    shapes: dict[object, Json] = {
        bytes: {"type": "object"},
        str: {"type": "string"},
        t.Page: ref("Item") if op.request is t.Get else many(ref("Item")),
        t.Recalled: {"oneOf": [many({"type": "string"}), many(ref("Hit"))]},
        t.BatchRetained: {"type": "object", "properties": {"results": many(BATCH_RESULT)}, "required": ["results"]},
    }
    if op.response is Payload:
        return {"description": "OK", "content": {"*/*": {"schema": {"type": "string"}}}, "headers": {"ETag": header("of the body")}}
    shape = shapes.get(op.response)
    if shape is None:
        assert isinstance(op.response, type)
        found.add(op.response)
        shape = ref(op.response.__name__)
    content: Json = {"application/json": {"schema": shape}}
    entry: Json = {"description": "OK", "content": content}
    if op.response is t.Page:
        content["text/toon"] = {"schema": {"type": "string"}}
        entry["headers"] = {"x-total-count": header("memories in the bank"), "x-truncated": header("contents that were cut")}
    elif op.response is t.Recalled:
        index, truncated = header("part of the index is being rebuilt"), header("the budget left something out")
        entry["headers"] = {"x-memory-wire-index": index, "x-truncated": truncated}
    return entry


def refusals(op: ops.Op) -> Json:
    """Errors by status; bare text on contract routes, the envelope elsewhere."""
    known = {kind.code: kind for kind in every(errors.MemoryWireError)}
    statuses = {known[code].status for code in op.errors} | {500} | ({400, 413, 415, 422} if op.body else set())
    kind, shape = ("text/plain", {"type": "string"}) if op.contract else ("application/json", ref("Error"))
    return {str(status): {"description": "error", "content": {kind: {"schema": shape}}} for status in sorted(statuses)}


def every(kind: type[errors.MemoryWireError]) -> list[type[errors.MemoryWireError]]:
    return [kind, *(below for child in kind.__subclasses__() for below in every(child))]


def add(schemas: Json, shape: type[Struct]) -> None:
    """Puts the Struct and those it is made of under their names."""
    if shape.__name__ in schemas:
        return
    entry: Json = {"type": "object"}
    schemas[shape.__name__] = entry
    if shape.__module__ == t.__name__ and shape.__doc__:
        entry["description"] = " ".join(shape.__doc__.split())
    hints = get_type_hints(shape)
    notes = FIELDS.get(shape.__name__, {})
    entry["properties"] = {
        field.name: {**with_default(schema_of(hints[field.name], schemas), field), **notes.get(field.name, {})} for field in fields(shape)
    }
    entry["required"] = [field.name for field in fields(shape) if field.required]


def schema_of(hint: Any, schemas: Json) -> Json:
    """The schema of a field's type. Raises KeyError for a type no Struct has had so far."""
    if isinstance(hint, type) and issubclass(hint, Struct):
        add(schemas, hint)
        return ref(hint.__name__)
    if get_origin(hint) is list:
        return many(schema_of(get_args(hint)[0], schemas))
    if get_origin(hint) is dict:
        return {"type": "object"}
    if not get_args(hint):
        return {} if hint is object else {"type": NAMES[hint]}
    choices = [schema_of(choice, schemas) for choice in get_args(hint) if choice is not UnsetType]
    return choices[0] if len(choices) == 1 else {"anyOf": choices}


def with_default(schema: Json, field: FieldInfo) -> Json:
    return schema if field.default in (NODEFAULT, UNSET, None) else {**schema, "default": field.default}


def error_schema() -> Json:
    words = {"code": {"type": "string"}, "message": {"type": "string"}, "field": {"type": "string"}}
    inner = {"type": "object", "properties": words, "required": ["code", "message"]}
    return {"type": "object", "properties": {"error": inner}, "required": ["error"]}


def shape_of_own(name: str) -> Json:
    return ref("Ready") if name == "ready" else {"type": "object"} if name.endswith(".json") else {"type": "string"}


def ref(name: str) -> Json:
    return {"$ref": REF.format(name=name)}


def many(shape: Json) -> Json:
    return {"type": "array", "items": shape}


def header(text: str) -> Json:
    return {"schema": {"type": "string"}, "description": text}


def render() -> bytes:
    """The file's bytes."""
    return json.format(json.encode(document()), indent=1) + b"\n"


def main() -> int:
    body = render()  # before the file is touched
    os.makedirs(os.path.dirname(OPENAPI), exist_ok=True)
    with open(OPENAPI, "wb") as file:
        file.write(body)
    return 0


if __name__ == "__main__":
    sys.exit(main())
