"""Static embedders: a row for each token, their mean is the text's vector (model2vec, WordLlama). Runs in the child program."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from memory_wire.outside import folders, tensors
from memory_wire.outside.told import Told


class Table:
    """A table with its tokenizer, mapped: of the file only the rows that texts use are read."""

    def __init__(self, spec: dict[str, Any]) -> None:
        source = folders.file_of(spec["path"], ("model.safetensors",), "a model.safetensors")
        folder = os.path.dirname(source)
        self.tokenizer: Any
        self.tokenizer, tokens = folders.tokenizer(spec.get("tokenizer") or "", folder, spec.get("max_tokens"))
        self.rows = tensors.matrix(source)
        if self.tokenizer.get_vocab_size() > len(self.rows):
            raise Told(f"{source}: {len(self.rows):,} rows for {self.tokenizer.get_vocab_size():,} tokens")
        self.dimension = min(int(spec.get("dimension") or self.rows.shape[1]), self.rows.shape[1])
        self.unknown = unknown_of(self.tokenizer)
        self.id = folders.digest(source, tokens)

    def embed(self, texts: list[str]) -> np.ndarray:
        """float32[n, dimension], of length 1 each; a text without a known token is all zeros."""
        out = np.zeros((len(texts), self.dimension), np.float32)
        for place, encoding in enumerate(self.tokenizer.encode_batch(texts, add_special_tokens=False)):
            ids = [token for token in encoding.ids if token != self.unknown]
            if ids:
                out[place] = self.rows[ids, : self.dimension].astype(np.float32).mean(axis=0)
        return normalised(out)


def unknown_of(tokenizer: Any) -> int | None:
    """The token that says nothing, which the mean leaves out."""
    model = json.loads(tokenizer.to_str())["model"]
    token = model.get("unk_token")
    return tokenizer.token_to_id(token) if isinstance(token, str) else None


def normalised(vectors: np.ndarray) -> np.ndarray:
    """Rows of length 1; rows of zeros stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    np.divide(vectors, lengths, out=vectors, where=lengths > 0)
    return vectors
