"""A client of what the product serves, in process; operations run on a real store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from memory_wire.client import Memory
from memory_wire.errors import MemoryWireError
from memory_wire.mcp.dispatch import Dispatcher, Peer
from memory_wire.mcp.serving import provider
from memory_wire.mcp.steps import Run

Json = dict[str, Any]


class Talk:
    """A client of the product's provider."""

    def __init__(self, path: Path, pinned: bool = False) -> None:
        self.errors: list[BaseException] = []
        self.memory = Memory(path / "memory.db")
        self.dispatcher = Dispatcher(provider(), self.errors.append)
        self.peer = Peer("b", pinned)
        self.failing: MemoryWireError | None = None

    def run(self, step: Run) -> object:
        if self.failing is not None:
            return self.failing
        try:
            return self.memory.call(step.operation, step.request, step.bank)
        except MemoryWireError as error:
            return error

    def ask(self, method: str, params: object = {}) -> Json:
        task = self.dispatcher.begin({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, self.peer)
        assert task is not None
        step = task.advance()
        while step is not None:
            assert isinstance(step, Run)
            step = task.advance(self.run(step))
        found: Json = json.loads(task.answer)
        return found

    def call(self, tool: str, /, **arguments: object) -> Json:
        found = self.ask("tools/call", {"name": tool, "arguments": arguments})
        assert "result" in found, found
        result: Json = found["result"]
        return result

    def value(self, tool: str, /, **arguments: object) -> Any:
        """The JSON in the text of a call that went well."""
        found = self.call(tool, **arguments)
        assert found["isError"] is False, found
        return json.loads(found["content"][0]["text"])

    def refusal(self, tool: str, /, **arguments: object) -> str:
        found = self.call(tool, **arguments)
        assert found["isError"] is True and "structuredContent" not in found
        text: str = found["content"][0]["text"]
        return text
