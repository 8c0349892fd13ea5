"""Group commit as clients see it, and the quiet time after it."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from tests.serve.serving import Serving, request


def open_files(server: Serving, folder: Path) -> list[str]:
    """Descriptors and maps within the folder, the log of stderr apart."""
    base = Path(f"/proc/{server.process.pid}")
    files = {os.readlink(entry) for entry in (base / "fd").iterdir() if entry.is_symlink()}
    files |= {line.split(None, 5)[-1].strip() for line in (base / "maps").read_text().splitlines()}
    return sorted(file for file in files if file.startswith(str(folder)) and "stderr" not in file)


def threads_of(server: Serving) -> int:
    return len(os.listdir(f"/proc/{server.process.pid}/task"))


def test_writes_of_many_clients_share_commits(server: Serving) -> None:
    commits, acknowledged = server.counter("commits_total"), server.counter("acknowledged_total")
    failed: list[object] = []

    def write(writer: int) -> None:
        with server.dial() as peer:
            for i in range(30):
                peer.send(request("POST", "/banks/group/retain", {"content": f"writer {writer} row {i}"}))
                reply = peer.reply()
                if reply.status != 200:
                    failed.append(reply)

    writers = [threading.Thread(target=write, args=(writer,)) for writer in range(16)]
    for thread in writers:
        thread.start()
    for thread in writers:
        thread.join()
    assert not failed
    assert server.counter("acknowledged_total") - acknowledged == 16 * 30
    assert server.counter("commits_total") - commits <= 16 * 30 // 3
    assert server.ask("GET", "/banks/group/stats").json["memories"] == 16 * 30  # type: ignore[index]


def test_pipelined_writes_share_commits_and_keep_their_order(server: Serving) -> None:
    commits = server.counter("commits_total")
    with server.dial() as peer:
        peer.send(b"".join([request("POST", "/banks/row/retain", {"content": f"row {i}"}) for i in range(100)]))
        ids = [peer.reply().json["id"] for _ in range(100)]  # type: ignore[index]
    assert server.counter("commits_total") - commits <= 50
    page = server.ask("GET", "/banks/row/memories?limit=100").json
    assert [item["id"] for item in page] == ids  # type: ignore[attr-defined]
    assert [item["content"] for item in page] == [f"row {i}" for i in range(100)]  # type: ignore[attr-defined]


def test_one_bad_member_spoils_no_other(server: Serving) -> None:
    good, blank, wrong, mode = {"content": "good 1"}, {"content": "  "}, {"content": 3}, {"content": "good 3", "update_mode": "x"}
    bodies: list[object] = [good, blank, {"content": "good 2"}, wrong, mode]
    with server.dial() as peer:
        peer.send(b"".join([request("POST", "/banks/mixed/retain", body) for body in bodies]))
        assert [peer.reply().status for _ in bodies] == [200, 400, 200, 422, 400]
    assert server.ask("GET", "/banks/mixed/stats").json["memories"] == 2  # type: ignore[index]


def test_a_client_that_leaves_spoils_no_other(server: Serving) -> None:
    leaving, staying = server.dial(), server.dial()
    leaving.send(request("POST", "/banks/leave/retain", {"content": "left"}))
    leaving.close()
    staying.send(request("POST", "/banks/leave/retain", {"content": "stayed"}))
    assert staying.reply().status == 200
    staying.close()


def test_the_helper_thread_comes_with_a_write_and_goes_when_it_is_quiet(tmp_path: Path) -> None:
    with Serving(tmp_path, "--quiet", "0.3") as server:
        server.ask("POST", "/banks/q/recall", {"query": "x"})
        idle = threads_of(server)
        for round in range(3):
            assert server.ask("POST", "/banks/q/retain", {"content": f"round {round}"}).status == 200
            deadline = time.monotonic() + 20
            while threads_of(server) > 1 and time.monotonic() < deadline:
                server.ask("GET", "/health")  # neither this nor /metrics keeps it awake
                server.ask("GET", "/metrics")
                time.sleep(0.02)
            assert threads_of(server) == 1
        assert idle <= 2
        assert len(server.ask("POST", "/banks/q/recall", {"query": "round"}).json) == 3  # type: ignore[arg-type]
        assert '"internal"' not in server.stderr


@pytest.mark.parametrize("path", ["/banks/q/stats", "/ready"])
def test_no_file_of_the_store_stays_open_when_it_is_quiet(tmp_path: Path, path: str) -> None:
    with Serving(tmp_path, "--quiet", "0.3") as server:
        server.ask("POST", "/banks/q/retain", {"content": "quiet"})
        for _ in range(2):
            assert server.ask("GET", path).status == 200
            deadline = time.monotonic() + 20
            while open_files(server, tmp_path) and time.monotonic() < deadline:
                time.sleep(0.05)
            assert open_files(server, tmp_path) == []


def test_no_quiet_time_at_all(tmp_path: Path) -> None:
    """With `--quiet 0` caches go after every request; answers stay the same."""
    with Serving(tmp_path, "--quiet", "0") as server, server.dial() as peer:
        for i in range(50):
            peer.send(request("POST", "/banks/q/retain", {"content": f"number {i}"}))
            assert peer.reply().status == 200
            peer.send(request("POST", "/banks/q/recall", {"query": f"number {i}", "k": 1}))
            assert peer.reply().json == [f"number {i}"]
        assert server.stop() == 0
        assert '"internal"' not in server.stderr
