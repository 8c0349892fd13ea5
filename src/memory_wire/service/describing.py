"""Descriptions that models make of documents and bundles: kept with what they were made of. Called by the service.

A description is shown as a model's, as stale once a text isn't the one that it was made of, and to nobody who may not see all of them:
public/described.py.
"""

from __future__ import annotations

from msgspec import json

from memory_wire import config
from memory_wire import descriptions as n
from memory_wire import types as t
from memory_wire.errors import Invalid, UnknownDocument, UnknownVersion
from memory_wire.service import audit, bundled, documents, validate
from memory_wire.service.bundles import bank_of
from memory_wire.service.changes import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.service.service import Service
    from memory_wire.store.protocol import Tx

    Work = Callable[[Tx], Outcome]

LISTS = ("themes", "takeaways", "insights", "questions", "gaps", "connections")


def describe_doc(request: n.DescribeDoc, scope: t.Scope, service: Service) -> Work:
    """The work that keeps what a model made of a document. Raises Invalid, WrongType, UnknownDocument, UnknownVersion."""
    now = service.now()
    made = description(request, now)
    wanted = validate.unsigned("version", request.version)

    def work(tx: Tx) -> Outcome:
        document = documents.named(tx, request, scope)
        version = document.version if wanted is None else wanted
        if made is not None:
            made.sources = [source(tx, document.public_id, document.id, version)]
        tx.descriptions.put(document.id, kept(made))
        audit.note(tx, scope, documents.bank_of(tx, document, scope), "doc.describe", document.public_id, now, f"version {version}")
        return Outcome(n.Described(id=document.public_id, described=made is not None))

    return work


def describe_bundle(request: n.DescribeBundle, scope: t.Scope, service: Service) -> Work:
    """The work that keeps what a model made of a bundle. Raises Invalid, WrongType, UnknownBundle, UnknownDocument."""
    now = service.now()
    made = description(request, now)
    named = None if request.documents is None else validate.strings("documents", request.documents)

    def work(tx: Tx) -> Outcome:
        bundle = bundled.named(tx, request, scope)
        members = [tx.documents.get(id) for id, _ in tx.bundles.held(bundle.id)]
        by_id = {member.public_id: member for member in members if member.deleted is None}
        if made is not None:
            chosen = list(by_id) if named is None else list(dict.fromkeys(named))
            if not by_id.keys() >= set(chosen):
                raise UnknownDocument
            made.sources = [source(tx, id, by_id[id].id, by_id[id].version) for id in chosen]
        bundle.analysis, bundle.analysed = kept(made), None if made is None else now
        tx.bundles.set(bundle)
        audit.note(tx, scope, bank_of(tx, bundle, scope), "bundle.describe", bundle.public_id, now)
        return Outcome(n.Described(id=bundle.public_id, described=made is not None))

    return work


def description(request: n.DescribeDoc | n.DescribeBundle, now: int) -> n.Description | None:
    """What a request says, checked; None for nothing. Raises Invalid, WrongType."""
    found = n.Description(model="", at=now, sources=[])
    found.summary = said("summary", request.summary, config.DESCRIPTION_CHARS)
    for name in LISTS:
        values = validate.strings(name, getattr(request, name, None), wide=2)
        if len(values) > config.DESCRIPTION_LINES:
            raise Invalid(name, f"must be at most {config.DESCRIPTION_LINES}")
        setattr(found, name, [line for value in values if (line := said(name, value, config.DESCRIPTION_LINE_CHARS))])
    if not found.summary and not any(getattr(found, name) for name in LISTS):
        return None
    found.model = said("model", request.model, config.NAME_CHARS)
    if not found.model:
        raise Invalid("model", "must say which model made it")
    return found


def said(field: str, value: object, limit: int) -> str:
    """A text on one line. Raises Invalid, WrongType."""
    return documents.line(field, value, limit) or ""


def source(tx: Tx, public_id: str, document: int, version: int) -> n.Source:
    """A text that a description is made of. Raises UnknownVersion."""
    hash = tx.descriptions.hash(document, version)
    if hash is None:
        raise UnknownVersion
    return n.Source(public_id, version, hash.hex())


def kept(made: n.Description | None) -> str | None:
    return None if made is None else json.encode(made).decode()
