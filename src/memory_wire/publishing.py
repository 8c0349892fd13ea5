"""Requests of the public surfaces, and what they answer with: bytes of a content type. As types.py, for those operations.

Importable by every Python layer from the store upward; imports nothing of ours.
"""

from __future__ import annotations

from msgspec import Struct

HEARD = {"accept": b"accept", "agent": b"user-agent", "if_none_match": b"if-none-match"}  # fields that a server fills from headers
HTML = "text/html; charset=utf-8"
MARKDOWN = "text/markdown; charset=utf-8"
TEXT = "text/plain; charset=utf-8"
NEGOTIATED = "Accept, User-Agent"  # `vary` of what is a page for people and markdown for programs at one address
TRANSPORT = frozenset(  # headers of an answer that are no part of a payload
    ("connection", "content-length", "content-security-policy", "date", "referrer-policy", "x-content-type-options")
)


class Payload(Struct, kw_only=True):
    """Whole as it is sent. Names in `headers` are in lower case; `etag` is made of the body when it is empty; `cache` is Cache-Control.

    A function of what is public and of the request alone: times are those of rows, order is total, so that an ETag holds.
    """

    body: bytes
    type: str = MARKDOWN
    headers: dict[str, str] = {}
    etag: str = ""
    cache: str = "public, max-age=60"
    vary: str = ""
    status: int = 200


class Heard(Struct, kw_only=True):
    """What a server adds from the request's headers; whoever asks in the process itself leaves it empty. Never parameters of a query."""

    accept: str = ""
    agent: str = ""
    if_none_match: str = ""


# pages -----------------------------------------------------------------------------------------------------------------------------


class ViewDoc(Heard, kw_only=True):
    """A document's page, or its markdown for who prefers that. The id may end in `.md` or `.txt`; `link` is a one-time link's token."""

    id: str
    link: str = ""
    at: str = ""
    compact: str = ""


class ViewBundle(Heard, kw_only=True):
    """A bundle's page, or its markdown."""

    id: str
    full: str = ""
    digest: str = ""
    graph: str = ""
    compact: str = ""


class ViewHub(Heard, kw_only=True):
    """A hub's page, or its digest. `q` searches it; `page` is that of its documents, counted from 1."""

    slug: str
    q: str = ""
    page: str = ""
    at: str = ""
    since: str = ""
    full: str = ""
    digest: str = ""
    compact: str = ""


class ViewConcept(Heard, kw_only=True):
    """What a hub's documents say of one concept."""

    slug: str
    concept: str
    compact: str = ""


class ViewGraph(Heard, kw_only=True):
    """The picture of a hub."""

    slug: str


# markdown --------------------------------------------------------------------------------------------------------------------------


class RawDoc(Struct, kw_only=True):
    """A document as markdown: front matter, the text byte for byte, what is around it. `at` is a moment of the past."""

    id: str
    compact: str = ""
    at: str = ""


class RawBundle(Struct, kw_only=True):
    """A bundle as markdown: a digest, or `full`; without concepts and relations by `graph=0`."""

    id: str
    full: str = ""
    digest: str = ""
    graph: str = ""
    compact: str = ""


class RawHub(Struct, kw_only=True):
    """A hub as markdown: a digest of its concepts, or by `full=1` or `digest=0` a list of all that it has.

    `since` limits it to what is newer; `at` lists what was there at a moment of the past.
    """

    slug: str
    full: str = ""
    digest: str = ""
    since: str = ""
    at: str = ""
    compact: str = ""


class HubText(Struct, kw_only=True):
    """What a hub has for programs: an index, or all of its texts in one."""

    slug: str
    compact: str = ""


class Discover(Struct, kw_only=True):
    """Bundles of all hubs whose owners want them to be found."""


class Style(Struct, kw_only=True):
    """The style sheet of all pages."""
