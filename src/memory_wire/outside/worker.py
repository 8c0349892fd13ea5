"""The child program: answers one question after the other on the socket that is its standard input, and ends with it.

Started by child.py as a file, in an isolated interpreter. What is printed goes nowhere, what is raised stays here: the parent gets texts
that were meant for it (told.py), and of what nobody expected the class.
"""

from __future__ import annotations

import sys

if __name__ == "__main__":
    known = set(sys.path)
    sys.path += [entry for entry in sys._xoptions["memory_wire"].split(":") if entry not in known]

import faulthandler
import os
import resource
import signal
import socket
from importlib import import_module
from typing import Any

from msgspec import msgpack

from memory_wire.config import OUTSIDE_BYTES, OUTSIDE_GRACE_SECONDS
from memory_wire.outside.child import ANSWERED, BROKEN, LATE, TOLD
from memory_wire.outside.table import OPS
from memory_wire.outside.told import Told

Answer = tuple[int, dict[str, Any] | str]


class Late(BaseException):
    """The time is up; no `except Exception` on the way holds it."""


def main() -> None:
    """Answers until the parent closes its end."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sock = socket.socket(fileno=os.dup(0))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    signal.signal(signal.SIGALRM, late)
    with sock.makefile("rb") as stream, open(null, "w") as nowhere:
        while len(head := stream.read(4)) == 4 and (size := int.from_bytes(head, "little")) <= OUTSIDE_BYTES:
            op, seconds, payload = msgpack.decode(stream.read(size))
            faulthandler.dump_traceback_later(seconds + OUTSIDE_GRACE_SECONDS, exit=True, file=nowhere)  # for code that heeds no signal
            data = framed(answer(op, seconds, payload))
            faulthandler.cancel_dump_traceback_later()
            sock.sendall(len(data).to_bytes(4, "little") + data)


def late(number: int, frame: object) -> None:
    raise Late


def answer(op: str, seconds: float, payload: dict[str, Any]) -> Answer:
    """What comes of a question, in the time it has."""
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            module, function, _ = OPS[op]
            return ANSWERED, getattr(import_module(module), function)(payload)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except Told as told:
        return TOLD, str(told)
    except RecursionError:
        return TOLD, "something that is nested too deeply"
    except Late:
        return LATE, ""
    except Exception as error:
        return BROKEN, f"internal error in {op}: {type(error).__name__}"


def framed(answered: Answer) -> bytes:
    """The bytes of an answer that fits."""
    try:
        data = msgpack.encode(answered)
    except (TypeError, ValueError, OverflowError) as error:
        return msgpack.encode((BROKEN, f"an answer that can't be sent: {type(error).__name__}"))
    if len(data) > OUTSIDE_BYTES:
        return msgpack.encode((TOLD, f"an answer of more than {OUTSIDE_BYTES >> 20} MiB"))
    return data


if __name__ == "__main__":
    main()
