"""What the server says on stderr, one write(2) a line and without the logging module.

`MEMORY_WIRE_LOG`: `off` says nothing, `error` (default) notices and errors, `access` also one line a request.
"""

from __future__ import annotations

import os
import time

from msgspec.json import Encoder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.serve.logfile import LogFile

ENCODER = Encoder()


class Log:
    """Lines go straight to descriptor 2; a closed or full one loses them, never a request."""

    __slots__ = ("access", "errors", "file")

    def __init__(self, level: str) -> None:
        self.errors = level != "off"
        self.access = level == "access"
        self.file: LogFile | None = None
        if os.environ.get("MEMORY_WIRE_LOG_FILE"):
            from memory_wire.serve import logfile  # only a daemon's standard error is a file of ours

            self.file = logfile.given()

    def notice(self, text: str) -> None:
        """A line for people: where the server listens, what it warns of."""
        if self.errors:
            self.write(f"memory-wire: {text}\n".encode())

    def request(self, peer: str, verb: bytes, path: bytes, status: int, size: int, seconds: float) -> None:
        """One answered request; the query is never logged."""
        line = f"{stamp()} {peer} {verb.decode()} {path.decode('latin-1')} {status} {size} {seconds * 1e6:.0f}us\n"
        self.write(line.encode())

    def problem(self, code: str, detail: str) -> None:
        """An error whose detail stays off the wire, as a JSON line."""
        if self.errors:
            self.write(ENCODER.encode({"time": stamp(), "error": code, "detail": detail}) + b"\n")

    def failure(self, code: str, error: BaseException) -> None:
        """An exception nobody expected, with the lines it came through."""
        self.problem(code, f"{type(error).__name__}: {error} ({trail(error)})")

    def write(self, line: bytes) -> None:
        try:
            os.write(2, line)
        except OSError:
            return  # nobody listens to stderr; there is nowhere to say so
        if self.file is not None:
            self.file.wrote(len(line))


def trail(error: BaseException) -> str:
    """`file:line` of every frame the exception passed, outermost first."""
    frames = []
    frame = error.__traceback__
    while frame is not None:
        frames.append(f"{os.path.basename(frame.tb_frame.f_code.co_filename)}:{frame.tb_lineno}")
        frame = frame.tb_next
    return " ".join(frames)


def stamp() -> str:
    """The time in UTC, to the second."""
    now = time.gmtime()
    return f"{now[0]:04}-{now[1]:02}-{now[2]:02}T{now[3]:02}:{now[4]:02}:{now[5]:02}Z"
