"""Reads what was added to a transcript since the last time, or its end, in bounded memory.

A path that is no regular file is an empty transcript: a pipe at that place must not hold a hook up.
"""

from __future__ import annotations

import os
import stat

from memory_wire.config import TRANSCRIPT_BYTES, TRANSCRIPT_LINE_BYTES, TRANSCRIPT_TAIL_BYTES
from memory_wire.hooks import files
from memory_wire.hooks.transcript import Entry, entry, message
from memory_wire.hooks.values import mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

CHUNK_BYTES = 64 * 1024


def added(path: str, offset: int) -> list[tuple[Entry, int]]:
    """The messages after `offset`, each with the offset behind it. Without one (0) as many as are read at once, of the end.

    Offsets are bytes in a file of lines and messages in a file that is one JSON document. One beyond the end means another file.
    """
    if path.endswith(".json"):
        return in_document(path, offset)
    size = length(path)
    begin = offset if 0 < offset <= size else max(0, size - TRANSCRIPT_BYTES)
    found = [(entry(raw), end) for raw, end in lines(path, begin, TRANSCRIPT_BYTES, begin in (0, offset))]
    return [(each, end) for each, end in found if each is not None]


def last_answer(path: str) -> str:
    """The last thing the agent said within the end of a transcript, else ""."""
    if path.endswith(".json"):
        messages = [each for each, _ in in_document(path, 0)]
    else:
        begin = max(0, length(path) - TRANSCRIPT_TAIL_BYTES)
        messages = [each for raw, _ in lines(path, begin, TRANSCRIPT_TAIL_BYTES, begin == 0) if (each := entry(raw)) is not None]
    return next((each.text for each in reversed(messages) if each.role == "assistant"), "")


def in_document(path: str, offset: int) -> list[tuple[Entry, int]]:
    """The messages after the first `offset` ones of a transcript that is one JSON object."""
    messages = mapping(files.get(path, TRANSCRIPT_BYTES)).get("messages")
    if not isinstance(messages, list):
        return []
    if offset > len(messages):
        offset = 0
    records = [(each, place) for place, each in enumerate(messages[offset:], offset + 1) if isinstance(each, dict)]
    return [(found, place) for each, place in records if (found := message(each)) is not None]


def length(path: str) -> int:
    """The size of a regular file, 0 for anything else."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else 0


def lines(path: str, begin: int, limit: int, whole: bool) -> Iterator[tuple[bytes, int]]:
    """(line, offset behind it) from `begin`, at most `limit` bytes on. Unless `whole`, the first line may be cut and is left out.

    Lines beyond the line limit are passed over without being held.
    """
    if not length(path):
        return
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return
    try:
        os.lseek(descriptor, begin, os.SEEK_SET)
        held, at, skip = b"", begin, not whole
        while at - begin < limit and (part := os.read(descriptor, CHUNK_BYTES)):
            at += len(part)
            *complete, rest = part.split(b"\n")
            end = at - len(part)
            for piece in complete:
                end += len(piece) + 1
                if not skip and len(held) + len(piece) <= TRANSCRIPT_LINE_BYTES:
                    yield held + piece, end
                held, skip = b"", False
            if len(held) + len(rest) > TRANSCRIPT_LINE_BYTES:
                held, rest, skip = b"", b"", True
            held += rest
        if held and not skip:
            yield held, at
    except OSError:
        return
    finally:
        os.close(descriptor)
