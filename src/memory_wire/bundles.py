"""Requests and responses of bundles: ordered documents with annotations, shared under one address. As types.py, for those operations.

Importable by every Python layer from the store upward; imports nothing of ours.
"""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType

# requests --------------------------------------------------------------------------------------------------------------------------


class Member(Struct, kw_only=True, forbid_unknown_fields=True):
    """A document in a bundle; `annotation` says why it is there."""

    doc: str
    annotation: str | None = None


class CreateBundle(Struct, kw_only=True, forbid_unknown_fields=True):
    """A new bundle of documents of one bank, in reading order. `intent` is the question that it answers."""

    title: str
    description: str | None = None
    intent: str | None = None
    members: list[Member] | None = None
    is_draft: bool | None = None
    bank: str | None = None


class GetBundle(Struct, kw_only=True):
    id: str
    bank: str | None = None


class UpdateBundle(Struct, kw_only=True, forbid_unknown_fields=True):
    """What isn't given stays; an empty description or intent is taken away.

    `members` are all of them anew; `add` puts documents at the end, or changes the annotation of one that is there; `remove` takes out.
    """

    id: str = ""
    title: str | None = None
    description: str | None = None
    intent: str | None = None
    members: list[Member] | None = None
    add: list[Member] | None = None
    remove: list[str] | None = None
    bank: str | None = None


class ListBundles(Struct, kw_only=True):
    """The bank's bundles, the newest first; `deleted` ones instead, or those that hold one document."""

    deleted: bool | None = None
    doc: str | None = None
    limit: int | None = None
    cursor: str | None = None
    bank: str | None = None


class SetBundleAccess(Struct, kw_only=True, forbid_unknown_fields=True):
    """Who may see a bundle. What isn't given stays; null, or an empty value, takes a gate away. Members keep their own gates.

    `discoverable` lists it where people look for bundles; only for one that is no draft and has no gate.
    """

    id: str = ""
    is_draft: bool | UnsetType = UNSET
    password: str | UnsetType | None = UNSET
    allowed_emails: list[str] | UnsetType | None = UNSET
    expires_at: str | UnsetType | None = UNSET
    discoverable: bool | UnsetType = UNSET
    bank: str | None = None


class DeleteBundle(Struct, kw_only=True):
    """Softly; `purge`, an administrator's, for good. Its documents stay."""

    id: str
    purge: bool | None = None
    bank: str | None = None


class RestoreBundle(Struct, kw_only=True, forbid_unknown_fields=True):
    id: str = ""
    bank: str | None = None


# responses -------------------------------------------------------------------------------------------------------------------------


class BundleMemberRow(Struct, kw_only=True):
    """A member as the owner sees it; `gates` are what keeps the document from everybody."""

    doc: str
    title: str
    url: str
    annotation: str | None
    public: bool
    gates: list[str]


class Bundle(Struct, kw_only=True):
    """A bundle with all its members. Everybody sees `visible_count` of them, so `members_not_visible` are missing in what is shared."""

    id: str
    bank: str
    title: str
    description: str | None
    intent: str | None
    url: str
    raw_url: str
    created_at: str
    updated_at: str
    is_draft: bool
    discoverable: bool
    public: bool
    gates: list[str]
    members: list[BundleMemberRow]
    document_count: int
    visible_count: int
    members_not_visible: int


class BundleRow(Struct, kw_only=True):
    """A bundle in a list; `gates` are what keeps it from being public: draft, password, allow_list, expired, deleted, hub."""

    id: str
    title: str
    url: str
    document_count: int
    visible_count: int
    created_at: str
    updated_at: str
    deleted_at: str | None
    discoverable: bool
    public: bool
    gates: list[str]


class BundleList(Struct, kw_only=True):
    """`cursor` gives the next page, None at the end; `total` counts what isn't deleted."""

    bundles: list[BundleRow]
    total: int
    cursor: str | None = None


class BundleAccess(Struct, kw_only=True):
    """The gates as they are; a password is never shown. Publishing a bundle publishes no document: `members_not_visible` aren't public."""

    id: str
    is_draft: bool
    has_password: bool
    allowed_emails: list[str]
    expires_at: str | None
    deleted_at: str | None
    discoverable: bool
    public: bool
    gates: list[str]
    members_not_visible: int
