"""Group commit of the server: writes that arrive while a commit runs are gathered and go as the next one.

One helper thread, started by the first write and ended when the server is quiet, does all commits, so the loop never waits for a disk.
Everything here but `commit`, `idle` and `work` runs on the loop thread.
"""

from __future__ import annotations

import _thread

from memory_wire.config import GROUP_MAX
from memory_wire.errors import StorageError
from memory_wire.serve.toil import Toil

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable

    from msgspec import Struct
    from uvloop import Loop

    from memory_wire.ops import Op
    from memory_wire.serve.incoming import Request
    from memory_wire.service import Service
    from memory_wire.types import Scope

    Call = tuple[Op, Scope, Struct]
    Deliver = Callable[[list[tuple[Request, object]]], None]
else:
    from _collections import deque  # the package around it is large


class Commits:
    """`submit` takes a write; `deliver` gets each finished group as (request, response or error) in order of arrival.

    `slept` is called when, after `rest`, caches are given back and the thread has ended, `touch` when background work has ended that was
    waited for.
    """

    def __init__(
        self,
        loop: Loop,
        service: Service,
        deliver: Deliver,
        lost: Callable[[BaseException], None],
        slept: Callable[[], None],
        touch: Callable[[], None],
    ) -> None:
        self.loop = loop
        self.service = service
        self.deliver = deliver
        self.lost = lost
        self.slept = slept
        self.touch = touch
        self.waiting: deque[tuple[Request, Call]] = deque()
        self.busy = False
        self.thread = False
        self.job: Callable[[], bool] = self.stop
        self.posted = _thread.allocate_lock()  # held while there is nothing to do
        self.posted.acquire()
        self.ended = _thread.allocate_lock()  # held while the thread lives
        self.toil = Toil(self)

    def submit(self, request: Request, call: Call) -> None:
        """Queues a write. The group starts after all sockets that are readable now have been read."""
        self.waiting.append((request, call))
        if not self.busy:
            self.busy = True
            self.loop.call_soon(self.begin)

    def begin(self) -> None:
        """Hands the next group to the thread; what nobody waits for any more is left out."""
        taken = [self.waiting.popleft() for _ in range(min(len(self.waiting), GROUP_MAX))]
        group = [member for member in taken if not member[0].cancelled]
        if group:
            self.post(lambda: self.commit(group))
        else:
            self.done([])

    def commit(self, group: list[tuple[Request, Call]]) -> bool:
        """On the helper thread: one commit; whatever comes of it is reported for every member."""
        results: list[object]
        try:
            results = list(self.service.call_many([call for _, call in group]))
        except Exception as error:
            self.loop.call_soon_threadsafe(self.lost, error)
            results = [StorageError(type(error).__name__)] * len(group)
        answered = [(request, result) for (request, _), result in zip(group, results, strict=True)]
        self.loop.call_soon_threadsafe(self.done, answered)
        return True

    def done(self, answered: list[tuple[Request, object]]) -> None:
        self.deliver(answered)
        if self.waiting:
            self.loop.call_soon(self.begin)  # those just answered may have asked again by now: read them first
        else:
            self.busy = False
            self.toil.look(bool(answered))

    def rest(self) -> None:
        """Has the thread give the service's caches back and end. Not while writes are on their way."""
        if not self.busy:
            self.busy = True
            self.post(self.idle)

    def idle(self) -> bool:
        """On the helper thread."""
        try:
            self.service.idle()
        except Exception as error:
            self.loop.call_soon_threadsafe(self.lost, error)
        self.loop.call_soon_threadsafe(self.rested)
        return False

    def rested(self) -> None:
        self.ended.acquire()  # it is on its way out
        self.ended.release()
        self.thread = False
        if self.waiting:
            self.begin()
        else:
            self.busy = False
            self.slept()

    def post(self, job: Callable[[], bool]) -> None:
        """Gives the thread its next job, starting it if there is none. There is never more than one: `busy` says so."""
        self.job = job
        if not self.thread:
            self.ended.acquire()
            self.thread = True
            _thread.start_new_thread(self.work, ())
        self.posted.release()

    def work(self) -> None:
        """The thread: runs jobs until one says that it was the last."""
        try:
            self.posted.acquire()
            while self.job():
                self.posted.acquire()
        finally:
            self.ended.release()

    def stop(self) -> bool:
        return False

    def close(self) -> None:
        """Waits for a commit that runs, then ends the thread. The loop has stopped; what was still queued is dropped, unacknowledged."""
        self.toil.close()
        if self.thread:
            self.job = self.stop
            if self.posted.locked():
                self.posted.release()
            self.ended.acquire()
            self.ended.release()
            self.thread = False
