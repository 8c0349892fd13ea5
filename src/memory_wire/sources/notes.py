"""Folders of Markdown notes: basic-memory, Obsidian and the like. A note is a memory whose document id is its path.

Read from the front matter: title, tags, type and dates; from the text: `#tags` and the notes it links to (kept as written, named in the
context). A note without a date has that in its name (daily notes), else its file's. Other files are counted as attachments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_wire.config import NOTE_BYTES
from memory_wire.hub.front_matter import split
from memory_wire.sources.files import UNREADABLE, Member, Source
from memory_wire.sources.items import Found, Ignored, Skipped, key, made, texts

SUFFIXES = (".md", ".markdown")
DATES = ("date", "created", "created_at", "creation_date", "date_created", "modified", "updated", "updated_at", "last_modified")
TAG = re.compile(r"(?:(?<=\s)|^)#([\w/-]*[^\W\d][\w/-]*)")
LINK = re.compile(r"\[\[([^\[\]|#^]+)")
DAY = re.compile(r"(?<!\d)(\d{4}-\d{2}-\d{2})(?!\d)")
CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)


def read(source: Source) -> Iterator[Found]:
    vault = source.name.rsplit(".", 1)[0] if source.folder and source.name.endswith(".zip") else source.name
    for member in source.all:
        if source.folder and not member.name.lower().endswith(SUFFIXES):
            yield Ignored("attachments and other files")
        elif member.size > NOTE_BYTES:
            yield Skipped(member.name, f"larger than {NOTE_BYTES:,} bytes")
        else:
            yield from note(member, f"{vault}/{member.name}" if source.folder else member.name)


def note(member: Member, path: str) -> Iterator[Found]:
    try:
        with member.open() as file:
            raw = file.read(NOTE_BYTES + 1)
        if len(raw) > NOTE_BYTES:
            yield Skipped(member.name, f"larger than {NOTE_BYTES:,} bytes")
            return
        text = raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        yield Skipped(member.name, f"not UTF-8 (byte {error.start})")
        return
    except UNREADABLE as error:
        yield Skipped(member.name, f"can't be read: {error}")
        return
    front, body = split(text)
    body = body.strip()
    title = first_text(front.get("title")) or member.name.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    if not body:
        yield Skipped(member.name, "no text")
        return
    prose = CODE.sub(" ", body)
    kind = first_text(front.get("type"))
    tags = [tag.removeprefix("#") for tag in [*words(front.get("tags")), *words(front.get("tag"))]]
    tags += [kind] if kind and kind != "note" else []
    tags += TAG.findall(prose)
    links = list(dict.fromkeys(link.strip() for link in LINK.findall(prose) if link.strip()))
    day = DAY.search(member.name.rsplit("/", 1)[-1])
    yield from made(
        member.name,
        key(path),
        body if body.startswith("# ") else f"# {title}\n\n{body}",
        dated(front) or (day[1] if day else None) or member.modified,
        context="import:notes" + (f" links: {', '.join(links)}" if links else ""),
        tags=list(dict.fromkeys(tags)),
        local=True,
    )


def dated(front: dict[str, str | list[str]]) -> str | None:
    """The first date that the front matter names."""
    return next((value for name in DATES if (value := first_text(front.get(name)))), None)


def first_text(value: str | list[str] | None) -> str:
    return (value[0] if value else "") if isinstance(value, list) else value or ""


def words(value: str | list[str] | None) -> list[str]:
    """Tags as a list, or as one text divided by commas, else by blanks."""
    if isinstance(value, str):
        value = texts(value) if "," in value else value.split()
    return value or []
