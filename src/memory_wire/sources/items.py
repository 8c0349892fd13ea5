"""What a foreign source yields, whatever its format: memories to be, and an account of everything that is none.

Readers are generators of `Found`; they parse and decide nothing about storing. The command line's `import` and `seed` are the only callers.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from msgspec import Struct

from memory_wire.config import KEY_CHARS
from memory_wire.sources.dates import moment


class Item(Struct, kw_only=True):
    """One memory to be. `place` is where it stands in its source; `document_id` is the same whenever that source is read again."""

    place: str
    document_id: str
    content: str
    created_at: str | None = None
    context: str | None = None
    tags: list[str] = []
    session: str | None = None


class Skipped(Struct):
    """Something that should have been a memory and can't be: damaged, without text, too long."""

    place: str
    reason: str


class Ignored(Struct):
    """What is left out on purpose, by kind: attachments, tool calls, other branches."""

    kind: str
    count: int = 1


Found = Item | Skipped | Ignored


def made(
    place: str,
    document_id: str,
    content: str,
    at: object = None,
    *,
    context: str | None = None,
    tags: list[str] | None = None,
    session: str | None = None,
    local: bool = False,
) -> Iterator[Found]:
    """The item, or why there is none. `at` is a date as the source writes it, `local` says that one without a zone is this machine's."""
    if not content.strip():
        yield Skipped(place, "no text")
        return
    try:
        created = moment(at, local)
    except ValueError:
        created = None
        yield Ignored("unreadable dates, stored with the date of the import")
    yield Item(
        place=place,
        document_id=document_id,
        content=content.replace("\0", "\ufffd"),
        created_at=created,
        context=context,
        tags=[tag for tag in tags or [] if tag.strip()],
        session=session,
    )


def key(*parts: str) -> str:
    """A document id or session of several parts; one that would be too long ends in a digest."""
    whole = ":".join(part.replace("\0", "\ufffd") for part in parts)
    if len(whole) <= KEY_CHARS:
        return whole
    return f"{whole[: KEY_CHARS - 65]}:{sha256(whole.encode(errors='surrogatepass')).hexdigest()}"


def digest(text: str) -> str:
    """A short name of a text that has none of its own."""
    return sha256(text.encode(errors="surrogatepass")).hexdigest()[:32]


def turn_text(user: str, assistant: str) -> str:
    """A turn as it is stored: who said what, either side may be missing."""
    said = [f"[{name}] {text.strip()}" for name, text in (("user", user), ("assistant", assistant)) if text.strip()]
    return "\n".join(said)


def text_of(value: object) -> str:
    """The value as text, if it is one."""
    return value if isinstance(value, str) else ""


def texts(value: object) -> list[str]:
    """The strings of a list, or of a text of words divided by commas."""
    if isinstance(value, str):
        value = value.split(",")
    return [entry.strip() for entry in value if isinstance(entry, str) and entry.strip()] if isinstance(value, list) else []


def records(value: object) -> list[dict[str, object]]:
    """The objects of a list."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def mapping(value: object) -> dict[str, object]:
    """The value, if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}
