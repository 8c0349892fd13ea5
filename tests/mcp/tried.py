"""A dispatcher in process with a handler for everything that one may do."""

from __future__ import annotations

import json
from typing import Any

from memory_wire.mcp.dispatch import Context, Dispatcher, Peer, Provider, Task
from memory_wire.mcp.rpc import Fault
from memory_wire.mcp.steps import Ask, Hold, Notify, Run, Send
from memory_wire.types import Empty

Json = dict[str, Any]
VERSION, CAPABILITIES = "io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities"
META = {VERSION: "2026-07-28", CAPABILITIES: {}}
SERVER = {"name": "tried", "version": "1"}


def reports(context: Context, params: Any) -> Any:
    for done in (1, 2):
        yield Notify("notifications/progress", {"progress": done})
    for level in ("debug", "warning"):
        yield Notify("notifications/message", {"level": level, "data": level})
    return {"done": True}


def asks(context: Context, params: Any) -> Any:
    try:
        return {"told": (yield Ask("roots/list", {}))}
    except Fault as fault:
        return {"refused": [fault.code, str(fault)]}


def runs(context: Context, params: Any) -> Any:
    return {"ran": (yield Run("banks", Empty()))}


def content(context: Context, params: Any) -> Json:
    link = {"type": "resource_link", "uri": "memory://b/1", "name": "one"}
    sound = {"type": "audio", "data": "", "mimeType": "audio/wav"}
    return {"content": [link, sound, {"type": "text", "text": "t"}], "structuredContent": {"a": 1}}


class Tried:
    """A dispatcher with a few handlers; `closed` says which generators were ended, `errors` what nobody expected."""

    def __init__(self) -> None:
        self.errors: list[BaseException] = []
        self.closed: list[str] = []
        methods = {"tools/list": lambda c, p: {"tools": []}, "tools/call": content, "report": reports, "ask": asks, "run": runs}
        methods |= {"boom": self.boom, "waits": self.waits, "need": self.need, "odd": lambda c, p: {"odd": {1, 2}, "set": object()}}
        provider = Provider(
            SERVER,
            methods,  # type: ignore[arg-type]
            capabilities={"tools": {}},
            instructions="how",
            legacy={"resources/subscribe": lambda c, p: {}},
            subscribable=frozenset({"toolsListChanged", "resourceSubscriptions"}),
        )
        self.dispatcher = Dispatcher(provider, self.errors.append)
        self.peer = Peer("b")

    def boom(self, context: Context, params: Any) -> Json:
        raise RuntimeError("the secret is 1234")

    def need(self, context: Context, params: Any) -> Json:
        context.need(sampling={})
        return {}

    def waits(self, context: Context, params: Any) -> Any:
        try:
            yield Hold()
            return {}
        finally:
            self.closed.append("waits")

    def begin(self, message: object) -> Task | None:
        return self.dispatcher.begin(message, self.peer)

    def ask(self, method: str, params: object = None, id: object = 1) -> Json:
        """The answer of a request that needs no step."""
        task = self.begin({"jsonrpc": "2.0", "id": id, "method": method, **({} if params is None else {"params": params})})
        assert task is not None
        assert task.advance() is None
        found: Json = json.loads(task.answer)
        return found

    def modern(self, method: str, **params: object) -> Json:
        return self.ask(method, {"_meta": META, **params})

    def steps(self, method: str, params: Json) -> tuple[list[Json], Json]:
        """(messages sent on the way, the answer)."""
        task = self.begin({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        assert task is not None
        sent = []
        step = task.advance()
        while step is not None:
            assert isinstance(step, Send)
            sent.append(json.loads(step.data))
            step = task.advance()
        return sent, json.loads(task.answer)
