"""Reading, backing up and replacing the files of hosts: mode, owner and links stay, and nobody ever sees half a file."""

from __future__ import annotations

import os
import secrets
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


def replace(path: str, before: bytes | None, after: bytes, mode: int) -> list[str]:
    """Puts the content in place when the file still has the former one; the folders that had to be made. Raises Raced, OSError."""
    target = os.path.realpath(path)
    made = folders(os.path.dirname(target))
    status = os.stat(target) if before is not None else None
    temporary = os.path.join(os.path.dirname(target), f".{os.path.basename(target)}.{secrets.token_hex(4)}.tmp")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with open(handle, "wb") as file:
            if status is not None:
                os.fchmod(handle, stat.S_IMODE(status.st_mode))
                if os.geteuid() == 0:
                    os.fchown(handle, status.st_uid, status.st_gid)
            file.write(after)
            file.flush()
            os.fsync(handle)
        if read(target) != before:
            raise Raced(path)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise
    return made


def remove(path: str, before: bytes) -> None:
    """Removes the file when it still has the content. Raises Raced, OSError."""
    if read(path) != before:
        raise Raced(path)
    os.unlink(os.path.realpath(path))


def clear(made: Iterable[str]) -> None:
    """Removes those of the folders that are empty, innermost first."""
    for folder in sorted(set(made), key=len, reverse=True):
        if os.path.isdir(folder) and not os.listdir(folder):
            os.rmdir(folder)


def folders(path: str, mode: int = 0o777) -> list[str]:
    """Makes a folder and what leads to it; those that were not there, outermost first."""
    missing: list[str] = []
    while path and not os.path.isdir(path):
        missing.insert(0, path)
        path = os.path.dirname(path)
    for folder in missing:
        os.mkdir(folder, mode)
    return missing


def backup(folder: str, home: str, path: str, content: bytes) -> None:
    """A copy at the path relative to the home folder, or the whole path for files elsewhere; readable by the owner only."""
    inner = os.path.relpath(path, home) if path.startswith(home.rstrip(os.sep) + os.sep) else path.lstrip(os.sep)
    copy = os.path.join(folder, inner)
    folders(os.path.dirname(copy), 0o700)
    with open(os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
