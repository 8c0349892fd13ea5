"""Spoiled messages through the product's dispatcher on a real store: an answer of the protocol each time, nothing unexpected."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from memory_wire import Memory
from memory_wire.errors import MemoryWireError
from memory_wire.mcp import rpc
from memory_wire.mcp.dispatch import Dispatcher, Peer
from memory_wire.mcp.serving import provider
from memory_wire.mcp.steps import Hold, Run
from tests.mcp.messages import MISSING, messages, spoiled

CODES = {-32700, -32600, -32601, -32602, -32002, -32020, -32021, -32022}
VERSIONS = ["", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]


class Direct:
    """Messages in, answers out, with nothing but the dispatcher and a store between."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.lost: list[BaseException] = []
        self.dispatcher = Dispatcher(provider(), self.lost.append)
        listed = self.answer({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, Peer("fuzzed"))
        self.outputs = {tool["name"]: Draft202012Validator(tool["outputSchema"]) for tool in listed["result"]["tools"]}

    def answer(self, message: object, peer: Peer) -> Any:
        """The answer, decoded; None when there is none."""
        task = self.dispatcher.begin(message, peer)
        if task is None:
            return None
        given: object = None
        while (step := task.advance(given)) is not None:
            given = None
            if isinstance(step, Run):
                try:
                    given = self.memory.call(step.operation, step.request, step.bank)
                except MemoryWireError as error:
                    given = error
            elif isinstance(step, Hold):
                self.dispatcher.subscriptions.end(task)
        return json.loads(task.answer) if task.answer else None


@pytest.fixture(scope="module")
def direct(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Direct]:
    with Memory(tmp_path_factory.mktemp("fuzz") / "memory.db") as memory:
        memory.retain("The heron moved north.", bank="fuzzed", created_at="2024-05-16")
        yield Direct(memory)


def judge(direct: Direct, message: Any, answer: Any) -> None:
    """Whether that may be the answer to this message."""
    assert direct.lost == []
    if answer is None:
        assert not isinstance(message, dict) or "id" not in message or "method" not in message
        return
    if isinstance(answer, list):
        assert isinstance(message, list)
        for one in answer:
            judge(direct, None, one)
        return
    assert answer["jsonrpc"] == "2.0" and ("result" in answer) != ("error" in answer)
    if "error" in answer:
        assert answer["error"]["code"] in CODES and answer["error"]["message"]
    if isinstance(message, dict):
        id = message.get("id")
        assert answer["id"] == (id if isinstance(id, str) or type(id) is int else None)
    if "result" in answer and isinstance(message, dict) and message["method"] == "tools/call":
        result = answer["result"]
        assert all(block["type"] == "text" for block in result["content"])
        if not result.get("isError") and "structuredContent" in result:
            direct.outputs[message["params"]["name"]].validate(result["structuredContent"])


@given(message=spoiled(), version=st.sampled_from(VERSIONS))
@example(message=[[[]]], version="2025-03-26")
@example(message=[{"jsonrpc": "2.0", "id": 1, "method": "ping"}] * 2, version="2025-03-26")
@example(message={"jsonrpc": "2.0", "id": 7, "method": "resources/read", "params": {"uri": f"memory://%  a/{MISSING}"}}, version="")
def test_a_spoiled_message(direct: Direct, message: Any, version: str) -> None:
    judge(direct, message, direct.answer(message, Peer("fuzzed", version=version)))


@given(data=st.data(), message=st.sampled_from(list(messages())))
def test_spoiled_bytes(direct: Direct, data: st.DataObject, message: Any) -> None:
    """Bytes of a message, some of them gone, doubled or others: read or refused, in both cases by words of the protocol."""
    raw = bytearray(json.dumps(message).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=4))
    try:
        read = rpc.read(bytes(raw))
    except rpc.Fault as fault:
        assert fault.code == rpc.PARSE
        return
    judge(direct, read, direct.answer(read, Peer("fuzzed")))


@pytest.mark.parametrize(
    "raw", [b"", b"\xff", b'{"a":"\xed\xa0\x80"}', b'"\\ud800"', b"[" * 100_000, b"1e999", b"NaN", b"\xef\xbb\xbf{}", b"{}{}"]
)
def test_what_is_no_json(raw: bytes) -> None:
    with pytest.raises(rpc.Fault) as fault:
        rpc.read(raw)
    assert fault.value.code == rpc.PARSE and "\n" not in str(fault.value)
