"""A folder of notes as it is now: which files are documents, and a hash of each. Used by the command line when a hub follows a folder.

Hidden files and folders are left alone, as are links and what an Obsidian vault excludes; other files are counted. A file that can't be
read now is named with an empty hash, so that its document stays.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections import Counter
from hashlib import sha256

import msgspec

from memory_wire.config import DOCUMENT_BYTES, DOCUMENT_SOURCE_CHARS, SYNC_FILES
from memory_wire.errors import Invalid
from memory_wire.sources.items import Skipped, mapping
from memory_wire.sources.pages import NOTES

SETTLED_NS = 2_000_000_000  # after which a file that is written again has another time
HASH_BYTES = 16


class Look:
    """What was seen: hashes in hexadecimal by path, what was left out by kind, and what could not be read."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self.ignored: Counter[str] = Counter()
        self.problems: list[Skipped] = []


class Folder:
    """A folder; what a file's hash was is remembered while its time, size and number stay."""

    def __init__(self, path: str) -> None:
        self.root = os.path.realpath(path)
        self.name = os.path.basename(os.path.abspath(path)) or "folder"
        self.known: dict[str, tuple[tuple[int, int, int], str]] = {}
        os.scandir(self.root).close()  # raises OSError where there is none

    def look(self) -> Look:
        """The files in order of their paths. Raises OSError, Invalid for a folder below that can't be read."""
        found = Look()
        self.walk("", found, excluded(self.root))
        self.known = {path: kept for path, kept in self.known.items() if path in found.files}
        return found

    def walk(self, below: str, found: Look, leave: re.Pattern[str] | None) -> None:
        """Looks at a folder, `below` its path with a slash behind it."""
        try:
            with os.scandir(os.path.join(self.root, below)) as entries:
                every = sorted(entries, key=lambda entry: entry.name)
        except FileNotFoundError:
            if not below:
                raise
            return  # it was taken away meanwhile
        for entry in every:
            path = below + entry.name
            if entry.name.startswith("."):
                continue
            if leave is not None and leave.search(path):
                found.ignored["excluded by the vault"] += 1
            elif entry.is_symlink():
                found.ignored["links"] += 1
            elif entry.is_dir(follow_symlinks=False):
                self.walk(f"{path}/", found, leave)
            elif not entry.name.lower().endswith(NOTES):
                found.ignored["attachments and other files"] += 1
            else:
                self.see(path, found)

    def see(self, path: str, found: Look) -> None:
        """Notes a file with its hash."""
        if not path.isprintable() or len(path) + len(self.name) >= DOCUMENT_SOURCE_CHARS:
            found.problems.append(Skipped(repr(path)[1:-1], "a name with control characters, or too long"))
            return
        if len(found.files) >= SYNC_FILES:
            raise Invalid("folder", f"holds more than {SYNC_FILES:,} files")
        try:
            state = os.lstat(os.path.join(self.root, path))
            mark = (state.st_mtime_ns, state.st_size, state.st_ino)
            kept = self.known.get(path)
            if kept is not None and kept[0] == mark:
                found.files[path] = kept[1]
                return
            now = time.time_ns()
            found.files[path] = hash = sha256(self.read(path)).hexdigest()[: HASH_BYTES * 2]
        except FileNotFoundError:
            return  # it was taken away meanwhile
        except (OSError, Invalid) as error:
            found.files[path] = ""
            found.problems.append(Skipped(path, error.rule if isinstance(error, Invalid) else str(error.strerror)))
            return
        if state.st_mtime_ns + SETTLED_NS < now:
            self.known[path] = (mark, hash)

    def read(self, path: str) -> bytes:
        """A file's bytes, which are a document's text. Raises OSError, Invalid."""
        handle = os.open(os.path.join(self.root, path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise Invalid("file", "no regular file")
            raw = file.read(DOCUMENT_BYTES + 1)
        if len(raw) > DOCUMENT_BYTES:
            raise Invalid("file", f"larger than {DOCUMENT_BYTES:,} bytes")
        if b"\0" in raw:
            raise Invalid("file", "no text but bytes")
        try:
            raw.decode()
        except UnicodeDecodeError as error:
            raise Invalid("file", f"not UTF-8 (byte {error.start:,})") from None
        return raw


def excluded(root: str) -> re.Pattern[str] | None:
    """What an Obsidian vault says it leaves out: beginnings of paths, or patterns between slashes."""
    try:
        with open(os.path.join(root, ".obsidian", "app.json"), "rb") as file:
            filters = mapping(msgspec.json.decode(file.read(1 << 20))).get("userIgnoreFilters")
    except (OSError, msgspec.DecodeError, RecursionError):
        return None
    parts = []
    for one in filters if isinstance(filters, list) else []:
        if isinstance(one, str) and one.strip("/ "):
            whole = len(one) > 2 and one[0] == one[-1] == "/"
            parts.append(one[1:-1] if whole else "^" + re.escape(one.rstrip("/")) + ("(?:/|$)" if one.endswith("/") else ""))
    try:
        return re.compile("|".join(f"(?:{part})" for part in parts)) if parts else None
    except re.error:
        raise Invalid("folder", "the vault's .obsidian/app.json excludes by a pattern that can't be read") from None
