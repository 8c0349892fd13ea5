"""An installation that can be switched: `versions/NAME`, each an environment of its own, a link `current` to one of them, and the stable
program `bin/memory-wire` that leads through the link. The link is the only truth; it is replaced in one step.

What a version replaced stands in its folder (`previous`); an update under way stands in `update.json`. Used by update.py.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
from msgspec import Struct

from memory_wire.errors import MemoryWireError
from memory_wire.hooks import files

VERSIONS, CURRENT, PREVIOUS, JOURNAL, LOCK = "versions", "current", "previous", "update.json", "update.lock"
PROGRAM, BEFORE = "memory-wire", "before-"


class UpdateFailed(MemoryWireError):
    """An update could not be made; the version that was in use still is."""

    code = "update_failed"


class Journal(Struct):
    """An update under way: its step, the versions from and to, whether it makes the latter, whether a server ran and with which options."""

    step: str
    before: str | None
    after: str
    made: bool
    serving: bool
    options: list[str]


class Layout:
    """The folders of one installation. Makes nothing by itself."""

    def __init__(self, root: str) -> None:
        self.root = os.path.abspath(root)
        self.versions = os.path.join(self.root, VERSIONS)
        self.link = os.path.join(self.root, CURRENT)
        self.program = os.path.join(self.root, "bin", PROGRAM)
        self.journal = os.path.join(self.root, JOURNAL)

    @property
    def current(self) -> str | None:
        """The name of the version in use."""
        try:
            return os.path.basename(os.readlink(self.link))
        except OSError:
            return None

    @property
    def previous(self) -> str | None:
        """The name of the version that the one in use replaced, when it is still there."""
        current = self.current
        if current is None:
            return None
        try:
            with open(os.path.join(self.versions, current, PREVIOUS), encoding="utf-8") as file:
                name = file.read().strip()
        except OSError:
            return None
        return name if name and os.path.isdir(self.folder(name)) else None

    def folder(self, name: str) -> str:
        return os.path.join(self.versions, name)

    def program_of(self, name: str) -> str:
        """The program of one version, whichever is in use."""
        return os.path.join(self.folder(name), "bin", PROGRAM)

    def python_of(self, name: str) -> str:
        return os.path.join(self.folder(name), "bin", "python")

    def fresh(self, version: str) -> str:
        """A name for a new environment of a version."""
        names = [version, *(f"{version}-{number}" for number in range(2, 1000))]
        return next(name for name in names if not os.path.lexists(self.folder(name)))

    def note_previous(self, name: str, before: str | None) -> None:
        if before is not None:
            write(os.path.join(self.folder(name), PREVIOUS), before.encode() + b"\n")

    def switch(self, name: str | None) -> None:
        """Makes a version the one in use, in one step; None: none, as before the first one."""
        if name is None:
            for path in (self.program, self.link):
                if os.path.lexists(path):
                    os.unlink(path)
            return
        relink(os.path.join(VERSIONS, name), self.link)
        if not os.path.lexists(self.program):
            os.makedirs(os.path.dirname(self.program), exist_ok=True)
            relink(os.path.join(os.pardir, CURRENT, "bin", PROGRAM), self.program)

    def remove(self, name: str) -> None:
        """Deletes a version that is not in use."""
        if name != self.current:
            shutil.rmtree(self.folder(name), ignore_errors=True)

    def prune(self) -> None:
        """Deletes all versions but the one in use and the one it replaced, and copies of the store that neither of them needs."""
        keep = {self.current, self.previous}
        for name in os.listdir(self.versions):
            if name not in keep:
                self.remove(name)
        for name in os.listdir(self.root):
            if name.startswith(BEFORE) and name.endswith(".db") and name[len(BEFORE) : -3] not in keep:
                os.unlink(os.path.join(self.root, name))

    def copy(self, name: str) -> str:
        """Where the store is kept as it was before a version changed its format."""
        return os.path.join(self.root, f"{BEFORE}{name}.db")

    def note(self, journal: Journal | None) -> None:
        """Writes down what is under way; None: nothing is."""
        if journal is not None:
            write(self.journal, msgspec.json.encode(journal))
        elif os.path.lexists(self.journal):
            os.unlink(self.journal)

    def under_way(self) -> Journal | None:
        """The update that was begun and not ended, by a process that is gone."""
        try:
            with open(self.journal, "rb") as file:
                return msgspec.json.decode(file.read(), type=Journal)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return None

    @contextmanager
    def locked(self) -> Iterator[None]:
        """One update at a time. Raises UpdateFailed when another one runs."""
        import fcntl

        os.makedirs(self.versions, mode=0o700, exist_ok=True)
        descriptor = os.open(os.path.join(self.root, LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise UpdateFailed("another update is under way") from None
            yield
        finally:
            os.close(descriptor)


def of_running() -> Layout | None:
    """The installation that this process runs from; None where it is of another kind."""
    versions, name = os.path.split(os.path.realpath(sys.prefix))
    root, folder = os.path.split(versions)
    found = Layout(root)
    return found if folder == VERSIONS and name and os.path.islink(found.link) else None


def managed_by() -> str:
    """The command that brings an installation of another kind up to date."""
    prefix = os.path.realpath(sys.prefix)
    if f"{os.sep}pipx{os.sep}" in prefix:
        return "pipx upgrade memory-wire"
    if os.path.join("uv", "tools") in prefix:
        return "uv tool upgrade memory-wire"
    return f"{sys.executable} -m pip install --upgrade memory-wire"


def relink(target: str, path: str) -> None:
    """Makes a link lead to a target, in one step that is on disk when it returns."""
    partial = f"{path}.new-{os.getpid()}"
    if os.path.lexists(partial):
        os.unlink(partial)
    os.symlink(target, partial)
    os.replace(partial, path)
    files.sync(os.path.dirname(path))


def write(path: str, data: bytes) -> None:
    """Writes a file whole, or not at all."""
    partial = f"{path}.new-{os.getpid()}"
    with open(partial, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)
    files.sync(os.path.dirname(path))
