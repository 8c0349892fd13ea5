"""What requests may say: one function per request, raising Invalid (a value breaks a rule) or WrongType (it has another type).

Used by the service on every surface, so that all of them refuse the same input with the same words. The texts `invalid bank id`,
`invalid content` and `invalid bank config` are the `/banks` contract's.
"""

from __future__ import annotations

from msgspec import DecodeError, json

from memory_wire import config, types
from memory_wire.errors import Invalid, Malformed, WrongType
from memory_wire.service import dates

NUL = "must not contain NUL"
UNICODE = "must be valid Unicode (no lone surrogates)"
MODES = (None, "replace", "append")
BODY = "Failed to parse the request body as JSON"
MAX_INTEGER = (1 << 64) - 1


def wrong_type(field: str, expected: str) -> WrongType:
    """The refusal of a value of the wrong type, in the words that the contract begins such answers with."""
    error = WrongType(f"Failed to deserialize the JSON body into the target type: {field}: expected {expected}")
    error.field = field
    return error


# values ----------------------------------------------------------------------------------------------------------------------------


def text(field: str, value: object, limit: int) -> str:
    """A string without NUL and lone surrogates, at most `limit` characters."""
    if not isinstance(value, str):
        raise wrong_type(field, "a string")
    if len(value) > limit:
        raise Invalid(field, f"must be at most {limit:,} characters")
    if "\0" in value:
        raise Invalid(field, NUL)
    if not value.isascii():
        encode(field, value)
    return value


def encode(field: str, value: str) -> bytes:
    """UTF-8 of a string. Raises Invalid for a lone surrogate."""
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise Invalid(field, UNICODE) from None


def key(field: str, value: str | None, wide: int = 1) -> str | None:
    """A key such as document_id: trimmed, blank means none."""
    return None if value is None else text(field, value, config.KEY_CHARS * wide).strip() or None


def unsigned(field: str, value: object) -> int | None:
    """An unsigned 64-bit integer or None."""
    if value is None:
        return None
    if type(value) is not int or not 0 <= value <= MAX_INTEGER:
        raise wrong_type(field, "an unsigned integer")
    return value


def strings(field: str, value: object, wide: int = 1) -> list[str]:
    """A list of strings, each of them legal; None is the empty list."""
    if value is None:
        return []
    if not isinstance(value, list | tuple):
        raise wrong_type(field, "an array of strings")
    for entry in value:
        text(field, entry, config.TAG_CHARS * wide)
    return list(value)


def moment(field: str, value: object) -> int | None:
    """Milliseconds of a date or None."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise wrong_type(field, "a string")
    try:
        return dates.parse(value)
    except ValueError:
        raise Invalid(field, dates.RULE) from None


# requests --------------------------------------------------------------------------------------------------------------------------


def scope(value: types.Scope) -> None:
    """The names of bank and project: not blank, bounded, legal text."""
    name = value.bank
    if not isinstance(name, str):
        raise wrong_type("bank", "a string")
    if not name or name.isspace() or len(name) > config.BANK_CHARS or "\0" in name:
        raise Invalid("bank", f"must not be blank and at most {config.BANK_CHARS} characters", "invalid bank id")
    if not name.isascii():
        encode("bank", name)
    if value.project != "default" and not text("project", value.project, config.BANK_CHARS).strip():
        raise Invalid("project", "must not be blank")


def mode(value: object) -> None:
    """The update mode: exactly one of the two words. The contract has no text of its own for it."""
    if value is not None and not isinstance(value, str):
        raise wrong_type("update_mode", "a string")
    if value not in MODES:
        raise Invalid("update_mode", "must be replace or append", "invalid content")


def content(value: object, wide: int = 1) -> bytes:
    """UTF-8 of a memory's content, which must say something."""
    if not isinstance(value, str):
        raise wrong_type("content", "a string")
    if not value or value.isspace() or "\0" in value:
        raise Invalid("content", "must not be blank and not contain NUL", "invalid content")
    if len(value) > config.CONTENT_CHARS * wide:
        raise Invalid("content", f"must be at most {config.CONTENT_CHARS * wide:,} characters")
    return encode("content", value)


def recall(request: types.Recall) -> None:
    """The values of a recall that are not read any further here; dates and tags are checked where they are read."""
    if not isinstance(request.query, str):
        raise wrong_type("query", "a string")
    if "\0" in request.query:
        raise Invalid("query", NUL)
    if not request.query.isascii():
        encode("query", request.query)
    unsigned("budget", request.budget)
    if request.k is not None:
        unsigned("k", request.k)
        if not 1 <= request.k <= config.RESULTS:
            raise Invalid("k", f"must be 1 to {config.RESULTS}")
    floor = request.min_score
    if floor is not None:
        if isinstance(floor, bool) or not isinstance(floor, int | float):
            raise wrong_type("min_score", "a number")
        if not 0 <= floor <= 1:
            raise Invalid("min_score", "must be 0 to 1")
    if request.format is not None and not isinstance(request.format, str):
        raise wrong_type("format", "a string")
    for name in ("explain", "exclude_stale"):
        flag = getattr(request, name)
        if flag is not None and not isinstance(flag, bool):
            raise wrong_type(name, "a boolean")


def page_limit(value: object) -> int:
    """How many rows a page has, of what isn't the contract's. Raises Invalid."""
    if value is None:
        return config.PAGE_LIMIT
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= config.PAGE_MAX:
        raise Invalid("limit", f"must be 1 to {config.PAGE_MAX}")
    return value


def page(request: types.Memories) -> tuple[int, int, int | None, bool]:
    """(limit, offset, truncate, toon) of a listing."""
    limit = unsigned("limit", request.limit)
    return (
        config.PAGE_LIMIT if limit is None else min(limit, config.PAGE_MAX),
        unsigned("offset", request.offset) or 0,
        unsigned("truncate", request.truncate),
        page_format(request.format),
    )


def page_format(value: object) -> bool:
    """Whether the answer is TOON."""
    if value not in (None, "json", "toon"):
        raise Invalid("format", "must be json or toon")
    return value == "toon"


def batch(request: types.RetainBatch) -> None:
    """The number of items, that they are retains, and `keep`."""
    if not isinstance(request.keep, bool):
        raise wrong_type("keep", "a boolean")
    if not isinstance(request.items, list):
        raise wrong_type("items", "an array")
    if len(request.items) > config.BATCH_ITEMS:
        raise Invalid("items", f"must be at most {config.BATCH_ITEMS:,}")


def bank_config(body: bytes) -> None:
    """A configuration: a JSON object, bounded."""
    if not isinstance(body, bytes):
        raise wrong_type("config", "bytes")
    if len(body) > config.CONFIG_BYTES:
        raise Invalid("config", f"must be at most {config.CONFIG_BYTES:,} bytes")
    try:
        body.decode()
        found = json.decode(body)
    except UnicodeDecodeError as error:
        raise Malformed(f"{BODY}: not valid UTF-8 (byte {error.start})") from None
    except (DecodeError, RecursionError) as error:
        raise Malformed(f"{BODY}: {error}") from None
    if not isinstance(found, dict):
        raise Invalid("config", "must be a JSON object", "invalid bank config")
