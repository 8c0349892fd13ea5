"""Who may see a document or bundle: its gates, and the list of a bank's documents that shows them. Called by the service."""

from __future__ import annotations

from msgspec import UNSET, json

from memory_wire import bundles as b
from memory_wire import config
from memory_wire import documents as d
from memory_wire import types as t
from memory_wire.errors import Invalid, Unauthorized
from memory_wire.service import audit, dates, passwords, validate
from memory_wire.service.changes import Outcome
from memory_wire.service.documents import bank_of, flag, named, place
from memory_wire.store.documents import Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.service.service import Service
    from memory_wire.store.bundles import Bundle
    from memory_wire.store.protocol import Tx
    from memory_wire.store.reader import Reader

    Work = Callable[[Tx], Outcome]


# gates -----------------------------------------------------------------------------------------------------------------------------


def gates(row: Document | Bundle, now: int) -> list[str]:
    """What keeps a document or bundle from being public."""
    held = (
        ("deleted", row.deleted is not None),
        ("draft", row.draft),
        ("private", isinstance(row, Document) and row.private),
        ("password", row.password is not None),
        ("allow_list", row.allowed is not None),
        ("expired", row.expires is not None and row.expires <= now),
    )
    found = [name for name, holds in held if holds]
    return found if found or row.public else ["hub"]


def change_of(request: d.SetAccess | b.SetBundleAccess) -> Callable[[Document | Bundle], None]:
    """Sets the gates that a request names. Raises Invalid, WrongType."""
    draft = None if request.is_draft is UNSET else flag("is_draft", request.is_draft)
    password = password_of(request.password)
    allowed = None if request.allowed_emails is UNSET else addresses(request.allowed_emails)
    expires = None if request.expires_at is UNSET else validate.moment("expires_at", request.expires_at or None)

    def change(row: Document | Bundle) -> None:
        if draft is not None:
            row.draft = int(draft)
        if request.password is not UNSET:
            row.password = password
        if request.allowed_emails is not UNSET:
            row.allowed = allowed
        if request.expires_at is not UNSET:
            row.expires = expires

    return change


def set_access(request: d.SetAccess, scope: t.Scope, service: Service) -> Work:
    """The work that sets gates; the public projection follows at once. Raises Invalid, WrongType, UnknownDocument."""
    now, change = service.now(), change_of(request)
    asking = None if request.password_page is UNSET else flag("password_page", request.password_page)
    asks = all(getattr(request, gate) is UNSET for gate in ("is_draft", "password", "allowed_emails", "expires_at", "password_page"))

    def work(tx: Tx) -> Outcome:
        document = named(tx, request, scope, request.edit_token)
        if asks:
            return Outcome(access_of(tx, document, now))
        bank = bank_of(tx, document, scope)
        change(document)
        tx.documents.set(document)
        if asking is not None:
            tx.guests.ask(document.id, asking)
        tx.hubs.reconcile(bank.id, document.id)
        after = tx.documents.by_id(scope.project, document.public_id)
        assert after is not None
        audit.note(tx, scope, bank, "doc.access", document.public_id, now, ", ".join(gates(after, now)) or "public")
        return Outcome(access_of(tx, after, now), jobs=service.has_embedded(tx, bank))  # bundles say who is in them

    return work


def password_of(value: object) -> bytes | None:
    """What is kept of a password; None for an empty one. Raises Invalid, WrongType."""
    if value is UNSET or value is None:
        return None
    given = validate.text("password", value, config.PASSWORD_CHARS)
    return passwords.hashed(given) if given else None


def addresses(value: object) -> str | None:
    """An allow-list as it is kept; None for an empty one. Raises Invalid, WrongType."""
    found: dict[str, None] = {}
    for entry in validate.strings("allowed_emails", value):
        address = entry.strip().lower()
        user, at, host = address.rpartition("@")
        if not (user and at and "." in host) or len(address) > config.EMAIL_CHARS or not address.isprintable() or " " in address:
            raise Invalid("allowed_emails", "must be e-mail addresses")
        found[address] = None
    if len(found) > config.ALLOWED_EMAILS:
        raise Invalid("allowed_emails", f"must be at most {config.ALLOWED_EMAILS}")
    return json.encode(list(found)).decode() if found else None


def access_of(tx: Tx, document: Document, now: int) -> d.Access:
    return d.Access(
        id=document.public_id,
        is_draft=bool(document.draft),
        private=bool(document.private),
        has_password=document.password is not None,
        allowed_emails=json.decode(document.allowed) if document.allowed else [],
        expires_at=None if document.expires is None else dates.stamp(document.expires),
        deleted_at=None if document.deleted is None else dates.stamp(document.deleted),
        public=bool(document.public),
        gates=gates(document, now),
        password_page=tx.guests.asks(document.id),
    )


# list ------------------------------------------------------------------------------------------------------------------------------


def docs(reader: Reader, request: d.ListDocs, scope: t.Scope) -> d.DocList:
    """A page of the bank's documents, the newest first. Raises Invalid, WrongType."""
    scope = place(request.bank, scope)
    if scope.keyless:
        raise Unauthorized("this needs a key")
    limit, before, deleted = page_limit(request.limit), cursor(request.cursor), flag("deleted", request.deleted)
    bank = reader.bank(scope.project, scope.bank)
    if bank is None:
        return d.DocList(docs=[], total=0)
    rows = reader.documents.page(bank, limit + 1, before, deleted)
    now = dates.now_ms()
    shown = [row_of(row, now) for row in rows[:limit]]
    return d.DocList(docs=shown, total=reader.documents.count(bank), cursor=str(rows[limit - 1].id) if len(rows) > limit else None)


def page_limit(value: object) -> int:
    """How many rows a page has. Raises Invalid, WrongType."""
    limit = validate.unsigned("limit", value)
    if limit is None:
        return config.PAGE_LIMIT
    if not 1 <= limit <= config.PAGE_MAX:
        raise Invalid("limit", f"must be 1 to {config.PAGE_MAX}")
    return limit


def cursor(value: object) -> int:
    """Where a page goes on. Raises Invalid."""
    if value is None:
        return (1 << 63) - 1
    text = validate.text("cursor", value, 20)
    if not (text.isascii() and text.isdigit()) or len(text) > 18:
        raise Invalid("cursor", "is none that was given")
    return int(text)


def row_of(document: Document, now: int) -> d.DocRow:
    return d.DocRow(
        id=document.public_id,
        title=document.title,
        version=document.version,
        url=f"/{document.public_id}",
        source=document.source,
        created_at=dates.stamp(document.created),
        updated_at=dates.stamp(document.updated),
        deleted_at=None if document.deleted is None else dates.stamp(document.deleted),
        public=bool(document.public),
        gates=gates(document, now),
    )
