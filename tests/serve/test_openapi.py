"""The baked description: fresh, complete, and true of the running server."""

from __future__ import annotations

import json
from collections.abc import Iterator

from memory_wire import config, ops
from memory_wire.serve import openapi
from memory_wire.serve.dispatch import OPENAPI
from memory_wire.serve.notes import FIELDS
from tests.serve.serving import Serving


def test_the_baked_file_is_fresh() -> None:
    with open(OPENAPI, "rb") as file:
        assert file.read() == openapi.render(), "run python -m memory_wire.serve.openapi"


def test_it_is_served(server: Serving) -> None:
    reply = server.ask("GET", "/openapi.json")
    assert (reply.status, reply.headers["content-type"]) == (200, "application/json")
    assert reply.body == openapi.render()


def test_every_operation_is_described() -> None:
    paths = openapi.document()["paths"]
    for op in ops.OPS:
        verb, path = op.http
        entry = paths[path][verb.lower()]
        assert entry["operationId"] == op.name
        assert [p["name"] for p in entry.get("parameters", []) if p["in"] == "path"] == [
            part[1:-1] for part in path.split("/") if part.startswith("{")
        ]
    assert {"/health", "/ready", "/metrics", "/openapi.json", "/mcp", "/mcp/{bank}"} <= set(paths)


def test_every_reference_resolves() -> None:
    document = openapi.document()
    names = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
    used = set(references(document))
    assert used <= names
    assert names - used == set(), "schemas nobody refers to"


def references(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"]
        for inner in value.values():
            yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def test_described_fields_are_those_that_are_served(server: Serving) -> None:
    schemas = json.loads(openapi.render())["components"]["schemas"]
    server.ask("POST", "/banks/described/retain", {"content": "described", "context": "c", "tags": ["t"], "session": "s"})
    hit = server.ask("POST", "/banks/described/recall", {"query": "described", "format": "full"}).json[0]  # type: ignore[index]
    item = server.ask("GET", "/banks/described/memories").json[0]  # type: ignore[index]
    stats = server.ask("GET", "/banks/described/stats").json
    for name, served in (("Hit", hit), ("Item", item), ("Stats", stats)):
        assert set(schemas[name]["required"]) <= set(served) <= set(schemas[name]["properties"]), name


def test_limits_are_described_where_fields_have_them() -> None:
    schemas = openapi.document()["components"]["schemas"]
    for shape, notes in FIELDS.items():
        properties = schemas[shape]["properties"]
        assert set(notes) <= set(properties)
        assert all(properties[name]["description"] for name in properties if shape != "RetainBatch" or name == "items")
    assert schemas["Recall"]["properties"]["k"]["maximum"] == config.RESULTS
    assert schemas["Retain"]["properties"]["content"]["maxLength"] == config.CONTENT_CHARS
