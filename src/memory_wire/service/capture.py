"""Storing what was said in a session: readable turns, each once whatever host sends it and however often, and bare notes.

A turn is known by its session and what was asked; the same prompt again in one session is another turn where its answer differs.
"""

from __future__ import annotations

from msgspec import Struct

from memory_wire import config, framing
from memory_wire import types as t
from memory_wire.errors import Invalid
from memory_wire.kernels.text import content_hash
from memory_wire.service import memories, validate
from memory_wire.service.changes import Added, Gone, Outcome
from memory_wire.service.inject import COMPACT, found

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.service.memories import Draft
    from memory_wire.service.service import Service
    from memory_wire.service.settings import Settings
    from memory_wire.store.protocol import Tx
    from memory_wire.store.rows import Bank

    Work = Callable[[Tx], Outcome]

EVENTS = ("stop", COMPACT, "session-end", "turn")
TURN_TAG, NOTE_TAG = "turn", "marker"
USER, ASSISTANT = "[user] ", "[assistant] "
ERASED = b""  # instead of the hash of a turn's text
REPEATS = 64  # turns of one session with the same prompt that are told apart
SESSION_CHARS = 900  # leaves room for the rest of a turn's document id


class Said(Struct):
    """A turn to be stored; `asked` names it within its session."""

    draft: Draft
    asked: str


def capture(request: t.Capture, scope: t.Scope, service: Service) -> Work:
    """The work that stores turns and a note. Raises Invalid, WrongType."""
    check(request, scope)
    name = (validate.key("session", request.session) or "")[:SESSION_CHARS]
    words = (f"hook:{request.event}", validate.key("host", request.host), validate.key("reason", request.reason))
    context = " ".join([word for word in words if word])
    now = service.now()
    turns = [said for turn in request.turns[-config.TURNS :] if (said := readable(turn, name, context, service, now)) is not None]
    note = noted(request.note, name, context, service, now)

    def work(tx: Tx) -> Outcome:
        bank = found(tx, scope, request.former)
        answer = t.Captured(bank=bank.name if bank else scope.bank, stored=0, known=0)
        changes: list[Added | Gone] = []
        if turns or note:
            bank = bank or memories.created(tx, scope)
            settings = service.settings_of(bank, tx)
            for said in turns:
                count(answer, changes, keep(tx, bank, settings, said, name, service))
            if note is not None:
                count(answer, changes, memories.write(tx, bank, settings, note, service.keys)[1])
        if bank is None:
            return Outcome(answer)
        if request.event == COMPACT and name:
            dropped(tx, bank, service, name, now)
        return Outcome(answer, bank, service.settings_of(bank, tx).language, changes)

    return work


def check(request: t.Capture, scope: t.Scope) -> None:
    validate.scope(scope)
    if validate.text("event", request.event, config.KEY_CHARS) not in EVENTS:
        raise Invalid("event", f"must be one of {', '.join(EVENTS)}")
    if request.former is not None:
        validate.scope(scope.at(request.former))
    if not isinstance(request.turns, list) or not all(isinstance(turn, t.Turn) for turn in request.turns):
        raise validate.wrong_type("turns", "an array of objects")
    if len(request.turns) > config.BATCH_ITEMS:
        raise Invalid("turns", f"must be at most {config.BATCH_ITEMS:,}")


def readable(turn: t.Turn, session: str, context: str, service: Service, now: int) -> Said | None:
    """The turn as a memory, or None when it says too little. Raises Invalid, WrongType."""
    for name in ("user", "assistant"):
        value = getattr(turn, name)
        if value is not None:
            validate.text(name, value, config.CONTENT_CHARS)
    validate.unsigned("index", turn.index)
    asked, answer = framing.spoken(turn.user or ""), framing.spoken(turn.assistant or "")
    if len(asked) + len(answer) < config.TURN_LEAST_CHARS:
        return None
    content = "\n".join(lead + framing.cut_middle(said, config.TURN_CHARS) for lead, said in ((USER, asked), (ASSISTANT, answer)) if said)
    request = t.Retain(content=content, context=context, tags=[TURN_TAG], created_at=turn.at, session=session or None)
    return Said(memories.draft(request, service.keys, now), asked)


def noted(note: str | None, session: str, context: str, service: Service, now: int) -> Draft | None:
    """A bare note as a memory that is never injected; None for an empty one."""
    if note is None or not framing.spoken(validate.text("note", note, config.CONTENT_CHARS)):
        return None
    said = framing.cut_middle(framing.spoken(note), config.TURN_CHARS)
    return memories.draft(t.Retain(content=said, context=context, tags=[NOTE_TAG], session=session or None), service.keys, now)


def count(answer: t.Captured, changes: list[Added | Gone], new: list[Added | Gone]) -> None:
    changes += new
    if new:
        answer.stored += 1
    else:
        answer.known += 1


def keep(tx: Tx, bank: Bank, settings: Settings, said: Said, session: str, service: Service) -> list[Added | Gone]:
    """Stores a turn unless the session has it, in full or forgotten; a fuller answer replaces the one there. Returns what changed."""
    keys, ledger, draft = service.keys, tx.ledger, said.draft
    if not session:  # nothing tells it from an equal one elsewhere
        return memories.write(tx, bank, settings, draft, keys)[1]
    hash = content_hash(draft.data, draft.session[0] if draft.session else b"")
    for repeat in range(REPEATS):
        draft.document = memories.identity("document_id", framing.turn_id(session, said.asked, repeat), keys, [])
        assert draft.document is not None
        key = draft.document[0]
        held = tx.document(bank, key)
        if held is None:
            before = ledger.captured(bank, key)
            if before in (hash, ERASED):
                return []  # forgotten since
            if before is not None:
                continue
            if tx.duplicate(bank, hash) is not None:
                return []
        else:
            there = ledger.content(bank, held.id)
            if there == draft.content or is_part(draft.content, there):
                return []
            if not is_part(there, draft.content):
                continue
        ledger.note_turn(bank, key, hash, service.now())
        return memories.write(tx, bank, settings, draft, keys)[1]
    return []


def is_part(one: str, other: str) -> bool:
    """Is a turn's text the same turn in fewer words: its answer a part of the other's?"""
    answer, whole = answer_of(one), answer_of(other)
    return not answer or framing.flat(answer) in framing.flat(whole)


def answer_of(content: str) -> str:
    return content.partition(ASSISTANT)[2] if content.startswith(USER) else content.removeprefix(ASSISTANT)


def dropped(tx: Tx, bank: Bank, service: Service, session: str, now: int) -> None:
    """Before a compaction: the host is about to drop what was injected."""
    key = service.keys.hashed(session)
    state = tx.ledger.session(bank, key)
    tx.ledger.drop(bank, key, service.keys.shown("session", session, []), state, now)
