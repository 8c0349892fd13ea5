"""Documents and bundles of a bank that is copied or merged into another. Used by moves.py, inside its transaction.

A copy has new ids, a moved document keeps its own. Hubs stay: one slug leads to one bank. What wasn't public before doesn't become so by
coming into a public hub: it comes as a draft.
"""

from __future__ import annotations

from msgspec import json

from memory_wire.descriptions import Description, Source
from memory_wire.service import chunking, passwords
from memory_wire.service.documents import current

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.service.service import Service
    from memory_wire.store.documents import Document
    from memory_wire.store.protocol import Tx
    from memory_wire.store.rows import Bank

PAGE = 50


def copied(tx: Tx, source: Bank, target: Bank, service: Service) -> int:
    """Copies documents with their versions and gates, and bundles of the copies; returns how many documents."""
    ids: dict[str, int] = {}
    names: dict[str, str] = {}
    after = 0
    while page := tx.documents.all(source, after, PAGE):
        for document in page:
            after, old, document.edit_token = document.id, document.public_id, None
            ids[old] = tx.documents.add(target, passwords.new_id(), document)
            tx.documents.copy_versions(after, document.id)
            names[old] = document.public_id
            tx.descriptions.put(document.id, renamed(tx.descriptions.get(after), names))
            indexed(tx, target, document, service)
    for bundle in tx.bundles.all(source):
        members = tx.bundles.members(bundle.id)
        bundle.public_id, bundle.analysis = passwords.new_id(), renamed(bundle.analysis, names)
        id = tx.bundles.add(target, bundle)
        for position, (member, annotation) in enumerate(members):
            tx.bundles.add_member(id, position, ids[member], annotation)
    return len(ids)


def renamed(description: str | None, names: dict[str, str]) -> str | None:
    """A description of documents that have other ids now."""
    if description is None:
        return None
    made = json.decode(description, type=Description)
    made.sources = [Source(names.get(one.doc, one.doc), one.version, one.hash) for one in made.sources]
    return json.encode(made).decode()


def moved(tx: Tx, source: Bank, target: Bank, service: Service) -> int:
    """Moves documents and bundles; returns how many documents."""
    hub = tx.hubs.of_bank(target.id)
    shown = hub is not None and bool(hub.public)
    count = 0
    while page := tx.documents.all(source, 0, PAGE):
        for document in page:
            chunking.removed(tx, source, tx.documents.chunks(document.id))
            if shown and not document.public:
                document.draft = 1
            tx.documents.move(document, target)
            indexed(tx, target, document, service)
            count += 1
    tx.bundles.move(source, target, hidden=shown)
    tx.hubs.reconcile(source.id)
    return count


def indexed(tx: Tx, target: Bank, document: Document, service: Service) -> None:
    """Makes the chunks of a document that has come."""
    if document.deleted is None:
        chunking.index(tx, target, document, current(tx, document, service.keys), service.keys, document.updated)
        tx.hubs.reconcile(target.id, document.id)
