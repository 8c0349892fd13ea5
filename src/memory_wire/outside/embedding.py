"""The child program's operations `embed` and `rerank`: takes a model's description and texts, gives vectors that were looked at, or scores.

A model from a folder is loaded once and stays until the child ends. Vectors that aren't finite or have another dimension never leave it.
"""

from __future__ import annotations

import math
from array import array
from operator import mul
from typing import Any

from memory_wire.outside import endpoint
from memory_wire.outside.told import Told

KEPT = 2  # models in memory: one that embeds, one that reranks

_loaded: dict[str, Any] = {}


def embed(payload: dict[str, Any]) -> dict[str, Any]:
    """`{model: {kind, …}, texts, int8}` -> `{vectors: float32 rows, dimension, id, tokens}`.

    With `int8` a row is a float32 scale and a byte for each dimension. Raises Told.
    """
    found = vectors(payload["model"], payload["texts"])
    if payload.get("int8"):
        found["vectors"] = rounded(found["vectors"], found["dimension"])
    return found


def vectors(spec: dict[str, Any], texts: list[str]) -> dict[str, Any]:
    """As `embed`, in float32."""
    if spec["kind"] == "endpoint":
        rows, tokens = endpoint.embed(spec, texts) if texts else ([], None)
        return {**checked(rows, spec), "id": "", "tokens": tokens}
    model = loaded(spec)
    found = model.embed(texts)
    dimension = int(found.shape[1])
    if spec.get("dimension") and dimension != spec["dimension"]:
        raise Told(f"the model has {dimension} dimensions, not {spec['dimension']}")
    if not _finite(found):
        raise Told("the model gave a vector that isn't finite")
    return {"vectors": found.astype("<f4").tobytes(), "dimension": dimension, "id": model.id, "tokens": None}


def rerank(payload: dict[str, Any]) -> dict[str, Any]:
    """`{model: {kind, …}, query, texts}` -> `{scores}`, in the order of the texts. Raises Told."""
    spec = payload["model"]
    if spec["kind"] == "endpoint":
        scores = endpoint.rerank(spec, payload["query"], payload["texts"])
    else:
        scores = loaded(spec).scores(payload["query"], payload["texts"])
    if not all(map(math.isfinite, scores)):
        raise Told("the reranker gave a score that isn't finite")
    return {"scores": scores}


def loaded(spec: dict[str, Any]) -> Any:
    """The model, loaded if it isn't. Raises Told."""
    key = repr(sorted(spec.items()))
    if key not in _loaded:
        from memory_wire.outside.folders import needed

        needed("numpy")
        if spec["kind"] == "static":
            from memory_wire.outside.tables import Table as Kind
        else:
            from memory_wire.outside.onnx import Network as Kind  # type: ignore[assignment]
        while len(_loaded) >= KEPT:
            _loaded.pop(next(iter(_loaded)))
        _loaded[key] = Kind(spec)
    return _loaded[key]


def checked(rows: list[list[float]], spec: dict[str, Any]) -> dict[str, Any]:
    """An endpoint's vectors as bytes: all of one dimension, finite, of length 1. Raises Told."""
    dimension = int(spec.get("dimension") or (len(rows[0]) if rows else 0))
    vectors = array("f")
    for row in rows:
        if len(row) != dimension or not row:
            raise Told(f"{endpoint.host(spec)}: a vector of {len(row)} dimensions, not {dimension or 'one or more'}")
        length = math.sqrt(math.fsum(value * value for value in row))
        if not math.isfinite(length):
            raise Told(f"{endpoint.host(spec)}: a vector that isn't finite")
        vectors.extend([value / length for value in row] if length else row)
    return {"vectors": vectors.tobytes(), "dimension": dimension}


def rounded(vectors: bytes, dimension: int) -> bytes:
    """Rows of int8 with their scale: scale times what stands there is as near to the vector as can be (least squares)."""
    values, out = array("f", vectors), bytearray()
    for start in range(0, len(values), dimension or 1):
        row = values[start : start + dimension]
        step = max(map(abs, row)) / 127
        steps = [round(value / step) for value in row] if step else [0] * dimension
        scale = sum(map(mul, row, steps)) / sum(map(mul, steps, steps)) if step else 0.0
        out += array("f", (scale,)).tobytes() + array("b", steps).tobytes()
    return bytes(out)


def _finite(found: Any) -> bool:
    import numpy as np

    return bool(np.isfinite(found).all())
