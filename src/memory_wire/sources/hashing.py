"""Files that records name as their sources: where they are, and their hash in the form in which one was stored.

A file is read only inside the folders that were named, links followed, and only up to SOURCE_FILE_BYTES.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import unquote, urlsplit

from memory_wire.config import SOURCE_FILE_BYTES, SOURCE_HASH_CHARS
from memory_wire.errors import Invalid
from memory_wire.hashes import GIT, agree

BY_LENGTH = {32: "md5", 40: "git", 56: "sha224", 64: "sha256", 96: "sha384", 128: "sha512"}  # hex digits of a hash without a name
NAMES = {*BY_LENGTH.values(), "sha1", "blake2b", "blake2s"}
STEP = 1 << 20


def form(stored: str) -> tuple[str, str] | None:
    """(prefix as it stands, algorithm) of a stored hash; None for one that isn't of a file's bytes as far as can be told."""
    name, mark, digits = stored.strip().rpartition(":")
    algorithm = name.lower().replace("-", "") if mark else BY_LENGTH.get(len(digits), "")
    if algorithm in GIT:
        algorithm = "git"
    if algorithm not in NAMES or not digits or any(digit not in "0123456789abcdefABCDEF" for digit in digits):
        return None
    return (f"{name}:" if mark else "", algorithm)


def hashed(path: str, stored: Iterable[str]) -> str:
    """The file's hash now in each form in which one was stored, as far as the form is known. Raises OSError, Invalid.

    Forty digits without a name are a git blob's, or the plain SHA-1 if that is what was stored.
    """
    if os.stat(path).st_size > SOURCE_FILE_BYTES:
        raise Invalid("source", f"is larger than {SOURCE_FILE_BYTES:,} bytes")
    made: dict[str, str] = {}
    for hash in stored:
        prefix, algorithm = form(hash) or ("", "")
        if algorithm == "git" and not prefix and digest(path, "sha1") == hash.strip().lower():
            algorithm = "sha1"
        if algorithm and algorithm not in made:
            made[algorithm] = prefix + digest(path, algorithm)
    found = ""
    for one in made.values():
        if len(found) + len(one) < SOURCE_HASH_CHARS:
            found = f"{found} {one}".strip()
    return found


def digest(path: str, algorithm: str) -> str:
    """Hexadecimal hash of a file's bytes."""
    with open(path, "rb") as file:
        made = hashlib.new("sha1" if algorithm == "git" else algorithm, usedforsecurity=False)
        if algorithm == "git":
            made.update(b"blob %d\0" % os.fstat(file.fileno()).st_size)
        while part := file.read(STEP):
            made.update(part)
    return made.hexdigest()


def path_of(source: str) -> str | None:
    """The path in a source id: as it is, of a file: address, without `#anchor` and `:line:column`; None for what is no path."""
    if "\0" in source or source.startswith("[REDACTED"):
        return None
    if source.lower().startswith("file:"):
        found = unquote(urlsplit(source).path)
        return found or None
    if "://" in source:
        return None
    if os.path.lexists(source):
        return source
    path = source.partition("#")[0]
    head, mark, last = path.rpartition(":")
    while mark and last.replace("-", "").isdigit():
        path = head
        head, mark, last = path.rpartition(":")
    return path or None


class Folders:
    """The folders inside which files may be read."""

    def __init__(self, roots: Sequence[str]) -> None:
        self.roots = [os.path.realpath(root) for root in roots]

    def find(self, source: str) -> tuple[str | None, str]:
        """(real path, "") of a source's file, or (None, why not): no file, outside, missing."""
        path = path_of(source)
        if path is None:
            return None, "no file"
        inside = self.places(path)
        if not inside:
            return None, "outside"
        there = next((one for one in inside if os.path.isfile(one)), None)
        if there is not None:
            return there, ""
        looks = os.sep in path or "." in os.path.basename(path).strip(".")
        return None, "missing" if looks else "no file"

    def places(self, path: str) -> list[str]:
        """The real paths inside that a path may mean, whether a file is there or not."""
        tried = [path] if os.path.isabs(path) else [os.path.join(root, path) for root in self.roots]
        return [real for real in map(os.path.realpath, tried) if self.holds(real)]

    def holds(self, real: str) -> bool:
        """Whether a real path lies inside."""
        return any(real == root or real.startswith(root.rstrip(os.sep) + os.sep) for root in self.roots)

    def moved(self, source: str, hashes: Iterable[str], listed: Mapping[str, str], blob: str | None) -> str | None:
        """Among listed files, path to git blob, one with a hash that was stored: where a missing source went.

        Looked at are those of its last `blob`, of a blob that was stored, and of the same name.
        """
        name = os.path.basename((path_of(source) or "").rstrip("/"))
        blobs = {blob, *(stored.strip().rpartition(":")[2].lower() for stored in hashes)}
        for path, held in listed.items():
            if held in blobs or (name and os.path.basename(path) == name):
                real = os.path.realpath(path)
                if self.holds(real) and os.path.isfile(real) and any(agree(hashed(real, [stored]), stored) for stored in hashes):
                    return path
        return None
