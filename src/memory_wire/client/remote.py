"""A running server as the operations: requests out, responses and errors back."""

from __future__ import annotations

import os
import stat

import msgspec

from memory_wire import types as t
from memory_wire.client.answers import read
from memory_wire.client.surface import Surface
from memory_wire.config import DEFAULT_ADDR, GATEWAY_SECONDS_MAX, default_db
from memory_wire.errors import Invalid, Malformed, StoreRefused, Unauthorized, WrongType
from memory_wire.ops import BY_NAME, Op
from memory_wire.publishing import HEARD
from memory_wire.wire import TIMEOUT, Wire, is_local, quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

APART_SECONDS = GATEWAY_SECONDS_MAX + 30.0  # for what waits for the outside, and for its turn
PLACES = ("id", "slug", "concept")  # of fields in paths
BAD_TYPE = "Failed to deserialize the JSON body into the target type: "


class Client(Surface):
    """A running server, `http://host:port` or `unix:///path`; default `MEMORY_WIRE_URL`, else the default address.

    The key is `key`, else `MEMORY_WIRE_KEY`, else, for a server on this machine, the key file beside the store `db` (`memory.db.key`).
    Calls raise Unreachable when no server answers.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        bank: str = "default",
        key: str | None = None,
        db: str | os.PathLike[str] | None = None,
        timeout: float = TIMEOUT,
    ) -> None:
        self.bank = bank
        self.url = url or os.environ.get("MEMORY_WIRE_URL") or f"http://{DEFAULT_ADDR}"
        key = key or os.environ.get("MEMORY_WIRE_KEY") or None
        self.kept: str | None = None  # the store whose key file gives the key
        if key is None and is_local(self.url):  # the store's key is never sent to another machine
            self.kept = os.fspath(db) if db else default_db()
            key = stored_key(self.kept)
        self.key = key
        self.wire = Wire(self.url, key, timeout)

    def call(self, name: str, request: msgspec.Struct, bank: str | None = None) -> Any:
        op = BY_NAME[name]
        if "workspace" in op.request.__struct_fields__ and getattr(request, "workspace", None) is None:
            request = msgspec.structs.replace(request, workspace=self.bank if bank is None else bank)
        body: bytes | None = None
        if isinstance(request, t.PutConfig):
            body = request.body
        elif op.body:
            body = encode(request)
        if op.form:
            return self.filled(op, request)
        path = target(op, request, self.bank if bank is None else bank)
        seconds = max(self.wire.timeout, APART_SECONDS) if op.apart else None
        try:
            return read(op, self.wire.request(op.http[0], path, body, seconds=seconds))
        except Unauthorized:
            if not self.renewed():
                raise
        return read(op, self.wire.request(op.http[0], path, body, seconds=seconds))

    def filled(self, op: Op, request: msgspec.Struct) -> Any:
        """The answer to a form."""
        fields = msgspec.structs.asdict(request)
        places = {name for name in fields if f"{{{name}}}" in op.http[1]}
        body = "&".join([f"{name}={quoted(name, written(value))}" for name, value in fields.items() if name not in places])
        path = target(op, type(request)(**{name: fields[name] for name in places}), self.bank).partition("?")[0]
        return read(op, self.wire.request(op.http[0], path, body.encode(), "application/x-www-form-urlencoded"))

    def renewed(self) -> bool:
        """Whether the key file has another key by now: the store's first one may have been made since."""
        key = stored_key(self.kept) if self.kept is not None else None
        if key is None or key == self.key:
            return False
        self.wire.present(key)
        self.key = key
        return True

    def close(self) -> None:
        self.wire.close()


def encode(request: msgspec.Struct) -> bytes:
    """The request as a JSON body. Raises Malformed, as the server would, for a lone surrogate, WrongType for a value of another type.

    The encoder alone would write bytes, dates and the like as strings, where the embedded store refuses them.
    """
    from datetime import date, datetime, time, timedelta

    foreign = (bytes, bytearray, memoryview, datetime, date, time, timedelta)
    try:
        plain = msgspec.to_builtins(request, builtin_types=foreign)
        return msgspec.json.encode(msgspec.convert(plain, type(request)))
    except (msgspec.ValidationError, TypeError) as error:
        raise WrongType(f"{BAD_TYPE}{error}") from None
    except UnicodeEncodeError:
        raise Malformed("Failed to parse the request body as JSON: lone surrogate") from None


def target(op: Op, request: msgspec.Struct, bank: str) -> str:
    """Path and query of a call."""
    if not bank:  # would be another path
        raise Invalid("bank", "must not be blank", "invalid bank id")
    path = op.http[1].replace("{bank}", quoted("bank", bank))
    values: dict[str, object] = {} if op.body else msgspec.structs.asdict(request)
    for name in HEARD if op.public else ():
        values.pop(name, None)
    for name in PLACES:
        if f"{{{name}}}" in path:
            values.pop(name, None)
            path = path.replace(f"{{{name}}}", quoted(name, str(getattr(request, name))) or "%00")
    if op.name in ("retain", "retain_batch"):
        values["receipt"] = 1
    query = "&".join([f"{name}={quoted(name, written(value))}" for name, value in values.items() if value is not None])
    return f"{path}?{query}" if query else path


def written(value: object) -> str:
    """A value as a parameter."""
    return str(int(value)) if isinstance(value, bool) else str(value)


def quoted(field: str, text: str) -> str:
    """The text percent-encoded. Raises Invalid, as the embedded store does, for a lone surrogate."""
    try:
        return quote(text)
    except UnicodeEncodeError:
        raise Invalid(field, "must be valid Unicode (no lone surrogates)") from None


def stored_key(db: str) -> str | None:
    """The key in the file beside a store, if there is one. Raises StoreRefused when others may read it."""
    path = f"{db}.key"
    try:
        with open(path, encoding="ascii") as file:
            if stat.S_IMODE(os.fstat(file.fileno()).st_mode) & 0o077:
                raise StoreRefused(f"{path} may be read by others: chmod 600 it")
            return file.read().strip() or None
    except FileNotFoundError:
        return None
