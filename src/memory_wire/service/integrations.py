"""Integrations as administrators set them. Called by the service; loaded when first asked for.

What reaches further than a project is for who runs the store: secrets from the server's environment and files, private addresses.
"""

from __future__ import annotations

from msgspec.json import decode, encode

from memory_wire import config, ops
from memory_wire import integrations as i
from memory_wire.errors import Forbidden, Invalid, UnknownName
from memory_wire.kernels.text import content_hash
from memory_wire.service import admin, audit, dates
from memory_wire.service.changes import Outcome
from memory_wire.service.rights import operator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.service.service import Service
    from memory_wire.store.protocol import Tx
    from memory_wire.store.reader import Reader
    from memory_wire.types import Scope

    Work = Callable[[Tx], Outcome]

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
TYPES = ("string", "integer", "number", "boolean", "object", "array")
SOURCES = ("env:", "file:")
OPEN = ("accept", "accept-language", "content-type", "user-agent")  # headers that hold no secret
OURS = ("accept-encoding", "connection", "content-length", "host", "mcp-protocol-version", "mcp-session-id", "transfer-encoding")
PRIVATE = ("10.", "127.", "169.254.", "192.168.", *(f"172.{part}." for part in range(16, 32)))
PRIVATE_6 = ("::1", "fc", "fd", "fe8", "fe9", "fea", "feb")
TOKEN = frozenset("!#$%&'*+-.^_`|~abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
SET = "(set)"
ALL = "*"
MARKS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")  # of a tool's name
AGENTS_OWN = "mmw_sync_status"  # the local agent's tool beside the server's


def project_of(source: Reader | Tx, scope: Scope, project: str | None, account: str | None) -> str:
    """The name of the project that is meant: the one that is named, else the caller's own. Raises UnknownName."""
    if project is None and account is None:
        return scope.project
    owner = admin.account_of(source, scope, account)
    name = admin.full(owner, "default" if project is None else project)
    if not source.people.project(owner.id, name) or admin.bound(scope) not in (None, name):
        raise UnknownName("project", str(project))
    return name


def integrations(reader: Reader, request: i.ListIntegrations, scope: Scope) -> i.Integrations:
    """The project's integrations by name. Raises UnknownName."""
    project = project_of(reader, scope, request.project, request.account)
    rows = reader.integrations.all(project)
    return i.Integrations(integrations=[shown(name, decode(spec, type=i.Integration), at) for name, spec, at in rows])


def shown(name: str, kept: i.Integration, at: int) -> i.IntegrationRow:
    return i.IntegrationRow(
        name=name,
        kind=kept.kind,
        url=kept.url,
        method=kept.method if kept.kind == "http" else None,
        headers={header: value if header.lower() in OPEN else where(value) for header, value in kept.headers.items()},
        arguments=kept.arguments,
        tools=kept.tools,
        description=kept.description,
        expose=kept.expose,
        private=kept.private,
        seconds=kept.seconds,
        cap=kept.cap,
        updated_at=dates.stamp(at),
    )


def where(value: str) -> str:
    """What is shown of a header's value: a reference without what stands before it, or that there is one."""
    last = value.rpartition(" ")[2]
    return last if last.startswith(SOURCES) else SET


def set_integration(request: i.SetIntegration, scope: Scope, service: Service) -> Work:
    """The work that sets an integration. Raises Invalid, Forbidden, UnknownName."""
    name, now = admin.name_of("name", request.name), service.now()
    kept = checked(request)
    if not operator(scope.caller):
        if kept.private:
            raise Forbidden("addresses of the server's machine and of private networks are set by who runs the store")
        if any(where(value) != SET for value in kept.headers.values()):
            raise Forbidden("env: and file: are for who runs the store")

    def work(tx: Tx) -> Outcome:
        project = project_of(tx, scope, request.project, request.account)
        id = tx.people.project_id(project)
        if id is None:
            id = tx.people.add_project(1 if scope.caller is None else scope.caller.account, project, now)
        tx.integrations.put(id, name, encode(kept), now)
        noted(tx, scope, project, "integration.set", name, now)
        return Outcome(shown(name, kept, now), tools=project)

    return work


def remove_integration(request: i.RemoveIntegration, scope: Scope, service: Service) -> Work:
    """The work that removes an integration; one that isn't there is no error. Raises UnknownName."""
    now = service.now()

    def work(tx: Tx) -> Outcome:
        project = project_of(tx, scope, request.project, request.account)
        id = tx.people.project_id(project)
        removed = id is not None and tx.integrations.remove(id, str(request.name))
        if removed:
            noted(tx, scope, project, "integration.remove", request.name, now)
        return Outcome(i.IntegrationRemoved(removed=removed), tools=project if removed else None)

    return work


def noted(tx: Tx, scope: Scope, project: str, action: str, target: str, at: int) -> None:
    """Appends a line to the log: who did what with which integration."""
    found = tx.people.owner(project)
    assert found is not None
    tx.trail.add(content_hash, at, *found, None, audit.actor(scope.caller), action, target, None)


# checks ----------------------------------------------------------------------------------------------------------------------------


def checked(request: i.SetIntegration) -> i.Integration:
    """What is kept of a request. Raises Invalid."""
    if request.kind not in ("http", "mcp"):
        raise Invalid("kind", "must be http or mcp")
    places, private = url_of(request)
    method = (request.method or "GET").upper()
    if method not in METHODS or (request.kind == "mcp" and request.method is not None):
        raise Invalid("method", f"must be one of {', '.join(METHODS)}, and is for http only")
    if request.description is not None and len(request.description) > config.CAPSULE_CHARS:
        raise Invalid("description", f"must be at most {config.CAPSULE_CHARS} characters")
    return i.Integration(
        kind=request.kind,
        url=request.url,
        method=method,
        headers=headers_of(request.headers or {}),
        arguments=arguments_of(request, places),
        tools=tools_of(request),
        description=request.description,
        expose=expose_of(request),
        private=private if request.private is None else request.private,
        seconds=within("seconds", request.seconds, config.GATEWAY_SECONDS, config.GATEWAY_SECONDS_MAX),
        cap=int(within("cap", request.cap, config.GATEWAY_BYTES, config.FETCH_BYTES)),
    )


def within(field: str, given: float | None, default: float, most: float) -> float:
    """A number above 0 and at most `most`. Raises Invalid."""
    if given is None:
        return default
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given <= most:
        raise Invalid(field, f"must be above 0, at most {most:,g}")
    return given


def url_of(request: i.SetIntegration) -> tuple[list[str], bool]:
    """(names of arguments in the URL, whether it names a private address). Raises Invalid."""
    scheme, _, rest = request.url.partition("://")
    place = rest.partition("/")[0].partition("?")[0]
    host = place[1:].partition("]")[0] if place.startswith("[") else place.partition(":")[0]
    if scheme not in ("http", "https") or not host or len(request.url) > config.SOURCE_CHARS:
        raise Invalid("url", f"must be http:// or https://, at most {config.SOURCE_CHARS:,} characters")
    if not all("!" <= mark <= "~" for mark in request.url) or any(mark in place for mark in "@{}\\") or "#" in request.url:
        raise Invalid("url", "has visible ASCII characters, no user, no fragment, and arguments in path and query only")
    names = [piece.partition("}")[0] for piece in rest.split("{")[1:]]
    if not all(name.isidentifier() for name in names) or rest.count("}") != len(names) or (names and request.kind == "mcp"):
        raise Invalid("url", "takes {name} for an argument, of http only")
    numeric = all(mark in "0123456789." for mark in host) and host.startswith(PRIVATE)
    return names, numeric or host == "localhost" or (place.startswith("[") and host.lower().startswith(PRIVATE_6))


def headers_of(given: dict[str, str]) -> dict[str, str]:
    """Headers that can be sent, each name in one spelling. Raises Invalid, never with a value."""
    if len(given) > config.GATEWAY_HEADERS:
        raise Invalid("headers", f"must be at most {config.GATEWAY_HEADERS}")
    for name, value in given.items():
        if not name or not TOKEN.issuperset(name) or name.lower() in OURS:
            raise Invalid("headers", "has a name that is none of a header, or that is not yours to set")
        if not value.strip() or len(value) > config.SOURCE_CHARS or not all(" " <= mark <= "~" for mark in value):
            raise Invalid("headers", f"{name} must be 1 to {config.SOURCE_CHARS:,} visible ASCII characters")
    return {"-".join([part.capitalize() for part in name.split("-")]): value for name, value in given.items()}


def arguments_of(request: i.SetIntegration, places: list[str]) -> dict[str, str]:
    """The type of each argument; those of the URL are strings unless said otherwise. Raises Invalid."""
    given = request.arguments or {}
    if given and request.kind == "mcp":
        raise Invalid("arguments", "are for http only: an MCP server checks its own")
    for name, kind in given.items():
        if not name.isidentifier() or kind.removesuffix("?") not in TYPES:
            raise Invalid("arguments", f"gives each name a type: {', '.join(TYPES)}, with ? when it may be left out")
        if name in places and kind not in TYPES[:4]:
            raise Invalid("arguments", f"{name} is in the URL: it must be a {', '.join(TYPES[:3])} or {TYPES[3]}, and given")
    return {**dict.fromkeys(places, "string"), **given}


def tools_of(request: i.SetIntegration) -> list[str]:
    """The tools that may be called. Raises Invalid."""
    given = request.tools or []
    if bool(given) != (request.kind == "mcp") or len(given) > config.GATEWAY_TOOLS or not all(0 < len(name) <= 128 for name in given):
        raise Invalid("tools", f"names 1 to {config.GATEWAY_TOOLS} tools of an MCP server that may be called, or * for all")
    return given


# tools of their own ----------------------------------------------------------------------------------------------------------------


def expose_of(request: i.SetIntegration) -> list[str]:
    """What is shown as tools, `*` for all. Raises Invalid, also for a name that a tool can't have."""
    if not request.expose:
        return []
    given = [ALL] if request.expose is True else request.expose
    if request.kind == "http" and given != [ALL]:
        raise Invalid("expose", "is true or false for http, which has one tool")
    for tool in given:
        if tool != ALL and not {tool, ALL} & set(request.tools or ()):
            raise Invalid("expose", f"{tool!r} is none of its tools that may be called")
        wanted = None if request.kind == "http" else "tool" if tool == ALL else tool
        why = misnamed(request.name, wanted)
        if why is None and named(request.name, wanted) in own_names():
            why = f"{named(request.name, wanted)!r} is a tool of the memory itself"
        if why is not None:
            raise Invalid("expose", why)
    return given


def own_names() -> set[str | None]:
    """Tools that there are anyway."""
    return {op.tool for op in ops.OPS} | {AGENTS_OWN}


def named(server: str, tool: str | None) -> str:
    """The name of an integration's tool among those of the memory; one of HTTP is named as its integration."""
    return server if tool is None else f"{server}_{tool}"


def misnamed(server: str, tool: str | None) -> str | None:
    """Why a tool can't have its name, if it can't."""
    name = named(server, tool)
    if not MARKS.issuperset(name):
        return f"{name!r} is no name of a tool: letters, digits, `_`, `.` and `-` only"
    if len(name) > config.MCP_NAME:
        return f"{name!r} is longer than {config.MCP_NAME} characters"
    return None
