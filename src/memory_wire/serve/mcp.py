"""The Model Context Protocol at `/mcp` and `/mcp/{bank}`, stateless in both eras. Loaded by the first request for it.

Each POST is one message (or batch), answered as JSON or, when there is more to say than the answer, as a stream of server-sent events.
"""

from __future__ import annotations

from memory_wire.config import WRITE_HIGH
from memory_wire.mcp import headers, rpc
from memory_wire.mcp.dispatch import Dispatcher
from memory_wire.mcp.rpc import INTERNAL, INVALID, Fault
from memory_wire.mcp.steps import Hold, Run, Send
from memory_wire.mcp.task import ignore
from memory_wire.ops import BY_NAME
from memory_wire.serve import reply
from memory_wire.serve.listen import LOOPBACK_NAMES, origin_of
from memory_wire.serve.read import segment
from memory_wire.serve.stream import Stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from msgspec import Struct

    from memory_wire.mcp.dispatch import Provider, Task
    from memory_wire.ops import Op
    from memory_wire.serve.dispatch import Dispatch
    from memory_wire.serve.incoming import Request
    from memory_wire.serve.reply import Reply
    from memory_wire.types import Scope

ACCEPTED: Reply = (202, b"", b"", b"")
ANY = {b"*/*"}
JSON_TYPES = ANY | {b"application/*", b"application/json"}
EVENT_TYPES = ANY | {b"text/*", b"text/event-stream"}
RUNNING, ASKED, HELD, CHOKED = range(4)  # what an exchange waits for: an operation, the client's answer, news, the connection


class Endpoint:
    """Shared by all requests of a server."""

    def __init__(self, dispatch: Dispatch, provider: Provider | None = None) -> None:
        if provider is None:
            from memory_wire.mcp.serving import provider as product

            provider = product(telling=True)
        self.dispatch = dispatch
        self.loop = dispatch.loop
        self.dispatcher = Dispatcher(provider, dispatch.lost)
        dispatch.service.retold = self.retold

    def retold(self, project: str) -> None:
        """The tools of a project may be others now; said on any thread."""
        self.loop.call_soon_threadsafe(self.dispatcher.publish, "tools", "", project)

    def start(self, request: Request) -> None:
        """Answers a request or begins its exchange."""
        kinds = accepted(request.headers.get(b"accept", b"*/*"))
        events = not kinds.isdisjoint(EVENT_TYPES)
        plain = not kinds.isdisjoint(JSON_TYPES)
        message: object = None
        try:
            check_origin(request)
            message = rpc.read(request.body)
            if not (plain or events) or (is_listen(message) and not events):
                request.reply = reply.text(406, "accept application/json and text/event-stream")
                self.dispatch.release(request)
                return
            bank, pinned = place(request.params)
            peer = headers.peer_of(request.headers, message, bank, pinned)
            peer.project = request.home.project
            if request.key is not None:
                peer.key = request.key.decode("latin-1")
            headers.check(request.headers, message, peer, self.dispatcher.provider)
            task = self.dispatcher.begin(message, peer)
        except Fault as fault:
            task = self.dispatcher.refused(fault, rpc.request_id(message) if isinstance(message, dict) else None)
        if task is None:
            request.reply = ACCEPTED
            self.dispatch.release(request)
        else:
            exchange = request.exchange = Exchange(self, request, task, plain, events)
            exchange.drive()


class Exchange:
    """One request and its task, from the first step to the last byte of the reply."""

    __slots__ = ("endpoint", "events", "plain", "request", "stream", "task", "waits")

    def __init__(self, endpoint: Endpoint, request: Request, task: Task, plain: bool, events: bool) -> None:
        self.endpoint = endpoint
        self.request = request
        self.task = task
        self.plain = plain  # the client takes JSON
        self.events = events  # the client takes a stream
        self.stream: Stream | None = None
        self.waits = RUNNING
        task.resume = self.resume

    def drive(self, given: object = None) -> None:
        """Goes on until the task is done or waits."""
        self.waits = RUNNING
        step = self.task.advance(given)
        while step is not None:
            if isinstance(step, Run):
                op, scope = BY_NAME[step.operation], self.request.home.at(step.bank)
                if self.endpoint.dispatch.handed_on(self.request, (op, scope, step.request)):
                    return
                step = self.task.advance(self.called(op, scope, step.request))
            elif isinstance(step, Send):
                if not self.events:
                    step = self.task.advance(Fault(INTERNAL, "the client takes no events") if step.answer_to else None)
                    continue
                full = self.send(step.data)
                if step.answer_to or full:
                    self.waits = ASKED if step.answer_to else CHOKED
                    return
                step = self.task.advance()
            else:
                assert isinstance(step, Hold)
                self.waits = HELD
                return
        self.finish()

    def called(self, op: Op, scope: Scope, request: Struct) -> object:
        """The response of a read, or its error."""
        try:
            return self.endpoint.dispatch.service.call(op, scope, request)
        except Exception as error:
            return self.endpoint.dispatch.ours(error, contract=True)

    def send(self, data: bytes) -> bool:
        """One message on the stream, which begins with the first; whether the connection must catch up before the next."""
        if self.stream is None:
            self.stream = Stream(chunked=not self.request.old)
            self.request.close = self.request.close or self.request.old
        return self.stream.event(data) > WRITE_HIGH

    def finish(self) -> None:
        """The answer: the last event of a stream, else a reply of its own."""
        task = self.task
        if task.cancelled:
            if self.stream is not None:
                self.stream.end()
        elif self.stream is not None or not self.plain:
            if task.answer:
                self.send(task.answer)
            assert self.stream is not None
            self.stream.end()
        elif task.answer:
            self.request.reply = (task.fault.status if task.fault else 200, reply.JSON, task.answer, b"")
        else:
            self.request.reply = ACCEPTED  # a batch of notifications
        if self.stream is None:
            self.request.exchange = None
        task.resume = ignore
        self.endpoint.dispatch.release(self.request)

    # from outside ------------------------------------------------------------------------------------------------------------------

    def deliver(self, result: object) -> None:
        """A commit, or what waited, is done."""
        self.drive(self.endpoint.dispatch.ours(result, contract=True) if isinstance(result, Exception) else result)

    def resume(self, task: Task, value: object) -> None:
        """What the task waits for is there: it goes on with the loop's next turn, whoever says so now."""
        self.endpoint.loop.call_soon(self.go_on, value)

    def go_on(self, value: object) -> None:
        if self.waits in (ASKED, HELD) and not self.task.done:
            self.drive(value if self.waits == ASKED else None)
            self.request.connection.advance()

    def wake(self) -> bool:
        """The connection has sent everything: goes on if that was waited for."""
        if self.waits != CHOKED:
            return False
        self.drive()
        return True

    def end(self) -> None:
        """The server or the client's side is ending: a subscription says good-bye."""
        self.endpoint.dispatcher.subscriptions.end(self.task)

    @property
    def revoked(self) -> bool:
        """Whether the client takes the request back by shutting its side: a modern one does, unless it only listens."""
        context = self.task.context
        return context is not None and context.modern and self.waits != HELD

    def gone(self) -> None:
        """The client has left. A legacy request is finished all the same, as long as it needs no client."""
        if self.waits != RUNNING:
            self.task.close()
        elif self.revoked:
            self.task.cancelled = self.request.cancelled = True
        self.endpoint.dispatch.release(self.request)


def accepted(value: bytes) -> set[bytes]:
    """Media types of an Accept header."""
    return {part.partition(b";")[0].strip().lower() for part in value.split(b",")}


def is_listen(message: object) -> bool:
    return isinstance(message, dict) and message.get("method") == "subscriptions/listen"


def place(path: list[bytes]) -> tuple[str, bool]:
    """(bank, whether it is pinned) of what follows /mcp in the path: one segment pins. Raises Fault."""
    parts = path[:-1] if path and not path[-1] else path
    if len(parts) != 1:
        return "default", False
    bank = segment(parts[0])
    if bank is None or not bank.strip():
        raise Fault(INVALID, "invalid bank id", status=400)
    return bank, True


def check_origin(request: Request) -> None:
    """Where names aren't checked (listening for other machines), a web page may only come from this machine. Raises Fault."""
    connection, origin = request.connection, request.headers.get(b"origin")
    if origin is not None and connection.incoming.hosts is None and connection.peer != "unix" and origin_of(origin) not in LOOPBACK_NAMES:
        raise Fault(INVALID, "forbidden origin", status=403)
