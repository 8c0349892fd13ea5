"""Vectors and the models that make them."""

from __future__ import annotations

from memory_wire.ops.op import NEW, Later, Op

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire import embedding as e
else:
    e = Later("embedding")

OPS: tuple[Op, ...] = (
    Op(
        name="embed",
        request=e.Embed,
        response=e.Embedded,
        http=("POST", f"{NEW}/embed"),
        body=True,
        contract=False,
        apart=True,
        needs="write",
        summary="Vectors of texts, by the bank's embedder.",
        errors=("invalid", "outside_failed", "outside_timeout"),
    ),
    Op(
        name="embedding_status",
        request=e.OfEmbedding,
        response=e.EmbeddingState,
        http=("GET", f"{NEW}/embedding"),
        contract=False,
        apart=True,
        summary="What the bank has of its embedder, and what is left.",
        errors=("unknown_bank",),
    ),
    Op(
        name="run_embedding",
        request=e.RunEmbedding,
        response=e.EmbeddingRun,
        http=("POST", f"{NEW}/embedding/run"),
        body=True,
        contract=False,
        apart=True,
        needs="admin",
        summary="Embed now what is missing, or only count what it would cost.",
        errors=("unknown_bank", "invalid", "outside_failed", "outside_timeout"),
    ),
    Op(
        name="verify_embedding",
        request=e.VerifyEmbedding,
        response=e.EmbeddingProof,
        http=("POST", f"{NEW}/embedding/verify"),
        body=True,
        contract=False,
        apart=True,
        needs="admin",
        summary="Compare what is kept with the texts, and a sample with the model.",
        errors=("unknown_bank", "invalid", "outside_failed", "outside_timeout"),
    ),
)
