"""The other side of the table: uvloop, httptools and msgspec as they come, answering `ok`. Run as a program it serves on the port given."""

from __future__ import annotations

import socket
import subprocess
import sys
import time

from bench.footprint import probe

PATIENCE = 20.0


def serve(port: int) -> None:
    """A hello world as one would write it; never returns."""
    import asyncio

    import httptools
    import msgspec
    import uvloop

    encoder = msgspec.json.Encoder()

    class Hello(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            self.transport = transport
            self.parser = httptools.HttpRequestParser(self)

        def data_received(self, data: bytes) -> None:
            self.parser.feed_data(data)

        def on_message_complete(self) -> None:
            body = encoder.encode({"ok": True})
            self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))  # type: ignore[attr-defined]

    async def main() -> None:
        server = await asyncio.get_running_loop().create_server(Hello, "127.0.0.1", port)
        await server.serve_forever()

    uvloop.run(main())


def readings() -> tuple[probe.Reading, probe.Reading]:
    """What it holds when it listens, and after one request."""
    with socket.socket() as probe_socket:
        probe_socket.bind(("127.0.0.1", 0))
        port = probe_socket.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-m", "bench.footprint.stock", str(port)])
    try:
        end = time.monotonic() + PATIENCE
        while True:
            try:
                connection = socket.create_connection(("127.0.0.1", port))
                break
            except ConnectionRefusedError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.02)
        with connection:
            before = probe.reading(process.pid)
            connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            connection.recv(4096)
        time.sleep(1.0)
        return before, probe.reading(process.pid)
    finally:
        process.kill()
        process.wait()


if __name__ == "__main__":
    serve(int(sys.argv[1]))
