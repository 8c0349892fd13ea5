"""Requests and responses about how documents, bundles and hubs hang together. As types.py, for those operations.

Importable by every Python layer from the store upward; imports nothing of ours.
"""

from __future__ import annotations

from msgspec import Struct

# cross references ------------------------------------------------------------------------------------------------------------------


class CrossRefs(Struct, kw_only=True):
    """The most cited documents, bundles and hubs, up to `limit` of each (20, at most 100)."""

    limit: int | None = None


class CrossRef(Struct, kw_only=True):
    """What is cited, and by how many documents."""

    id: str
    title: str
    url: str
    count: int


class CrossRefTotals(Struct, kw_only=True):
    """How many documents cite something, and how many targets of each kind are cited."""

    sources: int
    docs: int
    bundles: int
    hubs: int


class CrossRefsFound(Struct, kw_only=True):
    docs: list[CrossRef]
    bundles: list[CrossRef]
    hubs: list[CrossRef]
    totals: CrossRefTotals
    truncated: bool = False


class Backlink(Struct, kw_only=True):
    """A document that cites another one."""

    id: str
    title: str
    url: str


# suggestions -----------------------------------------------------------------------------------------------------------------------


class ListSuggestions(Struct, kw_only=True):
    """Bundles that could be made of the hub's recent documents."""

    slug: str


class SuggestedDoc(Struct, kw_only=True):
    id: str
    title: str
    url: str


class Suggestion(Struct, kw_only=True):
    """Documents that belong together: `reason` says why, `basis` by what they were compared: vectors or lexical."""

    id: str
    title: str
    reason: str
    basis: str
    docs: list[SuggestedDoc]


class Suggestions(Struct, kw_only=True):
    suggestions: list[Suggestion]
    accepted: int = 0
    dismissed: int = 0


class AcceptSuggestion(Struct, kw_only=True, forbid_unknown_fields=True):
    """Makes the bundle, a draft unless `is_draft` says otherwise, under another title if one is given."""

    slug: str = ""
    id: str = ""
    title: str | None = None
    is_draft: bool | None = None


class DismissSuggestion(Struct, kw_only=True):
    """It is never proposed again."""

    slug: str
    id: str


class Dismissed(Struct, kw_only=True):
    dismissed: bool


# the owner's view ------------------------------------------------------------------------------------------------------------------


class InspectHub(Struct, kw_only=True):
    """What the owner sees of the whole hub, drafts and all: its `digest`, `graph`, `picture`, `lint`, `log` or `queries`."""

    slug: str
    what: str = "digest"


class Inspected(Struct, kw_only=True):
    """One of them: `type` is its content type, `text` the markdown, JSON or SVG."""

    what: str
    type: str
    text: str
