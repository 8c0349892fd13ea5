"""What is read: a file, a folder or an archive as named members. Nothing is unpacked to disk, nothing outside is reached.

Archives with names that leave the folder, links, encryption or contents out of proportion to their size are refused whole.
"""

from __future__ import annotations

import gzip
import io
import os
import stat
import zipfile
import zlib
from collections.abc import Iterator
from weakref import ref

from memory_wire import config
from memory_wire.errors import Invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

GZIP = b"\x1f\x8b"
UNREADABLE = (OSError, EOFError, ValueError, NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error)  # what damaged files raise


class Member:
    """One file of a source: `name` relative with `/`, `size` in bytes as stored, `modified` seconds since 1970 or None."""

    __slots__ = ("_archive", "_path", "modified", "name", "raw", "size", "source", "start")

    def __init__(self, name: str, path: str, size: int, modified: float | None, archive: zipfile.ZipFile | None = None) -> None:
        self.name, self.size, self.modified = name, size, modified
        self._path, self._archive = path, archive
        self.raw: io.FileIO | None = None  # as last opened
        self.source: ref[Source] | None = None  # weak: without a cycle an archive is closed with the last that uses it
        self.start = 0  # bytes of the members before it

    def open(self) -> BinaryIO:
        """The member's bytes, unpacked when it is compressed. Raises Invalid when it can't be read."""
        try:
            file = self._archive.open(self._path) if self._archive is not None else open(self._path, "rb", buffering=0)  # noqa: SIM115
        except UNREADABLE as error:
            raise unreadable(self.name, error) from None
        self.raw = file if isinstance(file, io.FileIO) else None
        source = self.source() if self.source is not None else None
        if source is not None:
            source.at = self
        buffered = io.BufferedReader(file)  # type: ignore[type-var]
        if buffered.peek(2)[:2] != GZIP:
            return buffered
        return io.BufferedReader(Unpacked(buffered, self.name, self.size))


class Unpacked(io.RawIOBase):
    """A gzip stream that stops where it becomes larger than an honest one."""

    def __init__(self, file: BinaryIO, name: str, size: int) -> None:
        self.packed = file
        self.file = gzip.GzipFile(fileobj=file)
        self.name = name
        self.left = self.most = most(size)

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self.file.close()
        self.packed.close()
        super().close()

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        found = self.file.read(len(buffer))
        self.left -= len(found)
        if self.left < 0:
            raise Invalid("file", f"{self.name} unpacks to more than {self.most:,} bytes, too much for its size")
        buffer[: len(found)] = found
        return len(found)


class Source:
    """Named members under one display name. `folder` says that it holds many."""

    def __init__(self, path: str) -> None:
        self.path = os.path.abspath(path)
        self.name = os.path.basename(self.path) or self.path
        self.folder = True
        try:
            mode = os.stat(self.path).st_mode
            if stat.S_ISDIR(mode):
                self.all = list(of_folder(self.path))
            elif not stat.S_ISREG(mode):
                raise Invalid("file", f"{path} is no file and no folder")
            elif zipfile.is_zipfile(self.path):
                self.all = of_archive(self.path)
            else:
                found = os.stat(self.path)
                self.folder, self.all = False, [Member(self.name, self.path, found.st_size, found.st_mtime)]
        except (OSError, zipfile.BadZipFile) as error:
            raise unreadable(path, error) from None
        self.size = 0
        for member in self.all:
            member.source, member.start = ref(self), self.size
            self.size += member.size
        self.at: Member | None = None  # the one that was opened last

    def position(self) -> int:
        """How many bytes have been read, about, as they are stored."""
        if self.at is None:
            return 0
        raw = self.at.raw
        return self.at.start + (min(raw.tell(), self.at.size) if raw is not None and not raw.closed else 0)


def of_folder(root: str) -> Iterator[Member]:
    """Regular files below a folder in order of their names; links and hidden files and folders are left alone."""
    count = 0
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = os.path.join(folder, name)
            found = os.lstat(path)
            if name.startswith(".") or not stat.S_ISREG(found.st_mode):
                continue
            count += 1
            if count > config.IMPORT_FILES:
                raise Invalid("file", f"{root} holds more than {config.IMPORT_FILES:,} files")
            yield Member(os.path.relpath(path, root).replace(os.sep, "/"), path, found.st_size, found.st_mtime)


def of_archive(path: str) -> list[Member]:
    """The files of a zip archive. Raises Invalid for one that is not to be trusted."""
    archive = zipfile.ZipFile(path)
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    if len(entries) > config.IMPORT_FILES:
        raise Invalid("file", f"{path} holds more than {config.IMPORT_FILES:,} files")
    for entry in entries:
        parts = entry.filename.replace("\\", "/").split("/")
        if ".." in parts or parts[0] == "" or parts[0].endswith(":") or stat.S_ISLNK(entry.external_attr >> 16):
            raise Invalid("file", f"{path}: {entry.filename!r} leads out of the archive")
        if entry.flag_bits & 1:
            raise Invalid("file", f"{path} is encrypted: unpack it first")
    size = os.stat(path).st_size
    if sum(entry.file_size for entry in entries) > most(size):
        raise Invalid("file", f"{path} unpacks to more than {most(size):,} bytes, too much for its size")
    shown = [entry for entry in entries if not any(part.startswith((".", "__MACOSX")) for part in entry.filename.split("/"))]
    return [Member(entry.filename, entry.filename, entry.compress_size, None, archive) for entry in shown]


def most(size: int) -> int:
    """How many bytes something packed in so many may hold."""
    return min(max(size * config.IMPORT_RATIO, config.IMPORT_RATIO_BYTES), config.IMPORT_UNPACKED_BYTES)


def unreadable(name: str, error: Exception) -> Invalid:
    return Invalid("file", f"{name}: {getattr(error, 'strerror', None) or error}")
