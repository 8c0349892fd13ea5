"""A storage that fails while the server runs: the client learns that it failed, the log learns why, and the server goes on."""

from __future__ import annotations

import json
import resource
import threading
import time
from pathlib import Path

from tests.serve.serving import Reply, Serving, request


def fill_disk(server: Serving, full: bool) -> None:
    """No file of the server may grow any more, as if the disk were full; or as it was."""
    hard = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)[1]
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (4096 if full else hard, hard))


def test_a_full_disk(tmp_path: Path) -> None:
    with Serving(tmp_path) as server:
        first = server.ask("POST", "/banks/b/retain", {"content": "before"})
        assert first.status == 200
        fill_disk(server, True)
        failed: list[Reply] = []

        def write(number: int) -> None:
            failed.append(server.ask("POST", "/banks/b/retain", {"content": f"lost {number}"}))

        threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert {(reply.status, reply.text) for reply in failed} == {(500, "storage error")}
        reply = server.ask("DELETE", "/banks/b?confirm=b")
        assert (reply.status, reply.json) == (500, {"error": {"code": "storage", "message": "storage error"}})
        assert server.ask("POST", "/banks/b/recall", {"query": "before lost"}).json == ["before"]
        fill_disk(server, False)
        assert server.ask("POST", "/banks/b/retain", {"content": "after"}).status == 200
        assert sorted(server.ask("POST", "/banks/b/recall", {"query": "before lost after"}).json) == ["after", "before"]  # type: ignore[call-overload]
        assert server.stop() == 0
        lines = [json.loads(line) for line in server.stderr.splitlines() if line.startswith("{")]
        assert len(lines) == 9
        assert all(line["error"] == "storage" and line["detail"] for line in lines)


def test_a_store_that_vanishes_is_no_empty_one(tmp_path: Path) -> None:
    """The folder's files are moved away while the server is quiet: it says so instead of starting over."""
    with Serving(tmp_path, "--quiet", "0", db="store/memory.db") as server:
        assert server.ask("POST", "/banks/b/retain", {"content": "here"}).status == 200
        assert server.ask("POST", "/banks/b/recall", {"query": "here"}).json == ["here"]
        (tmp_path / "store").rename(tmp_path / "elsewhere")
        with server.dial() as peer:
            status, deadline = 0, time.monotonic() + 20
            while status != 500 and time.monotonic() < deadline:  # a file that is still open may still be read
                peer.send(request("POST", "/banks/b/recall", {"query": "here"}))
                reply = peer.reply()
                status = reply.status
                assert reply.text == "storage error" or reply.json == ["here"]
        assert status == 500
        assert server.ask("GET", "/ready").status == 503
        (tmp_path / "elsewhere").rename(tmp_path / "store")
        assert server.ask("POST", "/banks/b/recall", {"query": "here"}).json == ["here"]
        assert server.ask("GET", "/ready").status == 200
