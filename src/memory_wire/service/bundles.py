"""Bundles: documents of one bank in reading order, shared under one address. Called by the service; loaded with the first bundle.

Nothing that is done to a bundle changes a document: one that isn't public stays so, is missing in what everybody sees of the bundle, and is
counted to the owner alone.
"""

from __future__ import annotations

from msgspec import UNSET

from memory_wire import bundles as b
from memory_wire import config
from memory_wire import documents as d
from memory_wire import types as t
from memory_wire.errors import Invalid, Unauthorized, UnknownDocument
from memory_wire.service import audit, dates, gates, memories, passwords, validate
from memory_wire.service.bundled import access_of, document_of, named, shown
from memory_wire.service.changes import Outcome
from memory_wire.service.documents import flag, line, place, purging
from memory_wire.store.bundles import Bundle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.service.service import Service
    from memory_wire.store.bundles import Members
    from memory_wire.store.protocol import Tx
    from memory_wire.store.rows import Bank

    Work = Callable[[Tx], Outcome]

LOCKED = ("deleted", "draft", "password", "allow_list", "expired")
DISCOVERABLE = "only a bundle that is no draft and has no password, allow-list or passed expiry can be"

# values ----------------------------------------------------------------------------------------------------------------------------


def members_of(tx: Tx, given: list[b.Member] | None, scope: t.Scope, bank: int) -> Members:
    """Members as they are kept, each document once, where it is named first. Raises Invalid, WrongType, UnknownDocument."""
    if not isinstance(given, list | None):
        raise validate.wrong_type("members", "an array")
    found: dict[int, str | None] = {}
    for member in given or []:
        note = line("annotation", member.annotation, config.ANNOTATION_CHARS)
        found.setdefault(document_of(tx, member.doc, scope, bank), note)
    return bounded(list(found.items()))


def bounded(members: Members) -> Members:
    """Raises Invalid."""
    if len(members) > config.BUNDLE_MEMBERS:
        raise Invalid("members", f"must be at most {config.BUNDLE_MEMBERS}")
    return members


def title_of(value: object) -> str:
    """Raises Invalid, WrongType."""
    title = line("title", value, config.BUNDLE_TITLE_CHARS)
    if title is None:
        raise Invalid("title", "must say something")
    return title


def prose(field: str, value: object) -> str | None:
    """A text about the bundle; None for an empty one or none. Raises Invalid, WrongType."""
    return validate.text(field, value, config.BUNDLE_DESCRIPTION_CHARS).strip() or None if value is not None else None


# changes ---------------------------------------------------------------------------------------------------------------------------


def create_bundle(request: b.CreateBundle, scope: t.Scope, service: Service) -> Work:
    """The work that makes a bundle. Raises Invalid, WrongType, Unauthorized, UnknownDocument."""
    scope, now = place(request.bank, scope), service.now()
    if scope.keyless:
        raise Unauthorized("this needs a key")
    title, draft = title_of(request.title), flag("is_draft", request.is_draft)
    about = (prose("description", request.description), prose("intent", request.intent))

    def work(tx: Tx) -> Outcome:
        bank = memories.created(tx, scope)
        members = members_of(tx, request.members, scope, bank.id)
        bundle = Bundle(0, passwords.new_id(), title, *about, int(draft), None, None, None, None, 0, None, None, now, now, now)
        tx.bundles.add(bank, bundle)
        tx.bundles.put_members(bundle.id, members)
        audit.note(tx, scope, bank, "bundle.create", bundle.public_id, now, f"{len(members)} documents")
        return told(tx, scope, service, bundle, bank)

    return work


def update_bundle(request: b.UpdateBundle, scope: t.Scope, service: Service) -> Work:
    """The work that changes a bundle's words or members. Raises Invalid, WrongType, UnknownBundle, UnknownDocument."""
    now = service.now()
    title = None if request.title is None else title_of(request.title)
    words = {name: prose(name, getattr(request, name)) for name in ("description", "intent") if getattr(request, name) is not None}
    if request.members is not None and (request.add or request.remove):
        raise Invalid("members", "are all of them anew; `add` and `remove` don't go with it")
    removed = validate.strings("remove", request.remove)

    def work(tx: Tx) -> Outcome:
        bundle = named(tx, request, scope)
        before = (bundle.title, bundle.description, bundle.intent, tx.bundles.held(bundle.id))
        seen = (*before[:3], tx.bundles.visible(bundle.id))
        bundle.title = title or bundle.title
        for name, value in words.items():
            setattr(bundle, name, value)
        members = change_members(tx, request, removed, scope, bundle, before[3])
        after = (bundle.title, bundle.description, bundle.intent, members)
        bank = bank_of(tx, bundle, scope)
        if after == before:
            return told(tx, scope, service, bundle, bank)
        bundle.updated = now
        tx.bundles.put_members(bundle.id, members)
        if seen != (*after[:3], tx.bundles.visible(bundle.id)):
            bundle.shown = now
        tx.bundles.set(bundle)
        audit.note(tx, scope, bank, "bundle.update", bundle.public_id, now, f"{len(members)} documents")
        return told(tx, scope, service, bundle, bank)

    return work


def change_members(tx: Tx, request: b.UpdateBundle, removed: list[str], scope: t.Scope, bundle: Bundle, held: Members) -> Members:
    """What the members become. Raises Invalid, WrongType, UnknownDocument."""
    if request.members is not None:
        return members_of(tx, request.members, scope, bundle.bank)
    if not request.add and not removed:
        return held
    ids = {public_id: id for (public_id, _), (id, _) in zip(tx.bundles.members(bundle.id), held, strict=True)}
    gone = set()
    for public_id in removed:
        if public_id not in ids:
            raise UnknownDocument
        gone.add(ids[public_id])
    kept = {id: note for id, note in held if id not in gone}
    kept.update(members_of(tx, request.add, scope, bundle.bank))
    return bounded(list(kept.items()))


def set_bundle_access(request: b.SetBundleAccess, scope: t.Scope, service: Service) -> Work:
    """The work that sets gates; what locks a bundle makes it not discoverable. Raises Invalid, WrongType, UnknownBundle."""
    now, change = service.now(), gates.change_of(request)
    wanted = None if request.discoverable is UNSET else flag("discoverable", request.discoverable)

    def work(tx: Tx) -> Outcome:
        bundle = named(tx, request, scope)
        change(bundle)
        locked = locked_down(bundle, now)
        if wanted and locked:
            raise Invalid("discoverable", DISCOVERABLE)
        bundle.discoverable = int(not locked and (bool(bundle.discoverable) if wanted is None else wanted))
        tx.bundles.set(bundle)
        after = named(tx, request, scope)
        said = ", ".join(gates.gates(after, now)) or "public"
        bank = bank_of(tx, bundle, scope)
        audit.note(tx, scope, bank, "bundle.access", bundle.public_id, now, said)
        return Outcome(access_of(tx, after, now), jobs=service.has_embedded(tx, bank))

    return work


def locked_down(bundle: Bundle, now: int) -> bool:
    """Whether a gate of its own keeps a bundle from everybody."""
    return any(gate in LOCKED for gate in gates.gates(bundle, now))


def delete_bundle(request: b.DeleteBundle, scope: t.Scope, service: Service) -> Work:
    """The work that deletes a bundle, its members remembered; `purge` for good. Raises UnknownBundle, Forbidden."""
    now, purge = service.now(), purging(request.purge, scope)

    def work(tx: Tx) -> Outcome:
        bundle = named(tx, request, scope, deleted=purge)
        bank = bank_of(tx, bundle, scope)
        if purge:
            from memory_wire.service import erasing  # few ever do

            tx.bundles.remove(bundle.id)
            erasing.later(tx, bank)
        else:
            bundle.deleted, bundle.discoverable = now, 0
            tx.bundles.set(bundle)
        audit.note(tx, scope, bank, "bundle.purge" if purge else "bundle.delete", bundle.public_id, now)
        return Outcome(d.DocDeleted(deleted=True, deleted_at=dates.stamp(now), purged=purge), bank, jobs=purge)

    return work


def restore_bundle(request: b.RestoreBundle, scope: t.Scope, service: Service) -> Work:
    """The work that brings a deleted bundle back, with the gates that it had. Raises UnknownBundle."""
    now = service.now()

    def work(tx: Tx) -> Outcome:
        bundle = named(tx, request, scope, deleted=True)
        bank = bank_of(tx, bundle, scope)
        if bundle.deleted is not None:
            bundle.deleted = None
            tx.bundles.set(bundle)
            audit.note(tx, scope, bank, "bundle.restore", bundle.public_id, now)
        return told(tx, scope, service, bundle, bank)

    return work


def told(tx: Tx, scope: t.Scope, service: Service, bundle: Bundle, bank: Bank) -> Outcome:
    """The bundle as it is now."""
    after = tx.bundles.by_id(scope.project, bundle.public_id)
    assert after is not None
    return Outcome(shown(tx, after), bank, jobs=service.has_embedded(tx, bank))


def bank_of(tx: Tx, bundle: Bundle, scope: t.Scope) -> Bank:
    bank = tx.bank(scope.project, bundle.bank_name)
    assert bank is not None
    return bank
