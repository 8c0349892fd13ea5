"""JSON-RPC 2.0 as MCP has it: bytes to messages, results and errors to bytes, and the numbers of errors.

Used by every module of this package and by what carries its messages.
"""

from __future__ import annotations

from msgspec import DecodeError
from msgspec.json import Encoder, decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Json = dict[str, object]
    Id = str | int

PARSE, INVALID, METHOD, PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
RESOURCE = -32002  # legacy: no such resource
HEADERS, CAPABILITY, VERSION = -32020, -32021, -32022  # modern

encode = Encoder().encode


class Fault(Exception):
    """An error of the protocol. `status` is the HTTP status that carries it."""

    def __init__(self, code: int, message: str, data: Mapping[str, object] | None = None, status: int = 200) -> None:
        super().__init__(message)
        self.code = code
        self.data = data
        self.status = status


def read(data: bytes) -> object:
    """Any JSON document. Raises Fault."""
    try:
        if not data.isascii():
            data.decode()  # the decoder would skip bytes that are no UTF-8 in what it doesn't keep
        return decode(data)
    except UnicodeDecodeError as error:
        raise Fault(PARSE, f"not valid UTF-8 (byte {error.start})", status=400) from None
    except RecursionError:
        raise Fault(PARSE, "nested too deeply", status=400) from None
    except (DecodeError, ValueError) as error:
        raise Fault(PARSE, str(error).removeprefix("JSON is malformed: "), status=400) from None


def tellable(text: str) -> str:
    """The text without what no JSON can carry: names of files may hold bytes that are no Unicode."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def request_id(message: Mapping[str, object]) -> Id | None:
    """The id of a message, or None when it has none that may be one."""
    found = message.get("id")
    return found if isinstance(found, str) or type(found) is int else None


def notification(method: str, params: Mapping[str, object]) -> bytes:
    return encode({"jsonrpc": "2.0", "method": method, "params": params})


def request(number: Id, method: str, params: Mapping[str, object]) -> bytes:
    return encode({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def result(number: Id, value: Mapping[str, object]) -> bytes:
    return encode({"jsonrpc": "2.0", "id": number, "result": value})


def error(number: Id | None, fault: Fault) -> bytes:
    """An error answer; without an id to answer to it is null, as JSON-RPC wants it."""
    shown: Json = {"code": fault.code, "message": tellable(str(fault))}
    if fault.data is not None:
        shown["data"] = fault.data
    return encode({"jsonrpc": "2.0", "id": number, "error": shown})
