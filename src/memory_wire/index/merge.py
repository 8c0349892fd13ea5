"""Which segments of a bank are merged, and doing it: adjacent ones, so that id ranges stay disjoint and ascending.

At most one segment per power of 8 in size remains, larger ones first; a segment with too many dead units is rewritten alone. Everything
here runs under the folder's LOCK and reads and writes files only, so that it needs no lock of the process and may run in any thread.
"""

from __future__ import annotations

import os

from memory_wire import config
from memory_wire.errors import Corrupt
from memory_wire.index.manifest import Entry, FolderLock, Manifest, publish, read_newest
from memory_wire.kernels.postings import Segment, dead_bits, merge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class DamagedSegments(Corrupt):
    """A merge met files that can't be trusted; `files` are their names."""

    def __init__(self, files: list[str]) -> None:
        super().__init__(f"damaged: {', '.join(files)}")
        self.files = files


TIER_BITS = 3  # tiers are powers of 8


def tier(units: int) -> int:
    """The power of 8 that a size falls into."""
    return max(units.bit_length() - 1, 0) // TIER_BITS


def plan(segments: list[Entry]) -> tuple[int, int] | None:
    """The next range [from, upto) of segments to write as one, None when all is well."""
    for last in range(len(segments) - 1, 0, -1):
        first, size = last, segments[last].live
        while first and tier(segments[first - 1].live) <= tier(size) and size + segments[first - 1].live <= config.MERGE_MAX:
            first -= 1
            size += segments[first].live
        if first < last:
            return first, last + 1
    for at, entry in enumerate(segments):
        if entry.n_dead * config.DEAD_SHARE > entry.units:
            return at, at + 1
    return None


def planned(segments: list[Entry], limit: int | None) -> tuple[int, int] | None:
    """What `plan` says, if it is about fewer units than the limit."""
    found = plan(segments)
    if found is None or (limit is not None and sum(entry.live for entry in segments[found[0] : found[1]]) >= limit):
        return None
    return found


def segment_name() -> str:
    """A file name that was never used in the folder: an older file may still be mapped by someone under its own."""
    return f"seg-{os.urandom(8).hex()}"


def write_merged(folder: str, entries: list[Entry], store_id: bytes) -> Entry | None:
    """One segment with the living units of several; None when none lives. Raises DamagedSegments, OSError."""
    if not any(entry.live for entry in entries):
        return None
    segments: list[Segment] = []
    name = segment_name()
    try:
        for entry in entries:
            segments.append(Segment.open(os.path.join(folder, entry.file)))
        dead = [bytes(dead_bits(entry.dead, entry.units)) if entry.n_dead else None for entry in entries]
        members = [(segment, segment.n_units, bits) for segment, bits in zip(segments, dead, strict=True)]
        merge(members, os.path.join(folder, f"{name}.tmp"), store_id)
    except (Corrupt, FileNotFoundError):
        bad = [entry.file for entry, segment in zip(entries, segments, strict=False) if segment.damaged]
        raise DamagedSegments(bad or [entries[min(len(segments), len(entries) - 1)].file]) from None
    finally:
        for segment in segments:
            segment.close()
    return settle(folder, name)


def settle(folder: str, name: str) -> Entry:
    """Gives a synced temporary segment its name and describes it."""
    path = os.path.join(folder, name)
    os.rename(f"{path}.tmp", path)
    segment = Segment.open(path)
    try:
        return Entry(file=name, min_id=segment.min_id, max_id=segment.max_id, units=segment.n_units)
    finally:
        segment.close()


def merge_under_lock(folder: str, manifest: Manifest, limit: int | None) -> bool:
    """Merges until nothing below the limit is left to merge, and publishes; LOCK is held. True when there was something to do."""
    changed = False
    while (found := planned(manifest.segments, limit)) is not None:
        first, end = found
        merged = write_merged(folder, manifest.segments[first:end], bytes.fromhex(manifest.store))
        manifest.segments[first:end] = [merged] if merged else []
        changed = True
    if changed:
        publish(folder, manifest, twice=True)
    return changed


def merge_folder(folder: str) -> bool:
    """Merges whatever is due in a folder, if LOCK is free; for a thread of its own. Raises DamagedSegments, OSError."""
    with FolderLock(folder) as lock:
        manifest = read_newest(folder) if lock.held else None
        return manifest is not None and merge_under_lock(folder, manifest, None)


def purge_folder(folder: str, seconds: float, trusted: Callable[[Manifest], bool]) -> bool:
    """Writes segments that hold dead units anew, and leaves no file of before in the folder. Raises DamagedSegments, OSError.

    False when LOCK stays taken, or the newest manifest is none that is trusted.
    """
    with FolderLock(folder, seconds) as lock:
        manifest = read_newest(folder) if lock.held else None
        if manifest is None or not trusted(manifest):
            return False
        store = bytes.fromhex(manifest.store)
        written = [write_merged(folder, [entry], store) if entry.n_dead else entry for entry in manifest.segments]
        manifest.segments = [entry for entry in written if entry is not None]
        publish(folder, manifest, twice=True)
    return True


def merge_due(manifest: Manifest | None) -> bool:
    return manifest is not None and plan(manifest.segments) is not None
