"""Whole, valid messages of every method, and ways to spoil them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

Json = dict[str, Any]
MISSING = "00000000-0000-4000-8000-000000000000"
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
    "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
    "io.modelcontextprotocol/logLevel": "info",
    "progressToken": 1,
}
CLIENT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}}
ARGUMENTS: dict[str, Json] = {
    "memory_retain": {
        "content": "The heron moved north.",
        "context": "a walk",
        "tags": ["bird"],
        "document_id": "walk-1",
        "update_mode": "replace",
        "created_at": "2024-05-16",
        "bank": "fuzzed",
    },
    "memory_recall": {"query": "heron", "budget": 500, "tags": ["bird"], "exclude_tags": ["fish"], "format": "full", "bank": "fuzzed"},
    "memory_reflect": {"query": "heron", "tags": ["bird"], "bank": "fuzzed"},
    "memory_bank_config_get": {"bank": "fuzzed"},
    "memory_forget": {"id": MISSING, "bank": "fuzzed"},
    "memory_list": {"limit": 5, "offset": 1, "bank": "fuzzed"},
    "memory_banks": {},
}
METHODS: list[tuple[str, Json]] = [
    ("initialize", CLIENT),
    ("ping", {}),
    ("logging/setLevel", {"level": "debug"}),
    ("server/discover", {}),
    ("tools/list", {"cursor": "0"}),
    *[("tools/call", {"name": name, "arguments": arguments}) for name, arguments in ARGUMENTS.items()],
    ("resources/list", {"cursor": "0"}),
    ("resources/templates/list", {}),
    ("resources/read", {"uri": f"memory://fuzzed/{MISSING}"}),
    ("resources/subscribe", {"uri": f"memory://fuzzed/{MISSING}"}),
    ("prompts/list", {}),
    ("prompts/get", {"name": "memory_historian", "arguments": {}}),
    ("completion/complete", {"ref": {"type": "ref/resource", "uri": "memory://{bank}/{id}"}, "argument": {"name": "bank", "value": "f"}}),
    ("subscriptions/listen", {"notifications": {"toolsListChanged": True, "resourceSubscriptions": ["memory://fuzzed/x"]}}),
    ("notifications/initialized", {}),
    ("notifications/cancelled", {"requestId": 1, "reason": "none"}),
]


def messages() -> Iterator[Json]:
    """Every method as both eras write it; notifications without an id."""
    for method, params in METHODS:
        id = {} if method.startswith("notifications/") else {"id": 7}
        yield {"jsonrpc": "2.0", **id, "method": method, "params": params}
        yield {"jsonrpc": "2.0", **id, "method": method, "params": {**params, "_meta": META}}
    yield {"jsonrpc": "2.0", "id": "theirs", "result": {"action": "accept"}}
    yield {"jsonrpc": "2.0", "id": "theirs", "error": {"code": -1, "message": "no"}}


def places(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The path of every value within, the outermost first."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, found in inner:
        yield from places(found, (*path, key))


def replaced(value: Any, path: tuple[str | int, ...], new: object) -> Any:
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = replaced(copy[path[0]], path[1:], new)
    return copy


def without(value: Any, path: tuple[str | int, ...]) -> Any:
    copy = value.copy()
    if len(path) == 1:
        del copy[path[0]]
    else:
        copy[path[0]] = without(copy[path[0]], path[1:])
    return copy


WORDS = st.sampled_from(
    [
        "",
        " ",
        "0",
        "-1",
        "\0",
        "\u2028\r\n",
        "é́\u202e🦩",
        "../..",
        "memory://",
        "memory://%zz/x",
        "memory://a/b/c",
        "2025-03-26",
        "2026-07-28",
        "9999-99-99",
        "tools/call",
        "fuzzed",
        "x" * 5_000,
        "__proto__",
        "full",
    ]
)
NUMBERS = st.sampled_from([0, 1, -1, 1.0, 0.5, -0.0, 1e300, 2**31, 2**53, 2**63, 2**64 - 1, 2**64, -(2**63), 10**30])
LEAVES = st.none() | st.booleans() | NUMBERS | WORDS | st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3), max_leaves=5)


@st.composite
def spoiled(draw: st.DrawFn) -> Any:
    """A message in which up to three values are others, gone or beside a new one."""
    message: Any = draw(st.sampled_from(list(messages())))
    for _ in range(draw(st.integers(0, 3))):
        path = draw(st.sampled_from(list(places(message))))
        how = draw(st.sampled_from(["replace", "remove", "add", "nest"]))
        if how == "remove" and path:
            message = without(message, path)
        elif how == "add":
            message = replaced(message, path, added(found(message, path), draw(WORDS), draw(VALUES)))
        elif how == "nest":
            message = replaced(message, path, [found(message, path)])
        else:
            message = replaced(message, path, draw(VALUES))
    return message


def found(value: Any, path: tuple[str | int, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def added(value: object, key: str, new: object) -> object:
    return {**value, key: new} if isinstance(value, dict) else [*value, new] if isinstance(value, list) else new
