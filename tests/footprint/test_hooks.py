"""Hooks served: a server that never saw one has nothing of them loaded; one that did comes to rest where it does without."""

from __future__ import annotations

import time
from pathlib import Path

from bench.footprint.server import Server
from tests.footprint.test_footprint import QUIET, holds, idle
from tests.footprint.test_modules import ALLOWED, bare, imported

OURS = {f"memory_wire.{name}" for name in ("framing", "store.ledger", "retrieve.keywords", "service.inject", "service.capture")}
CALLS: list[tuple[str, dict[str, object]]] = [
    ("capture", {"event": "stop", "session": "s", "turns": [{"user": "why does the pilot sleep?", "assistant": "The harbour is closed."}]}),
    ("inject", {"event": "session-start", "session": "t"}),
    ("inject", {"event": "prompt", "session": "t", "prompt": "when is the harbour closed? " * 9}),
    ("inject", {"event": "prompt", "session": "u", "prompt": "why does the pilot sleep?", "frozen": True, "format": "summary"}),
]


def test_modules_come_with_the_first_hook(tmp_path: Path) -> None:
    for calls in ([], CALLS):
        folder = tmp_path / str(len(calls))
        folder.mkdir()
        with Server(folder, "--quiet", "0.5", options=("-X", "importtime")) as server:
            server.retain("b", {"content": "The harbour pilot sleeps in Rotterdam."})
            server.recall("b", "pilot")
            for name, body in calls:
                status, answer = server.ask("POST", f"/v1/banks/b/{name}", body)
                assert status == 200, answer
            time.sleep(1.2)
            assert server.stop() == 0
            loaded = imported(server.log.read_text())
        assert OURS & set(loaded) == (OURS if calls else set())
        assert not [name for name in loaded if name.partition(".")[0] != "memory_wire" and name not in ALLOWED.union(bare())]


def test_a_server_comes_to_rest_after_hooks(tmp_path: Path) -> None:
    with Server(tmp_path, *QUIET) as server:
        for number in range(40):
            for name, body in CALLS:
                more = {"session": f"{body['session']}-{number}"}
                assert server.ask("POST", f"/v1/banks/b/{name}", {**body, **more})[0] == 200
        holds(server, 15)
        idle(server)
        holds(server, 10.7, anonymous=8.5)
        assert server.stop() == 0
        assert "warning" not in server.log.read_text()
