"""`/mcp` over raw sockets: where it is, who may ask, what bodies there may be, and what legacy clients get."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.mcp.posting import BOTH, MODERN, calling, code, message, modern, post, sent
from tests.mcp.tried import Json
from tests.serve.serving import Serving


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with Serving(tmp_path_factory.mktemp("mcp")) as server:
        yield server
        assert server.stop() == 0
        assert not [line for line in server.stderr.splitlines() if "serving" not in line]


# where -----------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/mcp", "/mcp/", "/mcp?a=1", "/mcp/a", "/mcp/a/", "/mcp/a/b", "/mcp/a/b/c/", "http://localhost/mcp"])
def test_where_it_is(path: str, serving: Serving) -> None:
    reply = post(serving, message("ping"), path=path)
    assert (reply.status, reply.json) == (200, {"jsonrpc": "2.0", "id": 1, "result": {}})
    assert reply.headers["content-type"] == "application/json" and "mcp-session-id" not in reply.headers
    for verb in ("GET", "DELETE", "PUT", "HEAD", "OPTIONS"):
        refusal = serving.ask(verb, path)
        assert (refusal.status, refusal.headers["allow"]) == (405, "POST")
        assert refusal.body == b""


@pytest.mark.parametrize("path", ["/mcpx", "/mc", "/MCP", "/ui/mcp", "//mcp"])
def test_where_it_is_not(path: str, serving: Serving) -> None:
    assert post(serving, message("ping"), path=path).status == 404


def retained(serving: Serving, path: str, content: str, **arguments: object) -> Json:
    found: Any = post(serving, calling("memory_retain", content=content, **arguments), path=path).json
    result: Json = found["result"]
    return result


def banks(serving: Serving) -> dict[str, int]:
    found: Any = serving.ask("GET", "/banks").json
    return {row["bank"]: row["memories"] for row in found["banks"]}


@pytest.mark.parametrize(
    ("segment", "bank"), [("plain", "plain"), ("a%20b", "a b"), ("%C3%A9%2F%25", "é/%"), ("a+b", "a+b"), ("%zz", "%zz"), ("%20%20x", "  x")]
)
def test_a_bank_in_the_path_is_pinned(segment: str, bank: str, serving: Serving) -> None:
    for path in (f"/mcp/{segment}", f"/mcp/{segment}/"):
        assert retained(serving, path, f"in {path}")["isError"] is False
        assert retained(serving, path, f"in {path}", bank=bank)["isError"] is False
        found = retained(serving, path, "not here", bank="else")
        assert found["content"][0]["text"] == f"`bank` is pinned to `{bank}` by this endpoint; refusing `else`" and found["isError"]
    assert banks(serving)[bank] == 2 and "else" not in banks(serving)


def test_without_a_bank_in_the_path_any_may_be_named(serving: Serving) -> None:
    for path in ("/mcp", "/mcp/", "/mcp/deeper/path"):
        assert retained(serving, path, f"by {path}", bank="named")["isError"] is False
        assert retained(serving, path, f"by {path}")["isError"] is False
    assert banks(serving)["named"] == banks(serving)["default"] == 3 and "deeper" not in banks(serving)


@pytest.mark.parametrize("segment", ["%20", "%09", "%FF", "%C3", "%E2%80%83"])
def test_a_bank_that_is_none(segment: str, serving: Serving) -> None:
    reply = post(serving, message("ping"), path=f"/mcp/{segment}")
    assert reply.status == 400 and reply.json["error"] == {"code": -32600, "message": "invalid bank id"}  # type: ignore[index]


# who -------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("host", "origin", "status"), [
    ("localhost:80", "http://localhost:3000", 200), ("127.0.0.1", "http://127.0.0.1", 200), ("[::1]:1", "https://[::1]", 200),
    ("localhost", None, 200), ("evil.example", None, 403), ("localhost", "http://evil.example", 403),
    ("evil.example", "http://evil.example", 403),
    ("localhost", "null", 403), ("localhost.evil.example", None, 403),
])  # fmt: skip
def test_names_that_a_page_may_use(host: str, origin: str | None, status: int, serving: Serving) -> None:
    headers = {**BOTH, "Host": host, **({"Origin": origin} if origin else {})}
    assert post(serving, message("ping"), headers).status == status


def test_listening_for_others_a_page_must_still_be_local(tmp_path: Path) -> None:
    with Serving(tmp_path, "--addr", "0.0.0.0:0", "--insecure") as server:
        for origin, status in ((None, 200), ("http://localhost", 200), ("http://evil.example", 403), ("null", 403)):
            headers = {**BOTH, "Host": "192.0.2.1", **({"Origin": origin} if origin else {})}
            assert post(server, message("ping"), headers).status == status
        assert server.stop() == 0


@pytest.mark.parametrize(
    "accept", ["application/json", "*/*", "application/*;q=0.5", "text/html, APPLICATION/JSON", None, "application/json, text/event-stream"]
)
def test_who_takes_json_gets_json(accept: str | None, serving: Serving) -> None:
    reply = post(
        serving, message("tools/call", {"name": "memory_banks", "_meta": {"progressToken": 1}}), {"Accept": accept} if accept else {}
    )
    assert reply.status == 200 and reply.headers["content-type"] == "application/json"


@pytest.mark.parametrize("accept", ["text/html", "image/*, text/html;q=0.9", ""])
def test_who_takes_neither_is_refused(accept: str, serving: Serving) -> None:
    assert post(serving, message("ping"), {"Accept": accept}).status == 406


def test_a_subscription_is_for_those_who_take_a_stream(serving: Serving) -> None:
    body, headers = modern("subscriptions/listen", {"notifications": {}})
    assert post(serving, body, {**headers, "Accept": "application/json"}).status == 406


@pytest.mark.parametrize("kind", ["text/plain", "", "application/x-www-form-urlencoded"])
def test_the_body_is_json(kind: str, serving: Serving) -> None:
    assert post(serving, message("ping"), {**BOTH, "Content-Type": kind}).status == 415
    assert post(serving, message("ping"), {**BOTH, "Content-Type": "application/json; charset=utf-8"}).status == 200


def test_a_body_above_the_limit(tmp_path: Path) -> None:
    with Serving(tmp_path, config={"BODY_BYTES": 1_000}) as server:
        assert post(server, message("ping", {"a": "x" * 1_000})).status == 413
        assert post(server, message("ping", {"a": "x" * 500})).status == 200


# bodies ----------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"\xff{}", b'{"jsonrpc":"2.0","id":1,"method":"\xe2\x28"}', b"[" * 100_000, b'{"a":"\\ud800"}', b"nul"]
)
def test_what_is_no_json(raw: bytes, serving: Serving) -> None:
    reply = post(serving, raw)
    assert (reply.status, code(reply), reply.json["id"]) == (400, -32700, None)  # type: ignore[index]


@pytest.mark.parametrize("raw", [b"1", b'"text"', b"null", b"{}", b'{"jsonrpc":"2.0","id":null,"method":"ping"}'])
def test_what_is_no_message(raw: bytes, serving: Serving) -> None:
    reply = post(serving, raw)
    assert (reply.status, code(reply)) == (400, -32600)


def test_what_needs_no_answer(serving: Serving) -> None:
    for body in (
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        {"jsonrpc": "2.0", "id": "nobody asked", "result": {}},
        [{"jsonrpc": "2.0", "method": "notifications/initialized"}],
    ):
        reply = post(serving, body)
        assert (reply.status, reply.body) == (202, b"")
    reply = post(serving, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}, MODERN)
    assert (reply.status, reply.body) == (202, b"")


def test_a_batch_where_the_version_has_them(serving: Serving) -> None:
    batch = [message("ping", id="a"), calling("memory_retain", "b", content="x", bank="batch")]
    for headers in (BOTH, {**BOTH, "MCP-Protocol-Version": "2025-03-26"}):
        found: Any = post(serving, batch, headers).json
        assert [answer["id"] for answer in found] == ["a", "b"] and found[1]["result"]["isError"] is False
    for version in ("2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28"):
        reply = post(serving, batch, {**BOTH, "MCP-Protocol-Version": version})
        assert (reply.status, code(reply)) == (400, -32600)


# legacy ----------------------------------------------------------------------------------------------------------------------------


def test_legacy_errors_come_with_200(serving: Serving) -> None:
    for method, params, number in (
        ("nothing", {}, -32601),
        ("tools/call", {"name": "nothing"}, -32602),
        ("resources/read", {"uri": "memory://b/1"}, -32002),
        ("prompts/get", {}, -32602),
        ("logging/setLevel", {"level": "loud"}, -32602),
    ):
        reply = post(serving, message(method, params), {**BOTH, "MCP-Protocol-Version": "2025-06-18", "Mcp-Session-Id": "old"})
        assert (reply.status, code(reply)) == (200, number)


def test_versions_that_a_header_names(serving: Serving) -> None:
    for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"):
        assert post(serving, message("tools/list"), {**BOTH, "MCP-Protocol-Version": version}).status == 200
    for version in ("2023-01-01", "", "2025-06-18, 2025-06-18", "x"):
        reply = post(serving, message("tools/list"), {**BOTH, "MCP-Protocol-Version": version})
        assert (reply.status, code(reply)) == (400, -32022)
        shaken = post(serving, message("initialize", {"protocolVersion": "2025-06-18"}), {**BOTH, "MCP-Protocol-Version": version})
        found: Any = shaken.json
        assert found["result"]["protocolVersion"] == "2025-06-18"


# connections -----------------------------------------------------------------------------------------------------------------------


def test_requests_one_after_the_other_on_one_connection(serving: Serving) -> None:
    """A read behind a write sees what was written, and answers keep their order."""
    with serving.dial() as peer:
        parts = []
        for number in range(20):
            parts.append(sent(calling("memory_retain", f"w{number}", content=f"line {number}", bank="one connection")))
            parts.append(sent(calling("memory_list", f"r{number}", bank="one connection")))
        whole = b"".join(parts)
        for start in range(0, len(whole), 1_000):
            peer.send(whole[start : start + 1_000])
        for number in range(20):
            assert peer.reply().json["id"] == f"w{number}"  # type: ignore[index]
            found: Any = peer.reply().json
            assert found["id"] == f"r{number}" and found["result"]["structuredContent"]["total"] == number + 1


def test_a_request_in_small_pieces(serving: Serving) -> None:
    whole = sent(message("ping"))
    with serving.dial() as peer:
        for byte in whole:
            peer.send(bytes([byte]))
        assert peer.reply().status == 200


def test_it_is_counted(serving: Serving) -> None:
    post(serving, message("ping"))
    assert 'memory_wire_requests_total{route="mcp",status="200"}' in serving.ask("GET", "/metrics").text


def test_more_clients_than_places(tmp_path: Path) -> None:
    """Connections above the limit wait for those that are answered, which are asked to leave."""
    with Serving(tmp_path, config={"CONNECTIONS": 8}) as server:
        peers = [server.dial() for _ in range(60)]
        for number, peer in enumerate(peers):
            peer.send(sent(calling("memory_retain", content=f"{number}"), "/mcp/many"))
        for peer in peers:
            assert peer.reply().status == 200
            peer.close()
        assert json.loads(server.ask("GET", "/banks/many/stats").body)["memories"] == 60
        assert server.stop() == 0
