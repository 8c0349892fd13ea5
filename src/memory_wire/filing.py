"""Requests and responses of bringing documents in: many at once, a folder's, files of other formats. As types.py, for those operations.

Importable by every Python layer from the store upward; imports nothing of ours.
"""

from __future__ import annotations

from msgspec import Struct

# requests --------------------------------------------------------------------------------------------------------------------------


class NewDoc(Struct, kw_only=True, forbid_unknown_fields=True):
    """A document by where it comes from. `title` is for a text that has none of its own (default: the source's file name)."""

    source: str
    markdown: str
    title: str | None = None


class WriteDocs(Struct, kw_only=True, forbid_unknown_fields=True):
    """Documents, each known by its `source` within the bank: a new one is made, one with another text gets a new version.

    `origin` is the place behind the sources, such as a folder's path, never shown. What has another one is left alone, unless `moved`.
    """

    docs: list[NewDoc]
    origin: str | None = None
    moved: bool | None = None
    is_draft: bool | None = None
    bank: str | None = None


class FileSeen(Struct, kw_only=True, forbid_unknown_fields=True):
    """A file: `path` within its folder, divided by `/`; `hash`: 32 hexadecimal digits, half of SHA-256; empty: it is left alone."""

    path: str
    hash: str


class SyncDocs(Struct, kw_only=True, forbid_unknown_fields=True):
    """What a folder holds now. Its documents are those whose source begins with `folder` and a slash.

    `delete`: also when more than half of them would go.
    """

    folder: str
    files: list[FileSeen]
    origin: str | None = None
    moved: bool | None = None
    delete: bool | None = None
    dry_run: bool | None = None
    bank: str | None = None


class NewFile(Struct, kw_only=True, forbid_unknown_fields=True):
    """A file: its name, and its content as `text` or in base64 as `data`. `kind` says the format where name and content don't."""

    name: str
    text: str | None = None
    data: str | None = None
    kind: str | None = None


class ImportDocs(Struct, kw_only=True, forbid_unknown_fields=True):
    """Files that become documents, as in WriteDocs; or a shared chat by its `url`, where the bank's configuration allows it."""

    files: list[NewFile] = []
    url: str | None = None
    is_draft: bool | None = None
    bank: str | None = None


# responses -------------------------------------------------------------------------------------------------------------------------


class DocFiled(Struct, kw_only=True):
    """What became of one document: `state` is created, changed, unchanged or restored."""

    id: str
    source: str
    title: str
    version: int
    state: str
    url: str


class Warned(Struct, kw_only=True):
    """Something that could not be taken, and why."""

    name: str
    reason: str


class DocsFiled(Struct, kw_only=True):
    """The documents in order; what could not be taken is in `warnings`."""

    docs: list[DocFiled]
    warnings: list[Warned] = []


class DocMoved(Struct, kw_only=True):
    id: str
    old: str
    new: str


class DocsSynced(Struct, kw_only=True):
    """What was done, by paths in the folder. `wanted` are those whose text is missing; `more`: ask again, there is more to do."""

    unchanged: int
    wanted: list[str]
    moved: list[DocMoved]
    deleted: list[str]
    restored: list[str]
    more: bool = False
