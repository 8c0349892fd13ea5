"""`check` of one bank's index: files, manifest against store, and every unit against a fresh analysis of its row."""

from __future__ import annotations

import os

from memory_wire import config
from memory_wire.errors import Corrupt
from memory_wire.index.manifest import Manifest, belongs, generations, read_newest
from memory_wire.index.state import State
from memory_wire.kernels.postings import Parts, Segment, tag_counts
from memory_wire.kernels.text import analyse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.index.rows import Row, RowSource

MOST = 20  # lines of one kind
LOOKS = 5  # at a folder that others write to


def check(folder: str, language: int, rows: RowSource, progress: Callable[[int, int], None] | None) -> list[str]:
    """A line for each thing that is wrong, none when all is well. Opens the folder anew and changes nothing in it."""
    findings = check_folder(folder, language, rows)
    state = State(folder, language)
    try:
        state.load(rows)
        while True:
            state.follow(rows, config.REBUILD_INLINE)
            if not state.missing:
                break
        parts = Parts(state.pieces.members(), state.n_sessions)
        findings += check_units(parts, language, rows, progress)
    except Corrupt as error:
        findings.append(f"damaged: {error}")
    finally:
        for piece in state.pieces.sealed():
            piece.segment.close()
    return findings


def check_folder(folder: str, language: int, rows: RowSource) -> list[str]:
    """What is wrong with the files and with the manifest as such; looks again when another process has published meanwhile."""
    findings: list[str] = []
    for _ in range(LOOKS):
        before = generations(folder)
        findings = check_manifest(folder, before, language, rows)
        if not findings or generations(folder) == before:
            break
        rows.renew()
    return findings


def check_manifest(folder: str, numbers: list[int], language: int, rows: RowSource) -> list[str]:
    """The same, once; `numbers` are the generations that have a file."""
    manifest = read_newest(folder)
    findings = []
    if numbers and (manifest is None or manifest.generation < numbers[0]):
        findings.append(f"manifest {numbers[0]} can't be read")
    if manifest is None:
        return findings
    if (manifest.analyser, manifest.language) != (config.ANALYSER, language):
        return findings  # the bank's language was set anew, or the program is: the next use rebuilds, as it should
    if not belongs(manifest, rows, language):
        rows.renew()  # it may only be newer than the transaction
        if not belongs(manifest, rows, language):
            findings.append(f"manifest {manifest.generation} is not of this store or is ahead of it: the index is rebuilt")
    for after, upto in manifest.lost:
        findings.append(f"units {after + 1} to {upto} are still to be rebuilt")
    return findings + [line for line in (check_file(folder, manifest, entry.file) for entry in manifest.segments) if line]


def check_file(folder: str, manifest: Manifest, name: str) -> str:
    """What is wrong with one segment file, or nothing."""
    try:
        segment = Segment.open(os.path.join(folder, name))
    except (Corrupt, OSError) as error:
        return f"segment {name} can't be opened: {error}"
    try:
        segment.verify()
    except Corrupt as error:
        return f"segment {name} is damaged: {error}"
    finally:
        segment.close()
    entry = next(entry for entry in manifest.segments if entry.file == name)
    said = (entry.min_id, entry.max_id, entry.units)
    return "" if said == (segment.min_id, segment.max_id, segment.n_units) else f"segment {name} is not what the manifest says"


def check_units(parts: Parts, language: int, rows: RowSource, progress: Callable[[int, int], None] | None) -> list[str]:
    """Whether the index holds exactly the store's units, as a rebuild would."""
    findings: list[str] = []
    fields: dict[bytes, int] = {}
    newest, count, after = rows.state()[0], 0, 0
    while page := rows.rows(after, None, config.INDEX_PAGE):
        for row in page:
            count += 1
            if not same_unit(parts, row, language) and len(findings) < MOST:
                findings.append(f"unit {row[0]} is not indexed as it is stored")
            for key in set(row[5]):
                fields[key] = fields.get(key, 0) + 1
        after = page[-1][0]
        if progress is not None:
            progress(after, newest)
    if parts.n_units != count:
        findings.append(f"{parts.n_units} units are indexed, {count} are stored")
    indexed = dict(pair for first in range(0x20) for pair in tag_counts(parts, bytes([first])))
    if indexed != fields:
        findings.append("the counts of field terms differ from the store's")
    return findings


def same_unit(parts: Parts, row: Row, language: int) -> bool:
    unit_id, created, flags, session, position, _, header, text = row
    try:
        time, stored_flags, stored_session, stored_position, _ = parts.unit(unit_id)
        passages = parts.forward(unit_id)
    except KeyError:
        return False
    seconds = min(max(created // 1000, 0), 0xFFFFFFFF)
    place = (session, position if session >= 0 else -1)
    if (time, stored_flags, stored_session, stored_position) != (seconds, flags, *place):
        return False
    return passages == unpack(analyse(text, language, header))


def unpack(packed: bytes) -> list[tuple[list[bytes], int]]:
    """(tokens, counted ones) per passage of a packed analysis."""
    at, passages = 4, []
    for _ in range(int.from_bytes(packed[:4], "little")):
        n_tokens, n_counted = int.from_bytes(packed[at + 8 : at + 10], "little"), int.from_bytes(packed[at + 10 : at + 12], "little")
        at += 12
        tokens = []
        for _ in range(n_tokens):
            end = at + 1 + packed[at]
            tokens.append(packed[at + 1 : end])
            at = end
        passages.append((tokens, n_counted))
    return passages
