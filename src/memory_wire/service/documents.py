"""Documents: create, save, delete, restore, and which one a request means. Called by the service; loaded with the first document.

A document's text is only ever changed by a new version, and every change of text or gates makes index and public projection follow in its
transaction. One that is missing, deleted, another project's or another bank's than the one named is unknown: one answer.
"""

from __future__ import annotations

from memory_wire import config
from memory_wire import documents as d
from memory_wire import types as t
from memory_wire.errors import Forbidden, Invalid, Unauthorized, UnknownDocument
from memory_wire.kernels.text import content_hash
from memory_wire.service import audit, chunking, dates, memories, passwords, validate
from memory_wire.service.changes import Outcome
from memory_wire.service.chunking import Text
from memory_wire.service.rights import SAID
from memory_wire.store.documents import Document, VersionRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from memory_wire.service.keys import Keys
    from memory_wire.service.service import Service
    from memory_wire.store.protocol import Reader as Source
    from memory_wire.store.protocol import Tx
    from memory_wire.store.reader import Reader
    from memory_wire.store.rows import Bank

    Work = Callable[[Tx], Outcome]

    class Named(Protocol):
        """A request that names a document."""

        id: str
        bank: str | None


# which document --------------------------------------------------------------------------------------------------------------------


def place(bank: str | None, scope: t.Scope) -> t.Scope:
    """Where a request acts: in the bank that it names, if it does. Raises Invalid."""
    found = scope if bank is None else scope.at(bank)
    validate.scope(found)
    return found


def named(source: Source | Reader | Tx, request: Named, scope: t.Scope, token: str | None = None, deleted: bool = False) -> Document:
    """The document that a request is about. Raises UnknownDocument, WrongType.

    Who comes without a key to a server that wants one needs the document's edit token.
    """
    id = validate.text("id", request.id, config.KEY_CHARS)
    document = source.documents.by_id(scope.project, id)
    if document is None or request.bank not in (None, document.bank_name) or (document.deleted is not None and not deleted):
        raise UnknownDocument
    if scope.keyless and not passwords.token_fits(document.edit_token, token):
        raise UnknownDocument
    return document


def bank_of(tx: Tx, document: Document, scope: t.Scope) -> Bank:
    bank = tx.bank(scope.project, document.bank_name)
    assert bank is not None
    return bank


# text ------------------------------------------------------------------------------------------------------------------------------


def markdown(field: str, value: object) -> bytes:
    """A text as it is kept. Raises Invalid, WrongType."""
    given = validate.text(field, value, config.DOCUMENT_BYTES)
    raw = given.encode()
    if len(raw) > config.DOCUMENT_BYTES:
        raise Invalid(field, f"must be at most {config.DOCUMENT_BYTES:,} bytes")
    return raw


def line(field: str, value: object, limit: int) -> str | None:
    """A short text on one line; None for an empty one."""
    return " ".join(validate.text(field, value, limit).split()) or None if value is not None else None


def create_doc(request: d.CreateDoc, scope: t.Scope, service: Service) -> Work:
    """The work that makes a document. Raises Invalid, WrongType."""
    scope, keys, now = place(request.bank, scope), service.keys, service.now()
    title = line("title", request.title, config.DOCUMENT_TITLE_CHARS)
    text = Text(markdown("markdown", request.markdown), keys, title)
    source = line("source", request.source, config.DOCUMENT_SOURCE_CHARS)
    draft = flag("is_draft", request.is_draft)

    def work(tx: Tx) -> Outcome:
        bank = admitting(tx, scope) if scope.keyless else memories.created(tx, scope)
        document = fresh(text, now)
        document.titled, document.draft, document.source = int(title is not None), int(draft), source
        token = None
        if scope.keyless:
            token, document.edit_token = passwords.new_token()
        tx.documents.add(bank, passwords.new_id(), document)
        outcome = saved(tx, scope, service, bank, document, text, "create", now)
        if token is not None:
            assert isinstance(outcome.response, d.Saved)
            outcome.response.edit_token = token
        return outcome

    return work


def admitting(tx: Tx, scope: t.Scope) -> Bank:
    """A bank whose hub lets documents be made without a key. Raises Unauthorized, the same where there is none of that name."""
    bank = tx.bank(scope.project, scope.bank)
    hub = None if bank is None else tx.hubs.of_bank(bank.id)
    if bank is None or hub is None or not hub.admits(scope.exposed):
        raise Unauthorized("this needs a key")
    return bank


def fresh(text: Text, now: int) -> Document:
    """A row that isn't stored yet."""
    return Document(0, 0, "", "", text.title, 0, 0, 0, 0, None, None, None, None, None, None, now, now)


def flag(field: str, value: object) -> bool:
    """A truth value; None is false. Raises WrongType."""
    if value is not None and not isinstance(value, bool):
        raise validate.wrong_type(field, "a boolean")
    return bool(value)


def ordinal(value: object) -> int | None:
    """A number from 1. Raises Invalid, WrongType."""
    found = validate.unsigned("occurrence", value)
    if found == 0:
        raise Invalid("occurrence", "is counted from 1")
    return found


def saved(tx: Tx, scope: t.Scope, service: Service, bank: Bank, document: Document, text: Text, made: str, now: int) -> Outcome:
    """Stores a version and makes everything else follow it: the one way in which text comes into a document."""
    document.version += 1
    document.title, document.private, document.updated = text.title, int(text.private), now
    author = scope.caller.member if scope.caller is not None else None
    size = len(text.markdown)
    row = VersionRow(document.version, content_hash(text.markdown), now, author, made, size)
    tx.documents.put(document.id, row, text.markdown)
    if document.version > config.DOCUMENT_VERSIONS:
        tx.documents.trim(document.id, document.version - config.DOCUMENT_VERSIONS)
    tx.documents.set(document)
    chunks, changes = chunking.index(tx, bank, document, text, service.keys, now)
    tx.hubs.reconcile(bank.id, document.id)
    audit.note(tx, scope, bank, f"doc.{made}", document.public_id, now, f"version {document.version}")
    language = service.settings_of(bank, tx).language
    return Outcome(receipt(document, chunks), bank, language, changes, jobs=True)


def receipt(document: Document, chunks: d.Chunks, skipped: str | None = None) -> d.Saved:
    """What is answered to a save."""
    answer = d.Saved(
        id=document.public_id,
        bank=document.bank_name,
        title=document.title,
        version=document.version,
        url=f"/{document.public_id}",
        raw_url=f"/raw/{document.public_id}",
        chunks=chunks,
    )
    if skipped or not chunks.total:
        answer.skipped = skipped or "empty"
    return answer


# deletion --------------------------------------------------------------------------------------------------------------------------


def purging(value: object, scope: t.Scope) -> bool:
    """Whether something is deleted for good, which is an administrator's. Raises Forbidden, WrongType."""
    purge = flag("purge", value)
    if purge and ((scope.caller is not None and scope.caller.rights != "admin") or scope.keyless):
        raise Forbidden(SAID["admin"])
    return purge


def delete_doc(request: d.DeleteDoc, scope: t.Scope, service: Service) -> Work:
    """The work that takes a document out of everything, its versions kept; `purge` for good. Raises UnknownDocument, Forbidden."""
    now, purge = service.now(), purging(request.purge, scope)

    def work(tx: Tx) -> Outcome:
        document = named(tx, request, scope, deleted=purge)
        bank = bank_of(tx, document, scope)
        done = Outcome(d.DocDeleted(deleted=True, deleted_at=dates.stamp(now), purged=purge), bank, service.settings_of(bank, tx).language)
        if purge:
            from memory_wire.service import erasing  # few ever do

            done.changes, done.jobs = [*erasing.unshelved(tx, bank, document.id, document.public_id, now)], True
            erasing.later(tx, bank)
        else:
            done.changes = [*chunking.removed(tx, bank, tx.documents.chunks(document.id))]
            document.deleted = now
            tx.documents.set(document)
            tx.hubs.reconcile(bank.id, document.id)
        audit.note(tx, scope, bank, "doc.purge" if purge else "doc.delete", document.public_id, now)
        return done

    return work


def restore_doc(request: d.RestoreDoc, scope: t.Scope, service: Service) -> Work:
    """The work that brings a deleted document back, with the gates that it had. Raises UnknownDocument."""
    now, keys = service.now(), service.keys

    def work(tx: Tx) -> Outcome:
        document = named(tx, request, scope, deleted=True)
        bank = bank_of(tx, document, scope)
        text = current(tx, document, keys)
        if document.deleted is None:
            count = len(text.chunks)
            return Outcome(receipt(document, d.Chunks(total=count, reused=count), "unchanged"))
        document.deleted = None
        tx.documents.set(document)
        chunks, changes = chunking.index(tx, bank, document, text, keys, now)
        tx.hubs.reconcile(bank.id, document.id)
        audit.note(tx, scope, bank, "doc.restore", document.public_id, now)
        return Outcome(receipt(document, chunks), bank, service.settings_of(bank, tx).language, changes, jobs=True)

    return work


def current(source: Source | Tx, document: Document, keys: Keys) -> Text:
    """The newest text, under the title that it has."""
    return Text(source.documents.markdown(document.id, document.version) or b"", keys, document.title)
