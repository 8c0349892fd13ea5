"""Overwrites what SQLite leaves of deleted rows in the database file. `secure_delete` clears what it frees, but a page whose cells were
moved to its neighbours keeps their bytes in the room between its cell pointers and its cells.

The format is that of sqlite.org/fileformat2.html. Only room that belongs to no row is written, in place, while no one can write: the log is
empty and stays so as long as the caller's transaction holds the write lock. A torn write therefore changes nothing that is read.
"""

from __future__ import annotations

import os

from memory_wire.errors import StorageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LEAVES, INNER = (10, 13), (2, 5)  # first byte of b-tree pages
PAGES_MAX = 2 << 24  # from here on the number in front of an overflow page may look like such a byte
LOCK_BYTE = 1 << 30  # the page of SQLite's locks is nobody's
STEP = 1 << 20  # bytes read at once

_files: dict[tuple[int, int], int] = {}  # by device and inode; never closed: that would drop SQLite's locks of this process


class Unscrubbable(StorageError):
    """The database is larger than can be cleaned in place, or vacuums itself; VACUUM cleans it."""


def scrub(path: str, file: tuple[int, int], first: int, limit: int) -> int:
    """Overwrites unused room in up to `limit` bytes of the file from page `first` (0 is the file's first) on, durably.

    Returns the page to go on with, 0 when all is done. Raises Unscrubbable, OSError.
    """
    descriptor = _opened(path, file)
    header = os.pread(descriptor, 100, 0)
    size = _number(header, 16, 2)
    size = 65_536 if size == 1 else size
    pages = os.fstat(descriptor).st_size // size if size else 0
    if size < 512 or _number(header, 52, 4) or pages >= PAGES_MAX:
        raise Unscrubbable(f"{path}: can't be cleaned in place; VACUUM removes what deleted rows left")
    if first == 0:
        for page in _free(descriptor, size, pages):
            os.pwrite(descriptor, bytes(size), page * size)
    end = min(pages, first + max(limit // size, 1))
    for begin in range(first, end, STEP // size):
        count = min(STEP // size, end - begin)
        data = os.pread(descriptor, count * size, begin * size)
        for page in range(count):
            if (begin + page) * size != LOCK_BYTE:
                _clear(descriptor, data[page * size : (page + 1) * size], begin + page, size)
    os.fsync(descriptor)
    return end if end < pages else 0


def _opened(path: str, file: tuple[int, int]) -> int:
    """The descriptor of this database, opened once a process."""
    if file not in _files:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        status = os.fstat(descriptor)
        _files[status.st_dev, status.st_ino] = descriptor
    return _files[file]


def _number(data: bytes, at: int, width: int) -> int:
    return int.from_bytes(data[at : at + width], "big")


def _clear(descriptor: int, page: bytes, number: int, size: int) -> None:
    """Zeroes the unused room of one page, where it isn't zero."""
    for begin, end in unused(page, 100 if number == 0 else 0):
        room = page[begin:end]
        if room.count(0) != len(room):
            os.pwrite(descriptor, bytes(len(room)), number * size + begin)


def unused(page: bytes, at: int = 0) -> Iterator[tuple[int, int]]:
    """(begin, end) of the room of a b-tree page, its header at `at`, that no row has; nothing for another page or an odd one."""
    if len(page) <= at or page[at] not in (*LEAVES, *INNER):
        return
    pointers = at + (8 if page[at] in LEAVES else 12) + 2 * _number(page, at + 3, 2)
    cells = _number(page, at + 5, 2) or 65_536
    if not pointers <= cells <= len(page):
        return
    yield pointers, cells
    block = _number(page, at + 1, 2)
    while cells <= block <= len(page) - 4:  # free blocks in ascending order, each with the next one's place and its size in front
        following, end = _number(page, block, 2), block + _number(page, block + 2, 2)
        if end < block + 4 or end > len(page) or (following and following < end):
            return
        yield block + 4, end
        block = following


def _free(descriptor: int, size: int, pages: int) -> list[int]:
    """Free pages that hold something, numbered from 0; the pages that list them are left."""
    found: list[int] = []
    trunk, seen = _number(os.pread(descriptor, 4, 32), 0, 4), 0
    while 0 < trunk <= pages and seen < pages:
        listed = os.pread(descriptor, size, (trunk - 1) * size)
        count = min(_number(listed, 4, 4), size // 4 - 2)
        seen += count + 1
        numbers = (_number(listed, 8 + 4 * entry, 4) - 1 for entry in range(count))
        found += [page for page in numbers if 0 < page < pages and page * size != LOCK_BYTE and _filled(descriptor, page, size)]
        trunk = _number(listed, 0, 4)
    return found


def _filled(descriptor: int, page: int, size: int) -> bool:
    data = os.pread(descriptor, size, page * size)
    return data.count(0) != len(data)
