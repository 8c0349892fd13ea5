"""Calls of integrations from the child program: plain HTTP by a template, or a tool of an MCP server over Streamable HTTP.

Answers are `{ok, status, body}`, the body being JSON: what came, with our own secrets taken out of it wherever they stand.
"""

from __future__ import annotations

import http.client
import re
from email.message import Message
from typing import Any
from urllib.parse import quote, quote_plus, urlencode

from msgspec import DecodeError, json

from memory_wire.outside import fetch
from memory_wire.outside.told import Told

PLACE = re.compile(r"\{(\w+)\}")
QUERIED = ("GET", "DELETE")  # methods whose arguments go into the query
REDIRECTS = 3
REDACTED = "[REDACTED:secret]"
DEPTH = 128  # of lists and objects in each other
SECRET_CHARS = 4  # a shorter one would take words out of every answer
PAGES = 20  # of a list of tools
VERSION = "2025-06-18"


def http_call(payload: dict[str, Any]) -> dict[str, Any]:
    """A request made of the template and the arguments. Raises Told."""
    values: dict[str, Any] = json.decode(payload["arguments"])
    method, url = payload["method"], filled(payload["url"], values)
    body, headers = None, dict(payload["headers"])
    if values and method in QUERIED:
        url += ("&" if "?" in url else "?") + urlencode({name: text(value) for name, value in values.items()})
    elif method not in QUERIED:
        body = json.encode(values)
        headers = {"Content-Type": "application/json", **headers}
    asked = {"url": url, "method": method, "headers": headers, "body": body, "cap": payload["cap"], "private": payload["private"]}
    found = fetch.fetch({**asked, "redirects": REDIRECTS if method == "GET" else 0})
    try:
        result = without(read(found["body"], found["headers"].get("content-type", "")), payload["secrets"])
    except Told as told:
        raise Told(without(str(told), payload["secrets"])) from None
    return {"ok": found["status"] < 400, "status": found["status"], "body": json.encode(result)}


def filled(template: str, values: dict[str, Any]) -> str:
    """The URL; arguments that it takes are taken out of `values`."""
    url = PLACE.sub(lambda match: quote(text(values[match[1]]), safe=""), template)
    for name in set(PLACE.findall(template)):
        del values[name]
    return url


def text(value: object) -> str:
    """A value in a URL: a string as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.encode(value).decode()


def read(body: bytes, kind: str) -> object:
    """JSON where the answer is, else its text. Raises Told for what is neither."""
    head = Message()
    head["content-type"] = kind or "text/plain"
    name = head.get_content_type()
    if name == "application/json" or name.endswith("+json"):
        try:
            return json.decode(body)
        except DecodeError:
            return body.decode("utf-8", "replace")
    if body and head.get_content_maintype() != "text" and not name.endswith(("/xml", "+xml", "/javascript", "/yaml")):
        raise Told(f"an answer of type {name[:64]}, which is neither JSON nor text")
    try:
        return body.decode(head.get_content_charset("utf-8"), "replace")
    except LookupError:
        return body.decode("utf-8", "replace")


def without(value: Any, secrets: list[str]) -> Any:
    """The value with every secret in it replaced, longest first: as it is, as URLs and JSON write it, in any case. Raises Told when it is
    nested too deeply: whoever passes it on has less room for that than we have.
    """
    known = {spelling for secret in secrets if len(secret) >= SECRET_CHARS for spelling in spellings(secret)} or {"\0" * SECRET_CHARS}
    pattern = re.compile("|".join(map(re.escape, sorted(known, key=len, reverse=True))), re.IGNORECASE)

    def clean(value: Any, depth: int) -> Any:
        if isinstance(value, str):
            return pattern.sub(REDACTED, value)
        if isinstance(value, dict | list) and depth == DEPTH:
            raise Told(f"an answer that is nested more than {DEPTH} deep")
        if isinstance(value, dict):
            return {clean(key, depth): clean(entry, depth + 1) for key, entry in value.items()}
        if isinstance(value, list):
            return [clean(entry, depth + 1) for entry in value]
        return REDACTED if value is not None and str(value) in known else value  # a number

    return clean(value, 0)


def spellings(secret: str) -> set[str]:
    """How a text may say a secret without hiding it."""
    escaped = json.encode(secret).decode()[1:-1]
    return {secret, quote(secret), quote(secret, safe=""), quote_plus(secret), escaped, escaped.replace("/", "\\/")}


# MCP -------------------------------------------------------------------------------------------------------------------------------


def mcp_call(payload: dict[str, Any]) -> dict[str, Any]:
    """A tool's result, or the list of the tools that may be called; an error of the protocol is a result that is not ok. Raises Told."""
    session = Session(payload)
    try:
        session.open()
        if payload["tool"] is None:
            result: Any = {"tools": [tool for tool in session.tools() if {tool.get("name"), "*"} & set(payload["tools"])]}
        else:
            result = session.ask("tools/call", {"name": payload["tool"], "arguments": json.decode(payload["arguments"])})
        ok = not result.get("isError", False)
    except Refused as refused:
        result, ok = {"error": refused.args[0]}, False
    session.close()
    return {"ok": ok, "status": None, "body": json.encode(without(result, payload["secrets"]))}


class Refused(Exception):
    """The server's JSON-RPC error."""


class Session:
    """One exchange with an MCP server, from `initialize` to its end."""

    def __init__(self, payload: dict[str, Any]) -> None:
        self.url: str = payload["url"]
        self.name = str(fetch.split(self.url).hostname)
        self.private: bool = payload["private"]
        self.left: int = payload["cap"]
        self.headers = {**payload["headers"], "Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
        self.number = 0
        self.id: str | None = None

    def open(self) -> None:
        about = {"name": "memory-wire", "version": "1"}
        answer = self.ask("initialize", {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": about})
        self.headers["MCP-Protocol-Version"] = str(answer.get("protocolVersion", VERSION))
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"}, None)

    def tools(self) -> list[dict[str, Any]]:
        """All that the server lists under a name. Raises Refused, Told."""
        found: list[dict[str, Any]] = []
        cursor: object = None
        for _ in range(PAGES):
            page = self.ask("tools/list", {"cursor": cursor} if cursor else {})
            listed = page.get("tools", [])
            if not isinstance(listed, list):
                raise Told(f"{self.name}: no proper list of tools")
            found += [tool for tool in listed if isinstance(tool, dict) and isinstance(tool.get("name"), str)]
            cursor = page.get("nextCursor")
            if not cursor or not isinstance(cursor, str):
                break
        return found

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The result of a request. Raises Refused, Told."""
        self.number += 1
        answer = self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}, self.number)
        if isinstance(answer, dict) and isinstance(answer.get("result"), dict):
            return dict(answer["result"])
        if isinstance(answer, dict) and isinstance(answer.get("error"), dict):
            raise Refused(answer["error"])
        raise Told(f"{self.name}: no proper answer to {method}")

    def send(self, message: dict[str, Any], number: int | None) -> object:
        """The message that answers, None where none is expected. Raises Told."""
        line, response = fetch.begin(self.url, "POST", self.headers, json.encode(message), self.private)
        kind = response.headers.get_content_type()
        if response.status >= 300:
            line.connection.close()
            raise Told(f"{self.name}: answered with status {response.status}")
        self.take_id(response)
        if number is not None and kind == "text/event-stream":
            return self.event(line, response, number)
        body = fetch.whole(line, response, self.left, fetch.split(self.url))
        self.left -= len(body)
        try:
            return json.decode(body) if number is not None else None
        except DecodeError:
            raise Told(f"{self.name}: no JSON") from None

    def take_id(self, response: http.client.HTTPResponse) -> None:
        given = response.getheader("mcp-session-id")
        if self.id is None and given:
            self.id = self.headers["Mcp-Session-Id"] = given

    def event(self, line: fetch.Line, response: http.client.HTTPResponse, number: int) -> object:
        """The message of a stream that has the request's number; others are passed over. Raises Told."""
        data: list[bytes] = []
        try:
            while self.left > 0 and (row := response.readline(self.left + 1)):
                self.left -= len(row)
                name, _, value = row.rstrip(b"\r\n").partition(b":")
                if name == b"data":
                    data.append(value.removeprefix(b" "))
                elif not name and not value and data:
                    message = json.decode(b"\n".join(data))
                    if isinstance(message, dict) and message.get("id") == number and "method" not in message:
                        return message
                    data = []
        except (OSError, http.client.HTTPException, DecodeError) as error:
            raise Told(f"{self.name}: {'no JSON' if isinstance(error, DecodeError) else fetch.why(error)}") from None
        finally:
            line.connection.close()
        raise Told(f"{self.name}: " + ("the stream ended without an answer" if self.left > 0 else "too long an answer"))

    def close(self) -> None:
        """Has the server forget the session; it may also do so by itself."""
        if self.id is None:
            return
        try:
            line, _ = fetch.begin(self.url, "DELETE", self.headers, None, self.private)
            line.connection.close()
        except Told:
            return
