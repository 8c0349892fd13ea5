"""Delivers writes: each is spooled, then sent after those before it. What can't be sent now is answered for and sent when it can be.

The key that makes a write safe to repeat is made here, so that one whose answer was lost is not stored twice.
"""

from __future__ import annotations

import os
import time
from threading import Event, Lock, Thread

from msgspec import DecodeError, Struct
from msgspec.json import Decoder, encode

from memory_wire import config
from memory_wire.agent.remote import Remote, reason
from memory_wire.agent.spool import Spool
from memory_wire.errors import Unreachable
from memory_wire.mcp.rpc import Fault
from memory_wire.mcp.tools import IDEMPOTENCY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.mcp.rpc import Json

PASSING = ("storage error", "store missing", "not ready")  # how results begin that tell of the server's state, not of the call
RENEWED = ("the account may read, but not write", "the account's subscription has ended")  # the same of an account, which may be renewed


class Write(Struct):
    """A call as it is kept: `at` is when it was made."""

    name: str
    arguments: dict[str, object]
    key: str
    at: str


write_of = Decoder(Write).decode


class Courier:
    """The deliverer of one process. `sent` returns what the server said, or None for a write that waits."""

    def __init__(self, remote: Remote) -> None:
        self.remote = remote
        self.spool = Spool(remote.folder, remote.target)
        self.state = Lock()
        self.thread: Thread | None = None
        self.stopped = Event()

    def sent(self, name: str, arguments: dict[str, object], key: object = None) -> Json | None:
        """The result of a write, or None when it waits. Raises Fault for one refused, SpoolFull and OSError when it couldn't be kept."""
        made = key if isinstance(key, str) else os.urandom(16).hex()
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        write = Write(name, arguments, made, at)
        own = self.spool.add(encode(write))
        until = time.monotonic() + (config.AGENT_SEND_SECONDS if self.thread is None else config.AGENT_AWAY_SECONDS)
        try:
            with self.spool.alone(until) as mine:
                if mine:
                    done, result = self.deliver(own, until)
                    if done and result is None:  # another process has sent it meanwhile: asking again gives its answer
                        result = self.again(write)
                    if result is not None:
                        return result
        except OSError as error:  # it is kept, and who is told otherwise makes it again
            self.spool.trouble = f"{self.spool.place}: {error.strerror}"
        self.wake()
        return None

    def again(self, write: Write) -> Json | None:
        try:
            return self.post(write, config.AGENT_AWAY_SECONDS)
        except Unreachable:
            return {"content": [{"type": "text", "text": "stored"}]}

    def deliver(self, own: str | None, until: float) -> tuple[bool, Json | None]:
        """Sends what waits, in order, up to the write `own`. (whether nothing of that waits any more, the result of `own`).

        Raises Fault when `own` is refused.
        """
        for name in self.spool.names():
            if own is not None and name > own:
                break
            left = until - time.monotonic()
            if left <= 0:
                return False, None
            try:
                write = write_of(self.spool.read(name))
            except DecodeError:
                self.spool.set_aside(name, "can't be read")
                continue
            try:
                result = self.post(write, left, late=name != own)
            except Unreachable as error:
                self.spool.trouble = reason(error)
                return False, None
            except Fault as fault:
                if name == own:
                    self.spool.drop(name)
                    raise
                if self.waits_on(str(fault)):
                    return False, None
                self.spool.set_aside(name, str(fault))
                continue
            self.spool.trouble = ""
            if name != own and result.get("isError"):
                if self.waits_on(text_of(result)):
                    return False, None
                self.spool.set_aside(name, text_of(result))
                continue
            self.spool.drop(name)
            if name == own:
                return True, result
        return True, None

    def waits_on(self, refusal: str) -> bool:
        """Whether what is kept already is refused for now only: it is kept on, and the reason shown."""
        if RENEWED[0] not in refusal and RENEWED[1] not in refusal:
            return False
        self.spool.trouble = refusal
        return True

    def post(self, write: Write, seconds: float, late: bool = False) -> Json:
        """What the server says to a write within that time. Raises Unreachable when it says nothing or can't at the moment; Fault."""
        arguments = write.arguments
        if late and write.name == "memory_retain":
            arguments = {"created_at": write.at, **arguments}
        params: Json = {"name": write.name, "arguments": arguments, "_meta": {IDEMPOTENCY: write.key}}
        result = self.remote.message("tools/call", params, seconds=seconds)
        if result.get("isError") and text_of(result).startswith(PASSING):
            raise Unreachable(text_of(result))
        return result

    # in the background -------------------------------------------------------------------------------------------------------------

    def wake(self) -> None:
        """Has what waits sent as soon as the server takes it. While that goes on, the server counts as away: calls wait for it less."""
        with self.state:
            if self.thread is None and not self.stopped.is_set() and self.spool.names():
                self.thread = Thread(target=self.work, daemon=True)
                self.thread.start()

    def work(self) -> None:
        """A thread: tries until nothing waits, ever more seldom while the server is away."""
        pause = config.AGENT_RETRY_SECONDS
        while not self.stopped.wait(pause):
            try:
                with self.spool.alone(0.0) as mine:
                    done = mine and self.deliver(None, time.monotonic() + config.AGENT_SEND_SECONDS)[0]
            except OSError:  # of the disk; shown to whoever writes next
                done = False
            with self.state:
                if done and not self.spool.names():
                    self.thread = None
                    return
            pause = config.AGENT_RETRY_SECONDS if done else min(pause * 2, config.AGENT_RETRY_MAX_SECONDS)

    def stop(self) -> None:
        """Sends no more; what waits is on the disk."""
        self.stopped.set()


def text_of(result: Json) -> str:
    """The first text of a tool's result."""
    blocks = result.get("content")
    first = blocks[0] if isinstance(blocks, list) and blocks else None
    return str(first.get("text", "")) if isinstance(first, dict) else ""
