"""Bundles as their owner reads them, and which one a request means. Called by the service; what everybody sees is public/bundle.py.

A bundle that is missing, deleted or another project's is unknown: one answer.
"""

from __future__ import annotations

from msgspec import json

from memory_wire import bundles as b
from memory_wire import config
from memory_wire import types as t
from memory_wire.errors import Unauthorized, UnknownBundle, UnknownDocument
from memory_wire.service import dates, gates, validate
from memory_wire.service.documents import flag, place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from memory_wire.store.bundles import Bundle
    from memory_wire.store.protocol import Tx
    from memory_wire.store.reader import Reader

    class Named(Protocol):
        """A request that names a bundle."""

        id: str
        bank: str | None


def named(source: Reader | Tx, request: Named, scope: t.Scope, deleted: bool = False) -> Bundle:
    """The bundle that a request is about. Raises UnknownBundle, WrongType."""
    bundle = source.bundles.by_id(scope.project, validate.text("id", request.id, config.KEY_CHARS))
    if bundle is None or request.bank not in (None, bundle.bank_name) or (bundle.deleted is not None and not deleted) or scope.keyless:
        raise UnknownBundle
    return bundle


def document_of(source: Reader | Tx, id: object, scope: t.Scope, bank: int) -> int:
    """A document of the bundle's bank. Raises UnknownDocument, WrongType."""
    document = source.documents.by_id(scope.project, validate.text("doc", id, config.KEY_CHARS))
    if document is None or document.bank != bank or document.deleted is not None:
        raise UnknownDocument
    return document.id


def get_bundle(reader: Reader, request: b.GetBundle, scope: t.Scope) -> b.Bundle:
    """A bundle with all its members. Raises UnknownBundle, WrongType."""
    return shown(reader, named(reader, request, scope))


def shown(source: Reader | Tx, bundle: Bundle) -> b.Bundle:
    """What the owner sees."""
    now = dates.now_ms()
    members = []
    for id, note in source.bundles.held(bundle.id):
        document = source.documents.get(id)
        members.append(
            b.BundleMemberRow(
                doc=document.public_id,
                title=document.title,
                url=f"/{document.public_id}",
                annotation=note,
                public=bool(document.public),
                gates=gates.gates(document, now),
            )
        )
    visible = sum(member.public for member in members)
    return b.Bundle(
        id=bundle.public_id,
        bank=bundle.bank_name,
        title=bundle.title,
        description=bundle.description,
        intent=bundle.intent,
        url=f"/b/{bundle.public_id}",
        raw_url=f"/raw/bundle/{bundle.public_id}",
        created_at=dates.stamp(bundle.created),
        updated_at=dates.stamp(bundle.updated),
        is_draft=bool(bundle.draft),
        discoverable=bool(bundle.discoverable),
        public=bool(bundle.public),
        gates=gates.gates(bundle, now),
        members=members,
        document_count=len(members),
        visible_count=visible,
        members_not_visible=len(members) - visible,
    )


def access_of(tx: Tx, bundle: Bundle, now: int) -> b.BundleAccess:
    members, visible = tx.bundles.counts(bundle.id)
    return b.BundleAccess(
        id=bundle.public_id,
        is_draft=bool(bundle.draft),
        has_password=bundle.password is not None,
        allowed_emails=json.decode(bundle.allowed) if bundle.allowed else [],
        expires_at=None if bundle.expires is None else dates.stamp(bundle.expires),
        deleted_at=None if bundle.deleted is None else dates.stamp(bundle.deleted),
        discoverable=bool(bundle.discoverable),
        public=bool(bundle.public),
        gates=gates.gates(bundle, now),
        members_not_visible=members - visible,
    )


def bundles(reader: Reader, request: b.ListBundles, scope: t.Scope) -> b.BundleList:
    """A page of the bank's bundles, the newest first. Raises Invalid, WrongType, UnknownDocument."""
    scope = place(request.bank, scope)
    if scope.keyless:
        raise Unauthorized("this needs a key")
    limit, before, deleted = gates.page_limit(request.limit), gates.cursor(request.cursor), flag("deleted", request.deleted)
    bank = reader.bank(scope.project, scope.bank)
    if bank is None:
        return b.BundleList(bundles=[], total=0)
    document = None if request.doc is None else document_of(reader, request.doc, scope, bank.id)
    rows = reader.bundles.page(bank, limit + 1, before, deleted, document)
    cursor = str(rows[limit - 1].id) if len(rows) > limit else None
    now = dates.now_ms()
    return b.BundleList(bundles=[row_of(reader, row, now) for row in rows[:limit]], total=reader.bundles.count(bank), cursor=cursor)


def row_of(reader: Reader, bundle: Bundle, now: int) -> b.BundleRow:
    members, visible = reader.bundles.counts(bundle.id)
    return b.BundleRow(
        id=bundle.public_id,
        title=bundle.title,
        url=f"/b/{bundle.public_id}",
        document_count=members,
        visible_count=visible,
        created_at=dates.stamp(bundle.created),
        updated_at=dates.stamp(bundle.updated),
        deleted_at=None if bundle.deleted is None else dates.stamp(bundle.deleted),
        discoverable=bool(bundle.discoverable),
        public=bool(bundle.public),
        gates=gates.gates(bundle, now),
    )


def embedded(source: Reader | Tx, bundle: Bundle, view: str = "owner") -> str:
    """The text that stands for a bundle among vectors: title, description, titles of its members in order; `public`: visible ones only."""
    held = source.bundles.held(bundle.id) if view == "owner" else source.bundles.visible(bundle.id)
    return "\n".join(filter(None, (bundle.title, bundle.description, *(source.documents.get(id).title for id, _ in held))))
