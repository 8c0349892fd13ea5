"""The protocol over standard input and output: one message a line, requests side by side on a few threads, answers as they come.

`Stdio.serve` is the way in, used by the command line; what runs an operation is handed in, so that this module knows no store. Nothing but
messages is ever written to the output.
"""

from __future__ import annotations

import _thread
import os
from _queue import SimpleQueue

from memory_wire import config
from memory_wire.errors import MemoryWireError, StorageError
from memory_wire.mcp import rpc
from memory_wire.mcp.dispatch import Dispatcher, Peer, Task
from memory_wire.mcp.rpc import PARSE, Fault
from memory_wire.mcp.steps import Run, Send

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memory_wire.mcp.provider import Provider

    Job = tuple[Task, object]

CHUNK = 256 * 1024
NOTHING = object()


class Closed(Exception):
    """Nobody reads our output any more."""


class Stdio:
    """One client. `run` carries out an operation, on any thread; `lost` is told of exceptions nobody expected, `left` when a thread finds
    that nobody reads the output any more: it must end the process, as the reading thread can't be woken.
    """

    def __init__(
        self,
        provider: Provider,
        run: Callable[[Run], object],
        peer: Peer,
        *,
        lost: Callable[[BaseException], None],
        left: Callable[[], None],
        source: int,
        sink: int,
    ) -> None:
        self.dispatcher = Dispatcher(provider, lost)
        self.run = run
        self.peer = peer
        self.lost = lost
        self.left = left
        self.source = source
        self.sink = sink
        self.jobs: SimpleQueue[Job] = SimpleQueue()
        self.writing = _thread.allocate_lock()
        self.state = _thread.allocate_lock()  # guards what follows
        self.parked: set[Task] = set()  # wait for the client or for news
        self.early: dict[Task, object] = {}  # what came for a task before it waited
        self.active = self.threads = 0  # tasks that are queued or run; threads
        self.most = 0  # tasks that the reading thread waits for there to be no more of
        self.fewer = _thread.allocate_lock()  # held while it waits

    def serve(self) -> None:
        """Reads until the input ends; requests under way get a moment to be answered. Returns also when nobody reads the output."""
        try:
            for line in lines(self.source):
                self.receive(line)
        except Closed:
            return
        self.wait(0, config.MCP_EOF_SECONDS)

    def receive(self, line: bytes | None) -> None:
        """One line; None for one that was too long. Raises Closed."""
        try:
            if line is None:
                raise Fault(PARSE, f"message longer than {config.MCP_LINE} bytes")
            message = rpc.read(line)
        except Fault as fault:
            self.write(rpc.error(None, fault), None)
            return
        task = self.dispatcher.begin(message, self.peer)
        if task is None:
            return
        task.resume = self.resume
        if task.done:
            self.write(task.answer, None)
            return
        self.wait(config.MCP_QUEUE - 1)
        if task.context is not None:
            self.peer.tasks[task.context.id] = task
        self.enqueue(task, None)

    def write(self, data: bytes, task: Task | None) -> None:
        """One message, unless its task was cancelled. Raises Closed."""
        with self.writing:
            if task is not None and task.cancelled:
                return
            rest = memoryview(data + b"\n")
            try:
                while rest:
                    rest = rest[os.write(self.sink, rest) :]
            except OSError:
                raise Closed from None

    # threads -----------------------------------------------------------------------------------------------------------------------

    def enqueue(self, task: Task, given: object) -> None:
        """Has a thread go on with a task; starts one when there are fewer than tasks and there may be more."""
        with self.state:
            self.active += 1
            fresh = self.threads < min(self.active, config.MCP_THREADS)
            self.threads += fresh
        self.jobs.put((task, given))
        if fresh:
            _thread.start_new_thread(self.work, ())

    def work(self) -> None:
        """A thread: one task after the other."""
        while True:
            task, given = self.jobs.get()
            try:
                self.drive(task, given)
            except Closed:
                self.left()
            except Exception as error:
                self.lost(error)
            with self.state:
                self.active -= 1
                if self.active <= self.most and self.fewer.locked():
                    self.fewer.release()

    def wait(self, most: int, seconds: float = -1) -> None:
        """Has the reading thread wait until there are no more tasks than that, so that what isn't read backs up in the pipe."""
        with self.state:
            if self.active <= most:
                return
            self.most = most
            self.fewer.acquire(blocking=False)
        if self.fewer.acquire(timeout=seconds):
            self.fewer.release()

    def drive(self, task: Task, given: object) -> None:
        """Goes on with a task until it is done or waits. Raises Closed."""
        step = task.advance(given)
        while step is not None:
            if isinstance(step, Run):
                step = task.advance(self.called(step))
            elif isinstance(step, Send) and step.answer_to is None:
                self.write(step.data, task)
                step = task.advance()
            else:
                if isinstance(step, Send):
                    self.write(step.data, task)
                given = self.park(task)
                if given is NOTHING:
                    return
                step = task.advance(given)
        self.finish(task)

    def called(self, step: Run) -> object:
        """The response of an operation, or its error."""
        try:
            return self.run(step)
        except MemoryWireError as error:
            return error
        except Exception as error:
            self.lost(error)
            return StorageError(str(error))

    def finish(self, task: Task) -> None:
        """Sends the answer. Until that is done the task can be cancelled."""
        if task.answer:
            self.write(task.answer, task)
        number = task.context.id if task.context is not None else None
        with self.state:
            self.early.pop(task, None)
            if number is not None and self.peer.tasks.get(number) is task:
                del self.peer.tasks[number]

    # waiting -----------------------------------------------------------------------------------------------------------------------

    def park(self, task: Task) -> object:
        """Leaves a task until `resume`; what has come for it meanwhile is given at once, else NOTHING."""
        with self.state:
            if task in self.early:
                return self.early.pop(task)
            self.parked.add(task)
            return NOTHING

    def resume(self, task: Task, value: object) -> None:
        """Called by whoever has what a task waits for; it goes on, now or as soon as it waits."""
        with self.state:
            waits = task in self.parked
            if waits:
                self.parked.discard(task)
            elif not task.done:
                self.early[task] = value
        if waits:
            self.enqueue(task, value)


def lines(source: int) -> Iterator[bytes | None]:
    """Lines without their ends, blank ones left out; None for one above the bound, which is read and dropped."""
    parts: list[bytes] = []
    size = 0
    while data := read(source):
        *ended, rest = data.split(b"\n")
        for part in ended:
            size += len(part)
            whole = b"".join([*parts, part]) if size <= config.MCP_LINE else None
            parts, size = [], 0
            if whole is None or (whole := whole.strip()):
                yield whole
        size += len(rest)
        if size <= config.MCP_LINE:
            parts.append(rest)
        else:
            parts.clear()
    if size > config.MCP_LINE:
        yield None
    elif whole := b"".join(parts).strip():
        yield whole  # the last line has no end


def read(source: int) -> bytes:
    try:
        return os.read(source, CHUNK)
    except OSError:
        return b""
