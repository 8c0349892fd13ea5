"""Requests and responses of recall over a hub, and of vectors of documents and bundles. As types.py, for those operations.

Importable by every Python layer from the store upward; imports nothing of ours.
"""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType

# requests --------------------------------------------------------------------------------------------------------------------------


class HubRecall(Struct, kw_only=True):
    """A question to what of a hub everybody may see. `level` is doc, chunk (the default) or bundle; `k` from 1 to 20, 5 by default.

    For chunks `hybrid` puts words and vectors together. `rerank` has the first results judged by the bank's reranker. `expand: subtree`
    gives each chunk's section with all below it, `budget_tokens` bounds the texts of the answer, `explain` says why.
    """

    question: str = ""
    slug: str = ""
    k: int | None = None
    level: str | None = None
    hybrid: bool | None = None
    rerank: bool | None = None
    expand: str | None = None
    budget_tokens: int | None = None
    explain: bool | None = None


class RecallUsage(Struct, kw_only=True):
    """How a hub is asked."""

    slug: str


class EmbedDoc(Struct, kw_only=True):
    """A document whose vectors are to be those of its text."""

    id: str
    bank: str | None = None


class EmbedBundle(Struct, kw_only=True):
    """A bundle whose vector is to be that of its title, its description and its members' titles."""

    id: str
    bank: str | None = None


# responses -------------------------------------------------------------------------------------------------------------------------


class HubName(Struct, kw_only=True):
    slug: str
    display_name: str


class ChunkFound(Struct, kw_only=True, omit_defaults=True, tag_field="level", tag="chunk"):
    """A chunk. Ranked by vectors it has their `distance`; by both, its rank in each list or null, and `rrf_score`; by words, `fts_rank`."""

    chunk_id: str
    doc_id: str
    chunk_idx: int
    heading: str | None
    heading_path: str
    anchor: str | None
    markdown: str
    doc_title: str
    doc_url: str
    raw_url: str
    updated_at: str
    distance: float | UnsetType | None = UNSET
    vector_rank: int | UnsetType | None = UNSET
    fts_rank: int | UnsetType | None = UNSET
    rrf_score: float | UnsetType = UNSET
    rerank_score: float | UnsetType = UNSET
    explain: dict[str, object] | UnsetType = UNSET


class DocFound(Struct, kw_only=True, omit_defaults=True, tag_field="level", tag="doc"):
    """A document; the snippet is of the chunk that it was found by."""

    id: str
    title: str
    url: str
    raw_url: str
    snippet: str
    updated_at: str
    distance: float | UnsetType | None = UNSET
    fts_rank: int | UnsetType = UNSET
    rerank_score: float | UnsetType = UNSET
    explain: dict[str, object] | UnsetType = UNSET


class BundleFound(Struct, kw_only=True, omit_defaults=True, tag_field="level", tag="bundle"):
    """A bundle, with the number of its documents that everybody may see."""

    id: str
    title: str
    description: str
    url: str
    raw_url: str
    document_count: int
    updated_at: str
    distance: float | UnsetType | None = UNSET
    fts_rank: int | UnsetType = UNSET
    rerank_score: float | UnsetType = UNSET


class RecallTiming(Struct, kw_only=True):
    """Milliseconds."""

    embed: float
    search: float
    rerank: float
    total: float


class RecallMeta(Struct, kw_only=True):
    """`retrieval` is vector, hybrid_rrf or fts; model and dimension are null where no vectors were used."""

    retrieval: str
    model: str | None
    dim: int | None
    k: int
    hybrid: bool
    reranked: bool
    timing_ms: RecallTiming


class HubRecalled(Struct, kw_only=True):
    """`degraded`: no vectors were at hand, a model failed, or the index is being rebuilt. `truncated`: the budget left something out."""

    hub: HubName
    question: str
    level: str
    results: list[ChunkFound | DocFound | BundleFound]
    meta: RecallMeta
    degraded: bool = False
    truncated: bool = False


class DocVectors(Struct, kw_only=True):
    """Of `total` chunks `embedded` were given to the embedder, `reused` had their vectors. `moved` are those of `reused` that stand
    elsewhere than when the document was embedded last; `pruned` are gone since."""

    total: int = 0
    embedded: int = 0
    reused: int = 0
    pruned: int = 0
    moved: int = 0


class EmbeddedDoc(Struct, kw_only=True, rename="camel", omit_defaults=True):
    """`docEmbedded`: the vectors were not those of this text, and are now. `skipped`: the text is `unchanged`, or `empty`."""

    doc_embedded: bool
    chunks: DocVectors
    skipped: str | UnsetType = UNSET
    degraded: str | UnsetType = UNSET


class EmbeddedBundle(Struct, kw_only=True, rename="camel", omit_defaults=True):
    """As of a document."""

    bundle_embedded: bool
    skipped: str | UnsetType = UNSET
    degraded: str | UnsetType = UNSET
