"""What one server process was told on its command line. Made by the command line, read by the modules beside this one."""

from __future__ import annotations

from msgspec import Struct

from memory_wire.config import DEFAULT_ADDR, DRAIN_SECONDS, PUBLIC_CALLS, QUIET_SECONDS


class Settings(Struct, frozen=True, kw_only=True):
    """`addr` is host:port, or `none`; `hosts` are further names a Host header may carry. `public_addr` serves what is public and nothing
    else, to so many calls a minute from one address (0: any number); `public_url` is where people find that.
    """

    db: str
    addr: str = DEFAULT_ADDR
    socket: str | None = None
    sync: str = "full"
    hosts: tuple[str, ...] = ()
    allow_network_fs: bool = False
    insecure: bool = False
    public_addr: str | None = None
    public_url: str = ""
    public_calls: int = PUBLIC_CALLS
    quiet: float = QUIET_SECONDS
    trim: bool = True
    exit_idle: float | None = None
    drain: float = DRAIN_SECONDS
    log: str = "error"
