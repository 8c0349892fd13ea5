"""Messages of the protocol to answers. Carried by stdio.py and by the HTTP server; what is served comes from a `Provider`.

`Dispatcher.begin` makes a Task of a message; the carrier advances it, doing what it asks for in between (see steps.py), until it has an
answer. Nothing in this package but stdio.py blocks, and nothing opens a socket or knows a store.
"""

from __future__ import annotations

from memory_wire import config
from memory_wire.mcp import eras, rpc
from memory_wire.mcp.provider import Provider
from memory_wire.mcp.rpc import INTERNAL, INVALID, METHOD, PARAMS, Fault
from memory_wire.mcp.subscriptions import Subscriptions
from memory_wire.mcp.task import Batch, Context, Peer, Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memory_wire.mcp.rpc import Id, Json
    from memory_wire.mcp.steps import Handler

__all__ = ["Context", "Dispatcher", "Peer", "Provider", "Task"]


class Dispatcher:
    """Shared by all peers. `lost` is told of exceptions nobody expected."""

    def __init__(self, provider: Provider, lost: Callable[[BaseException], None]) -> None:
        self.provider = provider
        self.lost = lost
        self.asked: dict[str, Task] = {}
        self.subscriptions = Subscriptions(provider.subscribable)
        provider.publish = self.publish
        self.both: dict[str, Handler] = dict(provider.methods)
        self.legacy: dict[str, Handler] = {
            "initialize": self.initialize,
            "ping": self.ping,
            "logging/setLevel": self.set_level,
            **provider.legacy,
        }
        self.modern: dict[str, Handler] = {"server/discover": self.discover}

    def begin(self, message: object, peer: Peer) -> Task | None:
        """The task of a message, or None when there is nothing to answer. What can't be dispatched is a task that is done."""
        return self.begin_batch(message, peer) if isinstance(message, list) else self.begin_member(message, peer)

    def begin_member(self, message: object, peer: Peer) -> Task | None:
        try:
            return self.begin_one(message, peer)
        except Fault as fault:
            number = rpc.request_id(message) if isinstance(message, dict) else None
            if peer.modern:
                fault.status = eras.STATUS.get(fault.code, 200)
            return self.refused(fault, number)

    def refused(self, fault: Fault, number: Id | None = None) -> Task:
        """A task that is answered by an error."""
        task = Task(self, None)
        task.fault = fault
        task.answer = rpc.error(number, fault)
        return task

    def begin_batch(self, messages: list[object], peer: Peer) -> Task | None:
        if not peer.batches:
            return self.refused(Fault(INVALID, "batches are part of protocol version 2025-03-26 only", status=400))
        if not 0 < len(messages) <= config.MCP_BATCH:
            return self.refused(Fault(INVALID, f"a batch has 1 to {config.MCP_BATCH} messages", status=400))
        if any(isinstance(message, dict) and message.get("method") == "initialize" for message in messages):
            return self.refused(Fault(INVALID, "`initialize` can't be part of a batch", status=400))
        tasks = [task for message in messages if (task := self.begin_member(message, peer)) is not None]
        return Batch(self, tasks) if tasks else None

    def begin_one(self, message: object, peer: Peer) -> Task | None:
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            raise Fault(INVALID, "not a JSON-RPC 2.0 message", status=400)
        method, params = message.get("method"), message.get("params", {})
        if method is None and "id" in message and ("result" in message or "error" in message) and not peer.modern:
            self.responded(message)
            return None
        if not isinstance(method, str):
            raise Fault(INVALID, "`method` must be a string", status=400)
        if not isinstance(params, dict):
            raise Fault(INVALID if "id" not in message else PARAMS, "`params` must be an object", status=400)
        if "id" not in message:
            self.notified(method, params, peer)
            return None
        number = rpc.request_id(message)
        if number is None:
            raise Fault(INVALID, "`id` must be a string or an integer", status=400)
        return self.start(Context(peer, number, method, params))

    def start(self, context: Context) -> Task:
        """A task whose handler has been called."""
        task = Task(self, context)
        method = context.method
        if context.modern and method == "subscriptions/listen":
            task.work = self.subscriptions.listen(task)
            return task
        handler = (self.modern if context.modern else self.legacy).get(method) or self.both.get(method)
        try:
            if handler is None:
                raise Fault(METHOD, f"unknown method: {method}")
            found = handler(context, context.params)
        except Exception as error:
            task.refuse(error)
            return task
        if isinstance(found, dict):
            task.finish(found)
        else:
            task.work = found
        return task

    def notified(self, method: str, params: Mapping[str, object], peer: Peer) -> None:
        """A notification: only a cancellation means something here."""
        if method == "notifications/cancelled":
            number = params.get("requestId")
            task = peer.tasks.get(number) if isinstance(number, str) or type(number) is int else None
            if task is not None:
                task.cancel()

    def responded(self, message: Mapping[str, object]) -> None:
        """The client's answer to what a handler has asked it."""
        task = self.asked.pop(str(message.get("id")), None)
        if task is None:
            return
        error = message.get("error")
        if isinstance(error, dict):
            code = error.get("code")
            task.resume(task, Fault(code if type(code) is int else INTERNAL, str(error.get("message"))))
        else:
            task.resume(task, message.get("result"))

    # methods of the protocol itself ------------------------------------------------------------------------------------------------

    def initialize(self, context: Context, params: Mapping[str, object]) -> Json:
        wanted = params.get("protocolVersion")
        if not isinstance(wanted, str):
            raise Fault(PARAMS, "`protocolVersion` must be a string")
        context.peer.version = wanted if wanted in eras.LEGACY else eras.NEWEST
        return {"protocolVersion": context.peer.version, **self.about({}), "serverInfo": self.provider.info}

    def discover(self, context: Context, params: Mapping[str, object]) -> Json:
        return {"supportedVersions": list(eras.MODERN), **self.about(self.provider.modern)}

    def about(self, more: Json) -> Json:
        provider = self.provider
        instructions: Json = {"instructions": provider.instructions} if provider.instructions else {}
        return {"capabilities": {**provider.capabilities, **more}, **instructions}

    def ping(self, context: Context, params: Mapping[str, object]) -> Json:
        return {}

    def set_level(self, context: Context, params: Mapping[str, object]) -> Json:
        level = params.get("level")
        if level not in eras.LEVELS:
            raise Fault(PARAMS, f"`level` must be one of {', '.join(eras.LEVELS)}")
        context.peer.level = str(level)
        return {}

    def publish(self, kind: str, uri: str = "", project: str | None = None) -> None:
        """Tells subscribers of a change, those of one project or all: kind is tools, prompts, resources or, with a URI, resource."""
        self.subscriptions.publish(kind, uri, project)
