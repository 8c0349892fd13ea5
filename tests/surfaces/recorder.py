"""A surface that carries calls on to another and keeps what was asked and answered, ids and times replaced, for comparing surfaces."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from memory_wire import types as t
from memory_wire.client import Surface
from memory_wire.errors import MemoryWireError

DIGEST = re.compile(rb":[0-9a-f]{8}\]")  # under the store's own secret
UUID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
NOW = re.compile(rb"20[3-9]\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z|202[5-9]-\d\d-\d\dT\d\d:\d\d:\d\d\.(?!000Z)\d{3}Z")


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
        self.note(name, request, msgspec.json.encode(answer))
        return answer

    def note(self, name: str, request: msgspec.Struct, answer: bytes) -> None:
        line = f"{name} {request} -> ".encode(errors="replace") + answer
        line = UUID.sub(self.numbered, line).replace(self.bank.encode(), b"<bank>")
        self.log.append(NOW.sub(b"<now>", DIGEST.sub(self.numbered, line)))

    def numbered(self, match: re.Match[bytes]) -> bytes:
        return self.ids.setdefault(match[0], b"<id %d>" % len(self.ids))

    def close(self) -> None:
        self.target.close()
