"""JSON members value by value, whether they are one document or lines of JSON, and what they are by their content."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from memory_wire.config import IMPORT_ITEM_BYTES
from memory_wire.sources.files import UNREADABLE, Member, Source
from memory_wire.sources.items import Ignored, Skipped, mapping
from memory_wire.sources.stream import Broken, Path, Reader, pieces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

BOM = b"\xef\xbb\xbf"
KEYS_READ = 64  # of a document, to tell what it is
PIECES_READ = 100_000


class Value:
    """One value of a member: `path` within its document (empty for a line), `data` decoded."""

    __slots__ = ("data", "path", "place")

    def __init__(self, place: str, path: Path, data: object) -> None:
        self.place, self.path, self.data = place, path, data


def values(member: Member) -> Iterator[Value | Skipped]:
    """The values in order; what is damaged or too large is passed over. Raises Invalid when the member can't be read."""
    for place, path, raw in raws(member):
        if raw is None:
            yield Skipped(place, f"larger than {IMPORT_ITEM_BYTES:,} bytes")
        elif isinstance(raw, str):
            yield Skipped(place, raw)
        else:
            try:
                yield Value(place, path, msgspec.json.decode(raw))
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                yield Skipped(place, f"no JSON: {error}")


def roots(member: Member) -> Iterator[Value | Skipped]:
    """The same for formats whose unit is a line, an element of an array, or the document itself when it is one object."""
    try:
        if is_lines(member) or first_byte(member) == b"[":
            yield from values(member)
            return
        with member.open() as file:
            raw = file.read(IMPORT_ITEM_BYTES + 1)
        if len(raw) > IMPORT_ITEM_BYTES:
            yield Skipped(member.name, f"larger than {IMPORT_ITEM_BYTES:,} bytes")
        else:
            yield Value(member.name, (), msgspec.json.decode(raw.removeprefix(BOM)))
    except (*UNREADABLE, msgspec.DecodeError, RecursionError) as error:
        yield Skipped(member.name, f"damaged: {error}")


def first_byte(member: Member) -> bytes:
    """The first byte that is no blank."""
    with member.open() as file:
        return file.read(4096).removeprefix(BOM).lstrip()[:1]


def raws(member: Member) -> Iterator[tuple[str, Path, bytes | str | None]]:
    """(place, path, bytes): None instead of too many bytes, a text instead of what can't be read."""
    try:
        if is_lines(member):
            yield from lines(member)
            return
        with member.open() as file:
            for path, raw in pieces(file):
                yield f"{member.name}{shown(path)}", path, raw
    except Broken as error:
        yield member.name, (), f"damaged, nothing is read from there on: {error}"
    except UNREADABLE as error:
        yield member.name, (), f"damaged: {error}"


def lines(member: Member) -> Iterator[tuple[str, Path, bytes | None]]:
    with member.open() as file:
        number = 0
        while raw := file.readline(IMPORT_ITEM_BYTES + 1):
            number += 1
            whole = len(raw) <= IMPORT_ITEM_BYTES
            while not raw.endswith(b"\n") and len(raw) > IMPORT_ITEM_BYTES:  # passes over the rest of the line
                raw = file.readline(IMPORT_ITEM_BYTES + 1)
            if raw.strip():
                yield f"{member.name} line {number}", (), raw.removeprefix(BOM) if whole else None


def is_lines(member: Member) -> bool:
    """Whether the member is lines of JSON rather than one document: an object on its first line is followed by something."""
    if first_byte(member) != b"{":
        return False
    with member.open() as file:
        reader = Reader(Head(file, IMPORT_ITEM_BYTES))
        try:
            first, more = reader.raw() or b"\n", reader.peek()
        except Broken:
            return False
    if b"\n" in first:
        return False
    names = mapping(plain(first)).keys()
    return more is not None or names <= {"format", "version"} or "type" in names


class Head:
    """The first bytes of a file as a file of its own."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self.file, self.left = file, size

    def read(self, size: int) -> bytes:
        found = self.file.read(min(size, self.left))
        self.left -= len(found)
        return found


def shown(path: Path) -> str:
    """The path as people write it: `[3]`, ` memories[3]`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f" {part}" for part in path)


def chosen(source: Source, format: str) -> Iterator[Member | Ignored | Skipped]:
    """The members of a source that are of a format; a single file is taken at its word."""
    for member in source.all:
        try:
            if not source.folder or format_of(member) == format:
                yield member
            else:
                yield Ignored("other files")
        except UNREADABLE as error:
            yield Skipped(member.name, f"damaged: {error}")


def format_of(member: Member) -> str | None:
    """What a JSON member is, by its content; None when it is nothing that is known. Raises UNREADABLE, Invalid."""
    begin = first_byte(member)
    if begin not in (b"{", b"["):
        return None
    seen: set[str] = set()
    if is_lines(member):
        with member.open() as file:
            return of_record(plain(file.readline(IMPORT_ITEM_BYTES).removeprefix(BOM)))
    with member.open() as file:
        for count, (path, raw) in enumerate(pieces(file)):
            if begin == b"[":
                return of_record(plain(raw))
            name = str(path[0])
            if name not in seen or path[1:] == (0,):
                seen.add(name)
                found = of_document(seen, name) or (of_record(plain(raw)) if path[1:] == (0,) else None)
                if found is not None:
                    return found
            if len(seen) > KEYS_READ or count > PIECES_READ:
                return None
    return None


def plain(raw: bytes | None) -> object:
    """The decoded value; None when it is none, or too large."""
    try:
        return msgspec.json.decode(raw or b"")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def of_record(value: object) -> str | None:
    """What the first record of an array or of lines says."""
    if not isinstance(value, dict):
        return None
    names = value.keys()
    if value.get("format") == "memory-wire":
        return "memory-wire"
    if "mapping" in names:
        return "chatgpt"
    if "chat_messages" in names:
        return "claude"
    if value.get("type") in ("entity", "relation") or "entityType" in names or "relationType" in names:
        return "mcp-memory"
    if "original_text" in names or "facts" in names or "fact_type" in names:
        return "hindsight"
    if names & {"memory", "content", "text", "data"} and names & {"id", "hash", "user_id", "created_at", "metadata"}:
        return "mem0"
    return None


def of_document(seen: set[str], name: str) -> str | None:
    """What the names of a document's members say so far."""
    if name == "mapping":
        return "chatgpt"
    if name == "chat_messages":
        return "claude"
    if name in ("original_text", "facts", "source_bank_id") or (name == "documents" and "schema_version" in seen):
        return "hindsight"
    if name in ("sessions", "observations", "memories") and ("exportedAt" in seen or ("version" in seen and name == "sessions")):
        return "agentmemory"
    if name in ("results", "memories"):
        return "mem0"
    if name in ("entities", "relations"):
        return "mcp-memory"
    return None
