"""The serving process: sockets, the event loop, signals, draining, timers. `run` is called by the command line and returns its status.

One loop thread parses, answers reads and sends; one helper thread commits (commits.py). With no connection there is no timer, and after
the quiet time has passed the process sleeps in epoll.
"""

from __future__ import annotations

import gc
import os
import sys

from uvloop import Loop

from memory_wire import config
from memory_wire.errors import CannotListen, MemoryWireError
from memory_wire.kernels import sysmem
from memory_wire.serve import listen, state
from memory_wire.serve.dispatch import Dispatch
from memory_wire.serve.http import Connection
from memory_wire.serve.log import Log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from signal import SIGINT, SIGTERM

    from memory_wire.mcp.provider import Provider
    from memory_wire.serve.listen import Accepted, Listener
    from memory_wire.serve.settings import Settings
    from memory_wire.service import Service
else:
    from _signal import SIGINT, SIGTERM  # plain numbers: the module around it makes enumerations of them

SHARED = "warning: process {} serves this store at {} already; commands go on finding that one"
EXPOSED = "warning: {} can be reached from other machines and asks nobody for a key"
INSECURE = "warning: there are keys, but with --insecure nobody is asked for one"
KEYLESS = "warning: {} asks for a key, and there is none: `memory-wire keys create NAME` makes one, `serve --insecure` asks for none"


def run(settings: Settings, provider: Provider | None = None) -> int:
    """Serves until told to stop. 0 after a drain, 1 when it can't start or was cut short; the reason is one line on stderr.

    `provider` takes the place of what the product serves over MCP.
    """
    listeners: list[Listener] = []
    if settings.trim:
        sysmem.tune()
    try:
        listeners = listen.bind(settings)
        from memory_wire.service import open_service  # a taken address is told before the engine is loaded

        service = open_service(settings.db, sync=settings.sync, create=True, allow_network_fs=settings.allow_network_fs)
        service.open()
    except MemoryWireError as error:
        detail = getattr(error, "detail", "")
        text = f"{error}{f': {detail}' if detail else ''}"
        if isinstance(error, CannotListen):
            from memory_wire.serve.holder import taken

            text = taken(settings.addr, text) if settings.addr in text else text
        sys.stderr.write(f"memory-wire: {text}\n")
        for listener in listeners:
            listener.close()
        return 1
    return Server(settings, listeners, service, provider).serve()


class Server:
    """What the connections share, and the process around them."""

    def __init__(self, settings: Settings, listeners: Sequence[Listener], service: Service, provider: Provider | None = None) -> None:
        self.settings = settings
        self.listeners = listeners
        self.service = service
        self.log = Log(settings.log)
        self.loop = Loop()
        self.dispatch = Dispatch(self.loop, service, self.log, self.touch, self.trim, provider, settings.insecure)
        self.dispatch.entry.public_calls = settings.public_calls
        self.strangers = 0  # connections of a public address
        service.origin = settings.public_url.rstrip("/") or service.origin
        self.buffer = memoryview(bytearray(config.READ_BYTES))
        self.connections: set[Connection] = set()
        self.joining = 0  # accepted, not yet on the loop
        self.accepting = False
        self.draining = False
        self.clean = True
        self.sweeping = self.watching = False
        self.leaving = False
        self.touched = self.alone = 0.0

    def serve(self) -> int:
        """Runs the loop until a signal ends it and gives everything back; the exit status."""
        loop = self.loop
        loop.set_exception_handler(self.failed)
        loop.call_soon(self.begin)
        gc.collect()
        gc.freeze()  # what start-up made lives as long as the process; collections need not walk it
        try:
            loop.run_forever()
        finally:
            self.stop_listening()
            self.dispatch.commits.close()
            if self.dispatch.apart is not None:
                self.dispatch.apart.close()
            self.dispatch.entry.idle()
            state.withdraw(self.settings.db)
            self.close_service()
            loop.close()
        return 0 if self.clean else 1

    def close_service(self) -> None:
        try:
            self.service.close()
        except MemoryWireError as error:  # what was answered is stored; the next start sees to the rest
            self.log.problem(error.code, getattr(error, "detail", str(error)))
            self.clean = False

    def begin(self) -> None:
        """First step on the running loop: only there no signal is lost."""
        self.loop.add_signal_handler(SIGTERM, self.end)
        self.loop.add_signal_handler(SIGINT, self.end)
        self.accept_more()
        self.touch()
        self.alone_now()
        names = [listener.name for listener in self.listeners if not listener.public]
        public = next((listener.name for listener in self.listeners if listener.public), None)
        keyed = self.dispatch.entry.look() is not None
        if keyed and self.settings.insecure:
            self.log.notice(INSECURE)
        for listener in self.listeners:
            if listener.exposed and (self.settings.insecure or not keyed):
                self.log.notice((EXPOSED if self.settings.insecure else KEYLESS).format(listener.name))
        try:
            other = state.publish(self.settings.db, names, public) if names else None  # commands can't use the public one
            if other is not None:
                self.log.notice(SHARED.format(other["pid"], other.get("addr")))
        except OSError as error:
            self.log.notice(f"warning: commands won't find this server, serve.json can't be written: {error}")
        shown = " and ".join(name if "://" in name else f"http://{name}" for name in names)
        if public is not None:
            shown += f"{' and ' * bool(names)}http://{public} (what is public)"
        self.log.notice(f"serving {self.settings.db} at {shown}")
        if self.settings.trim:
            sysmem.window(config.FAULT_BYTES, config.FAULT_LEAST)
        self.service.expect_jobs()
        self.loop.call_soon(self.trim)  # what only the start needed

    # accepting ---------------------------------------------------------------------------------------------------------------------

    def accept_more(self) -> None:
        if not self.accepting and not self.draining:
            self.accepting = True
            for listener in self.listeners:
                self.loop.add_reader(listener.sock, self.accept, listener)

    def accept_no_more(self) -> None:
        """Leaves further clients in the kernel's queue."""
        if self.accepting:
            self.accepting = False
            for listener in self.listeners:
                self.loop.remove_reader(listener.sock)

    def accept(self, listener: Listener) -> None:
        try:
            sock, peer = listener.accept()
        except (BlockingIOError, ConnectionError):
            return  # the client left before its turn
        except OSError as error:  # out of descriptors: one may be free later
            self.log.problem("accept", str(error))
            self.accept_no_more()
            self.loop.call_later(config.SWEEP_SECONDS, self.accept_more)
            return
        if listener.public and self.strangers >= config.PUBLIC_CONNECTIONS:
            os.close(sock.descriptor)  # the places of the others are not theirs
            return
        self.joining += 1
        self.strangers += listener.public
        connection = Connection(self, listener.hosts, peer, listener.exposed, sock.trusted and not listener.public, listener.public)
        self.loop.create_task(self.join(connection, sock))
        if self.crowded:
            self.accept_no_more()

    async def join(self, connection: Connection, sock: Accepted) -> None:
        # not an asyncio.Protocol on purpose: that would lose uvloop's buffered reads
        await self.loop.connect_accepted_socket(lambda: connection, sock)  # type: ignore[arg-type,type-var]

    def joined(self, connection: Connection) -> None:
        self.joining -= 1
        self.connections.add(connection)
        self.dispatch.connections = len(self.connections)
        if not self.sweeping:
            self.sweeping = True
            self.loop.call_later(config.SWEEP_SECONDS, self.sweep)
        if self.draining:
            connection.drain()

    def left(self, connection: Connection) -> None:
        self.connections.discard(connection)
        self.strangers -= connection.public
        self.dispatch.connections = len(self.connections)
        if not self.connections:
            self.alone_now()
        if self.draining:
            self.drained()
        elif not self.crowded:
            self.accept_more()

    @property
    def crowded(self) -> bool:
        """No further client gets in: those that are answered are asked to leave."""
        return len(self.connections) + self.joining >= config.CONNECTIONS

    # timers ------------------------------------------------------------------------------------------------------------------------

    def sweep(self) -> None:
        """Deadlines of all connections; runs only while there are any."""
        now = self.loop.time()
        for connection in list(self.connections):
            connection.look(now)
        self.sweeping = bool(self.connections)
        if self.sweeping:
            self.loop.call_later(config.SWEEP_SECONDS, self.sweep)

    def touch(self) -> None:
        """A request uses the storage: the quiet time starts again. One timer serves all requests."""
        self.touched = self.loop.time()
        if not self.watching:
            self.watching = True
            self.loop.call_later(self.settings.quiet, self.quiet)

    def quiet(self) -> None:
        """Nobody has asked for a while: caches are given back, the helper thread ends, then the process is trimmed."""
        if self.waited_for:
            self.watching = False  # the answer begins the quiet time again
            return
        left, commits = self.touched + self.settings.quiet - self.loop.time(), self.dispatch.commits
        if left <= 0:
            commits.toil.look(False)
        if left > 0 or commits.busy or commits.toil.armed:
            self.loop.call_later(max(left, 0.01), self.quiet)
            return
        self.watching = False
        commits.rest()

    @property
    def waited_for(self) -> bool:
        """Whether an operation or background work waits for the outside world."""
        return self.dispatch.commits.toil.away or (self.dispatch.apart is not None and self.dispatch.apart.busy)

    def alone_now(self) -> None:
        """Nobody is connected: with --exit-idle the time to the end starts again. One timer serves all departures."""
        self.alone = self.loop.time()
        if self.settings.exit_idle is not None and not self.leaving and not self.draining:
            self.leaving = True
            self.loop.call_later(self.settings.exit_idle, self.leave)

    def leave(self) -> None:
        self.leaving = False
        if self.connections or self.joining or self.draining or self.settings.exit_idle is None:
            return  # `left` starts over
        left = self.alone + self.settings.exit_idle - self.loop.time()
        if left > 0 or self.dispatch.commits.busy:
            self.leaving = True
            self.loop.call_later(max(left, 0.01), self.leave)
        else:
            self.end()

    def trim(self) -> None:
        """Gives memory back to the system. The last thing before sleep: every line that runs afterwards brings pages back."""
        self.dispatch.entry.idle()
        if self.settings.trim:
            gc.collect()
            sysmem.release()

    # ending ------------------------------------------------------------------------------------------------------------------------

    def end(self) -> None:
        """First signal: drain. Second: abort; a commit that runs is still finished."""
        if self.draining:
            self.cut()
            return
        self.draining = True
        self.stop_listening()
        self.loop.call_later(self.settings.drain, self.cut)
        for connection in list(self.connections):
            connection.drain()
        self.drained()

    def stop_listening(self) -> None:
        self.accept_no_more()
        for listener in self.listeners:
            listener.close()
        self.listeners = ()

    def drained(self) -> None:
        if not self.connections and not self.joining:
            self.loop.stop()

    def cut(self) -> None:
        """Ends the connections that are left, whatever they wait for."""
        self.clean = not self.connections
        for connection in list(self.connections):
            if connection.transport is not None:
                connection.transport.abort()
        self.loop.call_soon(self.loop.stop)

    def failed(self, loop: object, context: dict[str, object]) -> None:
        """The loop's exception handler. A broken connection is no news."""
        error = context.get("exception")
        if error is None:
            self.log.problem("internal", str(context.get("message")))
        elif isinstance(error, BaseException) and not isinstance(error, OSError):
            self.log.failure("internal", error)
