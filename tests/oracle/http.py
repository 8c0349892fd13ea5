"""Reference reader of HTTP/1.1 requests, written to be read: the whole input is at hand, nothing is streamed, nothing is fast."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Read:
    verb: str
    target: str
    headers: dict[str, str]
    body: bytes


def requests(data: bytes) -> list[Read]:
    """The complete requests in the bytes, in order, up to one that ends the connection. The input must be well-formed."""
    found = []
    while True:
        data = data.lstrip(b"\r\n")
        head, blank, rest = data.partition(b"\r\n\r\n")
        if not blank:
            return found
        line, *fields = head.decode("latin-1").split("\r\n")
        verb, target, _ = line.split(" ")
        headers = {name.lower(): value.strip(" \t") for name, _, value in (field.partition(":") for field in fields)}
        if headers.get("transfer-encoding", "").lower() == "chunked":
            body, rest = dechunk(rest)
        else:
            length = int(headers.get("content-length", "0"))
            body, rest = (rest[:length], rest[length:]) if len(rest) >= length else (None, b"")
        if body is None:
            return found
        found.append(Read(verb, target, headers, body))
        if headers.get("connection", "").lower() == "close":
            return found
        data = rest


def dechunk(data: bytes) -> tuple[bytes | None, bytes]:
    """Body and what follows its trailers; None when it is not complete."""
    body = b""
    while True:
        line, end, data = data.partition(b"\r\n")
        if not end:
            return None, b""
        size = int(line.partition(b";")[0], 16)
        if size == 0:
            break
        if len(data) < size + 2:
            return None, b""
        body, data = body + data[:size], data[size + 2 :]
    while True:
        line, end, data = data.partition(b"\r\n")
        if not end:
            return None, b""
        if not line:
            return body, data
