"""Requests and responses of pages that some may read: links that open a document, and its password. As types.py, for those operations.

Importable by every Python layer from the store upward; imports nothing of ours but publishing.py.
"""

from __future__ import annotations

from msgspec import Struct


class CreateLink(Struct, kw_only=True, forbid_unknown_fields=True):
    """A link that opens the page of a document with an allow-list or a password, `uses` times (1) for `days` (7)."""

    id: str = ""
    uses: int | None = None
    days: int | None = None
    bank: str | None = None


class DropLinks(Struct, kw_only=True):
    """Ends all links to a document."""

    id: str
    bank: str | None = None


class UnlockDoc(Struct, kw_only=True):
    """The password that a page asked for."""

    id: str
    password: str = ""


class Link(Struct, kw_only=True):
    """The token in `url` is shown this once; what is kept of it opens nothing."""

    id: str
    url: str
    uses: int
    expires_at: str


class LinksDropped(Struct, kw_only=True):
    dropped: int
