"""`subscriptions/listen`: streams that stay open and are told of changes. Modern era only."""

from __future__ import annotations

from memory_wire import config
from memory_wire.mcp import eras
from memory_wire.mcp.rpc import INTERNAL, PARAMS, Fault
from memory_wire.mcp.steps import Hold, Notify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory_wire.mcp.rpc import Json
    from memory_wire.mcp.steps import Work
    from memory_wire.mcp.task import Task

LISTS = ("toolsListChanged", "promptsListChanged", "resourcesListChanged")


class Subscription:
    """What one stream wants to hear of. News not yet sent are kept once each, so a slow reader costs no more than its filter."""

    __slots__ = ("ended", "honoured", "news", "uris")

    def __init__(self, wanted: Mapping[str, object], subscribable: frozenset[str]) -> None:
        self.honoured: Json = {}
        for name in LISTS:
            if wanted.get(name) is True and name in subscribable:
                self.honoured[name] = True
        uris = wanted.get("resourceSubscriptions")
        self.uris: list[str] = []
        if isinstance(uris, list) and "resourceSubscriptions" in subscribable:
            self.uris = [uri for uri in uris if isinstance(uri, str)][: config.MCP_URIS]
            if self.uris:
                self.honoured["resourceSubscriptions"] = self.uris
        self.news: dict[tuple[str, str], None] = {}
        self.ended = False

    def wants(self, kind: str, uri: str) -> bool:
        return uri in self.uris if uri else f"{kind}ListChanged" in self.honoured


class Subscriptions:
    """The open streams of a dispatcher."""

    def __init__(self, subscribable: frozenset[str]) -> None:
        self.subscribable = subscribable
        self.streams: dict[Task, Subscription] = {}

    def listen(self, task: Task) -> Work:
        """A stream: acknowledged first, then told of what changes, ended by a result when it is our side that ends it."""
        context = task.context
        assert context is not None
        wanted = context.params.get("notifications")
        if not isinstance(wanted, dict):
            raise Fault(PARAMS, "`notifications` must be an object")
        if len(self.streams) >= config.MCP_STREAMS:
            raise Fault(INTERNAL, f"at most {config.MCP_STREAMS} subscriptions at once")
        subscription = self.streams[task] = Subscription(wanted, self.subscribable)
        tag: Json = {"_meta": {eras.META_SUBSCRIPTION: context.id}}
        try:
            yield Notify("notifications/subscriptions/acknowledged", {"notifications": subscription.honoured, **tag})
            while not subscription.ended:
                for method, uri in list(subscription.news):
                    del subscription.news[method, uri]
                    yield Notify(method, {**({"uri": uri} if uri else {}), **tag})
                if not subscription.news and not subscription.ended:
                    yield Hold()
            return tag
        finally:
            del self.streams[task]

    def publish(self, kind: str, uri: str = "", project: str | None = None) -> None:
        """Tells the streams of a change, those of one project or all: kind is tools, prompts, resources or, with a URI, resource."""
        for task, subscription in list(self.streams.items()):
            assert task.context is not None
            if subscription.wants(kind, uri) and project in (None, task.context.peer.project):
                subscription.news["notifications/resources/updated" if uri else f"notifications/{kind}/list_changed", uri] = None
                task.resume(task, None)

    def end(self, task: Task) -> None:
        """Ends a stream by our side: its last message is a result."""
        subscription = self.streams.get(task)
        if subscription is not None:
            subscription.ended = True
            task.resume(task, None)
