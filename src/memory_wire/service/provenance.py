"""What is told with a text about where it comes from: checked, redacted, keyed. Shared by `remember` and `retain`; knows no transaction."""

from __future__ import annotations

from msgspec import Struct, json

from memory_wire import config
from memory_wire import types as t
from memory_wire.errors import (
    ConfidenceRange,
    ContentEmpty,
    ContentTooLong,
    DerivedTooMany,
    DerivedUnknown,
    FieldTooLong,
    HashWithoutSource,
    Invalid,
    RecordRefused,
    SupersedesUnknown,
)
from memory_wire.guard.redact import redact
from memory_wire.hashes import is_digest
from memory_wire.kernels.text import content_hash
from memory_wire.service import forms, validate
from memory_wire.service.keys import Keys
from memory_wire.store.ids import parse
from memory_wire.store.records import Provenance

VISIBILITIES = ("author", "unit", "project", "organization")


class Told(Struct):
    """What was told, ready to be stored once the unit has an id: the row, the sources' public ids, what it supersedes.

    `texts` are the strings as they were given, for the guard.
    """

    row: Provenance
    derived: list[bytes]
    supersedes: bytes | None
    receipts: list[t.Redacted]
    texts: list[str]


def read(request: t.Remember | t.Retain, content: str, keys: Keys, receipts: list[t.Redacted]) -> Told:
    """What a request tells beside its content, which is redacted already. Raises RecordRefused, Invalid, WrongType."""
    row = Provenance(unit=0, sameness=content_hash(forms.content(content).encode()))
    texts: list[str] = []
    fact = key("fact_key", request.fact_key, keys, receipts, texts)
    if fact is not None:
        row.fact_key, row.fact = fact[0], keys.hashed(forms.fact(fact[1]))
    source = key("source_id", request.source_id, keys, receipts, texts)
    if source is not None:
        row.source_id, row.source_key = source[0], keys.hashed(source[1])
    row.source = prose("source", request.source, config.SOURCE_CHARS, receipts, texts)
    row.source_revision = shown("source_revision", request.source_revision, keys, receipts, texts)
    row.source_hash = hash_of("source_hash", request.source_hash, keys, receipts)
    if row.source_hash is not None and source is None:
        raise HashWithoutSource("source_hash", "source_hash needs the source_id that it is of")
    row.confidence = confidence(request.confidence)
    told = Told(row, derived(request.derived_from), None, receipts, texts)
    if isinstance(request, t.Remember):
        more(request, told, keys)
    return told


def more(request: t.Remember, told: Told, keys: Keys) -> None:
    """What only a record has."""
    row, receipts, texts = told.row, told.receipts, told.texts
    row.scope = shown("scope", request.scope, keys, receipts, texts)
    row.kind = shown("kind", request.kind, keys, receipts, texts)
    aliases = names("aliases", request.aliases, receipts, texts)
    row.aliases = json.encode(aliases).decode() if aliases else None
    if request.pinned is not None and not isinstance(request.pinned, bool):
        raise validate.wrong_type("pinned", "a boolean")
    row.pinned = 1 if request.pinned else None
    if request.supersedes is not None:
        told.supersedes = parse(string("supersedes", request.supersedes, config.KEY_CHARS))
        if told.supersedes is None:
            raise SupersedesUnknown("supersedes", "supersedes names no record here")
    if request.visibility is not None and request.visibility not in VISIBILITIES:
        raise Invalid("visibility", f"must be one of {', '.join(VISIBILITIES)}")


def content(value: object) -> str:
    """A record's content, which must say something. Raises ContentEmpty, ContentTooLong, Invalid, WrongType."""
    if not isinstance(value, str):
        raise validate.wrong_type("content", "a string")
    if len(value) > config.RECORD_CHARS:
        raise ContentTooLong("content", f"content must be at most {config.RECORD_CHARS:,} characters")
    if "\0" in value:
        raise Invalid("content", validate.NUL)
    validate.encode("content", value)
    if not value.strip():
        raise ContentEmpty("content", "content must say something")
    return value


# fields ----------------------------------------------------------------------------------------------------------------------------


def string(field: str, value: object, limit: int) -> str:
    """A legal text of at most so many characters. Raises FieldTooLong."""
    if isinstance(value, str) and len(value) > limit:
        raise FieldTooLong(field, f"{field} must be at most {limit:,} characters")
    return validate.text(field, value, limit)


def prose(field: str, value: str | None, limit: int, receipts: list[t.Redacted], texts: list[str]) -> str | None:
    """A text for people, without secrets; None for a blank one."""
    if value is None or not string(field, value, limit).strip():
        return None
    texts.append(value)
    clean, hits = redact(value)
    receipts += [t.Redacted(field=field, kind=kind, count=count) for kind, count in hits]
    return clean


def key(field: str, value: str | None, keys: Keys, receipts: list[t.Redacted], texts: list[str]) -> tuple[str, str] | None:
    """(shown form, what was given) of a field that is matched; None for a blank one."""
    given = string(field, value, config.KEY_CHARS).strip() if value is not None else ""
    if not given:
        return None
    texts.append(given)
    return keys.shown(field, given, receipts), given


def shown(field: str, value: str | None, keys: Keys, receipts: list[t.Redacted], texts: list[str]) -> str | None:
    """The shown form of a short text; None for a blank one."""
    found = key(field, value, keys, receipts, texts)
    return None if found is None else found[0]


def hash_of(field: str, value: str | None, keys: Keys, receipts: list[t.Redacted]) -> str | None:
    """A source hash; what doesn't look like one might be a secret."""
    given = string(field, value, config.SOURCE_HASH_CHARS).strip() if value is not None else ""
    if not given:
        return None
    return given if is_digest(given) else keys.shown(field, given, receipts)


def names(field: str, given: object, receipts: list[t.Redacted], texts: list[str]) -> list[str]:
    """Other names, without blank ones and repeats. Raises FieldTooLong, Invalid."""
    if given is None:
        return []
    if not isinstance(given, list | tuple):
        raise validate.wrong_type(field, "an array of strings")
    if len(given) > config.ALIASES:
        raise Invalid(field, f"must be at most {config.ALIASES}")
    found = [prose(field, name, config.ALIAS_CHARS, receipts, texts) for name in given]
    return list(dict.fromkeys(name.strip() for name in found if name is not None))


def confidence(value: object) -> float:
    """0 to 1; anything else, be it no number at all, has the same code. Raises ConfidenceRange."""
    if value is None:
        return config.CONFIDENCE
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ConfidenceRange("confidence", "confidence must be a number from 0 to 1")
    return float(value)


def derived(given: object) -> list[bytes]:
    """Public ids of the sources, each once. Raises DerivedTooMany, DerivedUnknown."""
    if given is None:
        return []
    if not isinstance(given, list | tuple):
        raise validate.wrong_type("derived_from", "an array of strings")
    if len(given) > config.DERIVED:
        raise DerivedTooMany("derived_from", f"derived_from must name at most {config.DERIVED}")
    found = [parse(string("derived_from", id, config.KEY_CHARS)) for id in given]
    if None in found:
        raise unknown_source()
    return list(dict.fromkeys(uid for uid in found if uid is not None))


def unknown_source() -> RecordRefused:
    return DerivedUnknown("derived_from", "derived_from names something that isn't there")
