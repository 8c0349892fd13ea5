"""The remote server as the agent sees it: where it is, which key it takes, its protocol messages and its routes.

`Remote` may be used from several threads.
"""

from __future__ import annotations

import os
import stat

from msgspec import DecodeError
from msgspec.json import decode, encode

from memory_wire import config
from memory_wire.errors import MemoryWireError, Unreachable
from memory_wire.hooks.endpoint import own
from memory_wire.hooks.files import get
from memory_wire.hooks.server import stored_key
from memory_wire.mcp.rpc import INTERNAL, INVALID, Fault
from memory_wire.wire import Reply, Wire, is_local, quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory_wire.mcp.rpc import Json

FOLDER = "agent"  # under the data folder: everything the agent keeps
KEY = "key"
LATER = frozenset({401, 403, 408, 429, 507})  # the same request may be taken another time; so may any above 500
REFUSED = frozenset({400, 413, 422})  # asking again would change nothing
SAID_CHARS = 300


class Remote:
    """One server: `target` names it as it was given, "" for this user's own, wherever that listens at the moment."""

    def __init__(self, url: str | None, environ: Mapping[str, str], data: str, insecure: bool = False) -> None:
        self.target = url or environ.get("MEMORY_WIRE_URL", "")
        self.given = environ.get("MEMORY_WIRE_KEY") or None
        self.data = data
        self.insecure = insecure  # the key may go to another machine unencrypted
        self.folder = os.path.join(data, FOLDER)
        self.key_file = os.path.join(self.folder, KEY)
        self.wire: Wire | None = None

    @property
    def url(self) -> str:
        """Where requests go now."""
        return self.target or own(self.data) or f"http://{config.DEFAULT_ADDR}"

    def request(self, verb: str, path: str, body: bytes | None = None, seconds: float = config.MCP_CALL_SECONDS) -> Reply:
        """An answer that says something of the request. Raises Unreachable when there is none, or one that another time may not be."""
        url, wire = self.url, self.wire
        if wire is None or wire.url != url:
            wire = self.wire = opened(url)
        key = self.key(url)
        wire.present(key)
        reply = wire.request(verb, path, body, seconds=seconds)
        if reply.status == 401:
            raise Later(401, f"{url} {'refuses the key' if key else 'asks for a key'}: {self.mend()}")
        if reply.status in LATER or reply.status >= 500:
            raise Later(reply.status, f"{url} answered {reply.status}: {said(reply)}")
        return reply

    def key(self, url: str) -> str | None:
        """The key that a server is shown: the environment's, the agent's own or, on this machine, the one beside the store.

        Raises Unreachable where it must not be sent: others may read its file, or it would go to another machine for all to read.
        """
        near = local(url)
        key = self.given or key_in(self.key_file) or (stored_key() if near else None)
        if key and not near and not url.startswith("https://") and not self.insecure:
            raise Unreachable(f"{url} is another machine's and not encrypted, so the key is not sent: use https://, or say --insecure")
        return key

    def mend(self) -> str:
        """What helps when a server wants another key."""
        made = "`memory-wire keys create` there makes one"
        return f"`memory-wire agent` takes it from MEMORY_WIRE_KEY, or from {self.key_file} (mode 0600); {made}"

    def message(self, method: str, params: Json, bank: str | None = None, seconds: float = config.MCP_CALL_SECONDS) -> Json:
        """The result of a protocol message. Raises Fault for a refusal, Unreachable when nobody answers."""
        path = "/mcp" if bank is None else f"/mcp/{quote(bank)}"
        body = encode({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        reply = self.request("POST", path, body, seconds)
        try:
            found = decode(reply.body)
        except DecodeError:
            found = None
        if isinstance(found, dict) and isinstance(found.get("result"), dict):
            return dict(found["result"])
        error = found.get("error") if isinstance(found, dict) else None
        if isinstance(error, dict) and type(error.get("code")) is int and error["code"] != INTERNAL:
            raise Fault(error["code"], str(error.get("message")), error.get("data"))
        if reply.status in REFUSED:
            raise Fault(INVALID, said(reply))
        raise Unreachable(f"{self.url} answered {reply.status}, but not as a memory-wire server does: is it the right URL?")

    def close(self) -> None:
        if self.wire is not None:
            self.wire.close()


def opened(url: str) -> Wire:
    """A client of the server at an address. Raises Invalid for one that is none."""
    if not url.startswith("https://"):
        return Wire(url)
    from memory_wire.agent.secure import SecureWire  # takes long to load

    return SecureWire(url)


def local(url: str) -> bool:
    """Whether the server is on this machine and shares its files. Raises Invalid."""
    return not url.startswith("https://") and is_local(url)


class Later(Unreachable):
    """The server is there, but takes the request another time at best."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.http = status


def said(reply: Reply) -> str:
    """What an error answer says, in a line."""
    try:
        error = decode(reply.body)["error"]["message"]
    except (DecodeError, LookupError, TypeError):
        error = reply.body.decode("utf-8", "replace")
    return " ".join(str(error).split())[:SAID_CHARS]


def key_in(path: str) -> str | None:
    """The key in a file, if there is one. Raises Unreachable when others may read it."""
    try:
        if stat.S_IMODE(os.stat(path).st_mode) & 0o077:
            raise Unreachable(f"{path} may be read by others: chmod 600 it")
    except OSError:
        return None
    return get(path).decode("ascii", "replace").strip() or None


def reason(error: MemoryWireError) -> str:
    """An error as it is shown and noted."""
    return " ".join(str(error).split())[:SAID_CHARS]
