"""Vectors of what a bank holds: made in the background by the bank's embedder, each text once, kept in the store.

A job of jobs.py goes through the bank in slices by unit id, so one that is cut off anywhere goes on where it was; recall goes on.
Only texts whose key (model, dimension, text) no row has go to the embedder. Loaded by banks with an embedder only.
"""

from __future__ import annotations

import math
import time
from _thread import allocate_lock
from struct import unpack_from

from msgspec import Struct

from memory_wire.errors import Invalid, OutsideFailed, Pruned, UnknownBank
from memory_wire.kernels.text import analyse
from memory_wire.retrieve import embed
from memory_wire.service import jobs, models
from memory_wire.service.rows import row_of
from memory_wire.store.embeddings import Embedding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.retrieve.embed import Model
    from memory_wire.service.service import Service
    from memory_wire.service.settings import Settings
    from memory_wire.store.jobs import Job
    from memory_wire.store.protocol import Tx
    from memory_wire.store.reader import Reader
    from memory_wire.store.rows import Bank, IndexRow

KIND = "embed"
UNITS = 256  # read at once
PASSAGES = 128  # that one slice embeds
SECONDS = 20.0  # of one job, well within its lease
CHARS = 8_000  # of one text that is embedded; ninety words are rarely a tenth of that

_one = allocate_lock()  # a slice at a time in this process, so that no text is embedded twice


class Made(Struct, frozen=True):
    """Which model, as its vectors show it."""

    model: Model
    id: bytes
    dimension: int


class Wanted(Struct):
    """One passage: its place, its key, its text."""

    unit: int
    passage: int
    key: bytes
    text: str


class Slice(Struct):
    """What one step found and made. `upto`: all units to there are done; `more`: there are further ones."""

    made: Made
    config_version: int
    rows: list[Embedding] = []
    units: int = 0
    asked: int = 0
    upto: int = 0
    more: bool = False
    gone: list[int] | None = []
    removed: int = 0


def run(service: Service, job: Job) -> Callable[[Tx], None] | None:
    """The job: slices until nothing is left or its time is over; then what asks for the rest. Raises OutsideFailed.

    A slice is kept at once, whatever becomes of the job: a write that asks for it again meanwhile would have its work thrown away.
    """
    with service.read() as reader:
        bank = jobs.bank_of(reader, job)
        model = models.of(service.settings_of(bank, reader), "embedder") if bank is not None else None
    if bank is None or model is None:
        return None
    kept, until = bank, time.monotonic() + SECONDS
    while True:
        found = step(service, bank, made(service, model))
        if not found.more and not found.units:
            settle(service, bank, found.made)
            return None
        if time.monotonic() > until:
            return lambda tx: jobs.enqueue(tx, KIND, kept)


def settle(service: Service, bank: Bank, made: Made) -> None:
    """All vectors of units are there: those of bundles come, and when many have come they are written into files."""
    from memory_wire.service import doc_vectors, spaces

    doc_vectors.catch_up(service, bank, made)
    spaces.of(service).settle(bank, made.id)


def step(service: Service, bank: Bank, made: Made) -> Slice:
    """Makes and keeps the next slice. Raises UnknownBank, OutsideFailed, OutsideTimeout; what was kept before stays."""
    with _one:
        found = sliced(service, bank, made)
        service.store.submit(effect(bank, found))
    return found


def made(service: Service, model: Model, seconds: float | None = None) -> Made:
    """The model with its dimension; it is asked once per process what that is. Raises OutsideFailed, OutsideTimeout."""
    known: Made | None = service.made.get(model)
    if known is None:
        answer = models.ask(service, "embed", model, {"texts": []}, seconds)
        if not answer["dimension"]:
            answer = models.ask(service, "embed", model, {"texts": [f"{model.document_prefix}dimension"]}, seconds)
        dimension, contents = answer["dimension"], answer["id"]
        assert isinstance(dimension, int) and isinstance(contents, str)
        known = service.made[model] = Made(model, model.identity(contents, dimension), dimension)
    return known


def sliced(service: Service, bank: Bank, made: Made) -> Slice:
    """Finds what is next and has it embedded, outside any transaction. Raises OutsideFailed, OutsideTimeout."""
    found, wanted, known = look(service, bank, made, PASSAGES)
    new = [one for one in wanted if one.key not in known]
    texts = {one.key: one.text for one in new}
    found.asked = len(texts)
    rows = {**known, **vectors(service, made, texts)}
    found.rows = [Embedding(one.unit, one.passage, one.key, rows[one.key]) for one in wanted]
    return found


def look(service: Service, bank: Bank, made: Made, limit: int) -> tuple[Slice, list[Wanted], dict[bytes, bytes]]:
    """(the next slice without its rows, its passages, rows by key that are there already), with at most `limit` passages to embed."""
    with service.read() as reader:
        current = reader.bank(bank.project, bank.name)
        if current is None or current.id != bank.id:
            raise UnknownBank
        space = reader.embeddings.space(current, made.id)
        found = Slice(made, current.config_version, upto=space.upto if space else 0, removed=space.removed if space else 0)
        language = service.settings_of(current, reader).language
        rows = reader.rows(current, found.upto, None, UNITS)
        wanted: list[Wanted] = []
        new: set[bytes] = set()
        known: dict[bytes, bytes] = {}
        for row in rows:
            passages = wanted_of(row, language, made)
            known.update(reader.embeddings.known(made.id, [one.key for one in passages if one.key not in new]))
            fresh = {one.key for one in passages} - known.keys() - new
            if new and len(new) + len(fresh) > limit:
                found.more = True
                break
            room = set(sorted(fresh)[: limit - len(new)])
            wanted += [one for one in passages if one.key in known or one.key in new or one.key in room]
            new |= room
            if len(room) < len(fresh):
                found.more = True  # the rest of a long text comes next
                break
            found.upto, found.units = row.id, found.units + 1
        found.more = found.more or len(rows) == UNITS
        if not found.more:
            gone(reader, current, found)
    return found, wanted, known


def gone(reader: Reader, bank: Bank, found: Slice) -> None:
    """Notes whose rows go, once nothing is left that might still find them."""
    try:
        removed, found.removed = reader.removed(bank, found.removed)
        found.gone = [unit for _, unit in removed]
    except Pruned:
        found.gone, found.removed = None, bank.removed


def wanted_of(row: IndexRow, language: int, made: Made) -> list[Wanted]:
    """The passages of a unit as they are embedded: with the unit's header, and the prefix that the model wants."""
    id, _, _, _, _, _, header, text = row_of(row, language)
    head = f"{header}\n" if header else ""
    found = []
    for place, (start, end) in enumerate(passages(analyse(text, language))):
        body = text[start:end].strip()
        if body:
            given = f"{made.model.document_prefix}{head}{body}"[:CHARS]
            found.append(Wanted(id, place, embed.key_of(made.id, made.dimension, given), given))
    return found


def passages(packed: bytes) -> list[tuple[int, int]]:
    """Where the passages of an analysed text begin and end."""
    (count,) = unpack_from("<I", packed)
    found, at = [], 4
    for _ in range(count):
        start, end, tokens, _ = unpack_from("<IIHH", packed, at)
        found.append((start, end))
        at += 12
        for _ in range(tokens):
            at += 1 + packed[at]
    return found


def vectors(service: Service, made: Made, texts: dict[bytes, str]) -> dict[bytes, bytes]:
    """A row for each key, in batches. Raises OutsideFailed when one isn't what the model gave before; then nothing is kept of any."""
    keys, width = list(texts), made.dimension + 4
    rows: dict[bytes, bytes] = {}
    for start in range(0, len(keys), made.model.batch):
        part = keys[start : start + made.model.batch]
        answer = models.ask(service, "embed", made.model, {"texts": [texts[key] for key in part], "int8": True})
        data, dimension, contents = answer["vectors"], answer["dimension"], answer["id"]
        assert isinstance(data, bytes) and isinstance(dimension, int) and isinstance(contents, str)
        if dimension != made.dimension or len(data) != len(part) * width or made.model.identity(contents, dimension) != made.id:
            service.made.pop(made.model, None)
            raise OutsideFailed(f"the embedder gives vectors of {dimension} dimensions, before they were {made.dimension}")
        rows.update((key, data[place * width : (place + 1) * width]) for place, key in enumerate(part))
    return rows


def effect(bank: Bank, found: Slice) -> Callable[[Tx], None]:
    """The work that writes a slice."""

    def work(tx: Tx) -> None:
        current = tx.bank(bank.project, bank.name)
        if current is None or current.id != bank.id:
            return
        made = found.made
        space = tx.embeddings.open(current, made.id, made.model.config, made.model.name, made.dimension)
        tx.embeddings.put(space, found.rows, found.upto)
        if not found.more:
            tx.embeddings.follow(space, found.gone, found.removed)
            if current.config_version == found.config_version:
                tx.embeddings.drop(current, keep=space.id)

    return work


def place_of(reader: Reader, scope_project: str, name: str) -> Bank:
    bank = reader.bank(scope_project, name)
    if bank is None:
        raise UnknownBank
    return bank


def embedder(settings: Settings) -> Model:
    """The embedder that is configured. Raises Invalid, which says how one is."""
    model = models.of(settings, "embedder")
    if model is None:
        raise Invalid("embedder", models.HOW)
    return model


def similar(row: bytes, vector: bytes) -> float:
    """Cosine of a kept row and a float32 vector of length 1."""
    dimension = len(row) - 4
    kept = unpack_from(f"{dimension}b", row, 4)
    fresh = unpack_from(f"<{dimension}f", vector)
    length = math.sqrt(sum(value * value for value in kept))
    return sum(a * b for a, b in zip(kept, fresh, strict=True)) / length if length else 1.0
