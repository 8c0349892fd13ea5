"""A server behind TLS: reached when its certificate is trusted, and sent nothing when it isn't."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.agent.conftest import Site, told, until

CERTIFICATE = Path(__file__).parents[1] / "outside" / "localhost.pem"


@contextmanager
def wrapped(port: int) -> Iterator[int]:
    """The port of a TLS end that passes one request and its answer on a connection."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def work() -> None:
            while True:
                try:
                    plain = listener.accept()[0]
                except OSError:
                    return
                far = socket.create_connection(("127.0.0.1", port))
                with plain, far, suppress(OSError), context.wrap_socket(plain, server_side=True) as near:
                    far.sendall(near.recv(1 << 16))
                    near.sendall(far.recv(1 << 16))

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(10)


def test_only_a_trusted_server_is_sent_anything(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.serve()
    direct = site.url
    with wrapped(site.port) as port:
        site.url = f"https://127.0.0.1:{port}"
        agent = site.agent()
        answer = agent.call("memory_recall", query="anything")
        assert answer["isError"] is True and "certificate" in str(answer["content"])
        assert "waiting" in agent.call("memory_retain", content="Kept for who can be trusted.")["structuredContent"]  # type: ignore[operator]
        agent.process.kill()
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
        trusting = site.agent()
        until(lambda: told(trusting)["waiting"] == 0)
        assert "Kept for" in str(trusting.call("memory_recall", query="kept for who can be trusted")["content"])
        trusting.process.kill()
    site.url = direct
    assert site.contents() == ["Kept for who can be trusted."]
