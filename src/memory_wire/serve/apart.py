"""Operations that wait for the outside world: each on a thread of its own, so that neither the loop nor the commits wait with it.

Loaded by the first of them. Everything here but `run` is called on the loop thread.
"""

from __future__ import annotations

import _thread

from memory_wire.config import APART_CALLS, PUBLIC_APART_CALLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque

    from memory_wire.serve.commits import Call
    from memory_wire.serve.dispatch import Dispatch
    from memory_wire.serve.incoming import Request
else:
    from _collections import deque  # the package around it is large


class Apart:
    """`submit` takes a call; the answer goes where those of commits go."""

    def __init__(self, dispatch: Dispatch) -> None:
        self.dispatch = dispatch
        self.waiting: dict[bool, deque[tuple[Request, Call]]] = {False: deque(), True: deque()}  # by whether everybody may ask that
        self.running: dict[_thread.LockType, bool] = {}  # each held by its thread while that lives, and whose call it is
        self.closed = False

    @property
    def busy(self) -> bool:
        return bool(self.running or any(self.waiting.values()))

    def submit(self, request: Request, call: Call) -> None:
        self.waiting[call[0].public].append((request, call))
        self.begin()

    def begin(self) -> None:
        """Starts what may run; what nobody waits for any more is left out. What everybody may ask never holds up the rest."""
        for public, waiting in self.waiting.items():
            most = PUBLIC_APART_CALLS if public else APART_CALLS
            while waiting and sum(kind is public for kind in self.running.values()) < most:
                request, call = waiting.popleft()
                if not request.cancelled:
                    ended = _thread.allocate_lock()
                    ended.acquire()
                    self.running[ended] = public
                    _thread.start_new_thread(self.run, (request, call, ended))

    def run(self, request: Request, call: Call, ended: _thread.LockType) -> None:
        """The thread of one call."""
        service, thread = self.dispatch.service, _thread.get_ident()
        assert service.patient is not None
        service.patient.add(thread)
        try:
            result: object
            try:
                result = service.call(*call)
            except Exception as error:
                result = error
            if not self.closed:
                self.dispatch.loop.call_soon_threadsafe(self.done, request, result, ended)
        finally:
            service.patient.discard(thread)
            ended.release()

    def done(self, request: Request, result: object, ended: _thread.LockType) -> None:
        self.running.pop(ended, None)
        self.dispatch.touch()
        self.dispatch.deliver([(request, result)])
        self.begin()

    def close(self) -> None:
        """The loop has stopped: what still runs is cut short, what was queued is dropped."""
        self.closed = True
        for waiting in self.waiting.values():
            waiting.clear()
        self.dispatch.service.outside.close()
        for ended in self.running:
            ended.acquire()
