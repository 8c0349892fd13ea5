"""What each route answers, status by status, with the texts that clients depend on."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

import pytest

from memory_wire import ops
from tests.serve.serving import Serving, request

BAD_JSON = "Failed to parse the request body as JSON: "
BAD_TYPE = "Failed to deserialize the JSON body into the target type: "
BAD_QUERY = "Failed to deserialize query string: "


def retain(server: Serving, bank: str, content: str, **more: object) -> str:
    found = server.ask("POST", f"/banks/{bank}/retain", {"content": content, **more}).json
    assert isinstance(found, dict)
    return str(found["id"])


NOWHERE = ["/", "/nope/nope", "/banks/", "/banks//retain", "/banks/b/retain/", "/banks/b/nope", "/banks/b/memories/", "*"]


@pytest.mark.parametrize("path", NOWHERE)
def test_unknown_paths_are_404_without_a_body(server: Serving, path: str) -> None:
    reply = server.ask("GET", path)
    assert (reply.status, reply.body) == (404, b"")


@pytest.mark.parametrize(
    ("verb", "path", "allowed"),
    [
        ("PATCH", "/banks/b/retain", "POST"),
        ("GET", "/banks/b/recall", "POST"),
        ("POST", "/banks/b/config", "GET, HEAD, PUT"),
        ("POST", "/banks/b/memories/x", "DELETE, GET, HEAD"),
        ("OPTIONS", "/banks", "GET, HEAD"),
        ("GET", "/banks/b", "DELETE"),
        ("POST", "/health", "GET, HEAD"),
        ("HEAD", "/banks/b/retain", "POST"),
    ],
)
def test_other_verbs_are_405_and_told_which_are_allowed(server: Serving, verb: str, path: str, allowed: str) -> None:
    reply = server.ask(verb, path)
    assert (reply.status, reply.headers["allow"], reply.body) == (405, allowed, b"")


def test_every_operation_has_its_route(server: Serving) -> None:
    for op in ops.OPS:
        verb, path = op.http
        reply = server.ask(verb, path.replace("{bank}", "routes").replace("{id}", "x"), {} if op.body else None)
        assert reply.status != 405, op.name
        assert reply.status != 404 or reply.body, op.name


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("application/json", 200),
        ("Application/JSON; charset=utf-8", 200),
        ("application/vnd.api+json", 200),
        ("text/plain", 415),
        ("application/jsonp", 415),
        ("text/json", 415),
        ("", 415),
    ],
)
def test_content_types(server: Serving, kind: str, status: int) -> None:
    assert server.ask("POST", "/banks/b/recall", {"query": ""}, {"Content-Type": kind}).status == status


def test_a_missing_content_type(server: Serving) -> None:
    with server.dial() as peer:
        peer.send(b"POST /banks/b/recall HTTP/1.1\r\nHost: localhost\r\nContent-Length: 12\r\n\r\n" + b'{"query":""}')
        reply = peer.reply()
    assert (reply.status, reply.text) == (415, "Expected request with `Content-Type: application/json`")


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"", BAD_JSON),
        (b"{", BAD_JSON),
        (b'{"query":"x"} x', BAD_JSON),
        (b'{"query":"\xff"}', BAD_JSON),
        (b'{"query":"x","other":"\xff"}', BAD_JSON),
        (b'{"query":"bad \\ud800 surrogate"}', BAD_JSON),
        (b'{"query":"\\udc00"}', BAD_JSON),
        (b'{"query":"x","other":' + b"[" * 100_000, BAD_JSON + "nested too deeply"),
        (b'{"query":NaN}', BAD_JSON),
        (b'\xef\xbb\xbf{"query":"x"}', BAD_JSON),
    ],
)
def test_what_is_no_json_is_400(server: Serving, body: bytes, text: str) -> None:
    reply = server.ask("POST", "/banks/b/recall", body)
    assert (reply.status, reply.headers["content-type"]) == (400, "text/plain; charset=utf-8")
    assert reply.text.startswith(text)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({}, "missing field query"),
        ([], "expected object, got array"),
        (None, "expected object, got null"),
        ({"query": 7}, "$.query: expected str, got int"),
        ({"query": "x", "tags": "a"}, "$.tags: "),
        ({"query": "x", "tags": ["a", 1]}, "$.tags[1]: expected str, got int"),
        ({"query": "x", "budget": 1.0}, "$.budget: "),
        ({"query": "x", "budget": 1.5}, "$.budget: "),
        ({"query": "x", "budget": "9"}, "$.budget: "),
        ({"query": "x", "budget": -1}, ""),
        ({"query": "x", "budget": 2**64}, ""),
        ({"query": "x", "k": -1}, ""),
        ({"query": "x", "explain": 1}, "$.explain: "),
    ],
)
def test_wrong_types_are_422_and_name_the_field(server: Serving, body: object, text: str) -> None:
    reply = server.ask("POST", "/banks/b/recall", b"null" if body is None else body)
    assert (reply.status, reply.headers["content-type"]) == (422, "text/plain; charset=utf-8")
    assert reply.text.startswith(BAD_TYPE + text)


def test_a_wrong_type_in_a_batch_names_the_item_and_stores_nothing(server: Serving) -> None:
    reply = server.ask("POST", "/banks/typed/retain/batch", {"items": [{"content": "a"}, {"content": "b"}, {"content": 7}]})
    assert (reply.status, reply.text) == (422, BAD_TYPE + "$.items[2].content: expected str, got int")
    reply = server.ask("POST", "/banks/typed/retain/batch", {"items": [{"content": "a"}, {}]})
    assert (reply.status, reply.text) == (422, BAD_TYPE + "$.items[1]: missing field content")
    assert server.ask("GET", "/banks/typed/stats").json["memories"] == 0  # type: ignore[index]


def test_a_batch_answers_in_order(server: Serving) -> None:
    reply = server.ask("POST", "/banks/batch/retain/batch", {"items": [{"content": "one"}, {"content": " "}, {"content": "two"}]})
    first, bad, last = reply.json["results"]  # type: ignore[index]
    assert bad == {"error": {"status": 400, "message": "invalid content"}}
    assert set(first) == set(last) == {"id"}
    assert server.ask("POST", "/banks/batch/retain/batch", {"items": []}).json == {"results": []}


def test_receipts(server: Serving) -> None:
    body = {"content": "receipt for " + uuid.uuid4().hex}
    whole = {"id", "redacted", "deduplicated"}
    for query, keys in (("", {"id"}), ("?receipt=0", {"id"}), ("?receipt=1", whole), ("?x=y&receipt=true", whole)):
        found = server.ask("POST", f"/banks/receipt/retain{query}", body).json
        assert isinstance(found, dict)
        assert set(found) == keys, query
    found = server.ask("POST", "/banks/receipt/retain/batch?receipt=1", {"items": [body]}).json
    assert set(found["results"][0]) == {"id", "redacted", "deduplicated"}  # type: ignore[index]
    reply = server.ask("POST", "/banks/receipt/retain?receipt=please", body)
    assert (reply.status, reply.text) == (400, BAD_QUERY + "receipt: expected 1 or 0")


@pytest.mark.parametrize(
    ("operation", "body", "named"),
    [
        ("retain", {"content": "x"}, None),
        ("retain", {"content": "x", "whatever": 1, "more": {"content": 2}}, "whatever, more"),
        ("recall", {"query": "", "limit": 3}, "limit"),
        ("reflect", {"query": "", "a b\r\nX: y": 1}, "a%20b%0D%0AX%3A%20y"),
        ("retain/batch", {"items": [{"content": "x", "zeta": 1}, {"content": "y", "zeta": 1}], "top": 2}, "top, items[].zeta"),
    ],
)
def test_ignored_fields_are_named_in_a_header(server: Serving, operation: str, body: Mapping[str, object], named: str | None) -> None:
    reply = server.ask("POST", f"/banks/ignored/{operation}", body)
    assert (reply.status, reply.headers.get("x-ignored-fields")) == (200, named)


def test_many_long_ignored_fields_stay_within_a_header(server: Serving) -> None:
    reply = server.ask("POST", "/banks/b/recall", {"query": "", **{f"{i:03}" + "é" * 500: 1 for i in range(500)}})
    assert reply.status == 200
    assert 0 < len(reply.headers["x-ignored-fields"]) < 8192


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("limit=abc", "limit: invalid digit found in string"),
        ("limit=-1", "limit: invalid digit found in string"),
        ("limit=", "limit: empty"),
        ("limit=%31%C2%B2", "limit: invalid digit found in string"),
        ("offset=18446744073709551616", "offset: above 18446744073709551615"),
        ("truncate=" + "9" * 5000, "truncate: above"),
        ("limit=1&limit=2", "duplicate field limit"),
        ("format=xml", "format: expected json or toon"),
    ],
)
def test_query_strings_that_do_not_fit_are_400(server: Serving, query: str, text: str) -> None:
    reply = server.ask("GET", f"/banks/b/memories?{query}")
    assert reply.status == 400
    assert reply.text.startswith(BAD_QUERY + text)


@pytest.mark.parametrize("query", ["", "?", "?&&", "?limit=%31", "?whatever=1&limit=5", "?format=json", "?limit=007"])
def test_query_strings_that_do(server: Serving, query: str) -> None:
    assert server.ask("GET", f"/banks/never/memories{query}").json == []


def test_a_malformed_limit_is_ignored_for_one_memory(server: Serving) -> None:
    one = retain(server, "single", "one")
    reply = server.ask("GET", f"/banks/single/memories/{one}?limit=abc")
    assert reply.json["content"] == "one"  # type: ignore[index]
    assert "x-total-count" not in reply.headers
    reply = server.ask("GET", f"/banks/single/memories/{one}?format=toon")
    assert (reply.headers["content-type"], reply.headers["x-total-count"]) == ("text/toon; charset=utf-8", "1")


def test_pages(server: Serving) -> None:
    for content in ("one", "two", "three"):
        retain(server, "pages", content)
    reply = server.ask("GET", "/banks/pages/memories?limit=2&offset=1")
    assert [item["content"] for item in reply.json] == ["two", "three"]  # type: ignore[attr-defined]
    assert (reply.headers["x-total-count"], reply.headers.get("x-truncated")) == ("3", None)
    reply = server.ask("GET", "/banks/pages/memories?truncate=1")
    assert reply.headers["x-truncated"] == "3"
    reply = server.ask("GET", "/banks/pages/memories?format=toon")
    assert reply.text.startswith("total: 3\nmemories[3]{id,created_at,content}:\n")


def test_configuration_bytes_survive(server: Serving) -> None:
    retain(server, "config", "x")
    body = b'{ "zeta":1, "alpha" : [1,  2],\n"zeta": 2}'
    for reply in (server.ask("PUT", "/banks/config/config", body), server.ask("GET", "/banks/config/config")):
        assert (reply.status, reply.headers["content-type"], reply.body) == (200, "application/json", body)
    assert server.ask("PUT", "/banks/config/config", b"{").text.startswith(BAD_JSON)
    assert server.ask("PUT", "/banks/config/config", b"[1]").text == "invalid bank config"


def test_percent_decoding_of_names(server: Serving) -> None:
    """Escapes are decoded once, what is no escape stays, a plus sign is a plus sign."""
    escaped = (("a%20b", "a b"), ("%C3%A9t%c3%a9", "été"), ("a%2Fb", "a/b"), ("%2525", "%25"))
    for raw, name in (*escaped, ("a+b", "a+b"), ("100%", "100%"), ("%zz", "%zz")):
        retain(server, raw, f"in {name}")
        listed = [row["bank"] for row in server.ask("GET", "/banks").json["banks"]]  # type: ignore[index]
        assert name in listed
        assert server.ask("POST", f"/banks/{raw}/recall", {"query": "in"}).json == [f"in {name}"]


@pytest.mark.parametrize("bank", ["%20", "%09%0A", "%FF", "%C3", "%ED%A0%80"])
def test_banks_that_are_no_names(server: Serving, bank: str) -> None:
    reply = server.ask("POST", f"/banks/{bank}/retain", {"content": "x"})
    assert (reply.status, reply.text) == (400, "invalid bank id")


def test_ids_that_are_no_ids(server: Serving) -> None:
    assert server.ask("GET", "/banks/b/memories/nope").text == "unknown memory"
    assert server.ask("GET", "/banks/b/memories/%00").status == 404
    assert server.ask("DELETE", "/banks/b/memories/nope").json == {"deleted": False}
    assert server.ask("GET", "/banks/b/memories/%FF").text == "invalid id: not valid UTF-8"


def test_newer_routes_speak_json(server: Serving) -> None:
    reply = server.ask("GET", "/banks?verbose=1")
    assert (reply.status, reply.headers["content-type"]) == (400, "application/json")
    assert reply.json == {"error": {"code": "invalid", "message": "invalid verbose: unknown parameter", "field": "verbose"}}
    retain(server, "doomed", "x")
    reply = server.ask("DELETE", "/banks/doomed?confirm=other")
    assert reply.json["error"]["field"] == "confirm"  # type: ignore[index]
    assert server.ask("DELETE", "/banks/doomed?confirm=doomed").json == {"deleted": True, "memories": 1}
    assert server.ask("DELETE", "/banks/doomed?confirm=doomed").json["error"]["code"] == "unknown_bank"  # type: ignore[index]


def test_names_in_a_query_string_use_plus_for_blank(server: Serving) -> None:
    retain(server, "plus%20name", "x")
    assert server.ask("DELETE", "/banks/plus%20name?confirm=plus+name").json == {"deleted": True, "memories": 1}


def test_the_servers_own_pages(server: Serving) -> None:
    reply = server.ask("GET", "/health")
    assert (reply.body, reply.headers["content-type"]) == (b"ok", "text/plain; charset=utf-8")
    assert server.ask("GET", "/ready").json == {"ready": True, "store": "ok", "index": "ok"}
    before = server.counter("acknowledged_total")
    retain(server, "metrics", uuid.uuid4().hex)
    page = server.ask("GET", "/metrics").text
    assert server.counter("acknowledged_total") == before + 1
    assert 'memory_wire_requests_total{route="retain",status="200"} ' in page
    assert 'memory_wire_requests_total{route="",status="404"} ' in server.ask("GET", "/nope").text + server.ask("GET", "/metrics").text
    for line in page.splitlines():
        assert line.startswith("#") or float(line.rpartition(" ")[2]) >= 0
    for name in ("commits_total", "index_faults_total", "open_banks", "live_units", "connections"):
        assert server.counter(name) >= 0
    assert "process_resident_memory_bytes " in page


def test_a_storm_of_small_requests_on_one_connection(server: Serving) -> None:
    with server.dial() as peer:
        for start in range(0, 600, 200):
            peer.send(b"".join([request("POST", f"/banks/storm/recall?{i}", {"query": "x"}) for i in range(start, start + 200)]))
            for _ in range(200):
                assert peer.reply().json == []
