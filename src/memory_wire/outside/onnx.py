"""Models of MiniLM's kind from a folder, on onnxruntime: sentences to vectors, pairs to scores. Runs in the child program."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from memory_wire.outside import folders
from memory_wire.outside.tables import normalised
from memory_wire.outside.told import Told

FILES = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx", "model_int8.onnx", "onnx/model_int8.onnx")
MAX_TOKENS = 256
BATCH = 16  # texts at once: longer ones only pad more


class Network:
    """A network with its tokenizer."""

    def __init__(self, spec: dict[str, Any]) -> None:
        runtime: Any = folders.needed("onnxruntime")
        source = folders.file_of(spec["path"], FILES, "a model.onnx")
        folder = os.path.dirname(source)
        if os.path.basename(folder) == "onnx":
            folder = os.path.dirname(folder)
        self.tokenizer: Any
        self.tokenizer, tokens = folders.tokenizer(spec.get("tokenizer") or "", folder, int(spec.get("max_tokens") or MAX_TOKENS))
        options = runtime.SessionOptions()
        options.intra_op_num_threads = int(spec.get("threads") or 1)
        options.log_severity_level = 4
        options.enable_cpu_mem_arena = False  # an arena keeps what the longest batch ever took
        try:
            self.session = runtime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # the package raises nothing narrower
            raise Told(f"{source}: onnxruntime can't load it ({type(error).__name__})") from None
        self.inputs = {entry.name for entry in self.session.get_inputs()}
        self.pooling = spec.get("pooling") or pooling(folder)
        self.id = folders.digest(source, tokens)
        self.dimension = 0

    def run(self, texts: list[Any]) -> tuple[np.ndarray, np.ndarray]:
        """(the first output, the mask) of texts or pairs of them, padded to the longest."""
        encodings = self.tokenizer.encode_batch(texts)
        width = max(len(encoding.ids) for encoding in encodings) or 1
        feed = {name: np.zeros((len(texts), width), np.int64) for name in ("input_ids", "attention_mask", "token_type_ids")}
        for place, encoding in enumerate(encodings):
            n = len(encoding.ids)
            feed["input_ids"][place, :n] = encoding.ids
            feed["attention_mask"][place, :n] = 1
            feed["token_type_ids"][place, :n] = encoding.type_ids
        try:
            output = self.session.run(None, {name: value for name, value in feed.items() if name in self.inputs})[0]
        except Exception as error:  # the package raises nothing narrower
            raise Told(f"the model failed ({type(error).__name__})") from None
        return np.asarray(output, np.float32), feed["attention_mask"]

    def embed(self, texts: list[str]) -> np.ndarray:
        """float32[n, dimension], of length 1 each. Raises Told."""
        if not texts:
            texts = [""]
            return self.embed(texts)[:0]
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        out: np.ndarray | None = None
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            states, mask = self.run([texts[place] for place in places])
            vectors = self.pooled(states, mask)
            if out is None:
                out = np.empty((len(texts), vectors.shape[1]), np.float32)
            out[places] = vectors
        assert out is not None
        self.dimension = out.shape[1]
        return normalised(out)

    def pooled(self, states: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """One vector a text: the mean over its tokens, or its first token's."""
        if states.ndim == 2:
            return states  # the network pools by itself
        if states.ndim != 3:
            raise Told("the model gives no vector for each token")
        if self.pooling == "cls":
            return states[:, 0]
        weights = mask[:, :, None].astype(np.float32)
        return np.asarray((states * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1))

    def scores(self, query: str, texts: list[str]) -> list[float]:
        """Of a cross-encoder: how well each text answers the query. Raises Told."""
        found: list[float] = []
        for start in range(0, len(texts), BATCH):
            output, _ = self.run([(query, text) for text in texts[start : start + BATCH]])
            if output.ndim != 2:
                raise Told("the model gives no score for a pair")
            found += [float(row[-1]) for row in output]
        return found


def pooling(folder: str) -> str:
    """What the folder says of pooling, as sentence-transformers lays it down; else the mean."""
    try:
        with open(os.path.join(folder, "1_Pooling", "config.json"), encoding="utf-8") as file:
            return "cls" if json.load(file).get("pooling_mode_cls_token") else "mean"
    except (OSError, ValueError, AttributeError):
        return "mean"
