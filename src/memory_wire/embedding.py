"""Requests and responses about vectors. As types.py, for those operations; imports nothing of ours."""

from __future__ import annotations

from msgspec import Struct


class Embed(Struct, kw_only=True, forbid_unknown_fields=True):
    """`texts` as the bank's embedder sees documents, or with `query` as it sees questions."""

    texts: list[str]
    query: bool = False


class Embedded(Struct, kw_only=True):
    """A vector of length 1 for each text, in order; of zeros when the model knows nothing of it."""

    model: str
    dimension: int
    vectors: list[list[float]]


class OfEmbedding(Struct, kw_only=True, forbid_unknown_fields=True):
    """Nothing to say but the bank."""


class RunEmbedding(Struct, kw_only=True, forbid_unknown_fields=True):
    """`dry_run` only counts what is to be embedded; `price` is of a million tokens; else up to `limit` passages are embedded now."""

    dry_run: bool = False
    price: float | None = None
    limit: int | None = None


class VerifyEmbedding(Struct, kw_only=True, forbid_unknown_fields=True):
    """`sample`: so many passages are embedded again and compared."""

    sample: int = 8


class EmbeddingState(Struct, kw_only=True):
    """`state`: off, waiting, building or ready; `former`: another model's vectors are kept until this one's are all there."""

    bank: str
    state: str
    model: str | None = None
    kind: str | None = None
    dimension: int | None = None
    units: int = 0
    units_left: int = 0
    passages: int = 0
    bytes: int = 0
    former: bool = False
    failure: str | None = None


class EmbeddingRun(Struct, kw_only=True):
    """`passages` were embedded, or would be, of `units`; others were `known`. Tokens and cost are estimates: 4 characters a token."""

    bank: str
    units: int
    passages: int
    known: int
    tokens: int
    cost: float | None
    units_left: int


class EmbeddingProof(Struct, kw_only=True):
    """What was looked at and what was wrong; `least` is the smallest similarity between a kept vector and one that was made anew."""

    bank: str
    units: int
    passages: int
    findings: list[str]
    sampled: int
    least: float | None
