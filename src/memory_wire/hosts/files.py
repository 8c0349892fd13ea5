"""Reading, backing up and replacing the files of hosts: mode, owner and links stay, and nobody ever sees half a file."""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from collections.abc import Iterable

from memory_wire.hosts.base import Refused


class Raced(Exception):
    """The file changed between reading and replacing it; plan again."""


def read(path: str) -> bytes | None:
    """The content, None when there is no file. Raises Refused for what is no file that we may edit."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        if os.path.islink(path):
            raise Refused("a link to nowhere; left untouched") from None
        return None
    except OSError as error:
        raise Refused(f"can't be read ({error.strerror}); left untouched") from None


def text(content: bytes | None) -> str | None:
    """The content as text, line ends and byte order mark kept. Raises Refused."""
    try:
        return None if content is None else content.decode()
    except UnicodeDecodeError:
        raise Refused("not UTF-8; left untouched") from None


def check_writable(path: str) -> None:
    """Raises Refused for a file without any write permission: its owner meant that, and root would write it all the same."""
    if os.path.exists(path) and not os.stat(path).st_mode & 0o222:
        raise Refused("read-only; left untouched")


def replace(path: str, before: bytes | None, after: bytes, mode: int) -> None:
    """Puts the content in place when the file still has the former one; makes the folders it needs. Raises Raced, OSError."""
    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    make(folder)
    owner = os.stat(target if before is not None else folder)
    temporary = os.path.join(folder, f".{name}.{secrets.token_hex(4)}.tmp")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with open(handle, "wb") as file:
            if before is not None:
                os.fchmod(handle, stat.S_IMODE(owner.st_mode))
            if os.geteuid() == 0:
                os.fchown(handle, owner.st_uid, owner.st_gid)
            file.write(after)
            file.flush()
            os.fsync(handle)
        if read(target) != before:
            raise Raced(path)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def remove(path: str, before: bytes) -> None:
    """Removes the file when it still has the content. Raises Raced, OSError."""
    if read(path) != before:
        raise Raced(path)
    os.unlink(os.path.realpath(path))


def clear(made: Iterable[str]) -> None:
    """Removes those of the folders that are empty but for what Python caches, innermost first."""
    for folder in sorted(set(made), key=len, reverse=True):
        if os.path.isdir(folder) and set(os.listdir(folder)) <= {"__pycache__"}:
            shutil.rmtree(folder)


def missing(folder: str) -> list[str]:
    """The folders on the way to one, itself included, that are not there; outermost first."""
    found: list[str] = []
    while folder and not os.path.isdir(folder):
        found.insert(0, folder)
        folder = os.path.dirname(folder)
    return found


def make(folder: str, mode: int = 0o777) -> None:
    """Makes a folder and what leads to it; under root they belong to whom the folder above belongs."""
    for path in missing(folder):
        try:
            os.mkdir(path, mode)
        except FileExistsError:  # another process was faster
            continue
        if os.geteuid() == 0:
            above = os.stat(os.path.dirname(path))
            os.chown(path, above.st_uid, above.st_gid)


def backup(folder: str, home: str, path: str, content: bytes) -> None:
    """A copy at the path relative to the home folder, or the whole path for files elsewhere; readable by the owner only."""
    inner = os.path.relpath(path, home) if path.startswith(home.rstrip(os.sep) + os.sep) else path.lstrip(os.sep)
    copy = os.path.join(folder, inner)
    make(os.path.dirname(copy), 0o700)
    with open(os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
