"""Integrations of kind http against a real server: what is sent, what comes back, what never does."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest

from memory_wire import Memory
from memory_wire.errors import Invalid, MemoryWireError, OutsideFailed, OutsideTimeout, UnknownIntegration
from tests.outside.server import CERTIFICATE, Server

SECRET = "s3cr3t-of-the-wiki"


def said(memory: Memory, name: str, **arguments: object) -> dict[str, Any]:
    """What the server says that it was asked."""
    found = memory.gateway_call(name, arguments=arguments)
    assert found.ok and found.status == 200 and isinstance(found.result, dict)
    return found.result


def test_arguments_go_where_the_template_says(memory: Memory, world: Server) -> None:
    url = f"{world.url}/echo/{{space}}/pages?q={{q}}"
    memory.set_integration("wiki", url, arguments={"limit": "integer?", "deep": "boolean?"})
    assert said(memory, "wiki", space="a/b ../ü", q="x&y=1")["path"] == "/echo/a%2Fb%20..%2F%C3%BC/pages?q=x%26y%3D1"
    assert said(memory, "wiki", space="a", q="b", limit=3, deep=True)["path"] == "/echo/a/pages?q=b&limit=3&deep=true"
    memory.set_integration("wiki", f"{world.url}/echo/{{space}}", method="put", arguments={"body": "object", "tags": "array?"})
    asked = said(memory, "wiki", space="a", body={"b": [1, None]}, tags=["x"])
    assert (asked["method"], json.loads(asked["body"])) == ("PUT", {"body": {"b": [1, None]}, "tags": ["x"]})
    assert asked["headers"]["Content-Type"] == "application/json"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "space is missing; there are: space (string), limit (integer?)"),
        ({"space": 7}, "space must be string"),
        ({"space": "a", "limit": True}, "limit must be integer"),
        ({"space": "a", "other": 1}, "other is unknown; there are: space (string), limit (integer?)"),
        ({"space": ".."}, "space must say something"),
        ({"space": ""}, "space must say something"),
        ({"space": "x" * 70_000}, "must be at most 64 KiB of JSON"),
    ],
)
def test_arguments_are_checked_before_anything_is_asked(memory: Memory, world: Server, arguments: dict[str, object], text: str) -> None:
    memory.set_integration("wiki", f"{world.url}/echo/{{space}}", arguments={"limit": "integer?"})
    asked = len(world.asked)
    with pytest.raises(Invalid) as raised:
        memory.gateway_call("wiki", arguments=arguments)
    assert str(raised.value) == f"invalid arguments: {text}" and len(world.asked) == asked
    with pytest.raises(Invalid, match="invalid tool: must be left out"):
        memory.gateway_call("wiki", "tool", {"space": "a"})


@pytest.mark.parametrize("kind", ["literal", "env", "file"])
def test_a_secret_is_sent_and_never_shown(
    memory: Memory, world: Server, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(os.environ, "WIKI_TOKEN", SECRET)
    (tmp_path / "token").write_text(f"{SECRET}\n")
    value = {"literal": SECRET, "env": "env:WIKI_TOKEN", "file": f"file:{tmp_path / 'token'}"}[kind]
    row = memory.set_integration("wiki", f"{world.url}/echo", headers={"Authorization": f"Bearer {value}", "Accept": "application/json"})
    shown = {"Authorization": "(set)" if kind == "literal" else value, "Accept": "application/json"}
    assert row.headers == shown and memory.integrations().integrations[0].headers == shown
    asked = said(memory, "wiki")
    _, _, headers, _ = world.asked[-1]
    assert headers["Authorization"] == f"Bearer {SECRET}"
    assert asked["headers"]["Authorization"] == "[REDACTED:secret]" and SECRET not in json.dumps(asked)
    assert asked["headers"]["Accept"] == "application/json"
    assert SECRET not in str(memory.audit().events)


def test_a_header_has_one_name(memory: Memory, world: Server) -> None:
    row = memory.set_integration("wiki", f"{world.url}/echo", method="POST", headers={"content-type": "text/x", "x-KEY": "abcd"})
    assert row.headers == {"Content-Type": "text/x", "X-Key": "(set)"}
    assert [value for name, value in said(memory, "wiki")["headers"].items() if name.lower() == "content-type"] == ["text/x"]


def test_a_secret_that_is_not_there(memory: Memory, world: Server, tmp_path: Path) -> None:
    for value, lacks in (
        ("env:NOWHERE_TO_BE_SEEN", "the environment variable NOWHERE_TO_BE_SEEN (secret of wiki's header X-Key) isn't set"),
        (f"file:{tmp_path / 'nothing'}", "the file (secret of wiki's header X-Key) can't be read"),
    ):
        memory.set_integration("wiki", world.url, headers={"X-Key": value})
        with pytest.raises(OutsideFailed) as raised:
            memory.gateway_call("wiki")
        assert str(raised.value) == f"{lacks} where the memory-wire server runs"


def test_an_error_of_the_other_side_is_an_answer(memory: Memory, world: Server) -> None:
    memory.set_integration("wiki", f"{world.url}/status/404")
    found = memory.gateway_call("wiki")
    assert (found.ok, found.status, found.result) == (False, 404, "as asked")


def test_time_and_size_are_bounded(memory: Memory, world: Server) -> None:
    memory.set_integration("slow", f"{world.url}/never", seconds=0.2)
    with pytest.raises(OutsideTimeout):
        memory.gateway_call("slow")
    memory.set_integration("large", f"{world.url}/bytes/1001", cap=1000)
    with pytest.raises(OutsideFailed, match=r"127\.0\.0\.1: an answer of more than 1,000 bytes"):
        memory.gateway_call("large")


def test_what_is_neither_json_nor_text(memory: Memory, world: Server) -> None:
    memory.set_integration("image", f"{world.url}/typed/image/png")
    with pytest.raises(OutsideFailed, match="image/png, which is neither JSON nor text"):
        memory.gateway_call("image")
    for kind, result in (("application/problem+json", {"a": "ä"}), ("text/html", '{"a":"ä"}'), ("application/xml", '{"a":"ä"}')):
        memory.set_integration("typed", f"{world.url}/typed/{kind}")
        assert memory.gateway_call("typed").result == result


def test_private_places_only_where_one_is_named(memory: Memory, world: Server) -> None:
    port = world.server_port
    assert memory.set_integration("own", f"http://127.0.0.1:{port}/echo").private
    assert memory.gateway_call("own").ok
    memory.set_integration("alias", f"http://127.0.0.1:{port}/echo", private=False)
    with pytest.raises(OutsideFailed, match="not an address of a public network"):
        memory.gateway_call("alias")
    for url, private in (
        ("https://example.org/", False),
        ("http://10.evil.example/", False),
        ("http://[::1]/", True),
        ("http://10.1.2.3/", True),
    ):
        assert memory.set_integration("url", url).private is private


def test_a_call_is_noted_without_what_was_said(memory: Memory, world: Server) -> None:
    memory.set_integration("wiki", f"{world.url}/echo", arguments={"q": "string"})
    memory.gateway_call("wiki", arguments={"q": "a private question"})
    memory.remove_integration("wiki")
    log = [(event.action, event.target, event.project, event.detail) for event in memory.audit().events]
    assert log == [
        ("integration.set", "wiki", "default", None),
        ("gateway.call", "wiki", "default", None),
        ("integration.remove", "wiki", "default", None),
    ]
    assert memory.verify_audit().whole


def test_names_that_are_not_there(memory: Memory, world: Server) -> None:
    with pytest.raises(UnknownIntegration, match=r"^unknown integration 'wiki'; this project has none$"):
        memory.gateway_call("wiki")
    memory.set_integration("tickets", world.url)
    with pytest.raises(UnknownIntegration, match=r"^unknown integration 'wiki'; there are: tickets$"):
        memory.gateway_call("wiki")


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("name", {"name": "a/b"}),
        ("kind", {"kind": "ftp"}),
        ("url", {"url": "ftp://host/"}),
        ("url", {"url": "https://{host}/"}),
        ("url", {"url": "https://user@host/"}),
        ("url", {"url": "https://host/{a b}"}),
        ("url", {"url": "https://host/{a"}),
        ("url", {"url": "https://host/a}"}),
        ("url", {"url": "https://host/#part"}),
        ("url", {"url": "https://host/{tool}", "kind": "mcp", "tools": ["*"]}),
        ("method", {"method": "TRACE"}),
        ("method", {"method": "POST", "kind": "mcp", "tools": ["*"]}),
        ("headers", {"headers": {"Host": "other"}}),
        ("headers", {"headers": {"ACCEPT-ENCODING": "gzip"}}),
        ("headers", {"headers": {"X Key": "x"}}),
        ("headers", {"headers": {"X-Key": "a\r\nb: c"}}),
        ("headers", {"headers": {"X-Key": " "}}),
        ("arguments", {"arguments": {"a": "date"}}),
        ("arguments", {"url": "https://host/{a}", "arguments": {"a": "object"}}),
        ("arguments", {"arguments": {"a": "string"}, "kind": "mcp", "tools": ["*"]}),
        ("tools", {"kind": "mcp"}),
        ("tools", {"tools": ["x"]}),
        ("seconds", {"seconds": 61}),
        ("seconds", {"seconds": 0}),
        ("cap", {"cap": 1 << 30}),
        ("description", {"description": "x" * 201}),
    ],
)
def test_what_may_not_be_set(memory: Memory, field: str, values: dict[str, Any]) -> None:
    with pytest.raises(MemoryWireError) as raised:
        memory.set_integration(**{"name": "wiki", "url": "https://host/", **values})
    assert isinstance(raised.value, Invalid) and raised.value.field == field
    assert memory.integrations().integrations == []


def test_https(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    with Server(tls=True) as world:
        memory.set_integration("wiki", f"{world.url}/echo", headers={"Authorization": SECRET})
        with pytest.raises(OutsideFailed, match=r"^127\.0\.0\.1: its certificate is not valid: [a-z -]+$"):
            memory.gateway_call("wiki")
        assert world.asked == []
        memory.service.outside.idle()
        monkeypatch.setitem(os.environ, "SSL_CERT_FILE", str(CERTIFICATE))
        assert memory.gateway_call("wiki").ok


def test_a_secret_is_taken_out_however_it_is_spelled(memory: Memory, world: Server) -> None:
    secret = "s3cr3t/Tok+9 &x"
    memory.set_integration("echo", f"{world.url}/said/{{text}}", headers={"X-Key": secret})
    for text in (secret, secret.upper(), quote(secret), quote(secret, safe=""), quote_plus(secret), secret.replace("/", "\\/")):
        assert memory.gateway_call("echo", arguments={"text": f"it is {text}!"}).result == "it is [REDACTED:secret]!"
    memory.set_integration("echo", f"{world.url}/typed/application/s3cr3t-tok9", headers={"X-Key": "s3cr3t-Tok9"})
    with pytest.raises(OutsideFailed) as raised:
        memory.gateway_call("echo")
    assert str(raised.value) == "an answer of type application/[REDACTED:secret], which is neither JSON nor text"


@pytest.mark.parametrize("depth", [128, 129, 500, 992, 100_000])
def test_an_answer_has_a_depth_that_can_be_passed_on(memory: Memory, world: Server, depth: int) -> None:
    memory.set_integration("deep", f"{world.url}/nested/{depth}")
    if depth == 128:
        assert memory.gateway_call("deep").ok
    else:
        with pytest.raises(OutsideFailed, match="nested"):
            memory.gateway_call("deep")
