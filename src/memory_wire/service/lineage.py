"""Records in an export: what they tell beside their text, what they were derived from, what was seen of their sources.

Sources are named by public id. One that is gone stays one that is gone; records that would come from one another are refused.
"""

from __future__ import annotations

from msgspec import Struct, json

from memory_wire import config
from memory_wire.errors import Invalid
from memory_wire.guard.redact import PLACEHOLDER
from memory_wire.kernels.text import content_hash
from memory_wire.service import forms, provenance, validate
from memory_wire.store.ids import parse, show
from memory_wire.store.records import Provenance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory_wire.service.keys import Keys
    from memory_wire.store.protocol import Tx
    from memory_wire.store.reader import Reader
    from memory_wire.store.rows import Bank

KEY_BYTES = 16
CYCLE_SHOWN = 20  # ids of a cycle that are named


class Part(Struct, kw_only=True, omit_defaults=True):
    """A record's provenance. `fact` and `source_key` are there where the shown form doesn't say them; None in `derived_from` is gone."""

    fact_key: str | None = None
    fact: str | None = None
    source: str | None = None
    source_id: str | None = None
    source_key: str | None = None
    source_hash: str | None = None
    source_revision: str | None = None
    confidence: float | None = None
    scope: str | None = None
    aliases: list[str] = []
    kind: str | None = None
    pinned: bool = False
    supersedes: str | None = None
    visibility: str | None = None
    derived_from: list[str | None] = []
    redactions: str | None = None
    flags: str | None = None


class SourceLine(Struct, kw_only=True, omit_defaults=True):
    """What was seen of a source last."""

    observed: str
    hash: str
    at: int
    source_key: str | None = None


# export ----------------------------------------------------------------------------------------------------------------------------


def parts(reader: Reader, ids: list[int]) -> dict[int, Part]:
    """What is exported of the records among the units."""
    records = reader.records
    rows, sources = records.rows(ids), records.sources(ids)
    named = {unit for found in sources.values() for unit in found} | {row.supersedes for row in rows.values() if row.supersedes}
    uids = {unit: show(uid) for unit, uid in records.uids(named).items()}
    return {
        unit: Part(
            fact_key=row.fact_key,
            fact=kept(row.fact_key, row.fact),
            source=row.source,
            source_id=row.source_id,
            source_key=kept(row.source_id, row.source_key),
            source_hash=row.source_hash,
            source_revision=row.source_revision,
            confidence=row.confidence,
            scope=row.scope,
            aliases=json.decode(row.aliases) if row.aliases else [],
            kind=row.kind,
            pinned=bool(row.pinned),
            supersedes=uids.get(row.supersedes) if row.supersedes is not None else None,
            visibility=row.visibility,
            derived_from=[uids.get(source) for source in sources.get(unit, ())],
            redactions=row.redactions,
            flags=row.flags,
        )
        for unit, row in rows.items()
    }


def kept(shown: str | None, key: bytes | None) -> str | None:
    """The key where the shown form doesn't say it."""
    return key.hex() if key is not None and shown is not None and PLACEHOLDER in shown else None


def seen(reader: Reader, bank: Bank) -> list[SourceLine]:
    """The lines of what was seen of the bank's sources."""
    return [SourceLine(observed=shown, hash=hash, at=at, source_key=kept(shown, key)) for shown, key, hash, at in reader.records.seen(bank)]


# import ----------------------------------------------------------------------------------------------------------------------------


def read(part: Part, content: str, keys: Keys, wide: int) -> Provenance:
    """A record's row. Raises Invalid, RecordRefused, WrongType."""
    for field in ("fact_key", "source", "source_id", "source_hash", "source_revision", "scope", "kind", "redactions", "flags"):
        value = getattr(part, field)
        if value is not None:
            validate.text(field, value, config.KEY_CHARS * wide)
    if part.visibility is not None and part.visibility not in provenance.VISIBILITIES:
        raise Invalid("visibility", f"must be one of {', '.join(provenance.VISIBILITIES)}")
    return Provenance(
        unit=0,
        fact_key=part.fact_key,
        fact=key_of(part.fact, keys.hashed(forms.fact(part.fact_key)) if part.fact_key else None),
        sameness=content_hash(forms.content(content).encode()),
        source=part.source,
        source_id=part.source_id,
        source_key=key_of(part.source_key, keys.hashed(part.source_id) if part.source_id else None),
        source_hash=part.source_hash,
        source_revision=part.source_revision,
        confidence=provenance.confidence(part.confidence),
        scope=part.scope,
        aliases=json.encode(part.aliases).decode() if part.aliases else None,
        kind=part.kind,
        pinned=1 if part.pinned else None,
        visibility=part.visibility,
        redactions=part.redactions,
        flags=part.flags,
    )


def key_of(given: str | None, computed: bytes | None) -> bytes | None:
    """The exported key, else the one that the shown form has here. Raises Invalid."""
    if given is None:
        return computed
    try:
        raw = bytes.fromhex(given)
    except ValueError:
        raw = b""
    if len(raw) != KEY_BYTES:
        raise Invalid("key", "must be 32 hex digits")
    return raw


class Lineage:
    """What the records of one bank were derived from, as far as the file was read."""

    def __init__(self) -> None:
        self.told: dict[bytes, list[bytes]] = {}
        self.awaited: set[bytes] = set()
        self.late: list[tuple[bytes, int, bytes]] = []  # record, place in its list, source that came after it or never

    def take(self, uid: bytes, part: Part) -> None:
        """Takes in one record. Raises Invalid, naming the ids, where it comes from itself."""
        if len(part.derived_from) > config.DERIVED:
            raise Invalid("derived_from", f"must be at most {config.DERIVED}")
        sources = [parse(source) for source in part.derived_from if source is not None]
        if None in sources:
            raise Invalid("derived_from", "must be ids")
        self.told[uid] = [source for source in sources if source is not None]
        if uid in self.awaited or uid in sources:
            self.check(uid)
        self.awaited.update(source for source in self.told[uid] if source not in self.told)

    def check(self, start: bytes) -> None:
        """Follows the sources of a record; Invalid when they lead back to it."""
        came: dict[bytes, bytes] = {}
        queue = [start]
        while queue:
            unit = queue.pop()
            for source in self.told.get(unit, ()):
                if source == start:
                    raise Invalid("derived_from", f"goes round: {' <- '.join(self.way(start, unit, came))}")
                if source not in came:
                    came[source] = unit
                    queue.append(source)

    def way(self, start: bytes, end: bytes, came: dict[bytes, bytes]) -> Iterable[str]:
        """The ids of a cycle, beginning and ending with the same."""
        found = [start, end] if end != start else [start]
        while found[-1] != start:
            found.append(came[found[-1]])
        ids = [show(uid) for uid in ([*found, start] if len(found) == 1 else found)]
        return [*ids[:CYCLE_SHOWN], "…", ids[-1]] if len(ids) > CYCLE_SHOWN else ids

    def put(self, tx: Tx, bank: Bank, row: Provenance, uid: bytes, part: Part) -> None:
        """Stores a record's row and the sources that are there already; the others wait for `finish`."""
        superseded = parse(part.supersedes) if part.supersedes else None
        row.supersedes = tx.records.unit(bank, superseded) if superseded is not None else None
        tx.records.add(bank, row, [])
        for place, id in enumerate(part.derived_from):
            source = parse(id) if id is not None else None
            unit = tx.records.unit(bank, source) if source is not None else None
            if source is not None and unit is None:
                self.late.append((uid, place, source))
            else:
                tx.records.derive(row.unit, unit, place)

    def finish(self, tx: Tx, bank: Bank) -> None:
        """Stores what waited: sources that came later, and those that never did."""
        for uid, place, source in self.late:
            unit = tx.records.unit(bank, uid)
            if unit is not None:
                tx.records.derive(unit, tx.records.unit(bank, source), place)
        self.late.clear()
