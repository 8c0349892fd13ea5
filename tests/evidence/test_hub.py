"""The hub's questions: what is served has what an answer needs; with a model whose replies are recorded, what is counted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from bench.answers.model import Model
from bench.hub import questions
from memory_wire.client import Memory

RECORDED = json.loads((questions.FIXTURE / "replies.json").read_text())


class Endpoint(BaseHTTPRequestHandler):
    """Says what was recorded for a prompt; what wasn't recorded is a fault of the server."""

    def do_POST(self) -> None:
        prompt = json.loads(self.rfile.read(int(self.headers["content-length"])))["messages"][0]["content"]
        text = next((row["text"] for row in RECORDED if all(word in prompt for word in row["when"])), None)
        data = json.dumps({"choices": [{"message": {"content": text}}]} if text else {}).encode()
        self.send_response(200 if text else 500)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """No word on standard error."""


@pytest.fixture
def endpoint() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Endpoint) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[questions.Hub]:
    with Memory(tmp_path / "memory.db", bank="bakery", sync="normal") as memory:
        found = questions.Hub(memory)
        found.fill()
        yield found


def test_what_is_served_has_what_an_answer_needs(hub: questions.Hub) -> None:
    asked = questions.questions()
    assert {one.kind for one in asked} == set(questions.KINDS) and len(asked) == 40
    rows = {str(row[0]): row for row in questions.measure(hub, asked)}
    for name in ("documents", "documents, compact", "hub, llms-full", "hub, llms-full, compact", "bundle, full", "bundle, full, compact"):
        assert rows[name][2:4] == ["100", "100"], rows[name]
    for name in ("hub, digest", "hub, index", "bundle, digest"):
        assert rows[name][2] == "100", rows[name]
    best = rows["recall, 10 chunks"]
    assert (int(str(best[2])), int(str(best[3])), best[4]) >= (90, 85, "100"), best
    assert int(str(best[-1])) * 4 < int(str(rows["hub, llms-full"][-1]))  # a fifth of the whole


def test_a_models_answers_are_counted(hub: questions.Hub, endpoint: str) -> None:
    asked = [one for one in questions.questions() if "E7 mean" in one.question or "closed" in one.question or "Tartu" in one.answer]
    questions.measure(hub, asked)
    rows = questions.answered(Model(endpoint, "recorded", 50, 5), asked, ["documents", "recall, 5 chunks"])
    assert rows == [["documents", 2, "50", "-", 1], ["recall, 5 chunks", 2, "50", "100", 1]]
