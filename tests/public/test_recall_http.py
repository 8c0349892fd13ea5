"""Recall over a hub as everybody asks it: over HTTP, at the public address, without a key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_wire import Memory
from tests.serve.serving import Serving

PATH = "/api/hub/notes/recall"


class Open(Serving):
    """`ask` goes to the public address."""

    @property
    def address(self) -> tuple[str, int]:
        host, _, port = str(self.found["public"]).rpartition(":")
        return host, int(port)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    folder: Path = tmp_path_factory.mktemp("hub")
    with Memory(folder / "memory.db", bank="notes", sync="normal") as memory:
        memory.create_doc("# Journey\n\n## March\n\nBuilt the MCP server.\n")
        memory.put_hub("notes", public=True)
        memory.create_doc("# Diary\n\nNobody reads this.\n", bank="other")
        memory.put_hub("hidden", bank="other")
    with Open(folder, "--public-addr", "127.0.0.1:0") as serving:
        yield serving
        assert serving.stop() == 0 and "Traceback" not in serving.stderr


def asked(server: Open, path: str, body: object) -> tuple[int, dict[str, str], Any]:
    reply = server.ask("POST", path, body, {"Host": "notes.example.org"})
    return reply.status, reply.headers, json.loads(reply.body)


def test_an_answer(server: Open) -> None:
    status, headers, found = asked(server, PATH, {"question": "MCP server", "hybrid": True, "more": "ignored"})
    assert (status, headers["cache-control"], headers["content-type"]) == (200, "no-store", "application/json")
    assert headers["access-control-allow-origin"] == "*"
    assert list(found) == ["hub", "question", "level", "results", "meta", "degraded", "truncated"]
    (row,) = found["results"]
    assert (row["level"], row["heading_path"], row["vector_rank"], row["fts_rank"], row["rrf_score"]) == (
        "chunk", "Journey > March", None, 1, 0.01639,
    )  # fmt: skip
    assert set(found["meta"]) == {"retrieval", "model", "dim", "k", "hybrid", "reranked", "timing_ms"}
    assert set(found["meta"]["timing_ms"]) == {"embed", "search", "rerank", "total"}


REFUSED: list[tuple[str, object, int, str]] = [
    (PATH, b"{", 400, "invalid_json"),
    (PATH, b'{"question": "\xff"}', 400, "invalid_json"),
    (PATH, {}, 400, "question_required"),
    (PATH, {"question": "\n"}, 400, "question_required"),
    (PATH, {"question": "x" * 2001}, 400, "question_too_long"),
    (PATH, {"question": "x", "level": "all"}, 400, "level_invalid"),
    (PATH, {"question": 5}, 422, "wrong_type"),
    ("/api/hub/No/recall", {"question": "x"}, 400, "invalid_slug"),
    ("/api/hub/nobody/recall", {"question": "x"}, 404, "hub_not_public"),
]


@pytest.mark.parametrize(("path", "body", "status", "code"), REFUSED)
def test_what_is_refused(server: Open, path: str, body: object, status: int, code: str) -> None:
    found, headers, said = asked(server, path, body)
    assert (found, said["error"]["code"], headers["cache-control"]) == (status, code, "no-store")


def test_a_hub_that_is_not_public_is_not_there(server: Open) -> None:
    answers = [server.ask("POST", f"/api/hub/{slug}/recall", {"question": "x"}) for slug in ("hidden", "nobody")]
    one, other = ((reply.status, reply.body, {**reply.headers, "date": ""}) for reply in answers)
    assert one == other


def test_how_it_is_asked(server: Open) -> None:
    reply = server.ask("GET", PATH)
    assert reply.status == 200 and set(json.loads(reply.body)) == {"usage", "body", "example"}
    assert server.ask("GET", "/api/hub/nobody/recall").body == reply.body
    assert server.ask("HEAD", PATH).headers["content-length"] == str(len(reply.body))
