"""From a parsed request to its reply: reads are answered at once on the loop thread, writes go into the next group commit.

Shared by all connections of a server; knows operations, not sockets.
"""

from __future__ import annotations

import os
import time

from memory_wire.errors import MemoryWireError, StorageError
from memory_wire.serve import metrics, reply
from memory_wire.serve.commits import Commits
from memory_wire.serve.entry import Entry
from memory_wire.serve.routes import Router

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from uvloop import Loop

    from memory_wire.mcp.provider import Provider
    from memory_wire.serve.apart import Apart
    from memory_wire.serve.commits import Call
    from memory_wire.serve.http import Connection
    from memory_wire.serve.incoming import Request
    from memory_wire.serve.log import Log
    from memory_wire.serve.mcp import Endpoint
    from memory_wire.serve.reply import Reply
    from memory_wire.service import Service

PAGES = ("ui", "ui/ui.css", "ui/ui.js", "edit", "edit/{id}", "ui/edit.css", "ui/edit.js")
OPENAPI = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "openapi.json")


class Dispatch:
    """`touch` is called for every request that uses the storage. `held` counts bytes of bodies not yet answered."""

    def __init__(
        self,
        loop: Loop,
        service: Service,
        log: Log,
        touch: Callable[[], None],
        rested: Callable[[], None],
        provider: Provider | None = None,
        insecure: bool = False,
    ) -> None:
        self.loop = loop
        self.service = service
        self.log = log
        self.touch = touch
        self.clock = time.perf_counter
        self.held = 0
        self.connections = 0
        self.answered: dict[tuple[str, int], int] = {}
        self.entry = Entry(service, insecure)
        self.commits = Commits(loop, service, self.deliver, self.lost, rested, touch)
        own = [("health", self.health), ("ready", self.ready), ("metrics", self.metrics), ("openapi.json", self.openapi)]
        own += [(name, self.viewer(name)) for name in PAGES]
        self.apart: Apart | None = None
        service.patient = set()
        self.router = Router(own, public=("health", "ready", *PAGES), operators=("metrics",))
        self.router.mount("mcp", self.mcp)
        self.provider = provider  # of MCP, the product's when None
        self.endpoint: Endpoint | None = None

    def start(self, request: Request) -> None:
        """Answers a request, or hands it to the next commit."""
        route = request.route
        assert route is not None
        try:
            if route.start is not None:
                route.start(request)
                return
            if route.op is None:
                request.reply = route.answer()
            else:
                self.touch()
                scope, call, request.receipt, request.more = route.read(request.params, request.query, request.body, request.home)
                if request.key is not None and route.keyed:
                    call.idempotency_key = request.key.decode("latin-1")  # type: ignore[attr-defined]  # what is no ASCII is refused
                if route.outward:
                    published().hear(call, request.headers)
                if self.handed_on(request, (route.op, scope, call)):
                    return
                self.answer(request, self.service.call(route.op, scope, call))
        except Exception as error:
            self.answer(request, error)
        self.release(request)

    def handed_on(self, request: Request, call: Call) -> bool:
        """Whether a call was handed to those who deliver its answer later: a write, or what waits for the outside world."""
        if self.service.waits(*call):
            if self.apart is None:
                from memory_wire.serve.apart import Apart

                self.apart = Apart(self)
            self.apart.submit(request, call)
        elif call[0].writes:
            self.commits.submit(request, call)
        else:
            return False
        return True

    def answer(self, request: Request, result: object) -> None:
        """Sets the reply that a response or an exception makes."""
        route = request.route
        assert route is not None
        if route.outward:
            request.reply = published().answer(self, request, result)
            return
        if isinstance(result, Exception):
            request.reply = self.refusal(result, route.contract)
            return
        status, kind, body, more = (reply.plain if request.receipt else route.render)(result)
        request.reply = (status, kind, body, more + request.more)

    def refusal(self, error: Exception, contract: bool) -> Reply:
        """What goes out for an exception."""
        return reply.refused(self.ours(error, contract), contract)

    def ours(self, error: Exception, contract: bool) -> MemoryWireError:
        """The error that is told for an exception; details of the storage and of surprises go to the log only."""
        if not isinstance(error, MemoryWireError):
            self.lost(error)
            error = StorageError(str(error))
        elif error.status == 500:
            detail = error.detail if isinstance(error, StorageError) else str(error)
            self.log.problem(error.code, detail)
            if contract:
                error = StorageError(detail)
        return error

    def deliver(self, answered: list[tuple[Request, object]]) -> None:
        """The answers of one commit, in the order the writes came in, or of a call that waited."""
        connections: dict[Connection, None] = {}
        for request, result in answered:
            if request.exchange is not None:
                request.exchange.deliver(result)
            else:
                self.answer(request, result)
                self.release(request)
            connections[request.connection] = None
        for connection in connections:
            connection.advance()

    def release(self, request: Request) -> None:
        """The request's body no longer counts against the allowance."""
        self.held -= request.size
        request.size = 0
        request.body = b""

    def render(self, request: Request) -> bytes:
        """The bytes of a request's reply; it counts as answered."""
        answer = request.reply
        assert answer is not None
        if request.connection.public:
            status, kind, body, more = answer
            answer = (status, kind, body, more + published().ANYWHERE)
        self.count(request, answer[0], len(answer[2]))
        return reply.to_bytes(answer, close=request.close, old=request.old, bodiless=request.verb == b"HEAD")

    def count(self, request: Request, status: int, size: int) -> None:
        """A request is answered."""
        key = (request.route.name if request.route else "", status)
        self.answered[key] = self.answered.get(key, 0) + 1
        if self.log.access:
            seconds = self.clock() - request.begun if request.begun else 0.0
            self.log.request(request.connection.peer, request.verb, request.path, status, size, seconds)

    def lost(self, error: BaseException) -> None:
        """An exception nobody expected: the log is the only place left for it."""
        self.log.failure("internal", error)

    def mcp(self, request: Request) -> None:
        """A message of the Model Context Protocol; the first one loads what speaks it."""
        self.touch()
        if self.endpoint is None:
            from memory_wire.serve.mcp import Endpoint

            self.endpoint = Endpoint(self, self.provider)
        self.endpoint.start(request)

    # the server's own routes -------------------------------------------------------------------------------------------------------

    def health(self) -> Reply:
        return reply.text(200, "ok")

    def ready(self) -> Reply:
        """Asks the store and the index; opens what was given back, so the quiet time starts again."""
        self.touch()
        return reply.plain(self.service.ready())

    def metrics(self) -> Reply:
        return metrics.render(self.answered, self.connections, self.service.gauges())

    def viewer(self, name: str) -> Callable[[], Reply]:
        """What answers for one file of the viewer and the editor; its module is loaded for the first who looks."""

        def answer() -> Reply:
            from memory_wire.serve.pages import page

            return page(name)

        return answer

    def openapi(self) -> Reply:
        with open(OPENAPI, "rb") as file:
            return 200, reply.JSON, file.read(), b""


def published() -> ModuleType:
    """What puts public surfaces on the wire, loaded for the first who looks."""
    from memory_wire.serve import published

    return published
