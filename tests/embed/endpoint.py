"""An embedding endpoint of the OpenAI shape on this machine, with a real model behind it. It counts, and misbehaves when it is told to."""

from __future__ import annotations

import json
import threading
from typing import Any

from memory_wire.outside.tables import Table
from tests.outside.server import Handler, Server

WORDLLAMA = {
    "kind": "static",
    "path": "package:wordllama/weights/l2_supercat_256.safetensors",
    "tokenizer": "package:wordllama/tokenizers/l2_supercat_tokenizer_config.json",
}


class Embedding(Handler):
    """`/v1/embeddings` and `/v1/rerank`."""

    server: Endpoint
    disable_nagle_algorithm = True

    def do_POST(self) -> None:  # noqa: N802
        body = self.rfile.read(int(self.headers["content-length"]))
        asked = json.loads(body)
        self.server.keys.append(self.headers.get("authorization"))
        bad = self.server.bad
        if isinstance(bad, int):
            self.give(bad, b'{"error":{"message":"sk-secret"}}')
        elif bad == "hang":
            self.server.held.wait(20)
            self.close_connection = True
        elif bad == "huge":
            self.give(200, b"[" + b" " * (33 << 20))
        elif self.path.endswith("/rerank"):
            self.give(200, json.dumps(self.ranked(asked)).encode())
        else:
            self.give(200, self.embedded(asked["input"]))

    def embedded(self, texts: list[str]) -> bytes:
        server = self.server
        with server.lock:
            server.calls += 1
            server.texts += texts
            rows = server.table.embed(texts).tolist() if texts else []
        data: list[dict[str, Any]] = [{"object": "embedding", "index": place, "embedding": row} for place, row in enumerate(rows)]
        if server.bad == "short":
            data.pop()
        elif server.bad == "wide":
            data[-1]["embedding"].append(0.5)
        elif server.bad == "narrow":
            data = [{**row, "embedding": row["embedding"][:64]} for row in data]
        elif server.bad == "twice":
            data[-1]["index"] = 0
        elif server.bad == "reversed":
            data.reverse()
        elif server.bad in ("NaN", "1e999", '"a"'):
            data[-1]["embedding"][3] = "@"
        text = json.dumps({"object": "list", "data": data, "model": "table", "usage": {"total_tokens": len(texts)}})
        return text.replace('"@"', str(server.bad)).encode()

    def ranked(self, asked: dict[str, Any]) -> Any:
        """Scores by the vectors, in the shape that was asked for."""
        texts = asked.get("documents") or asked["texts"]
        query = self.server.table.embed([asked["query"]])[0]
        scores = (self.server.table.embed(texts) @ query).tolist()
        order = sorted(range(len(texts)), key=lambda place: -scores[place])
        name = "relevance_score" if "documents" in asked else "score"
        rows = [{"index": place, name: scores[place]} for place in order]
        return {"results": rows} if "documents" in asked else rows


class Endpoint(Server):
    """Counts `calls` and keeps the `texts`; `bad` is a status, a fault, or None."""

    def __init__(self, dimension: int = 256) -> None:
        super().__init__(handler=Embedding)
        self.table = Table({**WORDLLAMA, "dimension": dimension})
        self.calls = 0
        self.texts: list[str] = []
        self.keys: list[str | None] = []
        self.bad: int | str | None = None
        self.lock = threading.Lock()

    def model(self, **more: object) -> dict[str, object]:
        """The configuration that names it."""
        return {"kind": "endpoint", "url": f"{self.url}/v1", "model": "table", "seconds": 5, **more}
