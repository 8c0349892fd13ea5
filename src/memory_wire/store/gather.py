"""Leader and followers: threads that write at the same time share one commit.

Whoever comes first leads: it runs a group with all works that wait. Works that arrive meanwhile form the next group, led by the first of
them. No thread of its own, no timer: a lone writer commits at once.
"""

from __future__ import annotations

from _thread import allocate_lock

from memory_wire.config import GROUP_MAX
from memory_wire.errors import StorageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memory_wire.store.group import Work


class _Ticket:
    __slots__ = ("done", "leads", "result", "work")

    def __init__(self, work: Work) -> None:
        self.work = work
        self.result: object = None
        self.leads = False
        self.done = allocate_lock()
        self.done.acquire()  # released by the leader: answered, or to lead the next group


class Gathering:
    """Works of many threads on their way into `write`."""

    __slots__ = ("_gate", "_led", "_waiting", "_write")

    def __init__(self, write: Callable[[Sequence[Work]], list[object]]) -> None:
        self._write = write
        self._gate = allocate_lock()
        self._led = False
        self._waiting: list[_Ticket] = []

    def submit(self, work: Work) -> object:
        """What `write` has for this work: its result or the exception it met."""
        ticket = _Ticket(work)
        with self._gate:
            self._waiting.append(ticket)
            ticket.leads = not self._led
            self._led = True
        if not ticket.leads:
            self._follow(ticket)
            if not ticket.leads:
                return ticket.result
        return self._lead(ticket)

    def _follow(self, ticket: _Ticket) -> None:
        try:
            ticket.done.acquire()
        except BaseException:  # an interrupt: the work is withdrawn if it hasn't begun
            with self._gate:
                if ticket.leads:
                    self._waiting.remove(ticket)
                    self._hand_over()
                elif ticket in self._waiting:
                    self._waiting.remove(ticket)
            raise

    def _lead(self, own: _Ticket) -> object:
        with self._gate:
            group = self._waiting[:GROUP_MAX]  # its first is `own`
            del self._waiting[:GROUP_MAX]
        try:
            results = self._write([ticket.work for ticket in group])
            for ticket, result in zip(group, results, strict=True):
                ticket.result = result
        except BaseException:
            for ticket in group:
                ticket.result = StorageError("the commit was interrupted")
            raise
        finally:
            with self._gate:
                self._hand_over()
            for ticket in group:
                if ticket is not own:
                    ticket.done.release()
        return own.result

    def _hand_over(self) -> None:
        """Called with the gate held: the first who waits leads next."""
        if self._waiting:
            self._waiting[0].leads = True
            self._waiting[0].done.release()
        else:
            self._led = False
