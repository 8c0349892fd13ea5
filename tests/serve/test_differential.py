"""The protocol against a slow reference reader: any mix of sound requests, cut anywhere, is understood alike."""

from __future__ import annotations

import itertools
import json
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle.http import Read, requests
from tests.serve.serving import Serving

BODIES = (b'{"query":"x"}', b'{"query":""}', b"{", b"{}", b'{"query":7}', b'{"query":"x","more":1}', b"")
RECALLS = ("/banks/never/recall", "/banks/n%65ver/recall")
TARGETS = ("/health", *RECALLS, "/banks/never/memories?limit=3", "/banks/never/memories?limit=x", "/nope")
KINDS = ("application/json", "text/plain", None)


@st.composite
def one(draw: st.DrawFn) -> bytes:
    """A sound request with its freedoms: case, white space, framing."""
    verb = draw(st.sampled_from(["GET", "POST", "HEAD", "DELETE"]))
    fields = [("Host", "localhost")]
    body = draw(st.sampled_from(BODIES)) if verb == "POST" else b""
    kind = draw(st.sampled_from(KINDS))
    if kind:
        fields.append(("Content-Type", kind))
    if draw(st.integers(0, 9)) == 0:
        fields.append(("Connection", "close"))
    payload = body
    if verb == "POST" and draw(st.booleans()):
        fields.append(("Transfer-Encoding", draw(st.sampled_from(["chunked", "Chunked"]))))
        payload = chunked(draw, body)
    elif verb == "POST":
        fields.append(("Content-Length", str(len(body))))
    fields += [(f"X-{i}", draw(st.sampled_from(["", "a, b", "é"]))) for i in range(draw(st.integers(0, 3)))]
    blank = draw(st.sampled_from(["", " ", "\t "]))
    after = blank.strip("\t")  # the parser refuses a tab behind a transfer coding, which is the safe side
    upper = draw(st.booleans())
    lines = [f"{name.upper() if upper else name}:{blank}{value}{after}" for name, value in draw(st.permutations(fields))]
    head = "\r\n".join([f"{verb} {draw(st.sampled_from(TARGETS))} HTTP/1.1", *lines, "", ""])
    return draw(st.sampled_from([b"", b"\r\n"])) + head.encode() + payload


def chunked(draw: st.DrawFn, body: bytes) -> bytes:
    out = b""
    while body:
        size = draw(st.integers(1, len(body)))
        out += b"%x%b\r\n%b\r\n" % (size, draw(st.sampled_from([b"", b";a=b"])), body[:size])
        body = body[size:]
    return out + b"0\r\n" + draw(st.sampled_from([b"", b"X-Trailer: t\r\n"])) + b"\r\n"


def expected(read: Read) -> tuple[int, bytes | str]:
    """Status and body (a str: how it begins) by the contract."""
    path, _, query = read.target.partition("?")
    verb = "GET" if read.verb == "HEAD" else read.verb
    if path == "/nope":
        return 404, b"not found\n" if verb == "GET" else b""
    if path == "/health":
        return (200, b"ok") if verb == "GET" else (405, b"")
    if path.endswith("/memories"):
        return (405, b"") if verb != "GET" else (400, "Failed to deserialize query string: limit") if query.endswith("x") else (200, b"[]")
    if verb != "POST":
        return 405, b""
    if read.headers.get("content-type") != "application/json":
        return 415, "Expected request"
    try:
        body = json.loads(read.body)
    except ValueError:
        return 400, "Failed to parse the request body as JSON: "
    return (200, b"[]") if isinstance(body.get("query"), str) else (422, "Failed to deserialize the JSON body")


def stays(read: Read, status: int) -> bool:
    """Whether the connection outlives the answer: not when a body was refused unread."""
    carries = bool(read.body) or "transfer-encoding" in read.headers
    return read.headers.get("connection") != "close" and not (status in (404, 405, 415) and carries)


@settings(max_examples=60, deadline=None)
@given(parts=st.lists(one(), min_size=1, max_size=8), cuts=st.lists(st.integers(0, 2000), max_size=6))
def test_requests_are_read_as_the_reference_reads_them(server: Serving, parts: list[bytes], cuts: list[int]) -> None:
    data = b"".join(parts)
    edges = [0, *sorted({cut for cut in cuts if cut < len(data)}), len(data)]
    with server.dial() as peer:
        for start, end in itertools.pairwise(edges):
            peer.send(data[start:end])
        for read in requests(data):
            status, body = expected(read)
            reply = peer.reply(bodiless=read.verb == "HEAD")
            assert reply.status == status, read
            if read.verb == "HEAD":
                assert reply.body == b""
            elif isinstance(body, str):
                assert re.match(re.escape(body), reply.text), read
            else:
                assert reply.body == body, read
            if not stays(read, status):
                assert reply.headers["connection"] == "close"
                assert peer.closed()
                return
            assert "connection" not in reply.headers
