"""The operations on vectors: embed a text, what a bank has, run and verify. Called by the service on a thread that may wait."""

from __future__ import annotations

from struct import unpack_from

from memory_wire import embedding as e
from memory_wire.errors import Invalid
from memory_wire.service import models
from memory_wire.service.embedding import KIND, UNITS, Made, embedder, made, place_of, settle, similar, step, wanted_of
from memory_wire.service.settings import DEFAULTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.service.embedding import Wanted
    from memory_wire.service.service import Service
    from memory_wire.store.embeddings import Embedding
    from memory_wire.store.rows import Bank
    from memory_wire.types import Scope

TEXTS = 64  # of one request
TEXT_CHARS = 32_000
TOKEN_CHARS = 4
LIMIT = 512  # passages of one run, so that who waits sees progress
FINDINGS = 20  # that are told one by one
SAMPLE_MAX = 64


def embed(service: Service, request: e.Embed, scope: Scope) -> e.Embedded:
    """Vectors of some texts. Raises Invalid, OutsideFailed, OutsideTimeout."""
    if not isinstance(request.texts, list) or not 0 < len(request.texts) <= TEXTS:
        raise Invalid("texts", f"must be 1 to {TEXTS} texts")
    if any(not isinstance(text, str) or len(text) > TEXT_CHARS for text in request.texts):
        raise Invalid("texts", f"must be texts of at most {TEXT_CHARS:,} characters")
    with service.read() as reader:
        bank = reader.bank(scope.project, scope.bank)
        model = embedder(service.settings_of(bank, reader) if bank is not None else DEFAULTS)
    prefix = model.query_prefix if request.query else model.document_prefix
    answer = models.ask(service, "embed", model, {"texts": [prefix + text for text in request.texts]})
    data, dimension = answer["vectors"], answer["dimension"]
    assert isinstance(data, bytes) and isinstance(dimension, int)
    rows = [list(unpack_from(f"<{dimension}f", data, 4 * dimension * place)) for place in range(len(request.texts))]
    return e.Embedded(model=model.name, dimension=dimension, vectors=rows)


def embedding_status(service: Service, request: e.OfEmbedding, scope: Scope) -> e.EmbeddingState:
    """What the bank has of its embedder. Raises UnknownBank. Asks no model: of one that was never used only the name is known."""
    with service.read() as reader:
        bank = place_of(reader, scope.project, scope.bank)
        model = models.of(service.settings_of(bank, reader), "embedder")
        spaces = reader.embeddings.spaces(bank)
        if model is None:
            return e.EmbeddingState(bank=bank.name, state="off", former=bool(spaces))
        current = [space for space in spaces if space.config == model.config][-1:]
        state = e.EmbeddingState(bank=bank.name, state="waiting", model=model.name, kind=model.kind, former=len(spaces) > len(current))
        state.units_left = reader.embeddings.left(bank, current[0].upto if current else 0)
        state.failure = reader.embeddings.failure(bank, KIND) if state.units_left else None
        for space in current:
            state.dimension = space.dimension
            state.units, state.passages = reader.embeddings.count(space)
            state.bytes = state.passages * (space.dimension + 4)
            state.state = "building" if state.units_left else "ready"
        return state


def run_embedding(service: Service, request: e.RunEmbedding, scope: Scope) -> e.EmbeddingRun:
    """Embeds now what is missing, or only counts it. Raises UnknownBank, Invalid, OutsideFailed, OutsideTimeout."""
    if request.limit is not None and request.limit < 1:
        raise Invalid("limit", "must be 1 or more")
    if request.price is not None and not request.price >= 0:
        raise Invalid("price", "must be 0 or more")
    with service.read() as reader:
        bank = place_of(reader, scope.project, scope.bank)
        model = embedder(service.settings_of(bank, reader))
    model_made = made(service, model)
    done = e.EmbeddingRun(bank=bank.name, units=0, passages=0, known=0, tokens=0, cost=None, units_left=0)
    if request.dry_run:
        estimate(service, bank, model_made, done)
    else:
        limit, more = request.limit or LIMIT, True
        while more and done.passages < limit:
            found = step(service, bank, model_made)
            more = found.more
            done.units += found.units
            done.passages += found.asked
            done.known += len(found.rows) - found.asked
        with service.read() as reader:
            space = reader.embeddings.space(bank, model_made.id)
            done.units_left = reader.embeddings.left(bank, space.upto if space else 0)
        if not done.units_left:
            settle(service, bank, model_made)
    price = model.price if request.price is None else request.price
    done.cost = None if price is None else round(done.tokens * price / 1e6, 6)
    return done


def estimate(service: Service, bank: Bank, made: Made, done: e.EmbeddingRun) -> None:
    """Counts what would go to the embedder, a page of units a transaction."""
    after, new = -1, set[bytes]()
    while True:
        with service.read() as reader:
            if after < 0:
                space = reader.embeddings.space(bank, made.id)
                after = space.upto if space else 0
            rows, language = reader.rows(bank, after, None, UNITS), service.settings_of(bank, reader).language
            wanted = [one for row in rows for one in wanted_of(row, language, made)]
            known = reader.embeddings.known(made.id, [one.key for one in wanted])
        for one in wanted:
            if one.key in known or one.key in new:
                done.known += 1
            else:
                new.add(one.key)
                done.passages += 1
                done.tokens += -(-len(one.text) // TOKEN_CHARS)
        done.units += len(rows)
        if not rows:
            return
        after = rows[-1].id


def verify_embedding(service: Service, request: e.VerifyEmbedding, scope: Scope) -> e.EmbeddingProof:
    """Compares what is kept with what the texts ask for, and a sample with the model. Raises UnknownBank, Invalid, OutsideFailed."""
    if not 0 <= request.sample <= SAMPLE_MAX:
        raise Invalid("sample", f"must be 0 to {SAMPLE_MAX}")
    with service.read() as reader:
        bank = place_of(reader, scope.project, scope.bank)
        model = embedder(service.settings_of(bank, reader))
    model_made = made(service, model)
    proof = e.EmbeddingProof(bank=bank.name, units=0, passages=0, findings=[], sampled=0, least=None)
    sample = compared(service, bank, model_made, proof, request.sample)
    if sample:
        texts = [one.text for one, _ in sample]
        answer = models.ask(service, "embed", model, {"texts": texts})
        data, width = answer["vectors"], 4 * model_made.dimension
        assert isinstance(data, bytes)
        found = [similar(row.row, data[place * width : (place + 1) * width]) for place, (_, row) in enumerate(sample)]
        proof.sampled, proof.least = len(found), round(min(found), 4)
        if proof.least < LEAST:
            proof.findings.append(f"the model makes other vectors than it did: similarity {proof.least}")
    return proof


LEAST = 0.98  # of a vector to itself, rounded to int8


def compared(service: Service, bank: Bank, made: Made, proof: e.EmbeddingProof, size: int) -> list[tuple[Wanted, Embedding]]:
    """Notes what is missing, stale or damaged, a page of units a transaction; a sample of the rest, spread over the bank."""
    after, stride = 0, 1
    sample: list[tuple[Wanted, Embedding]] = []
    while True:
        with service.read() as reader:
            space = reader.embeddings.space(bank, made.id)
            if space is None:
                proof.findings.append("no vectors yet")
                return sample
            rows = reader.rows(bank, after, space.upto, UNITS)
            language = service.settings_of(bank, reader).language
            kept = {(row.unit, row.passage): row for row in reader.embeddings.rows(space, [row.id for row in rows])}
            if not rows:
                if orphans := reader.embeddings.orphans(space):
                    proof.findings.append(f"{orphans} of texts that are gone")
                return sample
        after = rows[-1].id
        for row in rows:
            proof.units += 1
            for one in wanted_of(row, language, made):
                held = kept.pop((one.unit, one.passage), None)
                wrong = fault(one, held, made.dimension)
                if wrong and len(proof.findings) < FINDINGS:
                    proof.findings.append(f"unit {one.unit}, passage {one.passage}: {wrong}")
                elif held is not None and not wrong and proof.passages % stride == 0:
                    sample.append((one, held))
                    if len(sample) > size:
                        sample, stride = sample[::2][:size], stride * 2
                proof.passages += 1


def fault(wanted: Wanted, held: Embedding | None, dimension: int) -> str:
    """What is wrong with a kept row, in words; nothing when it is right."""
    if held is None:
        return "no vector"
    if held.key != wanted.key:
        return "the vector of another text"
    scale = unpack_from("<f", held.row)[0] if len(held.row) == dimension + 4 else float("nan")
    return "" if 0 <= scale < float("inf") else "a damaged vector"
