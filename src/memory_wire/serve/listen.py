"""Bound sockets, TCP and Unix, and which names a Host header may carry on each. Sockets are loop.py's, names admit.py's.

Sockets handed over by a service manager (LISTEN_FDS) take the place of those that the settings name.
"""

from __future__ import annotations

import _socket as socket  # without the classes and enumerations that the module of that name puts around it
import errno
import os
import stat
import sys

from memory_wire.config import BACKLOG
from memory_wire.errors import CannotListen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_wire.serve.settings import Settings

FIRST_PASSED = 3  # descriptor of the first socket that a service manager hands over
LOOPBACK_NAMES = (b"localhost", b"127.0.0.1", b"[::1]")


class Accepted:
    """A client's socket on its way to the loop, which owns and closes the descriptor: all that uvloop asks of a socket object."""

    __slots__ = ("descriptor", "family", "trusted", "type")

    def __init__(self, descriptor: int, family: int) -> None:
        self.descriptor = descriptor
        self.family = family
        self.type = socket.SOCK_STREAM
        self.trusted = family == socket.AF_UNIX and own(descriptor)

    def fileno(self) -> int:
        return self.descriptor

    def close(self) -> None:
        """The loop has closed the descriptor; by now the number may be another's."""


def own(descriptor: int) -> bool:
    """Whether the client of a Unix socket is of this process's user, as the kernel says; False where it doesn't."""
    asks = getattr(socket, "SO_PEERCRED", None)
    if asks is None:
        return False
    sock = socket.socket(fileno=descriptor)
    try:
        said = sock.getsockopt(socket.SOL_SOCKET, asks, 12)  # struct ucred: pid, uid, gid
    finally:
        sock.detach()
    return int.from_bytes(said[4:8], sys.byteorder) == os.geteuid()


class Listener:
    """`hosts` are the names requests may use, None when they are not checked; `exposed` says that other machines can connect.

    `public`: it serves what everybody may read and nothing else.
    """

    __slots__ = ("exposed", "hosts", "inode", "name", "path", "public", "sock")

    def __init__(self, sock: socket.socket, name: str, hosts: frozenset[bytes] | None, exposed: bool = False, path: str = "") -> None:
        self.sock = sock
        self.name = name
        self.hosts = hosts
        self.exposed = exposed
        self.public = False
        self.path = path
        self.inode = os.stat(path).st_ino if path else 0

    def accept(self) -> tuple[Accepted, str]:
        """The next client's socket, non-blocking, and who it is. Raises OSError; BlockingIOError when nobody waits."""
        descriptor, address = self.sock._accept()  # type: ignore[attr-defined]
        os.set_blocking(descriptor, False)
        peer = f"{address[0]}:{address[1]}" if isinstance(address, tuple) else "unix"
        return Accepted(descriptor, self.sock.family), peer

    def close(self) -> None:
        """Stops listening and removes the socket file if it is still this one."""
        self.sock.close()
        try:
            if self.path and os.stat(self.path).st_ino == self.inode:
                os.unlink(self.path)
        except FileNotFoundError:
            return


def bind(settings: Settings) -> list[Listener]:
    """The listeners handed over, else those that the settings name, TCP first; and the public one. Raises CannotListen."""
    found = passed(settings.hosts)
    handed = bool(found)
    try:
        if settings.addr != "none" and not handed:
            found.append(tcp(settings.addr, settings.hosts))
        if settings.socket and not handed:
            found.append(unix(settings.socket))
        if settings.public_addr is not None:
            make_public(settings.public_addr, found)
    except CannotListen:
        for listener in found:
            listener.close()
        raise
    if not found:
        raise CannotListen("none", "no address and no socket given")
    return found


def make_public(addr: str, found: list[Listener]) -> None:
    """The listener of that address, one that was handed over or a new one, serves what is public and asks for no name."""
    listener = next((each for each in found if each.name == addr), None)
    if listener is None:
        listener = tcp(addr, ())
        found.append(listener)
    listener.public, listener.hosts, listener.exposed = True, None, False


def passed(hosts: Sequence[str]) -> list[Listener]:
    """Listeners over the sockets a service manager has bound for this process; their files and addresses stay its own.

    Raises CannotListen for a descriptor that is no listening stream socket.
    """
    count, pid = os.environ.pop("LISTEN_FDS", ""), os.environ.pop("LISTEN_PID", "")
    os.environ.pop("LISTEN_FDNAMES", None)
    if not count.isdigit() or pid != str(os.getpid()):
        return []
    found = []
    for descriptor in range(FIRST_PASSED, FIRST_PASSED + int(count)):
        name = f"descriptor {descriptor}"
        try:
            sock = socket.socket(fileno=descriptor)
            listening = sock.type == socket.SOCK_STREAM and sock.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
        except OSError as error:
            raise CannotListen(name, reason(error)) from None
        if not listening:
            raise CannotListen(name, "no listening stream socket")
        os.set_inheritable(descriptor, False)
        if sock.family == socket.AF_UNIX:
            sock.setblocking(False)
            found.append(Listener(sock, f"unix://{sock.getsockname()}", None))
        else:
            found.append(over(sock, hosts))
    return found


def tcp(addr: str, hosts: Sequence[str]) -> Listener:
    host, port = split(addr)
    sock = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(("127.0.0.1" if host == "localhost" else host, port))  # the name would load the resolver
        sock.listen(BACKLOG)
    except OSError as error:
        sock.close()
        raise CannotListen(addr, reason(error)) from None
    return over(sock, hosts)


def over(sock: socket.socket, hosts: Sequence[str]) -> Listener:
    """A listener over a bound TCP socket."""
    sock.setblocking(False)
    host, port = sock.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    loopback = host.startswith("127.") or host == "::1"
    checked = frozenset((*LOOPBACK_NAMES, shown.encode(), *(host_of(name.encode()) for name in hosts)))
    return Listener(sock, f"{shown}:{port}", checked if loopback or hosts else None, exposed=not loopback)


def unix(path: str) -> Listener:
    """A listener on a socket file only this user may open. What a dead server left behind is removed."""
    path = os.path.abspath(path)
    name = f"unix://{path}"
    clear(path, name)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o077)  # the file must never exist with wider permissions
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.umask(0o177)
        sock.bind(path)
        sock.listen(BACKLOG)
    except OSError as error:
        sock.close()
        raise CannotListen(name, reason(error)) from None
    finally:
        os.umask(before)
    sock.setblocking(False)
    return Listener(sock, name, None, path=path)


def clear(path: str, name: str) -> None:
    """Removes a socket file that nobody listens on. Raises CannotListen for a live one and for anything else at that path."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return  # not there, or binding will say what is wrong
    if not stat.S_ISSOCK(mode):
        raise CannotListen(name, "the path exists and is not a socket")
    probe = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    probe.setblocking(False)
    try:
        probe.connect(path)
    except ConnectionRefusedError:
        os.unlink(path)
        return
    except OSError as error:
        if error.errno not in (errno.EAGAIN, errno.EINPROGRESS):
            raise CannotListen(name, reason(error)) from None
    finally:
        probe.close()
    raise CannotListen(name, "address already in use")


def split(addr: str) -> tuple[str, int]:
    """Host and port of `host:port` or `[v6]:port`. Raises CannotListen."""
    host, colon, port = addr.rpartition(":")
    if not colon or not host or not (port.isascii() and port.isdigit()) or int(port) > 65535:
        raise CannotListen(addr, "not of the form host:port")
    return host.removeprefix("[").removesuffix("]"), int(port)


def reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def host_of(value: bytes) -> bytes:
    """The name in a Host header or origin without its port, in lower case."""
    end = value.find(b"]") + 1 if value.startswith(b"[") else value.find(b":")
    return (value if end < 1 else value[:end]).lower()


def origin_of(value: bytes) -> bytes:
    """The host of an Origin header; `null` stays what it is and matches nothing."""
    _, mark, rest = value.partition(b"://")
    return host_of(rest if mark else value)
