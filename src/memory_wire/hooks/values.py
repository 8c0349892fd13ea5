"""JSON in and out without the package json, which takes longer to load than a hook may take to start.

Reading is the interpreter's own scanner, made for that package. Lone surrogates survive in both directions, escaped as they came.
"""

from __future__ import annotations

try:
    from _json import encode_basestring_ascii, make_scanner
except ImportError:  # an interpreter without it
    from json.encoder import encode_basestring_ascii
    from json.scanner import make_scanner

BLANKS = " \t\r\n"


class Rules:
    """How the scanner reads: control characters in strings pass, numbers are Python's."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: dict[str, str] = {}  # noqa: RUF012 - what the scanner looks for


scan = make_scanner(Rules)  # type: ignore[arg-type]


def loads(data: bytes) -> object:
    """The value of a whole JSON text; bytes that are no UTF-8 become surrogates. Raises ValueError for anything else."""
    text = data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    begin = len(text) - len(text.lstrip(BLANKS))
    try:
        value, end = scan(text, begin)
    except (StopIteration, SystemError, RecursionError) as error:  # SystemError: a fault told through the module that isn't loaded
        raise ValueError("no JSON") from error
    if text[end:].strip(BLANKS):
        raise ValueError("more than one JSON value")
    return value


def mapping(data: bytes) -> dict[str, object]:
    """The object of a JSON text; empty when it is none."""
    try:
        value = loads(data)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def dumps(value: object) -> str:
    """JSON in ASCII, compact, keys in their order. Raises TypeError for what JSON has no form for."""
    if isinstance(value, str):
        return encode_basestring_ascii(value)
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, dict):
        return "{" + ",".join([f"{dumps(str(key))}:{dumps(item)}" for key, item in value.items()]) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join([dumps(item) for item in value]) + "]"
    raise TypeError(f"no JSON for {type(value).__name__}")


def text_of(found: dict[str, object], *names: str) -> str:
    """The first of the fields that is text and not blank, else ""."""
    for name in names:
        value = found.get(name)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def within(found: dict[str, object], *names: str) -> dict[str, object]:
    """The object at a path of keys; empty where the path ends early."""
    for name in names:
        value = found.get(name)
        if not isinstance(value, dict):
            return {}
        found = value
    return found


def whole(text: str) -> str:
    """The text as it may be sent: surrogates without a partner become question marks."""
    return text.encode("utf-8", "replace").decode()
