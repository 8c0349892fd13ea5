"""Lines of the raw markdown that is made of a hub: front matter, documents, counts, how much of a list is shown."""

from __future__ import annotations

from memory_wire.public.payload import address, escaped, linked, matter
from memory_wire.service.dates import stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.public.atlas import Atlas
    from memory_wire.service.service import Service
    from memory_wire.store.graph import Page


def document(service: Service, page: Page) -> str:
    """A document by its title, leading to it."""
    return linked(page.title, address(service, f"/{page.public_id}"))


def documents(service: Service, atlas: Atlas, ids: list[str], most: int, total: int) -> str:
    """The first of some documents, by title, and how many of `total` that leaves out."""
    shown = [document(service, atlas.pages[id]) for id in ids[:most]]
    return ", ".join(shown) + (f" and {total - len(shown)} more" if total > len(shown) else "")


def counted(number: int, noun: str) -> str:
    """`1 document`, `2 documents`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def cut(shown: int, total: int, noun: str) -> list[str]:
    """A line that says that not all are shown, if so."""
    return [f"_{shown:,} of {counted(total, noun)} are shown._", ""] if total > shown else []


def head(service: Service, atlas: Atlas, type: str, suffix: str, *more: tuple[str, str | int | None]) -> str:
    """Front matter and title of a text about a whole hub."""
    hub = atlas.hub
    name = hub.display_name or hub.slug
    fields: list[tuple[str, str | int | None]] = [
        ("type", type),
        ("slug", hub.slug),
        ("title", name + suffix),
        ("url", address(service, f"/hub/{hub.slug}")),
        ("document_count", len(atlas.documents)),
        ("updated", updated(atlas)),
    ]
    return f"{matter([*fields, *more])}# {escaped(name)}{suffix}\n\n"


def updated(atlas: Atlas) -> str | None:
    """When a document that is shown was changed last."""
    return stamp(max(page.updated for page in atlas.documents)) if atlas.documents else None
