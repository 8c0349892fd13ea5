"""What one server process was told on its command line. Made by the command line, read by the modules beside this one."""

from __future__ import annotations

from msgspec import Struct

from memory_wire.config import DEFAULT_ADDR, DRAIN_SECONDS, QUIET_SECONDS


class Settings(Struct, frozen=True, kw_only=True):
    """`addr` is host:port, or `none` when only `socket` is served; `hosts` are further names a Host header may carry."""

    db: str
    addr: str = DEFAULT_ADDR
    socket: str | None = None
    sync: str = "full"
    hosts: tuple[str, ...] = ()
    allow_network_fs: bool = False
    insecure: bool = False
    quiet: float = QUIET_SECONDS
    trim: bool = True
    exit_idle: float | None = None
    drain: float = DRAIN_SECONDS
    log: str = "error"
