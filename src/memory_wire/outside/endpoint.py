"""Endpoints that embed (the OpenAI shape: Ollama, vLLM, LM Studio, text-embeddings-inference) and rerank (Cohere, TEI).

Runs in the child program. Texts of errors have the host's name and the status, nothing of the request or the answer's body.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import msgspec

from memory_wire.outside.fetch import fetch
from memory_wire.outside.told import Told

ANSWER_BYTES = 32 * 1024 * 1024
SAID = {
    400: "it refuses the request: is the model's name right?",
    401: "it refuses the key",
    403: "it refuses the key",
    404: "it has no such path or model",
    413: "the texts are too long for it",
    429: "too many requests for now",
}


class Row(msgspec.Struct):
    """One vector of an answer, and which text it is of."""

    embedding: list[float]
    index: int | None = None


class Usage(msgspec.Struct):
    total_tokens: int | None = None


class Answer(msgspec.Struct):
    data: list[Row]
    usage: Usage | None = None


class Score(msgspec.Struct):
    """One text's score; Cohere says relevance_score, TEI score."""

    index: int
    relevance_score: float | None = None
    score: float | None = None


class Ranking(msgspec.Struct):
    results: list[Score]


def embed(spec: dict[str, Any], texts: list[str]) -> tuple[list[list[float]], int | None]:
    """(a vector for each text in order, tokens that it counted). Raises Told."""
    body = {"model": spec["model"], "input": texts, "encoding_format": "float"}
    answer: Answer = ask(spec, "embeddings", body, Answer)
    return ordered([row.index for row in answer.data], [row.embedding for row in answer.data], texts, spec), (
        answer.usage.total_tokens if answer.usage else None
    )


def rerank(spec: dict[str, Any], query: str, texts: list[str]) -> list[float]:
    """A score for each text in order. Raises Told."""
    if spec.get("shape") == "tei":
        rows: list[Score] = ask(spec, "rerank", {"query": query, "texts": texts}, list[Score])
    else:
        body = {"model": spec["model"], "query": query, "documents": texts, "top_n": len(texts)}
        found: Ranking = ask(spec, "rerank", body, Ranking)
        rows = found.results
    scores = [row.score if row.relevance_score is None else row.relevance_score for row in rows]
    if any(score is None for score in scores):
        raise Told(f"{host(spec)}: an answer without scores")
    given = ordered([row.index for row in rows], scores, texts, spec)
    return [float(score) for score in given if score is not None]


def ask(spec: dict[str, Any], path: str, body: object, shape: Any) -> Any:
    """The answer to a POST, read as `shape`. Raises Told."""
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if spec.get("key"):
        headers["Authorization"] = f"Bearer {spec['key']}"
    answer = fetch(
        {
            "url": f"{spec['url'].rstrip('/')}/{path}",
            "method": "POST",
            "headers": headers,
            "body": msgspec.json.encode(body),
            "cap": ANSWER_BYTES,
            "private": True,
        }
    )
    status = answer["status"]
    if not 200 <= status < 300:
        raise Told(f"{host(spec)} answered {status}: {SAID.get(status, 'it failed' if status >= 500 else 'not what was asked for')}")
    try:
        return msgspec.json.decode(answer["body"], type=shape)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise Told(f"{host(spec)}: an answer of another shape") from None


def ordered(indexes: list[int | None], values: list[Any], texts: list[str], spec: dict[str, Any]) -> list[Any]:
    """The values in the order of the texts, whatever order they came in. Raises Told."""
    if len(values) != len(texts):
        raise Told(f"{host(spec)}: {len(values)} answers to {len(texts)} texts")
    if all(index is None for index in indexes):
        return values
    placed: list[Any] = [None] * len(texts)
    for index, value in zip(indexes, values, strict=True):
        if index is None or not 0 <= index < len(texts) or placed[index] is not None:
            raise Told(f"{host(spec)}: answers that don't say which text they are of")
        placed[index] = value
    return placed


def host(spec: dict[str, Any]) -> str:
    return str(urlsplit(spec["url"]).hostname)
