"""Routes, generated from the operation table: which operation a path and a verb name, and how its request is read.

`Router.find` answers for admit.py; adding a row to `ops.OPS` adds a route.
"""

from __future__ import annotations

from msgspec import Struct

from memory_wire import ops
from memory_wire.errors import Invalid, NotPublic
from memory_wire.serve import reply
from memory_wire.serve.read import Body, Query, segment
from memory_wire.types import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from memory_wire.serve.incoming import Request
    from memory_wire.serve.reply import Reply

UNDECODABLE = {"bank": "invalid bank id"}  # what the contract says of a segment that is no text


def missing() -> Reply:
    return reply.NOT_FOUND


class Route:
    """One verb of one path. Without `op` it is the server's own, answered by `answer` or, when it has more to do, begun by `start`."""

    __slots__ = (
        "answer",
        "body",
        "contract",
        "form",
        "keyed",
        "name",
        "op",
        "operators",
        "outward",
        "places",
        "public",
        "query",
        "reads",
        "render",
        "start",
        "writes",
    )

    def __init__(
        self, name: str, op: ops.Op | None = None, answer: Callable[[], Reply] = missing, start: Callable[[Request], None] | None = None
    ) -> None:
        self.name = name
        self.op = op
        self.answer = answer
        self.start = start
        self.places: tuple[str, ...] = ()
        self.writes = self.contract = False
        self.outward = op is not None and op.public  # for everybody, on every address
        self.public = self.outward  # nobody needs a key
        self.operators = False  # for who runs the store
        if op is not None:
            self.places = tuple(part[1:-1] for part in op.http[1].split("/") if part.startswith("{"))
            self.writes, self.contract = op.writes, op.contract
        self.form = op is not None and op.form  # a request has a body as forms send it
        self.reads = (op is not None and op.body) or start is not None or self.form  # a body, else of JSON

    def __getattr__(self, name: str) -> Any:
        """What reads and renders, made when the route is first asked for: most routes of a server never are."""
        if name not in {"body", "keyed", "query", "render"}:
            raise AttributeError(name)
        op = self.op
        self.body: Body | None = None
        self.query: Query | None = None
        self.keyed = False
        self.render: Callable[..., Reply] = reply.plain
        if op is not None:
            self.keyed = "idempotency_key" in op.request.__struct_fields__
            self.body = Body(op.request) if op.body else None
            self.query = Query(op.request, self.places, op.contract or op.public, receipt=op.name in {"retain", "retain_batch"})
            self.render = reply.renderer(op)
        return getattr(self, name)

    def read(self, params: list[bytes], query: bytes, body: bytes, home: Scope) -> tuple[Scope, Struct, bool, bytes]:
        """Scope, request Struct, whether a receipt is asked for, and header lines naming ignored fields.

        Raises Invalid, Malformed or WrongType.
        """
        assert self.op is not None and self.query is not None
        values: dict[str, object] = {}
        scope = home
        for name, raw in zip(self.places, params, strict=True):
            value = segment(raw)
            if value is None and self.outward:
                raise NotPublic
            if value is None:
                raise Invalid(name, "not valid UTF-8", UNDECODABLE.get(name))
            if name == "bank":
                scope = home.at(value)
            else:
                values[name] = value
        receipt = self.query.into(values, body if self.form else query)
        if self.body is None:
            return scope, self.op.request(**values), receipt, b""
        call, ignored = self.body.decode(body)
        for name in self.places:
            if name != "bank":
                setattr(call, name, values[name])
        return scope, call, receipt, ignored


class Node:
    """A path up to one segment: what may follow literally, what any other segment leads to, and the verbs that end here.

    `whole`: whatever follows belongs to the route of this node.
    """

    __slots__ = ("any", "literal", "verbs", "whole")

    def __init__(self) -> None:
        self.literal: dict[bytes, Node] = {}
        self.any: Node | None = None
        self.verbs: dict[bytes, Route] = {}
        self.whole = False


class Router:
    """All routes. Literal segments are compared undecoded and win over placeholders; a placeholder never takes an empty segment."""

    def __init__(self, own: Iterable[tuple[str, Callable[[], Reply]]], public: Sequence[str] = (), operators: Sequence[str] = ()) -> None:
        """`own` are the server's own pages by name, each at the path of that name; for the `public` ones nobody needs a key."""
        self.root = Node()
        for op in ops.OPS:
            self.add(op.http[0], op.http[1], Route(op.name, op))
        for name, answer in own:
            route = Route(name, answer=answer)
            route.public, route.operators = name in public, name in operators
            self.add("GET", f"/{name}", route)

    def mount(self, name: str, start: Callable[[Request], None]) -> None:
        """Has POSTs to the path of that name, and to everything below it, begun by `start`; what follows the name is in `params`."""
        self.add("POST", f"/{name}", Route(name, start=start)).whole = True

    def add(self, verb: str, path: str, route: Route) -> Node:
        node = self.root
        for part in path.encode()[1:].split(b"/"):
            if part.startswith(b"{"):
                node.any = node.any or Node()
                node = node.any
            else:
                node = node.literal.setdefault(part, Node())
        node.verbs[verb.encode()] = route
        return node

    def find(self, verb: bytes, path: bytes) -> tuple[Route | None, list[bytes], Reply | None]:
        """The route and the path's placeholders, or the reply that refuses: 404, or 405 with Allow. HEAD asks like GET."""
        node: Node | None = self.root
        params: list[bytes] = []
        if not path.startswith(b"/"):
            return None, params, reply.NOT_FOUND
        parts = path[1:].split(b"/")
        for depth, part in enumerate(parts):
            assert node is not None
            literal = node.literal.get(part)
            if literal is None and part:
                params.append(part)
                literal = node.any
            node = literal
            if node is None:
                return None, params, reply.NOT_FOUND
            if node.whole:
                params = parts[depth + 1 :]
                break
        assert node is not None
        route = node.verbs.get(b"GET" if verb == b"HEAD" else verb)
        if route is not None:
            return route, params, None
        if all(route.outward for route in node.verbs.values()):  # where anything may be named, what can't be asked isn't there
            return None, params, reply.NOT_FOUND
        verbs = sorted({*node.verbs, *((b"HEAD",) if b"GET" in node.verbs else ())})
        return None, params, reply.not_allowed(verbs)
