"""The lean HTTP client over TLS, for servers elsewhere. Certificates are checked against those that the system trusts."""

from __future__ import annotations

from ssl import SSLContext, create_default_context

from memory_wire.errors import Unreachable
from memory_wire.wire import Wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from socket import socket

PREFIX = "https://"


class SecureWire(Wire):
    """Requests to one server at `https://host[:port][/prefix]`. Raises Invalid for anything else."""

    def __init__(self, url: str) -> None:
        host, slash, prefix = url.removeprefix(PREFIX).partition("/")
        place = host if ":" in host[host.rfind("]") + 1 :] else f"{host}:443"
        super().__init__(f"http://{place}{slash}{prefix}")
        self.url = url
        self.context: SSLContext = create_default_context()

    def _connect(self, seconds: float | None = None) -> socket:
        plain = super()._connect(seconds)
        try:
            return self.context.wrap_socket(plain, server_hostname=str(self.address[0]))
        except OSError as error:
            plain.close()
            why = getattr(error, "verify_message", "") or (getattr(error, "reason", "") or "").replace("_", " ").lower() or error
            raise Unreachable(f"no server at {self.url}: {why}") from None
