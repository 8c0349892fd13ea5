"""A counted lock that is fair and can be halted: who waits longest is next, and a fork can wait until nobody is inside.

(The standard library's locks are neither: a thread that gives one back takes it again before the one that waits has woken up.)
"""

from __future__ import annotations

from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _thread import LockType


class Permits:
    """`count` permits. `with permits:` takes one and gives it back."""

    __slots__ = ("_count", "_free", "_gate", "_halter", "_waiting")

    def __init__(self, count: int) -> None:
        self._count = count
        self._free = count
        self._gate = allocate_lock()
        self._waiting: list[LockType] = []
        self._halter: LockType | None = None  # held until nobody is inside

    def take(self) -> None:
        """Waits for a permit."""
        with self._gate:
            if self._free and not self._waiting and self._halter is None:
                self._free -= 1
                return
            turn = allocate_lock()
            turn.acquire()
            self._waiting.append(turn)
        try:
            turn.acquire()
        except BaseException:  # an interrupt
            with self._gate:
                if turn in self._waiting:
                    self._waiting.remove(turn)
                    raise
            self.give()
            raise

    def take_now(self) -> bool:
        """Takes a permit if that needs no waiting."""
        with self._gate:
            free = bool(self._free) and not self._waiting and self._halter is None
            self._free -= free
            return free

    def give(self) -> None:
        """Gives a permit back, to the one that waits longest if there is one."""
        with self._gate:
            self._free += 1
            self._pass_on()

    __enter__ = take

    def __exit__(self, *_: object) -> None:
        self.give()

    def halt(self, seconds: float) -> bool:
        """Lets nobody in any more and waits until nobody is inside; False when that took too long (they are kept out all the same)."""
        with self._gate:
            self._halter = halter = allocate_lock()
            if self._free == self._count:
                return True
            halter.acquire()
        return halter.acquire(True, seconds)

    def resume(self) -> None:
        """Ends a halt."""
        with self._gate:
            self._halter = None
            self._pass_on()

    def _pass_on(self) -> None:
        if self._halter is not None:
            if self._free == self._count and self._halter.locked():
                self._halter.release()
            return
        while self._free and self._waiting:
            self._free -= 1
            self._waiting.pop(0).release()
