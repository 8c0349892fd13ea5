"""The parent's half of one child program: starts it, asks it, ends it. Used by lanes.py only.

A frame is its length (4 bytes, little-endian) and msgpack: `[operation, seconds, payload]` there, `[how, answer or text]` back. Both sides
keep the time; a child that doesn't is killed. Slim: a server may load this.
"""

from __future__ import annotations

import _socket
import os
import sys
import time
from _thread import allocate_lock

from msgspec import MsgspecError

from memory_wire.config import OUTSIDE_BYTES, OUTSIDE_GRACE_SECONDS
from memory_wire.errors import OutsideFailed, OutsideTimeout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from socket import socket

WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.py")
NO_SIGNAL = getattr(_socket, "MSG_NOSIGNAL", 0)  # a child that is gone is an error here, never a signal
KILL = 9
ANSWERED, TOLD, LATE, BROKEN = range(4)  # how the child says it went


class Child:
    """One child program, started by the first question. One question at a time; whoever asks holds `lock`."""

    def __init__(self) -> None:
        self.lock = allocate_lock()
        self.sock: socket | None = None
        self.pid = 0

    def ask(self, op: str, payload: dict[str, object], seconds: float) -> dict[str, object]:
        """The answer. Raises OutsideFailed, OutsideTimeout; the child is then alive and well, or gone."""
        from msgspec.msgpack import decode, encode

        end = time.monotonic() + seconds + OUTSIDE_GRACE_SECONDS
        data = encode((op, seconds, payload))
        if len(data) > OUTSIDE_BYTES:
            raise OutsideFailed(f"more than {OUTSIDE_BYTES >> 20} MiB to send")
        if self.sock is None or self.ended():
            self.start()
        try:
            self.send(data, end)
            how, answer = decode(self.receive(end), type=tuple[int, dict[str, object] | str])
        except TimeoutError:
            self.end()
            raise late(seconds) from None
        except (OSError, EOFError, MsgspecError):
            why = self.end()
            if time.monotonic() >= end - OUTSIDE_GRACE_SECONDS:
                raise late(seconds) from None  # it saw to that itself
            raise OutsideFailed(f"the helper process failed: {why}") from None
        except BaseException:  # an interrupt from the keyboard: the answer would be the next question's
            self.end()
            raise
        if how == ANSWERED and isinstance(answer, dict):
            return answer
        raise late(seconds) if how == LATE else OutsideFailed(str(answer))

    def start(self) -> None:
        """Starts the program, isolated, with this process's module search path. Raises OutsideFailed."""
        self.end()
        ours, theirs = _socket.socketpair()
        path = os.pathsep.join(entry for entry in sys.path if os.path.isabs(entry))
        null = os.devnull
        try:
            self.pid = os.posix_spawn(
                sys.executable,
                [sys.executable, "-I", "-S", *["-B"] * sys.flags.dont_write_bytecode, "-X", f"memory_wire={path}", WORKER],
                os.environ,
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, theirs.fileno(), 0),
                    (os.POSIX_SPAWN_OPEN, 1, null, os.O_WRONLY, 0),
                    (os.POSIX_SPAWN_OPEN, 2, null, os.O_WRONLY, 0),
                ],
                setpgroup=0,  # what is typed at a terminal is for the parent
                setsigmask=(),
            )
        except OSError as error:
            ours.close()
            raise OutsideFailed(f"the helper process can't be started: {error.strerror}") from error
        finally:
            theirs.close()
        self.sock = ours  # type: ignore[assignment]

    def send(self, data: bytes, end: float) -> None:
        assert self.sock is not None
        self.sock.settimeout(left(end))
        self.sock.sendall(len(data).to_bytes(4, "little") + data, NO_SIGNAL)

    def receive(self, end: float) -> bytearray:
        """One frame. Raises OSError, TimeoutError, EOFError."""
        size = int.from_bytes(self.read(4, end), "little")
        if size > OUTSIDE_BYTES:
            raise EOFError
        return self.read(size, end)

    def read(self, size: int, end: float) -> bytearray:
        sock = self.sock
        assert sock is not None
        data = bytearray(size)
        with memoryview(data) as view:
            done = 0
            while done < size:
                sock.settimeout(left(end))
                n = sock.recv_into(view[done:])
                if not n:
                    raise EOFError
                done += n
        return data

    def ended(self) -> bool:
        """Whether the program has ended by itself meanwhile."""
        try:
            pid, _ = os.waitpid(self.pid, os.WNOHANG)
        except ChildProcessError:
            pid = self.pid  # somebody else collected it
        if pid:
            self.pid = 0
        return bool(pid)

    def end(self) -> str:
        """Ends the program, which leaves nothing behind; how it had ended, in words."""
        sock, self.sock = self.sock, None
        if sock is not None:
            sock.close()
        pid, self.pid = self.pid, 0
        if not pid:
            return "it was gone"
        try:
            os.kill(pid, KILL)
            _, status = os.waitpid(pid, 0)
        except (ProcessLookupError, ChildProcessError):
            return "it was gone"
        code = os.waitstatus_to_exitcode(status)
        return f"it was ended by signal {-code}" if code < 0 else f"it ended with status {code}"

    def __del__(self) -> None:
        """Of a service that nobody closed: the program would end by itself, but somebody has to collect it."""
        if self.pid:
            self.end()

    def disown(self) -> None:
        """In a forked process: the program is the parent's."""
        self.lock = allocate_lock()
        self.pid = 0
        sock, self.sock = self.sock, None
        if sock is not None:
            sock.close()


def left(end: float) -> float:
    """Seconds until `end`. Raises TimeoutError when there are none."""
    seconds = end - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds


def late(seconds: float) -> OutsideTimeout:
    return OutsideTimeout(f"no answer within {seconds:g} s")
