"""`memory-wire mcp`: the tools of an agent over standard input and output, on the running server or the store opened here.

Nothing but the protocol is loaded until the first call needs the store, so that a host never waits for its answer to `initialize`.
"""

from __future__ import annotations

import _thread
import os
import time
from collections.abc import Sequence

from memory_wire import config
from memory_wire.cli.args import Command, Option, Usage, Value, alone
from memory_wire.errors import StorageError, UnknownBank, Unreachable
from memory_wire.mcp.dispatch import Peer
from memory_wire.mcp.serving import provider
from memory_wire.mcp.stdio import Stdio
from memory_wire.mcp.tools import SETS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.client import Client, Memory
    from memory_wire.identity import Identity
    from memory_wire.mcp.steps import Run

OPTIONS = (
    Option("bank", help="default bank (default: this project's)"),
    Option("db", help="path of the store"),
    Option("embedded", "flag", "open the store here even when a server runs"),
    Option("tools", help=f"tools that are shown: {', '.join(SETS)} (default core, or what the bank's `mcpTools` says)"),
)


def mcp(words: Sequence[str]) -> int:
    """The exit status: 0 when the input has ended, 2 when the words don't fit."""
    command = Command("mcp", "Serve an agent's tools over standard input and output (Model Context Protocol).", run, options=OPTIONS)
    return alone(command, words)


def run(values: dict[str, Value]) -> int:
    """Serves until the input ends. Raises Usage."""
    from memory_wire.cli.target import found_bank

    tools = str(values.get("tools") or "")
    if tools and tools not in SETS:
        raise Usage(f"--tools is one of {', '.join(SETS)}, not {tools!r}")
    place = found_bank(values)
    sink = descriptors()
    if sink is None:
        return 0
    target = Target(values, place)
    peer = Peer(place.bank, tools=tools)
    server = Stdio(provider(), target.run, peer, lost=unexpected, left=leave, source=0, sink=sink)
    server.serve()
    if server.active:  # a call that doesn't end must not keep the host waiting
        leave()
    target.close()
    return 0


def descriptors() -> int | None:
    """Where answers go, or None when there is nobody to talk to. What anything else prints goes to standard error instead."""
    try:
        os.fstat(0)
        os.fstat(1)
    except OSError:
        return None
    try:
        os.fstat(2)
    except OSError:
        os.open(os.devnull, os.O_WRONLY)  # becomes 2, which would else be given to the next file
    sink = os.dup(1)
    os.dup2(2, 1)
    for descriptor in (0, sink):
        os.set_blocking(descriptor, True)
    return sink


def leave() -> None:
    """Ends the process at once. What was answered is stored; nobody waits for the rest."""
    os._exit(0)


class Target:
    """The running server or the store, whichever is there when an operation needs it."""

    def __init__(self, values: dict[str, Value], place: Identity) -> None:
        self.values = values
        self.place = place
        self.found: Client | Memory | None = None
        self.bank: str | None = None
        self.told = ""
        self.lock = _thread.allocate_lock()

    def run(self, step: Run) -> object:
        """The response of an operation. When the server is gone, what is there now is asked instead. Raises MemoryWireError."""
        if step.operation in ("get_config", "exposed_tools") and not self.there():
            raise UnknownBank  # a list of tools alone loads neither client nor store
        target = self.get(None)
        begun = time.monotonic()
        try:
            return self.call(target, step)
        except Unreachable:
            if time.monotonic() - begun >= config.MCP_CALL_SECONDS:
                raise  # it is there, but doesn't answer
            return self.call(self.get(target), step)

    def there(self) -> bool:
        """Whether there can be a bank at all: a server that was named, or a store."""
        from memory_wire.cli.target import db_path

        return self.found is not None or bool(os.environ.get("MEMORY_WIRE_URL")) or os.path.exists(db_path(self.values))

    def call(self, target: Client | Memory, step: Run) -> object:
        bank = self.settled(target) if step.bank == self.place.bank else step.bank
        try:
            return target.call(step.operation, step.request, bank)
        except StorageError as error:  # its detail isn't for the model; a server tells its own log
            from memory_wire.client import Memory

            if isinstance(target, Memory) and error.detail != self.told:
                self.told = error.detail
                complain(error.detail)
            raise

    def get(self, failed: Client | Memory | None) -> Client | Memory:
        """The target, looked for again when it is the one that has failed."""
        with self.lock:
            if self.found is None or self.found is failed:
                from memory_wire.cli.target import connect
                from memory_wire.client import Client

                self.found = connect(self.values)
                if isinstance(self.found, Client):
                    self.found.wire.timeout = config.MCP_CALL_SECONDS
            return self.found

    def settled(self, target: Client | Memory) -> str:
        """The name of this place's bank: the former one as long as only that exists."""
        if self.bank is None:
            from memory_wire.cli.target import exists

            bank = self.place.pick(lambda name: exists(target, name))
            if self.place.former is not None and not exists(target, bank):
                return bank  # neither is there yet
            self.bank = bank
        return self.bank

    def close(self) -> None:
        if self.found is not None:
            self.found.close()


def unexpected(error: BaseException) -> None:
    complain(f"{type(error).__name__}: {error}")


def complain(text: str) -> None:
    """A line on standard error, where hosts keep what a server says."""
    try:
        os.write(2, f"memory-wire: {text}\n".encode(errors="replace"))
    except OSError:
        return  # nobody listens
