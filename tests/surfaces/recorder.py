"""A surface that carries calls on to another and keeps what was asked and answered, ids and times replaced, for comparing surfaces."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import msgspec

from memory_wire import embedding as e
from memory_wire import erasure, guests
from memory_wire import grants as g
from memory_wire import integrations as i
from memory_wire import publishing as p
from memory_wire import questions as q
from memory_wire import sessions as s
from memory_wire import types as t
from memory_wire.client import Surface
from memory_wire.errors import MemoryWireError

DIGEST = re.compile(rb":[0-9a-f]{8}\]")  # under the store's own secret
UUID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
CURSOR = re.compile(rb"'\d+\.\d+'")
KEY_ID = re.compile(rb"(?<=RevokeKey\(id=')[0-9a-f]{12}|(?<=head=')[0-9a-f]{32}")
DOCUMENT = re.compile(rb"(?<=['\"/])[0-9A-Za-z]{17}(?=['\"#)>.?\\])")
SUGGESTION = re.compile(rb"(?<=id=')[0-9a-f]{16}(?=')|(?<=\"id\":\")[0-9a-f]{16}(?=\")")
LINK = re.compile(rb"(?<=link=')[0-9A-Za-z]{32}")
STAMP = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


LISTS: tuple[tuple[type[msgspec.Struct], str, str], ...] = (
    (g.Projects, "projects", "name"),
    (g.Keys, "keys", "label"),
    (g.Accounts, "accounts", "name"),
    (g.Members, "members", "name"),
    (g.Units, "units", "name"),
    (i.Integrations, "integrations", "name"),
    (s.Sessions, "sessions", "id"),
)


class Recorder(Surface):
    """`log` has one line a call."""

    def __init__(self, target: Surface, bank: str) -> None:
        self.target, self.bank = target, bank
        self.log: list[bytes] = []
        self.names: set[str] = set()
        self.ids: dict[bytes, bytes] = {}

    def call(self, name: str, request: msgspec.Struct, bank: str | None = None) -> Any:
        bank = self.bank if bank is None else bank
        self.names.add(name)
        try:
            answer = self.target.call(name, request, bank)
        except MemoryWireError as error:
            self.note(name, request, f"{type(error).__name__} {error}".encode(errors="replace"))
            raise
        if isinstance(answer, t.Banks):  # other scenarios share the store
            answer = t.Banks(banks=[row for row in answer.banks if row.bank.startswith(self.bank)])
        if isinstance(answer, t.Swept):
            mine = [row for row in answer.banks if row.bank.startswith(self.bank)]
            banks = [msgspec.structs.replace(row, cutoff=row.cutoff and "<cutoff>") for row in mine]
            answer = t.Swept(dry_run=answer.dry_run, banks=banks, deleted=sum(row.deleted for row in banks))
        told = answer
        if isinstance(answer, e.EmbeddingRun):  # a server does some of it by itself
            told = msgspec.structs.replace(answer, units=0, passages=0, known=0, tokens=0)
        self.note(name, request, msgspec.json.encode(self.own(told)))
        return answer

    def own(self, answer: object) -> object:
        """The answer without what other scenarios have made, and without what is made anew by chance."""
        if isinstance(answer, p.Payload):
            return [answer.body.decode(), msgspec.structs.replace(answer, body=b"", etag="<etag>")]
        if isinstance(answer, guests.Link):
            return msgspec.structs.replace(answer, url="<link>", expires_at="<later>")
        if isinstance(answer, erasure.Erased):
            return msgspec.structs.replace(answer, banks=[bank for bank in answer.banks if bank.startswith(self.bank)])
        if isinstance(answer, g.NewKey):
            return msgspec.structs.replace(answer, id="<key id>", key="<key>", expires_at=None)
        if isinstance(answer, q.HubRecalled):
            timed = msgspec.structs.replace(answer.meta, timing_ms=q.RecallTiming(embed=0, search=0, rerank=0, total=0))
            return msgspec.structs.replace(answer, meta=timed)
        for kind, rows, name in LISTS:
            if isinstance(answer, kind):
                kept = [row for row in getattr(answer, rows) if str(getattr(row, name)).startswith(self.bank)]
                return [msgspec.structs.replace(row, id="<key id>", expires_at=None) if isinstance(row, g.KeyRow) else row for row in kept]
        if isinstance(answer, g.AuditLog):
            mine = [row for row in answer.events if self.bank in (row.bank, str(row.target)[: len(self.bank)])]
            return [msgspec.structs.replace(row, chain="<chain>", actor="<actor>") for row in mine]
        return msgspec.structs.replace(answer, head="<chain>", events=0) if isinstance(answer, g.AuditVerdict) else answer

    def note(self, name: str, request: msgspec.Struct, answer: bytes) -> None:
        line = f"{name} {request} -> ".encode(errors="replace") + answer
        line = KEY_ID.sub(b"<key id>", CURSOR.sub(b"<cursor>", line))
        line = SUGGESTION.sub(b"<suggestion>", line)
        line = LINK.sub(b"<token>", line)
        line = DOCUMENT.sub(self.numbered, UUID.sub(self.numbered, line)).replace(self.bank.encode(), b"<bank>")
        self.log.append(STAMP.sub(now_or_given, DIGEST.sub(self.numbered, line)))

    def numbered(self, match: re.Match[bytes]) -> bytes:
        return self.ids.setdefault(match[0], b"<id %d>" % len(self.ids))

    def close(self) -> None:
        self.target.close()


def now_or_given(match: re.Match[bytes]) -> bytes:
    """A time of this minute as `<now>`, any other as it is."""
    when = datetime.fromisoformat(match[0].decode())
    return b"<now>" if abs((datetime.now(UTC) - when).total_seconds()) < 60 else match[0]
