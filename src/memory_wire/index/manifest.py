"""The commit point of one bank's index folder: its segments, which of their units are dead, and how far into the store that reaches.

`manifest-<generation>` is JSON and a checksum line, written beside and renamed; two generations are kept. Whoever publishes holds LOCK.
The format is in FORMAT.md. Used by the index only.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time

from msgspec import DecodeError, Struct, ValidationError, json

from memory_wire import config
from memory_wire.kernels.postings import crc32c

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.index.rows import RowSource

FORMAT = 1
KEPT = 2
PREFIX = "manifest-"
DIGITS = 10
POLL_SECONDS = 0.005
EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)  # an error that says nothing about the file


class Entry(Struct):
    """One segment. `dead` are run lengths of its tombstones: living, dead, living, …"""

    file: str
    min_id: int
    max_id: int
    units: int
    n_dead: int = 0
    dead: list[int] = []

    @property
    def live(self) -> int:
        return self.units - self.n_dead


class Manifest(Struct):
    """Every unit with an id up to `covered` is in a segment, was removed by a removal up to `removed`, or is in a `lost` range.

    A range (after, upto] is lost when its segment was damaged and it isn't indexed again yet.

    `covered_id` and `removed_id` are the store's identities of that unit and removal, in hex, so that an index that ran ahead of its store
    is recognised.
    """

    generation: int
    store: str
    analyser: int
    language: int
    covered: int = 0
    covered_id: str = ""
    removed: int = 0
    removed_id: str = ""
    segments: list[Entry] = []
    lost: list[tuple[int, int]] = []
    format: int = FORMAT


def name_of(generation: int) -> str:
    return f"{PREFIX}{generation:0{DIGITS}d}"


def encode(manifest: Manifest) -> bytes:
    body = json.encode(manifest) + b"\n"
    return body + b"crc32c %08x\n" % crc32c(body)


def decode(data: bytes) -> Manifest | None:
    """The manifest, or None when anything about the bytes is wrong or the format is not ours."""
    body, newline, tail = data.partition(b"\n")
    body += newline
    if tail != b"crc32c %08x\n" % crc32c(body):
        return None
    try:
        manifest = json.decode(body, type=Manifest)
    except (DecodeError, ValidationError):
        return None
    return manifest if manifest.format == FORMAT and _plausible(manifest) else None


def _plausible(manifest: Manifest) -> bool:
    last = 0
    for entry in manifest.segments:
        if not last < entry.min_id <= entry.max_id or "/" in entry.file or entry.units < 1 or not 0 <= entry.n_dead <= entry.units:
            return False
        if any(run < 0 for run in entry.dead) or sum(entry.dead) > entry.units:
            return False
        last = entry.max_id
    return last <= manifest.covered and all(0 <= after < upto <= manifest.covered for after, upto in manifest.lost)


def generations(folder: str) -> list[int]:
    """Generations that have a file, newest first; empty when there is no folder."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return []
    numbers = (name[len(PREFIX) :] for name in names if name.startswith(PREFIX))
    return sorted((int(number) for number in numbers if len(number) == DIGITS and number.isdecimal()), reverse=True)


def read(folder: str, generation: int) -> Manifest | None:
    """One generation, or None when it isn't there or can't be trusted. Raises OSError when this process has too much open."""
    try:
        with open(os.path.join(folder, name_of(generation)), "rb") as file:
            manifest = decode(file.read())
    except OSError as error:
        if error.errno in EXHAUSTED:
            raise
        return None
    return manifest if manifest is not None and manifest.generation == generation else None


def read_newest(folder: str) -> Manifest | None:
    """The newest generation that can be trusted. Raises OSError when the folder can't be read."""
    seen: list[int] | None = None
    while (found := generations(folder)) != seen:  # all of them may be replaced between listing and reading
        for generation in found:
            manifest = read(folder, generation)
            if manifest is not None:
                return manifest
        seen = found
    return None


def belongs(manifest: Manifest, rows: RowSource, language: int) -> bool:
    """Whether a manifest was made from this store, with this analysis, and isn't ahead of it."""
    if (manifest.store, manifest.analyser, manifest.language) != (rows.store_id.hex(), config.ANALYSER, language):
        return False
    newest, removed = rows.state()
    if manifest.covered > newest or manifest.removed > removed:
        return False
    if manifest.covered and manifest.covered_id != hexed(rows.identity(manifest.covered)):
        return False
    return not manifest.removed or manifest.removed_id == hexed(rows.removal(manifest.removed))


def hexed(identity: bytes | None) -> str:
    return "" if identity is None else identity.hex()


def publish(folder: str, manifest: Manifest, twice: bool = False) -> None:
    """Makes this manifest the newest one, with the next generation number, durably; then removes what no kept generation names.

    LOCK is held; the files of its segments are in place and synced. `twice`: both kept generations become this one, so that the sources of
    a merge leave the disk. Raises OSError; the old manifest then still holds.
    """
    sync_folder(folder)
    _write(folder, manifest, durably=True)
    if twice:
        _write(folder, manifest, durably=False)  # a copy that may be lost: the one before it says the same
    remove_orphans(folder)


def _write(folder: str, manifest: Manifest, durably: bool) -> None:
    manifest.generation = max(generations(folder), default=0) + 1
    path = os.path.join(folder, name_of(manifest.generation))
    with open(f"{path}.tmp", "wb", opener=private) as file:
        file.write(encode(manifest))
        if durably:
            file.flush()
            sync_file(file.fileno())
    os.rename(f"{path}.tmp", path)
    if durably:
        sync_folder(folder)


def remove_orphans(folder: str) -> None:
    """Removes every file that neither of the kept generations names. LOCK is held, so nobody is writing one."""
    kept = {"LOCK"}
    for manifest in kept_generations(folder):
        kept.add(name_of(manifest.generation))
        kept.update(entry.file for entry in manifest.segments)
    for name in os.listdir(folder):
        if name not in kept:
            try:
                os.unlink(os.path.join(folder, name))
            except OSError:
                continue  # it costs space, nothing else, and is tried again after the next manifest


def kept_generations(folder: str) -> list[Manifest]:
    """The trusted generations that are kept, newest first."""
    found: list[Manifest] = []
    for generation in generations(folder):
        if len(found) == KEPT:
            break
        manifest = read(folder, generation)
        if manifest is not None:
            found.append(manifest)
    return found


class FolderLock:
    """The bank folder's LOCK, held inside `with` when `held` says so. Makes the folder. Waits up to `seconds`. Raises OSError."""

    def __init__(self, folder: str, seconds: float = 0.0) -> None:
        self.folder, self.seconds = folder, seconds
        self.held = False
        self._fd = -1

    def __enter__(self) -> FolderLock:
        for folder in (os.path.dirname(self.folder), self.folder):
            os.makedirs(folder, mode=0o700, exist_ok=True)
        self._fd = os.open(os.path.join(self.folder, "LOCK"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        deadline = time.monotonic() + self.seconds
        try:
            while not self._take():
                if time.monotonic() >= deadline:
                    break
                time.sleep(POLL_SECONDS)
        except BaseException:
            os.close(self._fd)
            raise
        return self

    def _take(self) -> bool:
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES, errno.EINTR):
                raise
            return False
        self.held = True
        return True

    def __exit__(self, *_: object) -> None:
        if self.held:
            self.held = False
            fcntl.flock(self._fd, fcntl.LOCK_UN)  # not by closing alone: a process forked meanwhile has the descriptor too
        os.close(self._fd)


def sync_file(fd: int) -> None:
    """Until the bytes are on the medium; fsync alone leaves them in the drive's cache on macOS."""
    full = getattr(fcntl, "F_FULLFSYNC", None)
    if full is not None:
        try:
            fcntl.fcntl(fd, full)
            return
        except OSError:
            pass  # not offered by this file system: fsync is what it has
    os.fsync(fd)


def sync_folder(folder: str) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CLOEXEC, 0o600)
