"""Uploads sessions, for users who have agreed: the files in which hosts keep them as lines, from where the server has them on.

Asks for the consent again before each file is opened and before each request. One process of this machine does it at a time.
"""

from __future__ import annotations

import os
from hashlib import sha256
from threading import Event, Thread

from msgspec import DecodeError
from msgspec.json import decode, encode

from memory_wire import config
from memory_wire.agent import state
from memory_wire.agent.clean import Cleaner
from memory_wire.agent.remote import Later, Remote, reason, said
from memory_wire.agent.spool import locked
from memory_wire.errors import MemoryWireError, Unreachable
from memory_wire.sessions import PutSession, SessionLine, SessionRow
from memory_wire.sources import storage
from memory_wire.sources.transcripts import Kept, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from io import BufferedReader

LOCK = ".upload"
PLACE = "/v1/sessions"
WAITS = frozenset({429, 507})  # the server has enough for now


class Revoked(Exception):
    """The user has taken the consent back."""


def found(home: str, environ: Mapping[str, str]) -> list[Kept]:
    """The files that would be uploaded, newest first. Opens none of them."""
    return [kept for kept in files(home, environ, None) if kept.read is storage.lines]


class Uploader:
    """The uploads of one process. `start` begins a thread that ends with `stop` or when the consent is taken back."""

    def __init__(self, remote: Remote, home: str, environ: Mapping[str, str]) -> None:
        self.remote, self.home, self.environ = remote, home, environ
        self.stopped = Event()
        self.cleaner: Cleaner | None = None
        self.uploads = state.Uploads()

    def start(self) -> None:
        Thread(target=self.work, daemon=True).start()

    def stop(self) -> None:
        self.stopped.set()

    def work(self) -> None:
        """Cycles until it is stopped; longer and longer pauses while the server takes nothing."""
        pause = config.AGENT_CYCLE_SECONDS
        while True:
            if state.consented(self.remote):
                try:
                    with locked(os.path.join(self.remote.folder, LOCK)) as mine:
                        well = self.cycle() if mine else True
                except OSError:
                    well = False
                pause = config.AGENT_CYCLE_SECONDS if well else min(pause * 2, config.AGENT_CYCLE_MAX_SECONDS)
            if self.stopped.wait(pause):
                return

    def cycle(self) -> bool:
        """One round over all files; whether the server took everything. Raises OSError."""
        self.uploads = state.load(self.remote)
        trouble = None
        try:
            for kept in found(self.home, self.environ):
                try:
                    self.file(kept)
                except Unreachable as error:
                    trouble = reason(error)
                    if not isinstance(error, Later) or error.http in WAITS or error.http >= 500:
                        break
                except MemoryWireError as error:
                    trouble = reason(error)
                except OSError as error:  # this file; the others may be sound
                    trouble = error.strerror or type(error).__name__
        except Revoked:
            return True
        self.uploads.last_cycle, self.uploads.last_error = state.stamp(), trouble
        state.save(self.remote, self.uploads)
        return trouble is None

    def allowed(self) -> None:
        """Raises Revoked."""
        if self.stopped.is_set() or not state.consented(self.remote):
            raise Revoked

    # one file ----------------------------------------------------------------------------------------------------------------------

    def file(self, kept: Kept) -> None:
        """Uploads what a file has more than the server. Raises Revoked, MemoryWireError, OSError."""
        name = sha256(os.fsencode(os.path.realpath(kept.path))).hexdigest()[:32]
        taken = self.uploads.files.get(name)
        if taken is not None and taken.modified == kept.modified:
            return
        self.allowed()
        try:
            descriptor = os.open(kept.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError:
            return  # gone, or not for us
        with open(descriptor, "rb") as source:
            head = head_of(source)
            if head is None:
                return
            if taken is None or taken.head != head:  # a new file, or another one under its name
                taken = state.Taken(0, head)
                taken.offset = self.asked(name, taken)
            self.uploads.files[name] = taken
            length = os.fstat(source.fileno()).st_size
            while taken.offset > length:  # cut short since: what it holds now is a session of its own
                taken.cuts += 1
                taken.offset = self.asked(name, taken)
            while self.piece(kept, name, taken, source):
                state.save(self.remote, self.uploads)
            taken.modified = kept.modified
            state.save(self.remote, self.uploads)

    def piece(self, kept: Kept, name: str, taken: state.Taken, source: BufferedReader) -> bool:
        """Uploads the next lines; whether there may be more."""
        self.cleaner = self.cleaner or Cleaner()
        lines, upto = read(source, taken.offset, self.cleaner)
        if upto == taken.offset:
            return False
        put = PutSession(id=id_of(name, taken), host=kept.host, offset=taken.offset, upto=upto, lines=lines)
        self.allowed()
        reply = self.remote.request("PUT", PLACE, encode(put), config.AGENT_SEND_SECONDS)
        if reply.status == 409:
            offset = self.asked(name, taken)
            if offset == taken.offset or offset > os.fstat(source.fileno()).st_size:
                raise MemoryWireError(f"the server disagrees about an offset: {said(reply)}")
            taken.offset = offset
            return True
        if reply.status != 200:
            raise MemoryWireError(f"the server refuses a session: {said(reply)}")
        self.uploads.sent += upto - taken.offset
        taken.offset = upto
        return True

    def asked(self, name: str, taken: state.Taken) -> int:
        """The offset that the server has a file up to."""
        self.allowed()
        reply = self.remote.request("GET", f"{PLACE}/{id_of(name, taken)}", None, config.AGENT_SEND_SECONDS)
        if reply.status == 404 and b"unknown_session" in reply.body:
            return 0
        try:
            return decode(reply.body, type=SessionRow).offset
        except DecodeError:
            raise Unreachable(f"{self.remote.url} takes no sessions: {reply.status} {said(reply)}") from None


def id_of(name: str, taken: state.Taken) -> str:
    """The session's id on the server: hashes of path and head, and how often it was cut short."""
    return f"{name}.{taken.head}" + (f".{taken.cuts}" if taken.cuts else "")


def head_of(source: BufferedReader) -> str | None:
    """A hash of the first line, as far as it tells one file from another; None while that is still being written."""
    first = source.readline(config.AGENT_HEAD_BYTES)
    if not first.endswith(b"\n") and len(first) < config.AGENT_HEAD_BYTES:
        return None
    return sha256(first).hexdigest()[:16]


def read(source: BufferedReader, offset: int, cleaner: Cleaner) -> tuple[list[SessionLine], int]:
    """(cleaned lines of one request, where they end): whole lines only, longer ones than a message can be passed over."""
    source.seek(offset)
    lines: list[SessionLine] = []
    upto = offset
    while upto - offset < config.AGENT_PIECE_BYTES:
        raw = source.readline(config.TRANSCRIPT_LINE_BYTES + 1)
        whole = size = len(raw)
        while raw and not raw.endswith(b"\n") and whole > config.TRANSCRIPT_LINE_BYTES:
            raw = source.readline(config.TRANSCRIPT_LINE_BYTES + 1)
            size += len(raw)
        if not raw.endswith(b"\n"):
            break  # it is still being written
        made = cleaner.lines(raw) if size <= config.TRANSCRIPT_LINE_BYTES else []
        if len(lines) + len(made) > config.SESSION_PUT_LINES:
            break
        lines += made
        upto += size
    return lines, upto
