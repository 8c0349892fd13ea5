"""Requests and responses of uploaded sessions: what was said in agents' sessions, cleaned by who uploads them. As types.py, for those.

Importable by every Python layer from the store upward; imports nothing of ours.
"""

from __future__ import annotations

from msgspec import Struct


class SessionLine(Struct, kw_only=True, forbid_unknown_fields=True):
    """One message: `role` is user, assistant, call or tool; of a call and its result, `name` is the tool's."""

    role: str
    text: str
    name: str | None = None
    at: str | None = None


class PutSession(Struct, kw_only=True, forbid_unknown_fields=True):
    """Lines made of the bytes of a file from `offset` to `upto`. The id is the uploader's; `offset` must be what the server says."""

    id: str
    host: str
    offset: int
    upto: int
    lines: list[SessionLine]


class OfSession(Struct, kw_only=True):
    id: str


class ListSessions(Struct, kw_only=True):
    limit: int | None = None
    offset: int | None = None


class ReadSession(Struct, kw_only=True):
    """`limit` lines after the first `offset`."""

    id: str
    limit: int | None = None
    offset: int | None = None


class SessionRow(Struct, kw_only=True):
    """`offset` is how far the file was taken; `lines` are those kept, `bytes` what they take up."""

    id: str
    host: str
    offset: int
    lines: int
    bytes: int
    created_at: str
    updated_at: str


class Sessions(Struct, kw_only=True):
    """A page, last changed first, with the count of all and the bytes that the project may and does hold."""

    sessions: list[SessionRow]
    total: int
    bytes: int
    most: int


class SessionLines(Struct, kw_only=True):
    id: str
    lines: list[SessionLine]
    total: int


class SessionDeleted(Struct, kw_only=True):
    deleted: bool
