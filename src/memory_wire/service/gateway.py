"""Calls of integrations for agents. Called by the service on a thread that may wait; loaded when first asked for.

The call is noted in the log before it is made, without its arguments. Secrets are read here, go to the child program that calls, and come
back in nothing: it takes them out of what the other side says.
"""

from __future__ import annotations

import os

from msgspec.json import decode, encode

from memory_wire import config
from memory_wire import integrations as i
from memory_wire.errors import Forbidden, Invalid, OutsideFailed, UnknownIntegration
from memory_wire.service import integrations
from memory_wire.service.integrations import OPEN, SOURCES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.service.service import Service
    from memory_wire.types import Scope

KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
}
SECRET_BYTES = 4_096  # of a file with one


def gateway_call(service: Service, request: i.GatewayCall, scope: Scope) -> i.GatewayAnswer:
    """What the integration answers. Raises UnknownIntegration, Forbidden, Invalid, OutsideFailed, OutsideTimeout."""
    if not isinstance(request.server, str):
        raise Invalid("server", "must be the name of an integration")
    kept, tool = found(service, scope, request.server), request.tool
    values = arguments(kept, request)
    if kept.kind == "mcp" and tool is not None and not {tool, "*"} & set(kept.tools):
        raise Forbidden(f"the tool {tool!r} of {request.server!r} is not allowed; allowed are: {', '.join(kept.tools)}")
    headers_of(request.server, kept)  # what can't be called isn't noted
    named, now = request.server if tool is None else f"{request.server}/{tool}", service.now()
    service.store.submit(lambda tx: integrations.noted(tx, scope, scope.project, "gateway.call", named, now))
    answer = asked(service, request.server, kept, tool, kept.tools, values, kept.seconds)
    body, status = answer["body"], answer["status"]
    assert isinstance(body, bytes) and (status is None or isinstance(status, int))
    return i.GatewayAnswer(server=request.server, tool=tool, ok=bool(answer["ok"]), status=status, result=decode(body))


def asked(
    service: Service, name: str, kept: i.Integration, tool: str | None, tools: list[str], values: bytes, seconds: float
) -> dict[str, object]:
    """What the child program brings from an integration: `ok`, `status` and `body`. Raises OutsideFailed, OutsideTimeout."""
    headers, secrets = headers_of(name, kept)
    payload: dict[str, object] = {
        "url": kept.url,
        "method": kept.method,
        "headers": headers,
        "secrets": secrets,
        "tool": tool,
        "tools": tools,
        "arguments": values,
        "cap": kept.cap,
        "private": kept.private,
    }
    return service.outside.ask(kept.kind, payload, seconds)


def found(service: Service, scope: Scope, name: str) -> i.Integration:
    """The project's integration of that name. Raises UnknownIntegration."""
    with service.store.read() as reader:
        spec = reader.integrations.find(scope.project, name)
        if spec is None:
            raise UnknownIntegration(name, [row[0] for row in reader.integrations.all(scope.project)])
    return decode(spec, type=i.Integration)


def arguments(kept: i.Integration, request: i.GatewayCall) -> bytes:
    """A call's arguments as JSON, as the integration says that they must be. Raises Invalid."""
    given = {} if request.arguments is None else request.arguments
    if not isinstance(given, dict):
        raise Invalid("arguments", "must be an object")
    if kept.kind == "http":
        if request.tool is not None:
            raise Invalid("tool", f"must be left out: {request.server!r} has no tools")
        for name, kind in kept.arguments.items():
            if name not in given and not kind.endswith("?"):
                raise Invalid("arguments", f"{name} is missing; there are: {described(kept.arguments)}")
        for name, value in given.items():
            kind = kept.arguments.get(name, "").removesuffix("?")
            if not kind:
                raise Invalid("arguments", f"{name} is unknown; there are: {described(kept.arguments)}")
            if type(value) not in KINDS[kind]:
                raise Invalid("arguments", f"{name} must be {kind}")
            if isinstance(value, str) and not value.strip(".") and f"{{{name}}}" in kept.url:
                raise Invalid("arguments", f"{name} must say something")  # `..` would leave its place in the path
    try:
        values = encode(given)
    except (TypeError, ValueError, RecursionError):
        raise Invalid("arguments", "must be JSON") from None
    if len(values) > config.GATEWAY_ARGUMENT_BYTES:
        raise Invalid("arguments", f"must be at most {config.GATEWAY_ARGUMENT_BYTES >> 10} KiB of JSON")
    return values


def described(arguments: dict[str, str]) -> str:
    return ", ".join(f"{name} ({kind})" for name, kind in arguments.items()) or "none"


def headers_of(server: str, kept: i.Integration) -> tuple[dict[str, str], list[str]]:
    """(headers with their secrets, what must not come back). Raises OutsideFailed."""
    headers, secrets = {}, []
    for name, value in kept.headers.items():
        before, blank, last = value.rpartition(" ")
        if last.startswith(SOURCES):
            last = secret(f"secret of {server}'s header {name}", last)
            value = before + blank + last
        headers[name] = value
        if name.lower() not in OPEN:
            secrets += [value, last]
    return headers, secrets


def secret(what: str, source: str) -> str:
    """A secret from the environment or a file. Raises OutsideFailed, which names the variable; where a file lies is not for callers."""
    kind, _, name = source.partition(":")
    if kind == "env":
        place, value = f"the environment variable {name}", os.environ.get(name)
    else:
        place, value = "the file", None
        try:
            with open(name, "rb") as file:
                value = file.read(SECRET_BYTES).decode("ascii", "replace").strip()
        except (OSError, ValueError):
            value = None
    if not value:
        lacks = "isn't set" if kind == "env" else "can't be read"
        raise OutsideFailed(f"{place} ({what}) {lacks} where the memory-wire server runs")
    if not value.isascii() or not value.isprintable():
        raise OutsideFailed(f"{place} ({what}) holds what no header can")
    return value
