"""Files as documents: what kind a file is, and the Markdown that it becomes. Used by the command line, and by the child of a server.

Markdown and plain text stay as they are, byte for byte. What can't be read is passed over and named; the rest goes on.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator

from msgspec import Struct

from memory_wire.config import DOCUMENT_BYTES, IMPORT_ITEM_BYTES
from memory_wire.errors import Invalid, MemoryWireError
from memory_wire.sources import rich, spoken
from memory_wire.sources.chats import Chat, conversations
from memory_wire.sources.documents import BOM, first_byte, format_of
from memory_wire.sources.files import UNREADABLE, Member, Source
from memory_wire.sources.items import Ignored, Skipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, BinaryIO

TEXTS = (".txt", ".text", ".rst", ".org", ".adoc", ".asciidoc", ".textile")
NOTES = (".md", ".markdown", ".mdown", ".mkd", *TEXTS)  # what a folder of notes is made of
SUFFIXES = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".mdown": "markdown",
    ".mkd": "markdown",
    **dict.fromkeys(TEXTS, "text"),
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".pdf": "pdf",
    ".docx": "docx",
    ".vtt": "captions",
    ".srt": "captions",
    ".jsonl": "transcript",
    ".json": "chat",
}
KINDS = ("markdown", "text", "html", "pdf", "docx", "captions", "talk", "transcript", "chat")
RICH: dict[str, Callable[[bytes], tuple[str | None, str]]] = {"html": rich.of_html, "pdf": rich.of_pdf, "docx": rich.of_docx}
LOOKED = 4_096  # bytes that tell a kind


class Page(Struct):
    """A document to be: the file's name and its text. `own`: the name is its own, wherever it was read."""

    name: str
    markdown: str
    title: str | None = None
    own: bool = False


Found = Page | Skipped | Ignored


class Held(Member):
    """A file that is in memory already."""

    __slots__ = ("data",)

    def __init__(self, name: str, data: bytes) -> None:
        super().__init__(name, name, len(data), None)
        self.data = data

    def open(self) -> BinaryIO:
        return io.BytesIO(self.data)


class One(Source):
    """A source of one member."""

    def __init__(self, member: Member) -> None:
        self.path = self.name = member.name
        self.folder, self.all, self.size, self.at = False, [member], member.size, None


def pages(member: Member, kind: str | None = None) -> Iterator[Found]:
    """The documents in a file. What is none of the kinds is Ignored, what can't be read Skipped."""
    try:
        found = kind or kind_of(member)
        if found is None:
            yield Ignored("other files")
        elif found == "chat":
            yield from chats(member)
        elif found == "transcript":
            yield transcript(member)
        elif found == "gemini":
            yield gemini(member)
        else:
            yield page(member, found)
    except (*UNREADABLE, MemoryWireError, RecursionError) as error:
        yield Skipped(member.name, reason(error))
    except Exception as error:  # libraries of formats raise whatever they like at damaged files
        yield Skipped(member.name, f"damaged: {type(error).__name__}")


def reason(error: Exception) -> str:
    return error.rule if isinstance(error, Invalid) else f"can't be read: {getattr(error, 'strerror', None) or error}"


def kind_of(member: Member) -> str | None:
    """By its name, else by how it begins; None for what is no document. Raises UNREADABLE."""
    named = SUFFIXES.get(os.path.splitext(member.name.lower())[1])
    if named in ("text", None):
        with member.open() as file:
            head = file.read(LOOKED)
        if head.startswith(b"%PDF-"):
            return "pdf"
        if head.removeprefix(BOM).startswith(b"WEBVTT"):
            return "captions"
        if head.lstrip()[:15].lower().startswith((b"<!doctype html", b"<html")):
            return "html"
    return named


def text_of(member: Member, cap: int = DOCUMENT_BYTES) -> bytes:
    """The bytes of a file. Raises Invalid for too many, UNREADABLE."""
    with member.open() as file:
        raw = file.read(cap + 1)
    if len(raw) > cap:
        raise Invalid("file", f"larger than {cap:,} bytes")
    return raw


def decoded(raw: bytes) -> str:
    """UTF-8, or UTF-16 that says so. Raises Invalid."""
    try:
        return raw.decode("utf-16") if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else raw.decode()
    except UnicodeDecodeError as error:
        raise Invalid("file", f"not UTF-8 (byte {error.start:,})") from None


def page(member: Member, kind: str) -> Page:
    """A file that is one document. Raises Invalid, UNREADABLE, and what libraries raise."""
    if kind in RICH:
        title, markdown = RICH[kind](text_of(member, IMPORT_ITEM_BYTES))
        return Page(member.name, kept(markdown), title)
    text = decoded(text_of(member))
    if kind == "captions":
        text = spoken.captions(text)
    elif kind == "talk" or (kind == "text" and spoken.is_talk(text)):
        text = spoken.talk(text)
    return Page(member.name, kept(text))


def kept(markdown: str) -> str:
    """A text that can be a document. Raises Invalid."""
    if not markdown.strip():
        raise Invalid("file", "no text")
    if "\0" in markdown:
        raise Invalid("file", "no text but bytes")
    raw = markdown.encode(errors="replace")  # halves of characters, as broken exports have them
    if len(raw) > DOCUMENT_BYTES:
        raise Invalid("file", f"its text is larger than {DOCUMENT_BYTES:,} bytes")
    return raw.decode()


def chats(member: Member) -> Iterator[Found]:
    """The conversations of a chat's export, a document each."""
    format = format_of(member)
    if format not in ("chatgpt", "claude"):
        yield Ignored("other files")
        return
    for found in conversations(One(member), format):
        if not isinstance(found, Chat):
            yield found
            continue
        yield from (Ignored(kind, count) for kind, count in found.left.items())
        title, markdown = spoken.chat(found, f"Conversation {found.id}")
        if markdown:
            yield Page(f"{format}/{found.id}", kept(markdown), title, own=True)
        else:
            yield Skipped(found.place, "a conversation without messages")


def transcript(member: Member) -> Found:
    """A conversation with an agent host, as it keeps it: lines of JSON. Raises UNREADABLE."""
    from memory_wire.hooks.transcript import entry

    if first_byte(member) != b"{":
        return Ignored("other files")
    with member.open() as file:
        entries = [found for line in file if (found := entry(line)) is not None]
    if not entries:
        return Ignored("other files")
    first = next((one.text for one in entries if one.role == "user"), entries[0].text)
    title = " ".join(first.split())[:80]
    return Page(member.name, kept(spoken.transcript(entries, title)), title)


def gemini(member: Member) -> Page:
    """A shared chat of Gemini, as its page gets it. Raises Invalid, UNREADABLE."""
    from memory_wire.sources.shared import of_gemini

    title, messages = of_gemini(decoded(text_of(member, IMPORT_ITEM_BYTES)))
    return Page(member.name, kept(spoken.conversation(title, messages)), title)


def convert(payload: dict[str, Any]) -> dict[str, Any]:
    """In the child program: `{name, data, kind}` -> `{pages, skipped}`: filing.NewDoc, and (name, why)."""
    found: dict[str, Any] = {"pages": [], "skipped": []}
    for each in pages(Held(str(payload["name"]), payload["data"]), payload.get("kind")):
        if isinstance(each, Page):
            found["pages"].append({"source": each.name, "markdown": each.markdown, "title": each.title})
        elif isinstance(each, Skipped):
            found["skipped"].append([each.place, each.reason])
    return found
