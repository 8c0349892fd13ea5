"""A reply that is sent as it comes: server-sent events in chunks. Written by mcp.py, carried out by the connection."""

from __future__ import annotations

from memory_wire.serve.reply import STATUS_LINES, date

HEAD = b"Content-Type: text/event-stream\r\nCache-Control: no-cache, no-transform\r\nX-Accel-Buffering: no\r\n"
COMMENT = b":\n\n"


class Stream:
    """What is to be sent next, and whether that is the end. Without chunks the end of the connection is the end of the reply."""

    __slots__ = ("chunked", "ended", "out", "pending", "size")

    def __init__(self, chunked: bool) -> None:
        self.chunked = chunked
        more = b"Transfer-Encoding: chunked\r\n" if chunked else b"Connection: close\r\n"
        self.out = [b"%bDate: %b\r\n%b%b\r\n" % (STATUS_LINES[200], date(), HEAD, more)]
        self.size = self.pending = 0  # bytes of events; of those that are due
        self.ended = False

    def event(self, data: bytes) -> int:
        """A message; JSON has no line breaks of its own. Gives the bytes that are due."""
        self.put(b"event: message\ndata: %b\n\n" % data)
        return self.pending

    def comment(self) -> None:
        """Keeps proxies from closing a stream that has nothing to say."""
        self.put(COMMENT)

    def put(self, data: bytes) -> None:
        self.size += len(data)
        self.pending += len(data)
        self.out.append(b"%x\r\n%b\r\n" % (len(data), data) if self.chunked else data)

    def end(self) -> None:
        if not self.ended:
            self.ended = True
            if self.chunked:
                self.out.append(b"0\r\n\r\n")

    def take(self) -> bytes:
        """The bytes that are due, once."""
        out, self.out, self.pending = self.out, [], 0
        return b"".join(out)
