"""Serves handlers whose answers are streams, as long and as slow as a test wants: `python -m tests.mcp.streaming DB [LIMIT=VALUE…]`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from memory_wire.mcp.dispatch import Context, Provider
from memory_wire.mcp.steps import Notify

LINE = "x" * 1_000


class Streams(Provider):
    """`flood` sends `count` notifications, `state` says what is open and what was ended, `change` tells subscribers."""

    def __init__(self) -> None:
        methods = {"flood": self.flood, "state": self.state, "change": self.change, "ping2": lambda context, params: {}}
        super().__init__({"name": "streams", "version": "1"}, methods, subscribable=frozenset({"toolsListChanged"}))  # type: ignore[arg-type]
        self.running = self.left = self.sent = 0

    def flood(self, context: Context, params: Mapping[str, Any]) -> Any:
        self.running += 1
        try:
            for number in range(params["count"]):
                self.sent += 1
                yield Notify("notifications/message", {"level": "info", "data": f"{number} {LINE}"})
            return {"sent": params["count"]}
        except GeneratorExit:
            self.left += 1
            raise
        finally:
            self.running -= 1

    def state(self, context: Context, params: Mapping[str, Any]) -> dict[str, object]:
        streams = len(self.publish.__self__.subscriptions.streams)  # type: ignore[attr-defined]
        return {"running": self.running, "left": self.left, "sent": self.sent, "streams": streams}

    def change(self, context: Context, params: Mapping[str, Any]) -> dict[str, object]:
        for _ in range(params.get("times", 1)):
            self.publish("tools")
        return {}


def main(db: str, *limits: str) -> int:
    from memory_wire import config
    from memory_wire.serve.loop import run
    from memory_wire.serve.settings import Settings

    for limit in limits:
        name, _, value = limit.partition("=")
        assert hasattr(config, name), name
        setattr(config, name, float(value))
    return run(Settings(db=db, addr="127.0.0.1:0"), provider=Streams())


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
