"""Hubs: banks with a slug, which can be made public. Called by the service; loaded with the first hub.

A bank becomes a hub when it is given a slug; nothing of it is public until that is asked for. One bank has one slug; another slug for it
takes the old one's place.
"""

from __future__ import annotations

from memory_wire import config
from memory_wire import documents as d
from memory_wire import types as t
from memory_wire.errors import NameTaken, Unauthorized, UnknownBank, UnknownHub
from memory_wire.service import audit, dates, documents, jobs, validate
from memory_wire.service.changes import Outcome
from memory_wire.service.slugs import slug_of
from memory_wire.store.hubs import Hub

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.service.service import Service
    from memory_wire.store.protocol import Tx
    from memory_wire.store.reader import Reader

    Work = Callable[[Tx], Outcome]


def put_hub(request: d.PutHub, scope: t.Scope, service: Service) -> Work:
    """The work that makes a bank a hub or changes one. Raises Invalid, WrongType, NameTaken, UnknownBank."""
    slug, now = slug_of(request.slug), service.now()
    public = None if request.public is None else documents.flag("public", request.public)
    keyless = None if request.keyless_capture is None else documents.flag("keyless_capture", request.keyless_capture)
    told = {
        "display_name": said("display_name", request.display_name, config.HUB_NAME_CHARS),
        "description": said("description", request.description, config.HUB_DESCRIPTION_CHARS),
        "instructions": said("instructions", request.instructions, config.HUB_INSTRUCTION_CHARS),
    }

    def work(tx: Tx) -> Outcome:
        held = tx.hubs.by_slug(slug)
        if held is not None and held.project != scope.project:
            raise NameTaken("slug", slug)
        own = held.bank_name if held is not None and request.bank is None else request.bank
        target = documents.place(own, scope)
        bank = tx.bank(target.project, target.bank)
        if bank is None:
            raise UnknownBank
        if held is not None and held.bank != bank.id:
            raise NameTaken("slug", slug)
        hub = tx.hubs.of_bank(bank.id) or Hub(bank.id, bank.name, scope.project, slug, None, None, 0, None, now)
        hub.slug = slug
        for name, value in told.items():
            if value is not None:
                setattr(hub, name, value or None)
        if public is not None:
            hub.public = int(public)
        if keyless is not None:
            hub.keyless = int(keyless)
        tx.hubs.put(hub)
        tx.hubs.reconcile(bank.id)
        audit.note(tx, scope, bank, "hub.put", slug, now, "public" if hub.public else "not public")
        after = tx.hubs.of_bank(bank.id)
        assert after is not None
        jobs.enqueue(tx, "gist", bank)
        return Outcome(told_of(after), jobs=True)

    return work


def said(field: str, value: object, limit: int) -> str | None:
    """A text about the hub, None when it isn't given; an empty one takes away what was there."""
    return validate.text(field, value, limit).strip() if value is not None else None


def get_hub(reader: Reader, request: d.GetHub, scope: t.Scope) -> d.Hub:
    """One of the project's hubs. Raises UnknownHub."""
    hub = reader.hubs.by_slug(validate.text("slug", request.slug, config.KEY_CHARS))
    if hub is None or hub.project != scope.project or scope.keyless:
        raise UnknownHub
    return told_of(hub)


def hubs(reader: Reader, request: d.ListHubs, scope: t.Scope) -> d.Hubs:
    """The project's hubs by slug. Raises Invalid."""
    if scope.keyless:
        raise Unauthorized("this needs a key")
    if request.bank is not None:
        documents.place(request.bank, scope)
    return d.Hubs(hubs=[told_of(hub) for hub in reader.hubs.all(scope.project) if request.bank in (None, hub.bank_name)])


def told_of(hub: Hub) -> d.Hub:
    return d.Hub(
        slug=hub.slug,
        bank=hub.bank_name,
        display_name=hub.display_name or hub.slug,
        description=hub.description or "",
        instructions=hub.instructions or "",
        public=bool(hub.public),
        url=f"/hub/{hub.slug}",
        raw_url=f"/raw/hub/{hub.slug}",
        documents=hub.documents,
        visible=hub.visible,
        created_at=dates.stamp(hub.created),
        keyless_capture=None if hub.keyless is None else bool(hub.keyless),
    )
