"""Which units are nearest in meaning to a question: its vector from the embedder, then an exact search over what a transaction sees.

A bank's own units are asked for by id, those of a projection by their place in it. Loaded by banks with an embedder only.
"""

from __future__ import annotations

from _thread import allocate_lock, start_new_thread

from msgspec import Struct

from memory_wire.errors import OutsideFailed, OutsideTimeout
from memory_wire.retrieve import embed
from memory_wire.service import embedding, models, spaces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pyroaring import BitMap64

    from memory_wire.kernels.vec import Mask, Piece
    from memory_wire.retrieve.embed import Model
    from memory_wire.service.embedding import Made
    from memory_wire.service.service import Service
    from memory_wire.service.settings import Settings
    from memory_wire.store.embeddings import Space
    from memory_wire.store.reader import Reader
    from memory_wire.store.rows import Bank

    Found = list[tuple[int, float]]

QUESTION_SECONDS = 1.0  # that the embedder may take for a question, where neither it nor the caller names a time
WIDEN = 4  # times as many are looked at when some of them can't be served
PROJECTIONS_KEPT = 4
NO_LEADS: Mapping[str, list[int]] = {}

_loading = allocate_lock()  # held while a local model is asked in a thread of its own


class Question(Struct, frozen=True):
    """A question as a model sees it: `space` is the model's identity, `vector` float32 numbers, `model` its name."""

    space: bytes
    vector: bytes
    dimension: int
    model: str


def question(service: Service, settings: Settings, text: str, seconds: float | None = None) -> Question | None:
    """The question's vector, None where the bank has no embedder. Never within a transaction. Raises OutsideFailed, OutsideTimeout."""
    model = models.of(settings, "embedder")
    return None if model is None else asked(service, model, text, seconds)


def asked(service: Service, model: Model, text: str, seconds: float | None = None) -> Question:
    """The same of an embedder. Raises OutsideFailed, OutsideTimeout."""
    time = seconds or model.seconds or QUESTION_SECONDS
    if model.kind == "endpoint" or not _loading.acquire(False):
        return answered(service, model, text, time)
    return patiently(service, model, text, time)


def answered(service: Service, model: Model, text: str, seconds: float) -> Question:
    made: Made = embedding.made(service, model, seconds)
    data = models.ask(service, "embed", model, {"texts": [model.query_prefix + text]}, seconds)["vectors"]
    assert isinstance(data, bytes)
    if len(data) != 4 * made.dimension:
        raise OutsideFailed("a vector of another dimension")
    return Question(made.id, data, made.dimension, model.name)


def patiently(service: Service, model: Model, text: str, seconds: float) -> Question:
    """The same of a model in a folder: who asks goes when the time is over, the model is loaded all the same, for whoever asks next."""
    found: list[Question | Exception] = []
    ended = allocate_lock()
    ended.acquire()

    def run() -> None:
        try:
            found.append(answered(service, model, text, embed.SECONDS))
        except Exception as error:  # the caller's
            found.append(error)
        finally:
            _loading.release()
            ended.release()

    start_new_thread(run, ())
    if not ended.acquire(timeout=seconds):
        raise OutsideTimeout(f"no answer within {seconds:g} s")
    answer = found[0]
    if isinstance(answer, Exception):
        raise answer
    return answer


def nearest(
    service: Service,
    reader: Reader,
    bank: Bank,
    question: Question,
    k: int,
    projection: str = "",
    allowed: Iterable[int] | None = None,
) -> Found | None:
    """The k nearest, best first with their cosines, equal ones by the lower id; None without vectors of this model, or while they are read.

    Exactly of what the reader's transaction shows, and of `allowed` only; ids are the projection's. A unit is as near as its best passage.
    """
    space = reader.embeddings.space(bank, question.space)
    if space is None:
        return None
    wanted = None if allowed is None else allowed_set(allowed)
    if not projection:
        shown = None if wanted is None else list(wanted)
        return search(service, reader, bank, space, question.vector, k, only(shown), lambda ids: reader.embeddings.living(bank, ids))
    places = published(service, reader, bank)
    if wanted is not None:
        places = {unit: place for unit, place in places.items() if place in wanted}
    found = search(service, reader, bank, space, question.vector, k, only(list(places)))
    return None if found is None else sorted(((places[unit], score) for unit, score in found), key=lambda one: (-one[1], one[0]))


def allowed_set(ids: Iterable[int]) -> BitMap64:
    """Ids as a compressed set that ascends. The library is loaded with the first one: recalls filter by the index's own bitsets."""
    from pyroaring import BitMap64

    return BitMap64(ids)


def search(
    service: Service,
    reader: Reader,
    bank: Bank,
    space: Space,
    vector: bytes,
    k: int,
    mask: Callable[[Piece, list[int] | None], Mask | None],
    serve: Callable[[list[int]], Sequence[int]] | None = None,
    leads: Mapping[str, list[int]] = NO_LEADS,
) -> Found | None:
    """The k nearest units among the rows that `mask` shows and that `serve` lets through; more are looked at when it refuses some.

    Of files that a graph has given `leads` for only those are looked at, as long as enough of them are shown.
    """
    pieces = spaces.of(service).pieces(reader, bank, space)
    if pieces is None:
        return None
    masks = dict[str, "Mask | None"]()
    wanted = k
    while True:
        best: dict[int, float] = {}
        for number, piece in enumerate(pieces):
            found: Found = []
            if rows := leads.get(piece.path):
                found = piece.search(vector, k, mask(piece, rows))
            if len(found) < k:
                name = piece.path or str(number)
                if name not in masks:
                    masks[name] = mask(piece, None)
                found = piece.search(vector, k, masks[name])
            for unit, score in found:
                best[unit] = max(min(score, 1.0), best.get(unit, -1.0))
        order = sorted(best, key=lambda unit: (-best[unit], unit))[:k]
        kept = set(order if serve is None else serve(order))
        if len(kept) >= wanted or len(order) < k:
            return [(unit, best[unit]) for unit in order if unit in kept][:wanted]
        k *= WIDEN


def only(units: list[int] | None) -> Callable[[Piece, object], Mask | None]:
    """Shows the rows of these units, which ascend; all for None."""
    return lambda piece, _: None if units is None else piece.mask_of(units)


def published(service: Service, reader: Reader, bank: Bank) -> dict[int, int]:
    """Places of the public projection by unit, by ascending unit; kept while nothing is published or taken back."""
    kept = service.kept.setdefault("near", {})
    assert isinstance(kept, dict)
    state = (reader.file, bank.id, reader.hubs.state(bank.id)[:2])
    found: dict[int, int] | None = kept.get(state)
    if found is None:
        while len(kept) >= PROJECTIONS_KEPT:
            kept.pop(next(iter(kept)), None)
        found = kept[state] = dict(reader.hubs.places(bank.id))
    return found
