"""Reads requests off the wire: path segments, query strings and JSON bodies into the Structs of `types`.

Texts begin as the `/banks` contract demands and go on in our own words. Used by routes.py.
"""

from __future__ import annotations

from msgspec import DecodeError, Struct, ValidationError
from msgspec.json import Decoder, decode

from memory_wire import types as t
from memory_wire.errors import ConfidenceRange, Invalid, Malformed, WrongType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

BAD_JSON = "Failed to parse the request body as JSON: "
BAD_TYPE = "Failed to deserialize the JSON body into the target type: "
BAD_QUERY = "Failed to deserialize query string: "
U64 = 2**64
FORMATS = ("json", "toon")
PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-$[]")
NAMED = 32  # ignored fields that are named
NAME_BYTES = 64


class ClosedRetain(t.Retain, kw_only=True, forbid_unknown_fields=True):
    """A retain body without fields that would be ignored."""


class ClosedRecall(t.Recall, kw_only=True, forbid_unknown_fields=True):
    """A recall body without fields that would be ignored."""


class ClosedRetainBatch(t.RetainBatch, kw_only=True, forbid_unknown_fields=True):
    """A batch body without fields that would be ignored."""

    items: list[ClosedRetain]  # type: ignore[assignment]


CLOSED: dict[type[Struct], type[Struct]] = {t.Retain: ClosedRetain, t.Recall: ClosedRecall, t.RetainBatch: ClosedRetainBatch}


class Body:
    """Reads the JSON body of one operation. Fields it doesn't know are ignored but named; finding them costs only those who send them."""

    __slots__ = ("closed", "open", "raw", "shape")

    def __init__(self, shape: type[Struct]) -> None:
        self.shape = shape
        self.raw = shape is t.PutConfig
        self.closed = Decoder(CLOSED.get(shape, shape))
        self.open = Decoder(shape)

    def decode(self, body: bytes) -> tuple[Struct, bytes]:
        """The request and a header line naming ignored fields, or nothing. Raises Malformed or WrongType."""
        if self.raw:
            parse(body)
            return t.PutConfig(body=body), b""
        try:
            request: Struct = self.closed.decode(body)
        except (DecodeError, RecursionError):
            request = self.decode_open(body)
            names = ignored(parse(body), self.shape)
            return request, b"x-ignored-fields: %b\r\n" % b", ".join(names) if names else b""
        if not body.isascii():
            check_utf8(body)
        return request, b""

    def decode_open(self, body: bytes) -> Struct:
        check_utf8(body)
        try:
            request: Struct = self.open.decode(body)
        except ValidationError as error:
            if self.shape is t.Remember and str(error).endswith("`$.confidence`"):
                raise ConfidenceRange("confidence", "confidence must be a number from 0 to 1") from None
            raise WrongType(BAD_TYPE + mismatch(str(error))) from None
        except (DecodeError, RecursionError) as error:
            raise Malformed(BAD_JSON + fault(error)) from None
        return request


def parse(body: bytes) -> object:
    """Any JSON document. Raises Malformed."""
    check_utf8(body)
    try:
        return decode(body)
    except (DecodeError, RecursionError) as error:
        raise Malformed(BAD_JSON + fault(error)) from None


def check_utf8(body: bytes) -> None:
    """Raises Malformed for bytes that are no UTF-8, also where the decoder would skip them."""
    try:
        body.decode()
    except UnicodeDecodeError as error:
        raise Malformed(f"{BAD_JSON}not valid UTF-8 (byte {error.start})") from None


def fault(error: Exception) -> str:
    """What is wrong with a document that is not JSON."""
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return str(error).removeprefix("JSON is malformed: ")


def mismatch(message: str) -> str:
    """The decoder's complaint with the place first: `$.items[3].content: expected str, got int`."""
    what, _, place = message.replace("`", "").partition(" - at ")
    what = what.replace("Object missing required field", "missing field")
    what = what[:1].lower() + what[1:]
    return f"{place}: {what}" if place else what


def ignored(document: object, shape: type[Struct]) -> list[bytes]:
    """Names of fields the operation doesn't know, in order of appearance, safe in a header."""
    names: dict[str, None] = {}
    if isinstance(document, dict):
        names.update((name, None) for name in document if name not in shape.__struct_fields__)
        items = document.get("items")
        if shape is t.RetainBatch and isinstance(items, list):
            known = t.Retain.__struct_fields__
            names.update((f"items[].{name}", None) for item in items for name in item if name not in known)
    return [header_safe(name) for name in list(names)[:NAMED]]


def header_safe(name: str) -> bytes:
    raw = name.encode()[:NAME_BYTES]
    return b"".join([b"%c" % byte if byte in PLAIN else b"%%%02X" % byte for byte in raw])


class Query:
    """Reads the query string of one operation. The contract and what is public ignore parameters they don't know; others refuse them."""

    __slots__ = ("kinds", "lax", "receipt")

    def __init__(self, shape: type[Struct], places: Iterable[str], lax: bool, receipt: bool) -> None:
        self.lax = lax
        self.receipt = receipt
        body = shape in CLOSED or shape is t.PutConfig
        hints = {} if body else shape.__annotations__
        self.kinds = {name: kind_of(str(hint)) for name, hint in hints.items() if name not in places}

    def into(self, values: dict[str, object], query: bytes) -> bool:
        """Adds the parameters to `values`; whether a receipt was asked for. Raises Malformed or Invalid."""
        receipt = False
        for pair in query.split(b"&") if query else ():
            raw, _, given = pair.partition(b"=")
            name = parameter(raw)
            if name in self.kinds:
                if name in values:
                    raise Malformed(f"{BAD_QUERY}duplicate field {name}")
                values[name] = self.convert(name, parameter(given))
            elif name == "receipt" and self.receipt:
                receipt = flag("receipt", parameter(given))
            elif not self.lax and pair:
                raise Invalid(name, "unknown parameter")
        return receipt

    def convert(self, name: str, given: str) -> object:
        if self.kinds[name] == "bool":
            return flag(name, given)
        if self.kinds[name] == "int":
            if not (given.isascii() and given.isdigit()):
                raise Malformed(f"{BAD_QUERY}{name}: invalid digit found in string" if given else f"{BAD_QUERY}{name}: empty")
            number = int(given) if len(given) <= 40 else U64
            if number >= U64:
                raise Malformed(f"{BAD_QUERY}{name}: above {U64 - 1}")
            return number
        if name == "format" and given not in FORMATS:
            raise Malformed(f"{BAD_QUERY}format: expected json or toon")
        return given


def kind_of(hint: str) -> str:
    """What a parameter is, by its type: int, bool or text."""
    return next((kind for kind in ("int", "bool") if kind in hint), "")


def flag(name: str, given: str) -> bool:
    """`1` or `true`, `0` or `false`. Raises Malformed for anything else."""
    if given not in ("1", "true", "0", "false"):
        raise Malformed(f"{BAD_QUERY}{name}: expected 1 or 0")
    return given in ("1", "true")


def segment(raw: bytes) -> str | None:
    """A path segment, percent-decoded; None when it is not UTF-8. `+` is a plus sign, an escape that is none stays as it is."""
    try:
        return unescape(raw).decode()
    except UnicodeDecodeError:
        return None


def parameter(raw: bytes) -> str:
    """A name or value of a query string: `+` is a blank, bytes that are no UTF-8 become U+FFFD."""
    return unescape(raw.replace(b"+", b" ")).decode("utf-8", "replace")


def unescape(raw: bytes) -> bytes:
    if b"%" not in raw:
        return raw
    first, *rest = raw.split(b"%")
    parts = [first]
    for part in rest:
        digits = part[:2]
        try:
            if len(digits) != 2 or not digits.isalnum():
                raise ValueError
            parts.append(bytes.fromhex(digits.decode()) + part[2:])
        except ValueError:
            parts.append(b"%" + part)
    return b"".join(parts)
