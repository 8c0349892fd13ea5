"""The MCP reference memory's file: entities with observations and relations between them, as lines or as the graph that `read_graph` gives.

An entity with all it is known for is a memory, a relation another one; the file has no dates of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from memory_wire.sources.documents import Value, chosen, values
from memory_wire.sources.files import Member, Source
from memory_wire.sources.items import Found, Skipped, key, made, mapping, text_of, texts

CONTEXT = "import:mcp-memory"


def read(source: Source) -> Iterator[Found]:
    for member in chosen(source, "mcp-memory"):
        if not isinstance(member, Member):
            yield member
            continue
        for value in values(member):
            yield from [value] if isinstance(value, Skipped) else of_record(value)


def of_record(value: Value) -> Iterator[Found]:
    data = mapping(value.data)
    kind = text_of(data.get("type")) or (str(value.path[0]) if value.path else "")
    if kind in ("relation", "relations") or "relationType" in data:
        yield from relation(value, data)
    elif kind in ("entity", "entities") or "entityType" in data:
        yield from entity(value, data)
    elif kind == "observation":
        yield from observation(value, data)
    else:
        yield Skipped(value.place, "neither an entity nor a relation")


def entity(value: Value, data: dict[str, object]) -> Iterator[Found]:
    name, kind = text_of(data.get("name")).strip(), text_of(data.get("entityType")).strip()
    if not name:
        yield Skipped(value.place, "an entity without a name")
        return
    known = [text_of(entry) or text_of(mapping(entry).get("content")) for entry in listed(data.get("observations"))]
    text = "\n".join([f"{name} ({kind})" if kind else name, *(f"- {entry}" for entry in known if entry.strip())])
    yield from made(
        value.place,
        key("mcp-memory", "entity", name),
        text,
        date_of(data),
        context=CONTEXT,
        tags=["entity", kind, *texts(data.get("tags"))],
    )


def relation(value: Value, data: dict[str, object]) -> Iterator[Found]:
    ends = [text_of(data.get(name)).strip() for name in ("from", "relationType", "to")]
    if not all(ends):
        yield Skipped(value.place, "a relation without from, to or type")
        return
    text = f"{ends[0]} {ends[1].replace('_', ' ')} {ends[2]}"
    yield from made(value.place, key("mcp-memory", "relation", *ends), text, date_of(data), context=CONTEXT, tags=["relation"])


def observation(value: Value, data: dict[str, object]) -> Iterator[Found]:
    """A line of its own, as some forks of the server write them."""
    name, text = text_of(data.get("entityName")), text_of(data.get("content"))
    yield from made(
        value.place,
        key("mcp-memory", "observation", name, text),
        f"{name}: {text}" if text else "",
        date_of(data),
        context=CONTEXT,
        tags=["entity"],
    )


def listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def date_of(data: dict[str, object]) -> object:
    """Forks of the server add one."""
    return data.get("createdAt") or data.get("created_at") or data.get("timestamp")
