"""Writing, reading and deleting single memories. Called by the service with requests whose scope is checked."""

from __future__ import annotations

from msgspec import UNSET, Struct

from memory_wire import config
from memory_wire import types as t
from memory_wire.errors import (
    DocumentExists,
    GuardRejected,
    Invalid,
    MemoryWireError,
    RecordLimit,
    RecordRefused,
    UnknownMemory,
    WrongType,
)
from memory_wire.guard.redact import redact
from memory_wire.kernels.text import content_hash
from memory_wire.service import dates, screening, validate, voice
from memory_wire.service.changes import Added, Gone, Outcome
from memory_wire.service.keys import Keys
from memory_wire.service.settings import Settings
from memory_wire.store.ids import new_uid, parse, show
from memory_wire.store.rows import MEMORY, RECORD, Bank, Existing, IndexRow, NewUnit, Unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from memory_wire.service.provenance import Told
    from memory_wire.service.service import Service
    from memory_wire.store.protocol import Reader, Tx

    Work = Callable[[Tx], Outcome]


PROVENANCE = ("source", "source_id", "source_hash", "source_revision", "fact_key", "confidence", "derived_from")


class Draft(Struct):
    """A retain that passed its checks, redacted; what remains needs the database. `document` and `session` are (key, shown form)."""

    content: str
    context: str | None
    tags: list[str]
    document: tuple[bytes, str] | None
    append: bool
    created: int
    stored: int | None
    session: tuple[bytes, str] | None
    speaker: str | None
    role: int
    data: bytes
    receipts: list[t.Redacted]
    told: Told | None = None
    category: str | None = None


def draft(request: t.Retain, keys: Keys, now: int, wide: int = 1) -> Draft:
    """Checks and redacts a retain, the mode first. Raises Invalid, WrongType.

    `wide` multiplies the limits of length: what comes out of a store may have been made longer by redaction.
    """
    validate.mode(request.update_mode)
    data = validate.content(request.content, wide)
    receipts: list[t.Redacted] = []
    content = clean("content", request.content, receipts)
    if content is not request.content:
        data = content.encode()
    context = request.context
    if context is not None:
        context = clean("context", validate.text("context", context, config.CONTEXT_CHARS * wide), receipts)
    created = validate.moment("created_at", request.created_at)
    speaker = validate.key("speaker", request.speaker, wide)
    role = request.role
    told = told_of(request, content, keys, receipts)
    texts = [request.content, *([request.context] if request.context else ()), *(told.texts if told is not None else ())]
    return Draft(
        content=content,
        context=context,
        tags=keys.tags(validate.strings("tags", request.tags, wide), receipts) if request.tags else [],
        document=identity("document_id", request.document_id, keys, receipts, wide),
        append=request.update_mode == "append",
        created=now if created is None else created,
        stored=None if created is None else now,
        session=identity("session", request.session, keys, receipts, wide),
        speaker=keys.shown("speaker", speaker, receipts) if speaker else None,
        role=voice.role_number(validate.key("role", role)) if role is not None else voice.NONE,
        data=data,
        receipts=receipts,
        told=told,
        category=screening.found(texts),
    )


def told_of(request: t.Retain, content: str, keys: Keys, receipts: list[t.Redacted]) -> Told | None:
    """What a retain tells of where it comes from, if it does: it makes the memory a record, which nothing replaces. Raises Invalid."""
    for name in PROVENANCE:
        if getattr(request, name) is not None:
            break
    else:
        return None
    from memory_wire.service import provenance  # most memories come without

    if request.document_id is not None:
        raise Invalid("document_id", "a memory with provenance is a record, which nothing replaces")
    return provenance.read(request, content, keys, receipts)


def clean(field: str, text: str, receipts: list[t.Redacted]) -> str:
    """The text without secrets; what was taken out is added to the receipts."""
    text, hits = redact(text)
    for kind, count in hits:
        receipts.append(t.Redacted(field=field, kind=kind, count=count))
    return text


def identity(field: str, raw: str | None, keys: Keys, receipts: list[t.Redacted], wide: int = 1) -> tuple[bytes, str] | None:
    """(key, shown form) of a document id or session; None for a blank one."""
    name = validate.key(field, raw, wide) if raw is not None else None
    return (keys.hashed(name), keys.shown(field, name, receipts)) if name else None


def write(
    tx: Tx, bank: Bank, settings: Settings, item: Draft, keys: Keys, keep: bool = False, caller: t.Caller | None = None
) -> tuple[t.Retained, list[Added | Gone]]:
    """Stores one draft by the contract's rules of dedup and documents; `keep` as in a batch. Raises DocumentExists."""
    changes: list[Added | Gone] = []
    flag = screening.judge(item.category, settings, "retain")
    tags = [*screening.tags(flag), *item.tags][: config.TAGS] if flag else item.tags
    if settings.retain_tags:
        tags = list(dict.fromkeys([*tags, *keys.tags(settings.retain_tags, [])]))[: config.TAGS]
    session = item.session
    session_key = session[0] if session else b""
    ordinal = position = None
    if item.told is not None:
        return record(tx, bank, settings, item, item.told, tags, flag, caller)
    if item.document is None:
        found = tx.duplicate(bank, content_hash(item.data, session_key))
        if found is not None:
            return t.Retained(id=show(found[1]), redacted=item.receipts, deduplicated=True), changes
    else:
        held = tx.document(bank, item.document[0])
        if held is not None:
            if item.append:
                raise DocumentExists
            if keep and says(held, item, tags):
                return t.Retained(id=show(held.uid), redacted=item.receipts, deduplicated=True), changes
            removed = tx.delete(bank, held.id)
            if removed is not None:
                changes.append(Gone(held.id, removed.seq, removed.after))
            if session is None or session_key == held.session_key:  # it keeps its place
                ordinal, position, session_key = held.session, held.position, held.session_key or b""
    if session is not None and position is None:
        ordinal = tx.session(bank, *session)
        position = tx.next_position(bank, ordinal)
    unit = row(item, new_uid(), session_key, tags)
    stored = tx.insert(bank, unit, ordinal, position, item.document)
    place = (-1, -1) if ordinal is None or position is None else (ordinal, position)
    changes.append(Added(IndexRow(stored.id, item.created, item.role, *place, tags, item.speaker, "", item.content), stored.after))
    return t.Retained(id=show(unit.uid), redacted=item.receipts, deduplicated=False, flagged=flag or UNSET), changes


def record(
    tx: Tx, bank: Bank, settings: Settings, item: Draft, told: Told, tags: list[str], flag: str | None, caller: t.Caller | None
) -> tuple[t.Retained, list[Added | Gone]]:
    """Stores a draft that tells where it comes from: a record, which is never a duplicate. Raises DerivedUnknown, RecordLimit."""
    from memory_wire.service import records

    place = None
    if item.session is not None:
        ordinal = tx.session(bank, *item.session)
        place = ordinal, tx.next_position(bank, ordinal)
    unit = row(item, new_uid(), item.session[0] if item.session else b"", tags, RECORD)
    done = records.stored(tx, t.Scope(bank.name, bank.project, caller), bank, settings, unit, told, flag, session=place)
    return t.Retained(id=show(unit.uid), redacted=item.receipts, deduplicated=False, flagged=flag or UNSET), done.changes


def says(held: Existing, item: Draft, tags: list[str]) -> bool:
    """Whether a document says already what the draft would make it say; a draft without a date leaves the date it has."""
    return (
        held.hash == content_hash(item.data, held.session_key or b"")
        and (item.session is None or item.session[0] == held.session_key)
        and (item.stored is None or item.created == held.created)
        and (item.context, tags) == (held.context, held.tags)
    )


def row(item: Draft, uid: bytes, session_key: bytes, tags: list[str], kind: int = MEMORY) -> NewUnit:
    """The draft as the store takes it, under an id."""
    return NewUnit(
        uid=uid,
        hash=content_hash(item.data, session_key),
        content=item.content,
        created=item.created,
        stored=item.stored,
        context=item.context,
        tags=tags,
        role=item.role,
        speaker=item.speaker,
        kind=kind,
    )


def retain(request: t.Retain, scope: t.Scope, service: Service) -> Work:
    """The work that stores one memory."""
    validate.mode(request.update_mode)
    validate.scope(scope)
    keys = service.keys
    item = draft(request, keys, service.now())

    def work(tx: Tx) -> Outcome:
        bank = created(tx, scope)
        settings = service.settings_of(bank, tx)
        answer, changes = write(tx, bank, settings, item, keys, caller=scope.caller)
        return Outcome(answer, bank, settings.language, changes)

    return work


def retain_batch(request: t.RetainBatch, scope: t.Scope, service: Service) -> Work:
    """The work that stores many: items see earlier ones, an item that fails undoes no other."""
    validate.scope(scope)
    validate.batch(request)
    keys, now = service.keys, service.now()
    items = [draft_or_error(item, place, keys, now) for place, item in enumerate(request.items)]

    def work(tx: Tx) -> Outcome:
        results: list[t.Retained | t.BatchError] = []
        every: list[Added | Gone] = []
        if all(isinstance(item, t.BatchError) for item in items):  # nothing to store: the bank isn't made either
            return Outcome(t.BatchRetained(results=[item for item in items if isinstance(item, t.BatchError)]))
        bank = created(tx, scope)
        settings = service.settings_of(bank, tx)
        for item in items:
            if isinstance(item, t.BatchError):
                results.append(item)
                continue
            try:
                answer, changes = write(tx, bank, settings, item, keys, request.keep, scope.caller)
            except (DocumentExists, GuardRejected, RecordLimit, RecordRefused) as error:
                results.append(failed(error))
            else:
                results.append(answer)
                every += changes
        return Outcome(t.BatchRetained(results=results), bank, settings.language, every)

    return work


def draft_or_error(item: t.Retain, place: int, keys: Keys, now: int) -> Draft | t.BatchError:
    """An item's draft, or its error. Raises WrongType, naming the item: a request of the wrong shape is refused whole."""
    if not isinstance(item, t.Retain):
        raise validate.wrong_type(f"$.items[{place}]", "an object")
    try:
        return draft(item, keys, now)
    except WrongType as error:
        raise validate.wrong_type(f"$.items[{place}].{error.field}", str(error).rpartition("expected ")[2]) from None
    except MemoryWireError as error:
        return failed(error)


def failed(error: MemoryWireError) -> t.BatchError:
    return t.BatchError(error=t.ItemError(status=error.status, message=str(error)))


def created(tx: Tx, scope: t.Scope) -> Bank:
    """The bank, made when it isn't there."""
    bank = tx.bank(scope.project, scope.bank, create=True)
    assert bank is not None
    return bank


def forget(request: t.Forget, scope: t.Scope, service: Service) -> Work:
    """The work that deletes one memory."""
    validate.scope(scope)
    uid, now = uid_of(request.id), service.now()

    def work(tx: Tx) -> Outcome:
        bank = tx.bank(scope.project, scope.bank) if uid else None
        unit = tx.find(bank, uid) if bank and uid else None
        if bank and unit in hidden(tx, scope, bank):
            unit = None
        removed = tx.delete(bank, unit) if bank and unit is not None else None
        if bank is None or unit is None or removed is None:
            return Outcome(t.Deleted(deleted=False))
        if removed.kind == RECORD:
            from memory_wire.service import audit

            audit.note(tx, scope, bank, "record.forget", request.id, now, "delete")
        return Outcome(t.Deleted(deleted=True), bank, changes=[Gone(unit, removed.seq, removed.after)])

    return work


def uid_of(id: object) -> bytes | None:
    """The public id as stored; None for a text that can't be one, which names nothing."""
    if not isinstance(id, str):
        raise validate.wrong_type("id", "a string")
    return parse(id)


def get(reader: Reader, request: t.Get, scope: t.Scope) -> t.Page:
    """One memory, whole. Raises UnknownMemory."""
    uid = uid_of(request.id)
    toon = validate.page_format(request.format)
    bank = reader.bank(scope.project, scope.bank)
    unit = reader.by_uid(bank, uid) if bank and uid else None
    if bank is None or unit is None or unit.id in hidden(reader, scope, bank):
        raise UnknownMemory
    return t.Page(items=[item_of(unit)], total=1, toon=toon)


def hidden(source: Reader | Tx, scope: t.Scope, bank: Bank) -> Collection[int]:
    """Records of the bank that the caller may not see: none without a caller."""
    if scope.caller is None:
        return ()
    from memory_wire.service import access

    return access.hidden(source, scope, bank)


def memories(reader: Reader, request: t.Memories, scope: t.Scope) -> t.Page:
    """A page of the bank in order of writing, contents cut when asked."""
    limit, offset, truncate, toon = validate.page(request)
    bank = reader.bank(scope.project, scope.bank)
    if bank is None:
        return t.Page(items=[], total=0, toon=toon)
    without = hidden(reader, scope, bank)
    items = [item_of(unit) for unit in reader.page(bank, limit, offset, without)] if limit else []
    cut = 0
    for item in items:
        size = len(item.content)
        if truncate is not None and size > truncate:
            note = f"…[truncated from {size} chars; full: GET /banks/{scope.bank}/memories/{item.id}]"
            item.content = item.content[:truncate] + note
            cut += 1
    return t.Page(items=items, total=reader.count(bank) - len(without), truncated=cut, toon=toon)


def item_of(unit: Unit) -> t.Item:
    return t.Item(content=unit.content, context=unit.context, created_at=dates.stamp(unit.created), id=show(unit.uid))
