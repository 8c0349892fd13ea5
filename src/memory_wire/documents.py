"""Requests and responses of documents and hubs. As types.py, for those operations.

Importable by every Python layer from the store upward; imports nothing of ours.
"""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType

# requests --------------------------------------------------------------------------------------------------------------------------


class CreateDoc(Struct, kw_only=True, forbid_unknown_fields=True):
    """A new document, kept byte for byte. Without a title it is called by its front matter, its first heading or its first line."""

    markdown: str
    title: str | None = None
    source: str | None = None
    is_draft: bool | None = None
    bank: str | None = None


class ReadDoc(Struct, kw_only=True):
    """Of one document: all of it, a section (by heading, `A > B` or `#anchor`; `subtree` with what is below it), or lines `first-last`.

    `offset` and `limit` are characters of that, `outline` asks for the headings instead, `version` for an older text.
    """

    id: str
    section: str | None = None
    occurrence: int | None = None
    subtree: bool | None = None
    lines: str | None = None
    outline: bool | None = None
    offset: int | None = None
    limit: int | None = None
    version: int | None = None
    bank: str | None = None


class ReplaceSection(Struct, kw_only=True, forbid_unknown_fields=True):
    """The section's new text. One that begins with a heading replaces the heading too; `subtree`: also what is below the section."""

    heading: str
    markdown: str
    occurrence: int | None = None
    subtree: bool | None = None


class UpdateDoc(Struct, kw_only=True, forbid_unknown_fields=True):
    """At most one of replace, append, prepend and replace_section. With `if_version` nothing happens unless that is the newest."""

    id: str = ""
    replace: str | None = None
    append: str | None = None
    prepend: str | None = None
    replace_section: ReplaceSection | None = None
    title: str | None = None
    source: str | None = None
    if_version: int | None = None
    bank: str | None = None
    edit_token: str | None = None


class WriteDoc(Struct, kw_only=True, forbid_unknown_fields=True):
    """For agents, all writing in one: without `id` a new document, else `mode` says what becomes of the old text."""

    markdown: str
    id: str | None = None
    mode: str | None = None
    section: str | None = None
    occurrence: int | None = None
    title: str | None = None
    source: str | None = None
    if_version: int | None = None
    is_draft: bool | None = None
    bank: str | None = None


class ListDocs(Struct, kw_only=True):
    """The bank's documents, the newest first; `deleted` ones instead."""

    deleted: bool | None = None
    limit: int | None = None
    cursor: str | None = None
    bank: str | None = None


class SetAccess(Struct, kw_only=True, forbid_unknown_fields=True):
    """Who may see a document. What isn't given stays; null, or an empty value, takes a gate away. Without any of them it only tells."""

    id: str = ""
    is_draft: bool | UnsetType = UNSET
    password: str | UnsetType | None = UNSET
    allowed_emails: list[str] | UnsetType | None = UNSET
    expires_at: str | UnsetType | None = UNSET
    password_page: bool | UnsetType = UNSET
    bank: str | None = None
    edit_token: str | None = None


class DeleteDoc(Struct, kw_only=True):
    """Softly; `purge`, an administrator's, for good with all versions."""

    id: str
    purge: bool | None = None
    bank: str | None = None


class RestoreDoc(Struct, kw_only=True, forbid_unknown_fields=True):
    id: str = ""
    bank: str | None = None


class ListVersions(Struct, kw_only=True):
    id: str
    limit: int | None = None
    cursor: str | None = None
    bank: str | None = None


class RevertDoc(Struct, kw_only=True, forbid_unknown_fields=True):
    """A new version with the text of an older one."""

    version: int
    id: str = ""
    if_version: int | None = None
    bank: str | None = None


class DiffDoc(Struct, kw_only=True):
    """From one version (default: the one before) to another (default: the newest)."""

    id: str
    old: int | None = None
    new: int | None = None
    bank: str | None = None


class SearchDocs(Struct, kw_only=True, forbid_unknown_fields=True):
    """Chunks of the bank's documents; `id` narrows it to one."""

    query: str
    id: str | None = None
    limit: int | None = None
    tags: list[str] | None = None
    bank: str | None = None


class PreviewDoc(Struct, kw_only=True, forbid_unknown_fields=True):
    """A text that is shown as its page would show it; nothing is kept."""

    markdown: str
    title: str | None = None


class PutHub(Struct, kw_only=True, forbid_unknown_fields=True):
    """Makes a bank a hub, or changes one. Nothing is public until `public` says so; what isn't given stays.

    `keyless_capture`: whether who has no key may make documents in it.
    """

    slug: str = ""
    bank: str | None = None
    display_name: str | None = None
    description: str | None = None
    instructions: str | None = None
    public: bool | None = None
    keyless_capture: bool | None = None


class GetHub(Struct, kw_only=True):
    slug: str


class ListHubs(Struct, kw_only=True):
    """The project's hubs; of one bank, if it is named."""

    bank: str | None = None


# responses -------------------------------------------------------------------------------------------------------------------------


class Chunks(Struct, kw_only=True):
    """What a write meant for the index. `total` is `indexed` and `reused`; `moved` are those of `reused` that stand elsewhere now.

    `left_out` are those beyond what is indexed of one document.
    """

    total: int = 0
    indexed: int = 0
    reused: int = 0
    pruned: int = 0
    moved: int = 0
    left_out: int = 0


class Saved(Struct, kw_only=True, omit_defaults=True):
    """`skipped`: the text is `unchanged`, so there is no new version, or `empty`. `edit_token` is shown once, to who came without a key."""

    id: str
    bank: str
    title: str
    version: int
    url: str
    raw_url: str
    chunks: Chunks
    skipped: str | UnsetType = UNSET
    edit_token: str | UnsetType = UNSET


class Heading(Struct, kw_only=True):
    """One line of an outline: lines of the section itself and of all below it, and its characters."""

    level: int
    title: str
    path: str
    anchor: str | None
    occurrence: int
    first_line: int
    last_line: int
    subtree_last_line: int
    chars: int


class Doc(Struct, kw_only=True, omit_defaults=True):
    """A document as it is read. `markdown` is what was asked for, `chars` how long that is as a whole; `next` is the offset that goes on.

    `first_line` and `last_line` are where it stands. `allowed` counts the addresses of the allow-list; `public` is what all gates mean.
    """

    id: str
    bank: str
    title: str
    version: int
    url: str
    raw_url: str
    created_at: str
    updated_at: str
    source: str | None
    is_draft: bool
    public: bool
    gates: list[str]
    bytes: int
    markdown: str | UnsetType = UNSET
    chars: int | UnsetType = UNSET
    first_line: int | UnsetType = UNSET
    last_line: int | UnsetType = UNSET
    outline: list[Heading] | UnsetType = UNSET
    truncated: bool | UnsetType = UNSET
    next: int | UnsetType = UNSET


class DocRow(Struct, kw_only=True):
    """A document in a list; `gates` are what keeps it from being public: draft, private, password, allow_list, expired, deleted, hub."""

    id: str
    title: str
    version: int
    url: str
    source: str | None
    created_at: str
    updated_at: str
    deleted_at: str | None
    public: bool
    gates: list[str]


class DocList(Struct, kw_only=True):
    """`cursor` gives the next page, None at the end; `total` counts what isn't deleted."""

    docs: list[DocRow]
    total: int
    cursor: str | None = None


class Access(Struct, kw_only=True):
    """The gates as they are; a password is never shown."""

    id: str
    is_draft: bool
    private: bool
    has_password: bool
    allowed_emails: list[str]
    expires_at: str | None
    deleted_at: str | None
    public: bool
    gates: list[str]
    password_page: bool = False


class DocDeleted(Struct, kw_only=True):
    deleted: bool
    deleted_at: str | None = None
    purged: bool = False


class DocVersion(Struct, kw_only=True):
    version: int
    at: str
    made: str | None
    bytes: int
    hash: str


class DocVersions(Struct, kw_only=True):
    """The newest first."""

    id: str
    versions: list[DocVersion]
    cursor: str | None = None


class DocDiff(Struct, kw_only=True):
    """`diff` is in the unified format; `truncated`: it was longer."""

    id: str
    old: int
    new: int
    added: int
    deleted: int
    diff: str
    truncated: bool = False


class DocPreview(Struct, kw_only=True):
    """`html` is made of fixed elements and escaped text, without a first heading that only repeats the title. `plain`: it could not be
    rendered, and is the text as it is."""

    title: str
    html: str
    plain: bool = False


class DocHit(Struct, kw_only=True):
    """A chunk that answers: `document` is the document's id, `id` the chunk's."""

    id: str
    document: str
    title: str
    breadcrumb: str
    anchor: str | None
    first_line: int
    last_line: int
    content: str
    score: float
    relevance: float
    updated_at: str
    url: str


class DocHits(Struct, kw_only=True):
    """`degraded` says what is missing, as a rebuild of the index that is under way."""

    results: list[DocHit]
    degraded: str | None = None


class Hub(Struct, kw_only=True):
    """A bank with a slug. `documents` aren't deleted, `visible` are public; `keyless_capture` null: over a loopback address only."""

    slug: str
    bank: str
    display_name: str
    description: str
    instructions: str
    public: bool
    url: str
    raw_url: str
    documents: int
    visible: int
    keyless_capture: bool | None
    created_at: str


class Hubs(Struct, kw_only=True):
    hubs: list[Hub]
