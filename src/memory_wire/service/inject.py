"""What a host's hook puts into a model's context: when a session starts, and for each prompt. Decides, remembers, renders.

Candidates are recalled before the write transaction; what of them is injected is decided inside it, against the ledger of the session, so
that two hosts firing the same hook at once inject once.
"""

from __future__ import annotations

from msgspec import Struct

from memory_wire import config, framing
from memory_wire import types as t
from memory_wire.errors import Invalid
from memory_wire.service import relevant, validate
from memory_wire.service.block import START, Block, entry_chars, frame, held_block, joined, n_bytes
from memory_wire.service.changes import Outcome
from memory_wire.service.settings import DEFAULTS, Settings
from memory_wire.store.ledger import Held, HookSession
from memory_wire.store.rows import RECORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.service.relevant import Candidate
    from memory_wire.service.second import Second
    from memory_wire.service.service import Service
    from memory_wire.store.protocol import Reader, Tx
    from memory_wire.store.rows import Bank, Found

    Work = Callable[[Tx], Outcome]

PROMPT, COMPACT = "prompt", "pre-compact"
EVENTS = (START, PROMPT, COMPACT)
DROPPING = ("clear", "compact")  # sources of a start after which the host has nothing of what was injected


class Plan(Struct):
    """A request that was checked, with what was recalled for it. `key` and `shown` are the session's; `mark` stands for what is asked."""

    request: t.Inject
    url: str
    key: bytes | None
    shown: str
    mark: bytes
    at: int
    again: bool = False
    candidates: list[Candidate] = []


def inject(request: t.Inject, scope: t.Scope, service: Service) -> Work:
    """The work that decides what is injected and notes it. Raises Invalid, WrongType."""
    check(request, scope)
    plan = planned(request, service)
    if request.event != COMPACT:
        recalled(plan, scope, service, request.former)

    def work(tx: Tx) -> Outcome:
        bank = found(tx, scope, request.former)
        if bank is None:
            text = opening(plan, scope.bank, DEFAULTS) if request.event == START else ""
            return Outcome(t.Injected(bank=scope.bank, text=text, entries=[]))
        settings = with_format(service.settings_of(bank, tx), request.format)
        if plan.key is None:
            return Outcome(alone(plan, bank, settings))
        return Outcome(remembered(plan, plan.key, bank, scope, settings, tx))

    return work


def recalled(plan: Plan, scope: t.Scope, service: Service, former: str | None) -> None:
    """Notes the candidates. Where the bank has an embedder and this thread may wait, it is asked first, outside any transaction."""
    prompt = plan.request.prompt or ""
    second: Second | None = None
    asked = relevant.says_nothing(prompt) or not service.may_wait()
    while True:
        with service.read() as reader:
            bank = found(reader, scope, former)
            if bank is None:
                return
            if not asked:
                second = service.recalls.second(service.settings_of(bank, reader), scope.at(bank.name))
            if asked or second is None or second.embedder is None:
                given = (service, reader, bank, scope, plan.request, plan.shown)
                plan.candidates, plan.again = relevant.candidates(*given, second)
                return
        from memory_wire.service.second import question

        second.seconds, asked = config.INJECT_SECONDS, True
        question(service, second, prompt[: config.QUERY_CHARS])


def check(request: t.Inject, scope: t.Scope) -> None:
    validate.scope(scope)
    if validate.text("event", request.event, config.KEY_CHARS) not in EVENTS:
        raise Invalid("event", f"must be one of {', '.join(EVENTS)}")
    for name in ("prompt", "previous"):
        value = getattr(request, name)
        if value is not None:
            validate.text(name, value, config.CONTENT_CHARS)
    for name in ("host", "source", "format", "url"):
        validate.key(name, getattr(request, name))
    if request.former is not None:
        validate.scope(scope.at(request.former))


def planned(request: t.Inject, service: Service) -> Plan:
    """The request with its texts reduced to what was said."""
    said = t.Inject(
        event=request.event,
        host=validate.key("host", request.host),
        prompt=framing.spoken(request.prompt or ""),
        previous=framing.spoken(request.previous or ""),
        source=request.source,
        frozen=bool(request.frozen),
    )
    name = validate.key("session", request.session)
    asked = f"{said.event}\0{said.source if said.event == START else said.prompt}"
    return Plan(
        request=said,
        url=validate.key("url", request.url) or f"http://{config.DEFAULT_ADDR}",
        key=service.keys.hashed(name) if name else None,
        shown=service.keys.shown("session", name, []) if name else "",
        mark=service.keys.digest(asked.encode()),
        at=service.now(),
    )


def found(source: Reader | Tx, scope: t.Scope, former: str | None) -> Bank | None:
    """The bank, or the one of its former name where only that exists."""
    bank = source.bank(scope.project, scope.bank)
    return bank if bank is not None or former is None else source.bank(scope.project, former)


def with_format(settings: Settings, given: str | None) -> Settings:
    """The bank's format of injected memories wins over the client's."""
    if settings.capsules is not None or given not in ("full", "summary"):
        return settings
    return Settings(preamble=settings.preamble, capsules=given == "summary")


# deciding --------------------------------------------------------------------------------------------------------------------------


def alone(plan: Plan, bank: Bank, settings: Settings) -> t.Injected:
    """The answer to a hook that names no session: nothing is known of what went before."""
    if plan.request.event == COMPACT:
        return t.Injected(bank=bank.name, text="", entries=[])
    block = chosen(plan, bank, settings, plan.candidates)
    first = opening(plan, bank.name, settings) if plan.request.event == START else ""
    return t.Injected(bank=bank.name, text=joined(first, block.text()), entries=block.entries)


def remembered(plan: Plan, key: bytes, bank: Bank, scope: t.Scope, settings: Settings, tx: Tx) -> t.Injected:
    """The answer within a session, noted in the ledger."""
    ledger, request = tx.ledger, plan.request
    state = ledger.session(bank, key)
    state.frozen = state.frozen or int(bool(request.frozen))
    repeated = is_repeated(plan, state)
    if request.event == COMPACT or (request.event == START and request.source in DROPPING and not repeated):
        ledger.drop(bank, key, plan.shown, state, plan.at)
    if request.event == COMPACT:
        return t.Injected(bank=bank.name, text="", entries=[])
    held = ledger.held(bank, key)
    before = held_block(bank.name, held, there(tx, bank, scope, held) if request.frozen else {})
    first = False
    block = Block(bank.name, False, 0)
    if not repeated:
        first = request.event == START and state.started is None and not before.lines
        if ledger.count(bank, key) < config.SESSION_INJECTIONS:
            block = chosen(plan, bank, settings, fresh(plan, bank, held, state, tx), before)
        if first:
            state.started = plan.at
        if first or block.noted:
            noted(plan, state)
            ledger.save(bank, key, plan.shown, state, plan.at)
            ledger.add(bank, key, request.event, request.host, plan.at, block.noted)
    if request.frozen:
        block.lines = before.lines + block.lines
        first = state.started is not None
    return t.Injected(bank=bank.name, text=joined(opening(plan, bank.name, settings) if first else "", block.text()), entries=block.entries)


def there(tx: Tx, bank: Bank, scope: t.Scope, held: list[Held]) -> dict[int, Found]:
    """What the session was given and is still there, records with what is doubtful about them now."""
    units = tx.ledger.found(bank, [one.unit for one in held])
    if not any(unit.kind == RECORD for unit in units.values()):
        return units
    from memory_wire.service.marks import marked

    return marked(tx, bank, scope, units)


def fresh(plan: Plan, bank: Bank, held: list[Held], state: HookSession, tx: Tx) -> list[Candidate]:
    """The candidates that are still there and that the session hasn't got, be it injected or said in it."""
    had = {one.unit for one in held}
    new = [one for one in plan.candidates if one.unit.id not in had and not is_own(plan, one, state)]
    alive = tx.ledger.found(bank, [one.unit.id for one in new])
    return [one for one in new if one.unit.id in alive]


def is_repeated(plan: Plan, state: HookSession) -> bool:
    """The same firing once more, by another host: it was answered a moment ago."""
    start = plan.request.event == START
    at, mark = (state.start_at, state.start_mark) if start else (state.prompt_at, state.prompt_mark)
    return at is not None and mark == plan.mark and abs(plan.at - at) < config.INJECT_REPEAT_MS


def noted(plan: Plan, state: HookSession) -> None:
    if plan.request.event == START:
        state.start_at, state.start_mark = plan.at, plan.mark
    else:
        state.prompt_at, state.prompt_mark = plan.at, plan.mark


def is_own(plan: Plan, one: Candidate, state: HookSession) -> bool:
    """A turn of this very session that the host still has in its context."""
    return one.unit.session == plan.shown and one.unit.id > state.dropped


def chosen(plan: Plan, bank: Bank, settings: Settings, candidates: list[Candidate], before: Block | None = None) -> Block:
    """The best of the candidates that fit the limits of the event; a frozen block that came `before` has a limit of its own."""
    start = plan.request.event == START
    size: Callable[[str], int] = len
    if start:
        size = n_bytes
        room = config.INJECT_START_RECALL_BYTES
        if not settings.preamble:
            room = config.INJECT_START_BYTES - size(opening(plan, bank.name, settings)) - len("\n\n")
    elif plan.again:
        size = n_bytes
        room = config.INJECT_AGAIN_BYTES
    else:
        room = config.INJECT_SECTION_CHARS
    told = False
    if plan.request.frozen and before is not None:
        room, told = min(room, config.INJECT_FROZEN_CHARS - len(before.text())), before.told
    block = Block(bank.name, bool(settings.capsules), entry_chars(plan.request.event), room - frame(bank.name, size), size, told)
    for one in candidates:
        if len(block.entries) == config.INJECT_ENTRIES:
            break
        block.take(one.unit, one.relevance, one.ranks)
    return block


def opening(plan: Plan, bank: str, settings: Settings) -> str:
    return framing.session_start(bank, settings.preamble or framing.HISTORIAN, plan.url)
