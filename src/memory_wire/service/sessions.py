"""Uploaded sessions: kept compressed beside the memories, not in search. Called by the service; loaded when first asked for.

A member sees their own, administrators those of the project. What comes was redacted by who sent it, and is redacted again here.
"""

from __future__ import annotations

from zlib import compress, decompress

from msgspec.json import Decoder, encode

from memory_wire import config
from memory_wire import sessions as s
from memory_wire.errors import Invalid, OffsetMismatch, SessionQuota, UnknownSession
from memory_wire.framing import cut_middle
from memory_wire.guard.redact import redact
from memory_wire.service import dates, validate
from memory_wire.service.changes import Outcome
from memory_wire.service.integrations import noted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.service.service import Service
    from memory_wire.store.protocol import Tx
    from memory_wire.store.reader import Reader
    from memory_wire.store.sessions import Upload
    from memory_wire.types import Caller, Scope

    Work = Callable[[Tx], Outcome]

LETTERS = frozenset("0123456789abcdefghijklmnopqrstuvwxyz-.")
ROLES = ("user", "assistant", "call", "tool")
MOST = (1 << 63) - 1
ERASED = "[REDACTED:erased]"  # stands for a line that was

lines_of = Decoder(list[s.SessionLine]).decode


def put_session(request: s.PutSession, scope: Scope, service: Service) -> Work:
    """The work that adds lines to a session. Raises Invalid, OffsetMismatch, SessionQuota."""
    check(request)
    lines = [kept(line) for line in request.lines]
    body = packed(lines) if lines else b""
    now = service.now()

    def work(tx: Tx) -> Outcome:
        own = author(scope.caller)
        found = tx.sessions.find(scope.project, request.id, own)
        if request.offset != (found.upto if found else 0):
            raise OffsetMismatch(found.upto if found else 0)
        if tx.sessions.held(scope.project) + len(body) > config.SESSION_PROJECT_BYTES:
            raise SessionQuota(config.SESSION_PROJECT_BYTES)
        project = tx.people.project_id(scope.project)
        if project is None:
            project = tx.people.add_project(1 if scope.caller is None else scope.caller.account, scope.project, now)
        upload = found.id if found else tx.sessions.add(project, own, request.id, request.host, now)
        tx.sessions.append(upload, request.upto, len(lines), body, now)
        noted(tx, scope, scope.project, "session.put", request.id, now)
        done = tx.sessions.find(scope.project, request.id, own)
        assert done is not None
        return Outcome(shown(done))

    return work


def session(reader: Reader, request: s.OfSession, scope: Scope) -> s.SessionRow:
    """Raises UnknownSession, also for one that the caller may not see."""
    return shown(found(reader, request.id, scope))


def session_lines(reader: Reader, request: s.ReadSession, scope: Scope) -> s.SessionLines:
    """A page of what was said. Raises Invalid, UnknownSession."""
    limit, offset = page_of(request)
    kept = found(reader, request.id, scope)
    lines: list[s.SessionLine] = []
    for first, body in reader.sessions.pieces(kept.id, offset, offset + limit):
        lines += lines_of(decompress(body))[max(offset - first, 0) :]
    return s.SessionLines(id=kept.session, lines=lines[:limit], total=kept.lines)


def sessions(reader: Reader, request: s.ListSessions, scope: Scope) -> s.Sessions:
    """A page of those that the caller may see. Raises Invalid."""
    rows, total = reader.sessions.page(scope.project, among(scope.caller), *page_of(request))
    held = reader.sessions.held(scope.project)
    return s.Sessions(sessions=[shown(row) for row in rows], total=total, bytes=held, most=config.SESSION_PROJECT_BYTES)


def delete_session(request: s.OfSession, scope: Scope, service: Service) -> Work:
    """The work that deletes a session."""
    now = service.now()

    def work(tx: Tx) -> Outcome:
        kept = tx.sessions.find(scope.project, request.id, among(scope.caller), author(scope.caller))
        if kept is not None:
            tx.sessions.remove(kept.id)
            noted(tx, scope, scope.project, "session.delete", kept.session, now)
        return Outcome(s.SessionDeleted(deleted=kept is not None))

    return work


# parts -----------------------------------------------------------------------------------------------------------------------------


def author(caller: Caller | None) -> int:
    """Whose the caller's sessions are."""
    return 0 if caller is None or caller.member is None else caller.member


def among(caller: Caller | None) -> int | None:
    """The one author whose sessions the caller may see, None for all of the project."""
    if caller is None or caller.role == "admin" or (caller.member is None and caller.rights == "admin"):
        return None
    return author(caller)


def found(reader: Reader, id: str, scope: Scope) -> Upload:
    """A session that the caller may see. Raises UnknownSession."""
    kept = reader.sessions.find(scope.project, id, among(scope.caller), author(scope.caller))
    if kept is None:
        raise UnknownSession
    return kept


def shown(kept: Upload) -> s.SessionRow:
    return s.SessionRow(
        id=kept.session,
        host=kept.host,
        offset=kept.upto,
        lines=kept.lines,
        bytes=kept.bytes,
        created_at=dates.stamp(kept.created),
        updated_at=dates.stamp(kept.updated),
    )


def page_of(request: s.ListSessions | s.ReadSession) -> tuple[int, int]:
    """(limit, offset). Raises Invalid."""
    limit = validate.page_limit(request.limit)
    offset = 0 if request.offset is None else request.offset
    if not isinstance(offset, int) or isinstance(offset, bool) or not 0 <= offset <= MOST - limit:
        raise Invalid("offset", "must not be negative")
    return limit, offset


def check(request: s.PutSession) -> None:
    """Raises Invalid."""
    for field, text in (("id", request.id), ("host", request.host)):
        if not 1 <= len(text) <= config.SESSION_ID_CHARS or not LETTERS.issuperset(text):
            raise Invalid(field, f"must be 1 to {config.SESSION_ID_CHARS} of a-z, 0-9, - and .")
    if not 0 <= request.offset < request.upto <= MOST:
        raise Invalid("upto", "must lie behind the offset")
    if len(request.lines) > config.SESSION_PUT_LINES:
        raise Invalid("lines", f"must be at most {config.SESSION_PUT_LINES:,}")
    for line in request.lines:
        if line.role not in ROLES:
            raise Invalid("role", f"must be one of {', '.join(ROLES)}")
        if len(line.text) > config.SESSION_TEXT_CHARS:
            raise Invalid("text", f"must be at most {config.SESSION_TEXT_CHARS:,} characters")
        if any(len(text or "") > config.SESSION_NAME_CHARS for text in (line.name, line.at)):
            raise Invalid("name", f"and at must be at most {config.SESSION_NAME_CHARS} characters")


def packed(lines: list[s.SessionLine]) -> bytes:
    """A piece as it is stored; `lines_of` its unpacked bytes reads it."""
    return compress(encode(lines))


def kept(line: s.SessionLine) -> s.SessionLine:
    """The line without secrets, what a tool said cut."""
    text = redact(line.text)[0]
    if line.role in ROLES[2:]:
        text = cut_middle(text, config.SESSION_TOOL_CHARS)
    name, at = (None if given is None else redact(given)[0] for given in (line.name, line.at))
    return s.SessionLine(role=line.role, text=text, name=name, at=at)
