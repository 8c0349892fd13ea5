"""Memories as resources, `memory://{bank}/{id}`, and completion of bank names in such addresses. Used by serving.py."""

from __future__ import annotations

from memory_wire import config
from memory_wire import types as t
from memory_wire.errors import Invalid, MemoryWireError, UnknownMemory
from memory_wire.mcp.rpc import INTERNAL, PARAMS, Fault
from memory_wire.mcp.steps import Run
from memory_wire.mcp.tools import page_start, pinned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from memory_wire.mcp.rpc import Json
    from memory_wire.mcp.steps import Work
    from memory_wire.mcp.task import Context

SCHEME = "memory://"
TEMPLATE = SCHEME + "{bank}/{id}"
KIND = "text/plain"
TITLE_CHARS = 80
PROMPT = "memory_historian"
HEX = frozenset("0123456789abcdefABCDEF")
SAFE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def listed(context: Context, params: Mapping[str, object]) -> Work:
    """A page of the peer's bank, oldest first."""
    first = page_start(params)
    bank = context.peer.bank
    page = yield from answer(Run("memories", t.Memories(limit=config.MCP_PAGE, offset=first, truncate=TITLE_CHARS), bank))
    assert isinstance(page, t.Page)
    last = first + len(page.items)
    resources = [
        {
            "uri": uri_of(bank, item.id),
            "name": item.id,
            "title": title(item.content),
            "description": f"retained {item.created_at}",
            "mimeType": KIND,
        }
        for item in page.items
    ]
    return {"resources": resources, **({"nextCursor": str(last)} if page.items and last < page.total else {})}


def templates(context: Context, params: Mapping[str, object]) -> Json:
    page_start(params)
    about = {"name": "memory", "title": "Memory", "description": "One memory of a bank, whole", "mimeType": KIND}
    return {"resourceTemplates": [{"uriTemplate": TEMPLATE, **about}]}


def read(context: Context, params: Mapping[str, object]) -> Work:
    """One memory, whole."""
    uri = params.get("uri")
    if not isinstance(uri, str):
        raise Fault(PARAMS, "`uri` must be a string")
    bank, number = parts_of(uri)
    if context.peer.pinned and bank != context.peer.bank:
        raise Fault(PARAMS, pinned(context.peer.bank, bank))
    return one(context, uri, bank, number)


def one(context: Context, uri: str, bank: str, number: str) -> Work:
    try:
        page = yield Run("get", t.Get(id=number), bank)
    except (UnknownMemory, Invalid):
        raise context.missing("unknown memory", uri) from None
    except MemoryWireError as error:
        raise Fault(INTERNAL, str(error)) from None
    assert isinstance(page, t.Page)
    return {"contents": [{"uri": uri, "mimeType": KIND, "text": page.items[0].content}]}


def complete(context: Context, params: Mapping[str, object]) -> Json | Work:
    """Bank names that go on from what was typed. Banks are no secret to those who may ask, but a pinned peer knows only its own."""
    reference, argument = params.get("ref"), params.get("argument")
    if not isinstance(reference, dict) or not isinstance(argument, dict):
        raise Fault(PARAMS, "`ref` and `argument` must be objects")
    name, typed = argument.get("name"), argument.get("value")
    if not isinstance(name, str) or not isinstance(typed, str):
        raise Fault(PARAMS, "`argument` needs `name` and `value`, both strings")
    kind = reference.get("type")
    if kind == "ref/prompt" and reference.get("name") == PROMPT:
        return completion([])
    if kind != "ref/resource" or not str(reference.get("uri")).startswith(SCHEME):
        raise Fault(PARAMS, "unknown reference")
    if name != "bank":
        return completion([])
    peer = context.peer
    return completion([peer.bank] if peer.bank.startswith(typed) else []) if peer.pinned else named(typed)


def named(typed: str) -> Work:
    banks = yield from answer(Run("banks", t.Empty()))
    assert isinstance(banks, t.Banks)
    return completion([row.bank for row in banks.banks if row.bank.startswith(typed)])


def completion(values: list[str]) -> Json:
    shown = values[: config.MCP_BANKS]
    return {"completion": {"values": shown, "total": len(values), "hasMore": len(shown) < len(values)}}


def answer(step: Run) -> Generator[Run, object, object]:
    """The response of an operation; its error as a fault of the protocol. Raises Fault."""
    try:
        return (yield step)
    except MemoryWireError as error:
        raise Fault(INTERNAL if error.status == 500 else PARAMS, str(error)) from None


# addresses -------------------------------------------------------------------------------------------------------------------------


def uri_of(bank: str, number: str) -> str:
    return f"{SCHEME}{quoted(bank)}/{number}"


def parts_of(uri: str) -> tuple[str, str]:
    """Bank and id of an address. Raises Fault."""
    bank, slash, number = uri.removeprefix(SCHEME).partition("/")
    bank = unquoted(bank)
    if not uri.startswith(SCHEME) or not slash or not bank.strip() or not number or "/" in number:
        raise Fault(PARAMS, f"not a memory URI, expected {TEMPLATE}", {"uri": uri})
    return bank, number


def quoted(text: str) -> str:
    return "".join(letter if letter in SAFE else "".join(f"%{byte:02X}" for byte in letter.encode()) for letter in text)


def unquoted(text: str) -> str:
    """Percent-decoded; what is no escape or no UTF-8 makes the text blank, which is no bank."""
    if "%" not in text:
        return text
    first, *rest = text.split("%")
    if not all(len(part) > 1 and HEX.issuperset(part[:2]) for part in rest):
        return ""
    try:
        return (first.encode() + b"".join(bytes([int(part[:2], 16)]) + part[2:].encode() for part in rest)).decode()
    except UnicodeDecodeError:
        return ""


def title(content: str) -> str:
    """The beginning of a memory on one line."""
    return " ".join(content.partition("…[truncated from")[0].split())[:TITLE_CHARS] or "memory"
