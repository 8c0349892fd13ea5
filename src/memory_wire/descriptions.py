"""Requests and responses of descriptions: what a model made of a document or a bundle. As types.py, for those operations.

Importable by every Python layer from the store upward; imports nothing of ours.
"""

from __future__ import annotations

from msgspec import Struct


class DescribeDoc(Struct, kw_only=True, forbid_unknown_fields=True):
    """What a model, `model`, made of one version of a document, default the newest. One without anything said takes it away."""

    id: str = ""
    model: str | None = None
    version: int | None = None
    summary: str | None = None
    themes: list[str] | None = None
    takeaways: list[str] | None = None
    insights: list[str] | None = None
    questions: list[str] | None = None
    bank: str | None = None


class DescribeBundle(Struct, kw_only=True, forbid_unknown_fields=True):
    """What a model made of a bundle: of the `documents` that it read, default all members. One without anything said takes it away."""

    id: str = ""
    model: str | None = None
    documents: list[str] | None = None
    summary: str | None = None
    themes: list[str] | None = None
    takeaways: list[str] | None = None
    insights: list[str] | None = None
    gaps: list[str] | None = None
    connections: list[str] | None = None
    bank: str | None = None


class Described(Struct, kw_only=True):
    """`described` is whether there is a description now."""

    id: str
    described: bool


class Source(Struct, frozen=True, array_like=True):
    """One document that a description was made of: its id, version and that version's hash (hexadecimal)."""

    doc: str
    version: int
    hash: str


class Description(Struct, kw_only=True, omit_defaults=True):
    """As it is kept."""

    model: str
    at: int
    sources: list[Source]
    summary: str = ""
    themes: list[str] = []
    takeaways: list[str] = []
    insights: list[str] = []
    questions: list[str] = []
    gaps: list[str] = []
    connections: list[str] = []
