"""Rows of the store as the index takes them. One function for a fresh row and for a replayed one, so that both are indexed alike."""

from __future__ import annotations

from memory_wire.kernels.text import content_hash, terms
from memory_wire.service import dates, voice
from memory_wire.service.keys import tag_key
from memory_wire.store.rows import Bank, IndexRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_wire.store.reader import Reader
    from memory_wire.store.rows import Found

Row = tuple[int, int, int, int, int, list[bytes], str, str]

SPEAKER_FIELD = b"\x03"
SPEAKER_TERMS = 32  # more words are no name; the index takes a bounded number of fields
RECORD_FIELD = b"\x04"
CHUNK_FIELD = b"\x05"
ROLE_BITS = 0b11
CHUNK_BIT = 0b100


def scope_key(scope: str) -> bytes:
    """A scope's key in the postings store."""
    return RECORD_FIELD + content_hash(scope.encode())


def row_of(unit: IndexRow, language: int) -> Row:
    """(id, created ms, flags, session or -1, position, field keys, header, text): what the index keeps of a unit.

    Field keys are its date, tags and speaker, of a record that it is one and its scope, of a chunk that it is one. The header, words that
    every passage carries, is the breadcrumb, a speaker that the text itself doesn't name, and aliases.
    """
    speaker, header, flags, text = unit.speaker, unit.header, unit.flags, unit.content
    named, role = voice.read(text) if not flags & CHUNK_BIT else (None, 0)
    if speaker is None:
        speaker = named
    elif named != speaker:
        header = f"{header} {speaker}" if header else speaker
    if role and not flags & ROLE_BITS:
        flags |= role
    fields = list(dates.terms(unit.created))
    if unit.tags:
        fields += [tag_key(tag) for tag in unit.tags]
    if flags & CHUNK_BIT:
        fields.append(CHUNK_FIELD)
    if unit.scope is not None:
        fields += [RECORD_FIELD, scope_key(unit.scope)]
        if unit.aliases:
            header = f"{header} {' '.join(unit.aliases)}".strip()
    if speaker:
        fields += [SPEAKER_FIELD + term for term in list(dict.fromkeys(terms(speaker, language)))[:SPEAKER_TERMS]]
    position = unit.position if unit.session >= 0 else -1
    return unit.id, unit.created, flags, unit.session, position, fields, header, text


class BankRows:
    """One bank's rows as the index follows them, within one read transaction."""

    __slots__ = ("bank", "language", "reader", "store_id")

    def __init__(self, store_id: bytes, reader: Reader, bank: Bank, language: int) -> None:
        self.store_id, self.reader, self.bank, self.language = store_id, reader, bank, language

    def state(self) -> tuple[int, int]:
        return self.bank.newest, self.bank.removed

    def identity(self, unit_id: int) -> bytes | None:
        return self.reader.identity(self.bank, unit_id)

    def found(self, ids: Sequence[int]) -> dict[int, Found]:
        """What a recall needs of the units, as far as they are there."""
        return self.reader.found(self.bank, ids)

    def rows(self, after: int, upto: int | None, limit: int) -> list[Row]:
        return [row_of(unit, self.language) for unit in self.reader.rows(self.bank, after, upto, limit)]

    def removed(self, after_seq: int) -> tuple[list[tuple[int, int]], int]:
        return self.reader.removed(self.bank, after_seq)

    def removal(self, seq: int) -> bytes | None:
        return self.reader.removal(self.bank, seq)

    def synced(self) -> int:
        return self.reader.synced(self.bank)

    def n_sessions(self) -> int:
        return self.reader.n_sessions(self.bank)

    def renew(self) -> None:
        """Begins a new read transaction; a bank deleted meanwhile stays as it was seen last."""
        self.reader.end()
        self.reader.begin()
        bank = self.reader.bank(self.bank.project, self.bank.name)
        if bank is not None and bank.id == self.bank.id:
            self.bank = bank
