"""The models themselves, in the child program: what they make of texts, and what they say when they can't."""

from __future__ import annotations

import os
from array import array
from pathlib import Path

import numpy as np
import pytest

from memory_wire.errors import OutsideFailed, OutsideTimeout
from memory_wire.outside import Outside
from memory_wire.outside.embedding import rounded
from tests.embed.endpoint import WORDLLAMA, Endpoint

TEXTS = ["The cat sat on the mat.", "A kitten rests on a rug.", "Quarterly revenue grew by a tenth.", ""]


def vectors(outside: Outside, model: dict[str, object], texts: list[str]) -> np.ndarray:
    answer = outside.ask("embed", {"model": model, "texts": texts}, 20)
    data = answer["vectors"]
    assert isinstance(data, bytes)
    return np.frombuffer(data, "<f4").reshape(len(texts), -1)


def test_a_table_puts_what_is_alike_together(outside: Outside) -> None:
    found = vectors(outside, WORDLLAMA, TEXTS)
    assert found.shape == (4, 256)
    assert np.allclose(np.linalg.norm(found[:3], axis=1), 1, atol=1e-6)
    assert not found[3].any()
    assert found[0] @ found[1] > found[0] @ found[2] + 0.2


def test_a_table_is_the_mean_of_its_rows(outside: Outside) -> None:
    from tokenizers import Tokenizer

    from memory_wire.outside.folders import located

    raw = Path(located(str(WORDLLAMA["path"]))).read_bytes()
    size = int.from_bytes(raw[:8], "little")
    rows = np.frombuffer(raw, "<f2", offset=8 + size).reshape(-1, 256)
    tokenizer = Tokenizer.from_file(located(str(WORDLLAMA["tokenizer"])))
    for text in TEXTS[:3]:
        mean = rows[tokenizer.encode(text, add_special_tokens=False).ids].astype(np.float64).mean(axis=0)
        assert np.allclose(vectors(outside, WORDLLAMA, [text])[0], mean / np.linalg.norm(mean), atol=1e-5)


def test_a_table_is_cut_to_fewer_dimensions(outside: Outside) -> None:
    found = vectors(outside, {**WORDLLAMA, "dimension": 64}, TEXTS[:2])
    whole = vectors(outside, WORDLLAMA, TEXTS[:2])[:, :64]
    assert np.allclose(found, whole / np.linalg.norm(whole, axis=1, keepdims=True), atol=1e-5)


def test_int8_rows_keep_the_direction(outside: Outside) -> None:
    found = vectors(outside, WORDLLAMA, TEXTS)
    rows = np.frombuffer(rounded(found.tobytes(), 256), np.uint8).reshape(4, 260)
    back = rows[:, 4:].view(np.int8) * rows[:, :4].copy().view("<f4")
    assert np.abs(back - found).max() <= np.abs(found).max() / 127
    assert np.allclose((back * found).sum(axis=1), (back * back).sum(axis=1), atol=1e-6)  # least squares: nothing of the fault lies along


def test_an_endpoint_gives_what_its_model_gives(outside: Outside, endpoint: Endpoint) -> None:
    endpoint.bad = "reversed"
    found = vectors(outside, {**endpoint.model(), "key": "sk-1"}, TEXTS)
    assert np.allclose(found, vectors(outside, WORDLLAMA, TEXTS), atol=1e-6)
    assert endpoint.calls == 1
    assert endpoint.keys == ["Bearer sk-1"]


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (401, "refuses the key"),
        (404, "no such path or model"),
        (429, "too many requests"),
        (500, "it failed"),
        ("short", "1 answers to 2 texts"),
        ("wide", "257 dimensions, not 256"),
        ("twice", "which text they are of"),
        ("NaN", "another shape"),
        ("1e999", "another shape"),
        ('"a"', "another shape"),
        ("huge", "an answer of more than"),
    ],
)
def test_a_bad_answer_is_an_error_without_secrets(outside: Outside, endpoint: Endpoint, bad: int | str, said: str) -> None:
    endpoint.bad = bad
    with pytest.raises(OutsideFailed, match=said) as error:
        vectors(outside, {**endpoint.model(), "key": "sk-secret"}, TEXTS[:2])
    assert "sk-secret" not in str(error.value)
    endpoint.bad = None
    assert vectors(outside, dict(endpoint.model()), TEXTS[:2]).shape == (2, 256)


def test_an_endpoint_that_hangs_is_late(outside: Outside, endpoint: Endpoint) -> None:
    endpoint.bad = "hang"
    with pytest.raises(OutsideTimeout):
        outside.ask("embed", {"model": endpoint.model(), "texts": ["a"]}, 0.2)


def test_a_number_that_is_not_finite_never_leaves(outside: Outside, tmp_path: Path) -> None:
    import json

    from memory_wire.outside.folders import located

    raw = bytearray(Path(located(str(WORDLLAMA["path"]))).read_bytes())
    size = int.from_bytes(raw[:8], "little")
    shape = next(entry["shape"] for entry in json.loads(raw[8 : 8 + size]).values() if "shape" in entry)
    raw[8 + size :] = np.full(shape, np.nan, "<f2").tobytes()
    (tmp_path / "model.safetensors").write_bytes(raw)
    with pytest.raises(OutsideFailed, match="isn't finite"):
        vectors(outside, {**WORDLLAMA, "path": str(tmp_path)}, ["cat"])


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ({"kind": "static", "path": "/none/at/all"}, "no such file or folder"),
        ({"kind": "static", "path": "package:no_such_package"}, "pip install no-such-package"),
        ({"kind": "static", "path": "package:wordllama", "tokenizer": ""}, "model.safetensors"),
        ({**WORDLLAMA, "dimension": 9_999}, "256 dimensions, not 9999"),
        ({**WORDLLAMA, "path": WORDLLAMA["tokenizer"]}, "not a safetensors file"),
        ({**WORDLLAMA, "tokenizer": WORDLLAMA["path"]}, "not a tokenizer.json"),
    ],
)
def test_a_model_that_is_not_there_says_what_to_do(outside: Outside, model: dict[str, object], said: str) -> None:
    with pytest.raises(OutsideFailed, match=said):
        vectors(outside, model, ["cat"])


def test_a_missing_extra_names_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "tokenizers.py").write_text("raise ImportError")
    monkeypatch.syspath_prepend(str(tmp_path))
    outside = Outside()
    try:
        with pytest.raises(OutsideFailed, match=r"tokenizers is not installed: pip install 'memory-wire\[dense\]'"):
            vectors(outside, WORDLLAMA, ["cat"])
    finally:
        outside.close()


@pytest.mark.parametrize("shape", ["cohere", "tei"])
def test_an_endpoint_reranks(outside: Outside, endpoint: Endpoint, shape: str) -> None:
    model = endpoint.model(shape=shape)
    answer = outside.ask("rerank", {"model": model, "query": "where is the cat", "texts": TEXTS[:3]}, 20)
    scores = answer["scores"]
    assert isinstance(scores, list)
    assert scores[0] > scores[2]
    endpoint.bad = 503
    with pytest.raises(OutsideFailed, match="answered 503"):
        outside.ask("rerank", {"model": model, "query": "cat", "texts": TEXTS[:3]}, 20)


def test_the_model_is_loaded_once(outside: Outside) -> None:
    vectors(outside, WORDLLAMA, ["cat"])
    child = outside.lanes["model"][0]
    pid = child.pid
    vectors(outside, WORDLLAMA, ["dog"])
    assert child.pid == pid
    outside.idle()
    assert not child.pid
    assert not os.path.exists(f"/proc/{pid}")


def test_rows_of_zeros_round_to_zeros() -> None:
    assert rounded(array("f", [0.0, 0.0]).tobytes(), 2) == bytes(6)
