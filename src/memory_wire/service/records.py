"""Records: remember, forget, get. A record is never changed: what is wrong with it is computed when somebody asks (statuses.py).

Called by the service; loaded with the first record.
"""

from __future__ import annotations

from msgspec import UNSET, json

from memory_wire import config
from memory_wire import types as t
from memory_wire.errors import Forbidden, ForgetTarget, Invalid, SupersedesUnknown, UnknownRecord, WorkspaceNameInvalid
from memory_wire.kernels.text import content_hash
from memory_wire.service import access, audit, dates, idempotent, jobs, memories, provenance, screening, statuses, validate
from memory_wire.service.answers import Answers
from memory_wire.service.changes import Added, Gone, Outcome
from memory_wire.service.rights import SAID
from memory_wire.service.statuses import Hashes
from memory_wire.store.ids import new_uid, parse, show
from memory_wire.store.rows import MEMORY, RECORD, IndexRow, NewUnit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memory_wire.service.provenance import Told
    from memory_wire.service.service import Service
    from memory_wire.service.settings import Settings
    from memory_wire.store.protocol import Tx
    from memory_wire.store.reader import Reader
    from memory_wire.store.records import Records, Sight
    from memory_wire.store.rows import Bank

    Work = Callable[[Tx], Outcome]
    Request = t.Remember | t.Search | t.ValidateMemory | t.ForgetRecord | t.GetRecord


def place(request: Request, scope: t.Scope) -> t.Scope:
    """Where a request acts: in its workspace, if it names one. Raises WorkspaceNameInvalid."""
    if request.workspace is not None:
        scope = scope.at(request.workspace)
    try:
        validate.scope(scope)
    except Invalid:
        raise WorkspaceNameInvalid("workspace", f"workspace must not be blank and at most {config.BANK_CHARS} characters") from None
    return scope


# remember --------------------------------------------------------------------------------------------------------------------------


def remember(request: t.Remember, scope: t.Scope, service: Service) -> Work:
    """The work that stores a record, once for an idempotency key."""
    scope, keys, now = place(request, scope), service.keys, service.now()
    receipts: list[t.Redacted] = []
    text = provenance.content(request.content)
    content = memories.clean("content", text, receipts)
    told = provenance.read(request, content, keys, receipts)
    category = screening.found([text, *told.texts])
    claim = idempotent.claim("remember", request, scope, keys, now)

    def work(tx: Tx) -> Outcome:
        held = claim.answered(tx, scope) if claim is not None else None
        if held is not None:
            return Outcome(replayed(tx, json.decode(held, type=t.Remembered), scope))
        bank = memories.created(tx, scope)
        settings = service.settings_of(bank, tx)
        flag = screening.judge(category, settings, "remember")
        tags, hash = screening.tags(flag), content_hash(content.encode())
        unit = NewUnit(uid=new_uid(), hash=hash, content=content, created=now, kind=RECORD, tags=tags)
        done = stored(tx, scope, bank, settings, unit, told, flag, request.visibility)
        if claim is not None:
            assert isinstance(done.response, t.Remembered)
            claim.keep(tx, scope, done.response)
        return done

    return work


def stored(
    tx: Tx,
    scope: t.Scope,
    bank: Bank,
    settings: Settings,
    unit: NewUnit,
    told: Told,
    flag: str | None,
    visibility: str | None = None,
    session: tuple[int, int] | None = None,
) -> Outcome:
    """Stores a record; the receipt and what the index has to take in. Raises DerivedUnknown, SupersedesUnknown, RecordLimit."""
    access.check_write(tx, scope, bank)
    records, sight, row = tx.records, access.sight(tx, scope), told.row
    sources = [named(records, bank, sight, uid, (MEMORY, RECORD)) for uid in told.derived]
    if None in sources:
        raise provenance.unknown_source()
    if told.supersedes is not None:
        row.supersedes = named(records, bank, sight, told.supersedes, (RECORD,))
        if row.supersedes is None:
            raise SupersedesUnknown("supersedes", "supersedes names no record here")
    inserted = tx.insert(bank, unit, *(session or (None, None)))
    row.unit = inserted.id
    row.visibility, row.author, row.org_unit = access.owner(tx, scope, visibility)
    row.redactions = json.encode(told.receipts).decode() if told.receipts else None
    row.flags = json.encode({"guard": flag}).decode() if flag else None
    records.add(bank, row, [source for source in sources if source is not None])
    at = unit.stored or unit.created
    if row.source_key is not None and row.source_hash is not None:
        records.observe(bank, row.source_key, row.source_hash, at)
    audit.note(tx, scope, bank, "record.remember", show(unit.uid), at, row.redactions)
    index = IndexRow(inserted.id, unit.created, unit.role, *(session or (-1, -1)), unit.tags, unit.speaker, "", unit.content)
    index.scope, index.aliases = row.scope or "", json.decode(row.aliases) if row.aliases else []
    jobs.enqueue(tx, "archive", bank, inserted.id)
    answer = receipt(tx, bank, sight, unit, inserted.id, told.receipts)
    answer.flagged = flag or UNSET
    return Outcome(answer, bank, settings.language, [Added(index, inserted.after)], jobs=True)


def receipt(tx: Tx, bank: Bank, sight: Sight, unit: NewUnit, id: int, receipts: list[t.Redacted]) -> t.Remembered:
    """What is answered: where the record stands at once."""
    standing = statuses.standings(tx.records, bank, sight, [id], Hashes()).get(id, statuses.Standing())
    uids = tx.records.uids(standing.others)
    return t.Remembered(
        id=show(unit.uid),
        status=standing.statuses[0],
        statuses=standing.statuses,
        created_at=dates.stamp(unit.created),
        redacted=receipts,
        conflict_with=[show(uids[other]) for other in standing.others],
        replayed=False,
    )


def replayed(tx: Tx, answer: t.Remembered, scope: t.Scope) -> t.Remembered:
    """The first answer once more; what was forgotten since stays forgotten."""
    bank, uid = tx.bank(scope.project, scope.bank), parse(answer.id)
    answer.replayed = True
    if bank is None or uid is None or tx.find(bank, uid) is None:
        answer.forgotten = True
    return answer


def named(records: Records, bank: Bank, sight: Sight, uid: bytes, kinds: Sequence[int]) -> int | None:
    """The unit that a public id names, if the caller may see it with all that it comes from."""
    unit = records.find(bank, uid, sight, kinds)
    if unit is None or not sight.params:
        return unit
    return unit if unit in statuses.standings(records, bank, sight, [unit], Hashes()) else None


# forget ----------------------------------------------------------------------------------------------------------------------------


def forget_record(request: t.ForgetRecord, scope: t.Scope, service: Service) -> Work:
    """The work that forgets a record, or all that the caller sees of a source."""
    scope, keys, now = place(request, scope), service.keys, service.now()
    if (request.memory_id is None) == (request.source_id is None):
        raise ForgetTarget("memory_id", "exactly one of memory_id and source_id says what is forgotten")
    uid = memories.uid_of(request.memory_id) if request.memory_id is not None else None
    source = validate.key("source_id", request.source_id)
    claim = idempotent.claim("forget", request, scope, keys, now)
    how = "memory_id" if request.memory_id is not None else "source_id"
    if request.purge:
        if scope.caller is not None and scope.caller.rights != "admin":
            raise Forbidden(SAID["admin"])
        how = f"purge {how}"

    def work(tx: Tx) -> Outcome:
        held = claim.answered(tx, scope) if claim is not None else None
        if held is not None:
            answer = json.decode(held, type=t.Forgotten)
            answer.replayed = True
            return Outcome(answer)
        done = Outcome(t.Forgotten(forgotten=False, count=0, ids=[]), tx.bank(scope.project, scope.bank))
        if done.bank is not None:
            done.language = service.settings_of(done.bank, tx).language
            sight = access.sight(tx, scope)
            units = targets(tx.records, done.bank, sight, uid, keys.hashed(source) if source else None)
            done.response = forgotten(tx, scope, done, units, how, now, bool(request.purge))
        if claim is not None:
            assert isinstance(done.response, t.Forgotten)
            claim.keep(tx, scope, done.response)
        return done

    return work


def targets(records: Records, bank: Bank, sight: Sight, uid: bytes | None, source: bytes | None) -> list[int]:
    """The records meant, as far as the caller may see them."""
    if uid is not None:
        unit = named(records, bank, sight, uid, (RECORD,))
        return [] if unit is None else [unit]
    units = records.of_source(bank, source, sight) if source is not None else []
    seen = statuses.standings(records, bank, sight, units, Hashes()) if sight.params else units
    return [unit for unit in units if unit in seen]


def forgotten(tx: Tx, scope: t.Scope, done: Outcome, units: list[int], how: str, at: int, purge: bool) -> t.Forgotten:
    """Deletes softly, one line of the audit log each; with `purge` the texts as well, index and log right after."""
    assert done.bank is not None
    uids = tx.records.uids(units)
    by = scope.caller.member if scope.caller is not None else None
    for unit in units:
        removed = tx.delete(done.bank, unit, how, by)
        assert removed is not None
        done.changes.append(Gone(unit, removed.seq, removed.after))
        audit.note(tx, scope, done.bank, "record.forget", show(uids[unit]), at, how)
    if purge and units:
        from memory_wire.service import erasing  # few ever do

        for unit in units:
            erasing.emptied(tx, done.bank, unit, how, by, at)
        erasing.later(tx, done.bank)
        done.jobs = True
    ids = [show(uids[unit]) for unit in units]
    return t.Forgotten(forgotten=bool(ids), count=len(ids), ids=ids[: config.RECORDS_NAMED])


# get -------------------------------------------------------------------------------------------------------------------------------


def get_record(reader: Reader, request: t.GetRecord, scope: t.Scope) -> t.RecordDetail:
    """One record. Raises UnknownRecord for one that is missing, forgotten or not to be seen."""
    scope = place(request, scope)
    uid = memories.uid_of(request.id)
    bank = reader.bank(scope.project, scope.bank)
    unit = reader.by_uid(bank, uid) if bank is not None and uid is not None else None
    if bank is None or unit is None or unit.kind != RECORD:
        raise UnknownRecord
    sight = access.sight(reader, scope)
    answers = Answers(reader.records, bank, sight, [unit.id], Hashes())
    if unit.id not in answers.standings:
        raise UnknownRecord
    group = [peer for peer, _ in answers.standings[unit.id].peers] or [unit.id]
    units, superseded = reader.units(bank, group), reader.records.superseded(group, sight)
    uids = reader.records.uids([*group, *superseded.values()])
    versions = [
        t.Version(
            id=show(uids[one]),
            content=units[one].content,
            created_at=dates.stamp(units[one].created),
            superseded_by=show(uids[superseded[one]]) if one in superseded else None,
        )
        for one in group
    ]
    fields = answers.fields(unit)
    return t.RecordDetail(**fields, workspace=bank.name, visibility=answers.rows[unit.id].visibility, versions=versions)
