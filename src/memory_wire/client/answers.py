"""A server's answer as the response of its operation, or as the error it reports."""

from __future__ import annotations

import msgspec

from memory_wire import errors
from memory_wire import types as t
from memory_wire.ops import Op
from memory_wire.publishing import TRANSPORT, Payload
from memory_wire.wire import Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


LONGEST = 1_000  # characters of an error's text; ours are shorter


class Raw(msgspec.Struct):
    results: list[msgspec.Raw]


class Failure(msgspec.Struct):
    code: str
    message: str
    field: str | None = None


class Envelope(msgspec.Struct):
    error: Failure


BY_CODE = {kind.code: kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.MemoryWireError)}


def read(op: Op, reply: Reply) -> Any:
    """The response Struct. Raises the error that the server reports; Unreachable when the answer is none of ours."""
    if reply.status not in (200, 201):
        raise failure(reply)
    try:
        return response(op, reply)
    except (msgspec.DecodeError, ValueError) as error:
        raise errors.Unreachable(f"the answer to {op.name} can't be read: {error}") from None


def response(op: Op, reply: Reply) -> object:
    """The response in a successful answer."""
    if op.response is bytes:
        msgspec.json.decode(reply.body, type=dict[str, msgspec.Raw])  # a configuration; anything else comes from a server that isn't ours
        return reply.body
    if op.response is Payload:
        return payload(reply)
    if op.response is t.Recalled:
        hits = msgspec.json.decode(reply.body, type=list[t.Hit])
        headers = reply.headers
        return t.Recalled(
            hits=hits,
            bare=False,
            index=headers.get("x-memory-wire-index"),
            truncated="x-truncated" in headers,
            degraded="x-memory-wire-degraded" in headers,
        )
    if op.response is t.Page:
        if op.name == "get":
            return t.Page(items=[msgspec.json.decode(reply.body, type=t.Item)], total=1)
        items = msgspec.json.decode(reply.body, type=list[t.Item])
        truncated = int(reply.headers.get("x-truncated", "0"))
        return t.Page(items=items, total=int(reply.headers["x-total-count"]), truncated=truncated)
    if op.response is t.BatchRetained:
        results: list[t.Retained | t.BatchError] = []
        for raw in msgspec.json.decode(reply.body, type=Raw).results:
            results.append(msgspec.json.decode(raw, type=t.BatchError if raw_is_error(raw) else t.Retained))
        return t.BatchRetained(results=results)
    kind: Any = op.response
    return msgspec.json.decode(reply.body, type=kind)


def payload(reply: Reply) -> Payload:
    """What a public surface answers with."""
    headers = dict(reply.headers)
    kind, etag, cache, vary = [headers.pop(name, "") for name in ("content-type", "etag", "cache-control", "vary")]
    more = {name: value for name, value in headers.items() if name not in TRANSPORT}
    return Payload(body=reply.body, type=kind, headers=more, etag=etag, cache=cache, vary=vary, status=reply.status)


def raw_is_error(raw: msgspec.Raw) -> bool:
    return "error" in msgspec.json.decode(raw, type=dict[str, msgspec.Raw])


def failure(reply: Reply) -> errors.MemoryWireError:
    """The error of an unsuccessful answer: by its code, else by status and the contract's plain text."""
    text = reply.body.decode("utf-8", "replace")
    if reply.status == 404 and text == "not found\n":
        return errors.NotPublic()
    kind = reply.headers.get("content-type", "")
    if kind.startswith("application/json"):
        try:
            found = msgspec.json.decode(reply.body, type=Envelope).error
        except msgspec.DecodeError:
            return errors.Unreachable(f"what answers there is no memory-wire server: {reply.status}, {kind}")
        return build(BY_CODE.get(found.code, errors.MemoryWireError), found.message, found.field)
    if text and not kind.startswith("text/plain"):
        return errors.Unreachable(f"what answers there is no memory-wire server: {reply.status}, {kind or 'of no type'}")
    return build(plain_kind(reply.status, text), text[:LONGEST] or f"{reply.status} without a text", None)


def plain_kind(status: int, text: str) -> type[errors.MemoryWireError]:
    """The class of a plain-text error."""
    if status == 400:
        return errors.Malformed if text.startswith("Failed to ") else errors.Invalid
    if status == 404 and text in ("unknown bank", "unknown memory"):
        return errors.UnknownBank if text == "unknown bank" else errors.UnknownMemory
    if status in (401, 403, 429):
        return {401: errors.Unauthorized, 403: errors.Forbidden, 429: errors.RateLimited}[status]
    by_status = {409: errors.DocumentExists, 413: errors.Invalid, 422: errors.WrongType, 500: errors.StorageError, 503: errors.NotReady}
    return by_status.get(status, errors.MemoryWireError)


def build(kind: type[errors.MemoryWireError], message: str, field: str | None) -> errors.MemoryWireError:
    """An error as the server raised it; the constructors make messages, here there is one already."""
    error = kind.__new__(kind)
    error.args = (message,)
    error.field = field
    if isinstance(error, errors.Invalid):
        head, _, rule = message.removeprefix("invalid ").partition(": ")
        error.field, error.rule = field or head, rule
    if isinstance(error, errors.StorageError):
        error.detail = "see the server's log"
    return error
