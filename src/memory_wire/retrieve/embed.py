"""What an embedder or a reranker is, as a configuration says it: which model, where, how. Checked here, run in the child program.

A vector is decided by the model and the options that `identity` names; everything else may change without anything being embedded anew.
"""

from __future__ import annotations

from msgspec import MsgspecError, Struct, convert, json

from memory_wire.errors import Invalid
from memory_wire.kernels.text import content_hash

KINDS = ("none", "endpoint", "onnx", "static")
SOURCES = ("env:", "file:")
POOLINGS = ("mean", "cls")
SHAPES = ("cohere", "tei")
SECONDS, SECONDS_MAX = 20.0, 50.0
BATCH, BATCH_MAX = 32, 256
DIMENSION_MAX = 4_096
TOKENS_MAX = 8_192
CANDIDATES, CANDIDATES_MAX = 30, 100
RERANK_SECONDS = 0.5
OWN = {  # the options of each kind beside those of all
    "endpoint": {"url", "model", "key", "price", "shape", "dimension"},
    "onnx": {"path", "tokenizer", "max_tokens", "pooling", "threads", "dimension"},
    "static": {"path", "tokenizer", "max_tokens", "dimension"},
    "none": set(),
}
COMMON = {"kind", "query_prefix", "document_prefix", "batch", "seconds", "top"}


class Model(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """`kind` endpoint: `url` up to what stands before `/embeddings` or `/rerank`, the `model`'s name, and where the `key` is: `env:NAME` or
    `file:PATH`. `onnx` and `static`: the `path` of a folder or file, or `package:NAME/…`; the `tokenizer` when it lies elsewhere.

    `seconds` for one batch, or for a reranker all in all; `price` per million tokens; `top`: how many results a reranker looks at.
    """

    kind: str
    url: str = ""
    model: str = ""
    key: str = ""
    price: float | None = None
    shape: str = "cohere"
    path: str = ""
    tokenizer: str = ""
    max_tokens: int | None = None
    pooling: str | None = None
    threads: int | None = None
    dimension: int | None = None
    query_prefix: str = ""
    document_prefix: str = ""
    batch: int = BATCH
    seconds: float = 0.0
    top: int = CANDIDATES

    @property
    def name(self) -> str:
        """What it is called where people read it."""
        return self.model if self.kind == "endpoint" else self.path

    def spec(self, key: str = "") -> dict[str, object]:
        """What the child program is told. `key` is the secret itself."""
        names = ("kind", "url", "model", "shape", "path", "tokenizer", "max_tokens", "pooling", "threads", "dimension")
        return {**{name: getattr(self, name) for name in names}, "key": key}

    def identity(self, contents: str, dimension: int) -> bytes:
        """16 bytes of all that decides about the vectors of documents; `contents` is the digest of a local model's files."""
        place = (self.url.rstrip("/"), self.model) if self.kind == "endpoint" else (contents, "")
        return content_hash(json.encode((self.kind, *place, dimension, self.max_tokens, self.pooling, self.document_prefix)))

    @property
    def config(self) -> bytes:
        """16 bytes of the configuration alone: it tells what a bank has of it without asking the model."""
        return self.identity(f"{self.path}\0{self.tokenizer}", self.dimension or 0)


def key_of(model: bytes, dimension: int, text: str) -> bytes:
    """16 bytes of a model, its dimension and the text that is embedded: equal for equal vectors."""
    return content_hash(model + dimension.to_bytes(4, "little") + text.encode())


def read(field: str, value: object) -> Model | None:
    """The model that a configuration's value describes, None for none. Raises Invalid, which says what is wrong and what would be right."""
    if value is None or value == "none":
        return None
    if isinstance(value, str):
        try:
            value = json.decode(value)
        except (MsgspecError, RecursionError):
            raise Invalid(field, f'must be "none" or an object with a kind: {", ".join(KINDS)}') from None
    if not isinstance(value, dict) or value.get("kind") not in KINDS:
        raise Invalid(field, f"must have a kind: {', '.join(KINDS)}")
    try:
        model = convert(value, Model)
    except MsgspecError as error:
        raise Invalid(field, str(error)) from None
    check(field, model, set(value))
    return None if model.kind == "none" else model


def check(field: str, model: Model, given: set[str]) -> None:
    """Raises Invalid."""
    if strange := sorted(given - COMMON - OWN[model.kind]):
        raise Invalid(field, f"{strange[0]} is no option of kind {model.kind}")
    if model.kind == "endpoint":
        if not model.url.startswith(("http://", "https://")):
            raise Invalid(field, "an endpoint needs a url, such as http://127.0.0.1:11434/v1")
        if not model.model and model.shape != "tei":
            raise Invalid(field, "an endpoint needs the name of its model")
        if model.key and not model.key.startswith(SOURCES):
            raise Invalid(field, "key must be env:NAME or file:PATH: a configuration is shown to all who may read the bank")
    elif model.kind != "none" and not model.path:
        raise Invalid(field, f"kind {model.kind} needs the path of a folder, or package:NAME")
    for name, value, allowed in (("pooling", model.pooling, POOLINGS), ("shape", model.shape, SHAPES)):
        if value is not None and value not in allowed:
            raise Invalid(field, f"{name} must be {' or '.join(allowed)}")
    bounds: tuple[tuple[str, float | None, float], ...] = (
        ("batch", model.batch, BATCH_MAX),
        ("dimension", model.dimension, DIMENSION_MAX),
        ("max_tokens", model.max_tokens, TOKENS_MAX),
        ("threads", model.threads, 64),
        ("top", model.top, CANDIDATES_MAX),
    )
    for name, number, most in bounds:
        if number is not None and not 1 <= number <= most:
            raise Invalid(field, f"{name} must be 1 to {most:g}")
    if not 0 <= model.seconds <= SECONDS_MAX:
        raise Invalid(field, f"seconds must be at most {SECONDS_MAX:g}")
    if model.price is not None and not model.price >= 0:
        raise Invalid(field, "price must be 0 or more")
