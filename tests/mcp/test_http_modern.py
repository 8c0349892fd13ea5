"""`/mcp` in the modern era: what headers must say, and with which status errors come."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import pytest

from tests.mcp.fixture_server import Fixture
from tests.mcp.posting import BOTH, MODERN, code, message, modern, post, sent
from tests.mcp.tried import CAPABILITIES, VERSION, Json
from tests.serve.serving import Serving

TOOL = {"name": "memory_banks", "arguments": {}}


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with Serving(tmp_path_factory.mktemp("mcp")) as server:
        yield server
        assert server.stop() == 0
        assert not [line for line in server.stderr.splitlines() if "serving" not in line]


@pytest.fixture(scope="module")
def fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fixture]:
    with Fixture(tmp_path_factory.mktemp("fixture")) as found:
        yield found


# modern ----------------------------------------------------------------------------------------------------------------------------


def test_a_modern_request(serving: Serving) -> None:
    reply = post(serving, *modern("tools/call", TOOL, **{"Mcp-Name": "memory_banks"}))
    found: Any = reply.json
    assert reply.status == 200 and found["result"]["resultType"] == "complete"
    assert post(serving, *modern("server/discover")).status == 200


@pytest.mark.parametrize("change", [
    {"Mcp-Method": "tools/list"}, {"Mcp-Method": ""}, {"Mcp-Method": "TOOLS/CALL"}, {"Mcp-Name": "memory_list"}, {"Mcp-Name": ""},
    {"Mcp-Name": "=?base64?!!?="}, {"MCP-Protocol-Version": "2025-11-25"},
])  # fmt: skip
def test_headers_that_disagree(change: dict[str, str], serving: Serving) -> None:
    body, headers = modern("tools/call", TOOL, **{"Mcp-Name": "memory_banks"})
    reply = post(serving, body, {**headers, **change})
    assert (reply.status, code(reply), reply.json["id"]) == (400, -32020, 1)  # type: ignore[index]


@pytest.mark.parametrize("name", ["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"])
def test_headers_that_are_missing_or_double(name: str, serving: Serving) -> None:
    body, headers = modern("tools/call", TOOL, **{"Mcp-Name": "memory_banks"})
    value = headers.pop(name)
    reply = post(serving, body, headers)
    assert (reply.status, code(reply)) == (400, -32020)
    reply = post(serving, body, {**headers, name: value, name.lower(): value})
    assert (reply.status, code(reply)) == (400, -32020)
    assert post(serving, body, {**headers, name.upper(): f"  {value}\t "}).status == 200


def test_a_name_in_base64(serving: Serving) -> None:
    packed = base64.b64encode(b"memory_banks").decode()
    assert post(serving, *modern("tools/call", TOOL, **{"Mcp-Name": f"=?base64?{packed}?="})).status == 200
    uri = "memory://é/1"
    body, headers = modern("resources/read", {"uri": uri}, **{"Mcp-Name": f"=?base64?{base64.b64encode(uri.encode()).decode()}?="})
    assert code(post(serving, body, headers)) == -32602


@pytest.mark.parametrize(("meta", "version", "number"), [
    ({VERSION: "2099-01-01", CAPABILITIES: {}}, "2099-01-01", -32022), ({VERSION: "2025-11-25", CAPABILITIES: {}}, "2025-11-25", -32022),
    ({VERSION: "2099-01-01", CAPABILITIES: {}}, "2026-07-28", -32020), ({CAPABILITIES: {}}, "2026-07-28", -32602),
    ({VERSION: "2026-07-28"}, "2026-07-28", -32602), ({}, "2026-07-28", -32602),
    ({VERSION: "2026-07-28", CAPABILITIES: 5}, "2026-07-28", -32602),
])  # fmt: skip
def test_a_meta_that_disagrees(meta: Json, version: str, number: int, serving: Serving) -> None:
    headers = {**BOTH, "MCP-Protocol-Version": version, "Mcp-Method": "tools/list"}
    reply = post(serving, message("tools/list", {"_meta": meta}), headers)
    assert (reply.status, code(reply)) == (400, number)


def test_modern_errors_have_a_status_of_their_own(serving: Serving) -> None:
    for method, params, name, status, number in (
        ("nothing", {}, None, 404, -32601),
        ("ping", {}, None, 404, -32601),
        ("initialize", {"protocolVersion": "2025-06-18"}, None, 404, -32601),
        ("tools/call", {"name": "nothing"}, "nothing", 400, -32602),
        ("resources/read", {"uri": "memory://b/1"}, "memory://b/1", 400, -32602),
        ("tools/list", {"cursor": "x"}, None, 400, -32602),
    ):
        reply = post(serving, *modern(method, params, **({"Mcp-Name": name} if name else {})))
        assert (reply.status, code(reply)) == (status, number), method


def test_a_modern_client_sends_no_answers(serving: Serving) -> None:
    reply = post(serving, {"jsonrpc": "2.0", "id": 1, "result": {}}, MODERN)
    assert (reply.status, code(reply)) == (400, -32600)


@pytest.mark.parametrize(("value", "header", "status"), [
    ("eu", "eu", 200), ("eu", "us", 400), ("eu", None, 400), (None, "eu", 400), (None, None, 200), ("é", "=?base64?w6k=?=", 200),
    ("é", "=?base64?w6k?=", 400), ("=?base64?eu?=", "=?base64?PT9iYXNlNjQ/ZXU/PQ==?=", 200), ("eu", "EU", 400), ("e u", "e u", 200),
])  # fmt: skip
def test_arguments_in_headers(value: str | None, header: str | None, status: int, fixture: Fixture) -> None:
    arguments = {} if value is None else {"region": value}
    body, headers = modern("tools/call", {"name": "test_header_param", "arguments": arguments}, **{"Mcp-Name": "test_header_param"})
    if header is not None:
        headers["Mcp-Param-Region"] = header
    with fixture.dial() as peer:
        peer.send(sent(body, headers=headers))
        assert peer.reply().status == status
