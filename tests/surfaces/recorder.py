"""A surface that carries calls on to another and keeps what was asked and answered, ids and times replaced, for comparing surfaces."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import msgspec

from memory_wire import types as t
from memory_wire.client import Surface
from memory_wire.errors import MemoryWireError

DIGEST = re.compile(rb":[0-9a-f]{8}\]")  # under the store's own secret
UUID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
STAMP = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


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
            banks = [msgspec.structs.replace(row, cutoff=row.cutoff and "<cutoff>") for row in answer.banks if row.bank.startswith(self.bank)]
            answer = t.Swept(dry_run=answer.dry_run, banks=banks, deleted=sum(row.deleted for row in banks))
        self.note(name, request, msgspec.json.encode(answer))
        return answer

    def note(self, name: str, request: msgspec.Struct, answer: bytes) -> None:
        line = f"{name} {request} -> ".encode(errors="replace") + answer
        line = UUID.sub(self.numbered, line).replace(self.bank.encode(), b"<bank>")
        self.log.append(STAMP.sub(now_or_given, DIGEST.sub(self.numbered, line)))

    def numbered(self, match: re.Match[bytes]) -> bytes:
        return self.ids.setdefault(match[0], b"<id %d>" % len(self.ids))

    def close(self) -> None:
        self.target.close()


def now_or_given(match: re.Match[bytes]) -> bytes:
    """A time of this minute as `<now>`, any other as it is."""
    when = datetime.fromisoformat(match[0].decode())
    return b"<now>" if abs((datetime.now(UTC) - when).total_seconds()) < 60 else match[0]
