"""One HTTP/1.1 connection: reads into the parser, replies out in the order of the requests, backpressure, deadlines, closing.

Reads go into one buffer shared by all connections (a read is parsed before the next begins). Incoming makes requests of bytes,
Dispatch answers them; this module decides when.
"""

from __future__ import annotations

from memory_wire import config
from memory_wire.serve.incoming import IDLE, Incoming, Request
from memory_wire.serve.reply import CONTINUE, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import Transport
    from collections import deque

    from memory_wire.serve.loop import Server
    from memory_wire.serve.mcp import Exchange
    from memory_wire.serve.stream import Stream
else:
    from _collections import deque  # the package around it is large


class Connection:
    """Protocol of one client. Sequential: a request starts when those before it are answered, except that writes may follow writes."""

    __slots__ = (
        "choked", "dispatch", "dropped", "eof", "exposed", "incoming", "inflight", "later", "lingering", "paused", "peer", "public",
        "sent", "server", "silent", "stall", "stall_mark", "transport", "trusted", "waiting",
    )  # fmt: skip

    def __init__(
        self,
        server: Server,
        hosts: frozenset[bytes] | None,
        peer: str,
        exposed: bool = False,
        trusted: bool = False,
        public: bool = False,
    ) -> None:
        self.server = server
        self.dispatch = server.dispatch
        self.peer = peer
        self.exposed = exposed  # other machines reach the address
        self.trusted = trusted  # it is the server's own user
        self.public = public  # of an address that serves what everybody may read and nothing else
        self.transport: Transport | None = None
        self.incoming = Incoming(self, server.dispatch, hosts, server.loop.time)
        self.waiting = self.incoming.waiting  # parsed, not started
        self.inflight: deque[Request] = deque()  # started, not answered
        self.eof = False  # the peer has shut its side
        self.paused = False  # we don't read: too much is queued
        self.choked = False  # we don't answer: the peer doesn't read
        self.lingering = False  # our side is shut, the peer's bytes are dropped until it closes
        self.later = False  # `again` is scheduled
        self.dropped = self.sent = self.stall_mark = 0
        self.stall = 0.0
        self.silent = 0.0  # since when nothing was sent

    # the transport's calls ---------------------------------------------------------------------------------------------------------

    def connection_made(self, transport: Transport) -> None:
        self.transport = transport
        transport.set_write_buffer_limits(config.WRITE_HIGH, config.WRITE_LOW)
        self.server.joined(self)

    def connection_lost(self, error: Exception | None) -> None:
        self.transport = None
        for request in self.inflight:
            if request.exchange is not None:
                request.exchange.gone()
        self.incoming.close()
        self.server.left(self)

    def get_buffer(self, hint: int) -> memoryview:
        return self.server.buffer

    def buffer_updated(self, n: int) -> None:
        if self.incoming.deaf:
            self.dropped += n
            if self.dropped > config.LINGER_BYTES and self.transport is not None:
                self.transport.abort()
            return
        self.incoming.feed(self.server.buffer[:n])
        self.advance()

    def eof_received(self) -> bool:
        """What the peer asked in full before it shut its side is answered, then the connection ends; unless that takes it back."""
        self.eof = True
        self.incoming.abandon()
        self.say_goodbye()
        if self.inflight and (exchange := self.inflight[0].exchange) is not None and exchange.revoked:
            return False
        return bool(self.waiting or self.inflight) and not self.lingering

    def pause_writing(self) -> None:
        self.choked = True

    def resume_writing(self) -> None:
        self.choked = False
        self.advance()

    # answering ---------------------------------------------------------------------------------------------------------------------

    def advance(self) -> None:
        """Answers what can be answered and starts what may start, a few at a time so that other connections get their turn."""
        waiting, inflight = self.waiting, self.inflight
        turns = config.PIPELINE
        out: list[bytes] = []
        size = 0
        while self.transport is not None and not self.choked and not self.lingering:
            if inflight and inflight[0].reply is not None:
                request = inflight.popleft()
                data = self.render(request)
                out.append(data)
                size += len(data)
                if request.close:
                    self.write(out)
                    self.finish()
                    return
                if size > config.WRITE_HIGH:
                    self.write(out)
                    out, size = [], 0
            elif inflight and turns and (exchange := inflight[0].exchange) is not None and exchange.stream is not None:
                turns -= 1
                self.write([*out, exchange.stream.take()])
                out, size = [], 0
                if not self.carry_on(exchange, exchange.stream):
                    break
            elif waiting and turns and (not inflight or waiting[0].writes or waiting[0].reply is not None):
                request = waiting.popleft()
                inflight.append(request)
                if request.reply is None:
                    turns -= 1
                    self.dispatch.start(request)
            else:
                break
        self.write(out)
        if not turns and (waiting or inflight) and not self.later:
            self.later = True
            self.server.loop.call_soon(self.again)
        self.settle()

    def again(self) -> None:
        self.later = False
        self.advance()

    def carry_on(self, exchange: Exchange, stream: Stream) -> bool:
        """What was due of a streamed reply is sent: ends it, or has more of it made. False when there is nothing more to do now."""
        if not stream.ended:
            return not self.choked and exchange.wake()
        request = self.inflight.popleft()
        self.dispatch.count(request, 200, stream.size)
        if request.close or self.leaving:
            self.finish()
        return True

    def render(self, request: Request) -> bytes:
        request.close = request.close or self.leaving
        return self.dispatch.render(request)

    @property
    def leaving(self) -> bool:
        """The server has no more time or place for this client, and all that it has asked is answered."""
        server = self.server
        return (server.draining or server.crowded) and not self.waiting and not self.inflight and self.incoming.phase == IDLE

    def write(self, out: list[bytes]) -> None:
        data = out[0] if len(out) == 1 else b"".join(out)
        if data and self.transport is not None:
            self.sent += len(data)
            self.silent = self.server.loop.time()
            self.transport.write(data)

    def settle(self) -> None:
        """After every step: reading goes on or pauses, the idle time begins, an ended peer is let go."""
        transport, incoming = self.transport, self.incoming
        if transport is None or self.lingering:
            return
        queued = len(self.waiting) + len(self.inflight)
        full = queued >= config.PIPELINE or self.choked
        if full != self.paused and not self.eof and not incoming.deaf:
            self.paused = full
            if full:
                transport.pause_reading()
            else:
                transport.resume_reading()
                incoming.deadline = max(incoming.deadline, self.server.loop.time() + config.HEAD_SECONDS)  # the pause was ours
        if queued:
            return
        if self.eof:
            transport.close()
        elif incoming.phase == IDLE:
            incoming.deadline = self.server.loop.time() + config.IDLE_SECONDS
        elif incoming.continues:
            incoming.continues = False
            self.write([CONTINUE])

    def finish(self) -> None:
        """Shuts our side after the last reply and drops what still comes: closing at once could destroy the reply on its way."""
        transport = self.transport
        if transport is None:
            return
        self.incoming.deaf = self.lingering = True
        self.incoming.deadline = self.server.loop.time() + config.LINGER_SECONDS
        if self.eof:
            transport.close()
            return
        try:
            transport.write_eof()
        except OSError:
            transport.abort()  # the peer is gone already
            return
        if self.paused:
            self.paused = False
            transport.resume_reading()

    # the server's calls ------------------------------------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        return bool(self.waiting or self.inflight)

    def drain(self) -> None:
        """The server is ending: an idle connection is closed, a busy one when its last reply is out."""
        self.say_goodbye()
        if self.transport is not None and self.incoming.phase == IDLE and not self.busy and not self.lingering:
            self.transport.close()

    def say_goodbye(self) -> None:
        """Ends by our side what would stay open: subscriptions."""
        for request in self.inflight:
            if request.exchange is not None:
                request.exchange.end()

    def look(self, now: float) -> None:
        """Deadlines, once a sweep."""
        transport, incoming = self.transport, self.incoming
        if transport is None:
            return
        left = transport.get_write_buffer_size()
        if left:
            self.look_at_reader(transport, now, self.sent - left)
            return
        self.stall = 0.0
        if self.inflight and (exchange := self.inflight[0].exchange) is not None and exchange.stream is not None:
            if now >= self.silent + config.MCP_ALIVE_SECONDS:
                exchange.stream.comment()
                self.advance()
            return
        if self.server.crowded and self.sent and not self.busy and incoming.phase == IDLE:
            incoming.deadline = min(incoming.deadline, now)  # others wait for its place
        if now < incoming.deadline or self.paused or (self.busy and incoming.phase == IDLE):
            return
        if incoming.phase == IDLE:
            transport.close()
        else:
            incoming.refuse(text(408, "request timeout"))
            self.advance()

    def look_at_reader(self, transport: Transport, now: float, taken: int) -> None:
        """A peer that doesn't take its replies is cut off."""
        if self.lingering:
            self.incoming.deadline = now + config.LINGER_SECONDS
        if self.stall == 0.0 or taken >= self.stall_mark + config.WRITE_LOW:
            self.stall = now + config.STALL_SECONDS
            self.stall_mark = taken
        elif now >= self.stall:
            transport.abort()
