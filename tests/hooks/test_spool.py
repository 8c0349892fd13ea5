"""The spool: in order, for whom it was meant, bounded, nothing half-written."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from memory_wire import config
from memory_wire.hooks import files, firing, spool

NEVER = time.monotonic() + 3600


def sent(folder: Path, target: str = "", most: int = 1000) -> list[tuple[str, bytes]]:
    got: list[tuple[str, bytes]] = []

    def send(path: str, body: bytes) -> bool:
        got.append((path, body))
        return True

    assert spool.deliver(str(folder), target, send, NEVER, most) == len(got)
    return got


def test_oldest_first_and_once(tmp_path: Path) -> None:
    assert sent(tmp_path) == []
    for number in range(5):
        spool.add(str(tmp_path), "", f"/v1/banks/b{number}/capture", b'{"a":\n%d}' % number)
    assert spool.pending(str(tmp_path)) == (5, sum(path.stat().st_size for path in (tmp_path / "spool").iterdir()))
    assert [path for path, _ in sent(tmp_path, most=2)] == ["/v1/banks/b0/capture", "/v1/banks/b1/capture"]
    assert sent(tmp_path) == [(f"/v1/banks/b{number}/capture", b'{"a":\n%d}' % number) for number in (2, 3, 4)]
    assert sent(tmp_path) == []
    assert spool.pending(str(tmp_path)) == (0, 0)


def test_each_server_gets_its_own(tmp_path: Path) -> None:
    spool.add(str(tmp_path), "http://10.0.0.1:1", "/a", b"1")
    spool.add(str(tmp_path), "", "/b", b"2")
    assert sent(tmp_path) == [("/b", b"2")]
    assert sent(tmp_path, "http://10.0.0.1:1") == [("/a", b"1")]


def test_what_is_not_taken_stays(tmp_path: Path) -> None:
    for number in range(3):
        spool.add(str(tmp_path), "", f"/{number}", b"x")
    answers = iter([True, False])
    assert spool.deliver(str(tmp_path), "", lambda path, body: next(answers), NEVER) == 1
    with pytest.raises(OSError, match="broken"):
        spool.deliver(str(tmp_path), "", broken, NEVER)
    assert spool.deliver(str(tmp_path), "", broken, 0) == 0  # no time left
    assert [path for path, _ in sent(tmp_path)] == ["/1", "/2"]


def broken(path: str, body: bytes) -> bool:
    raise OSError("broken")


def test_bounded_in_number(tmp_path: Path) -> None:
    for number in range(config.SPOOL_FILES + 3):
        spool.add(str(tmp_path), "", f"/{number}", b"x")
    found = sent(tmp_path)
    assert len(found) == config.SPOOL_FILES
    assert found[0][0] == "/3"


def test_bounded_in_bytes(tmp_path: Path) -> None:
    big = b"x" * (config.SPOOL_BYTES // 4)
    for number in range(6):
        spool.add(str(tmp_path), "", f"/{number}", big)
    assert spool.pending(str(tmp_path))[1] <= config.SPOOL_BYTES
    assert [path for path, _ in sent(tmp_path)] == ["/3", "/4", "/5"]


def test_nobody_else_reads_it_and_nothing_half_written_is_sent(tmp_path: Path) -> None:
    spool.add(str(tmp_path), "", "/a", b"secret")
    folder = tmp_path / "spool"
    (file,) = folder.iterdir()
    assert (folder.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)
    new, old = f".{time.time_ns():020d}-1-a.1", f".{time.time_ns() - 120 * 10**9:020d}-1-a.1"
    for name in (new, old, ".other"):
        (folder / name).write_bytes(b"\n/half\nx")
    (folder / "00000000000000000001-cut").write_bytes(b"no lines")
    assert sent(tmp_path) == [("/a", b"secret")]
    spool.add(str(tmp_path), "", "/b", b"y")
    assert sorted(path.name for path in folder.iterdir() if path.name.startswith(".")) == [new]


def test_a_disk_that_takes_nothing(tmp_path: Path) -> None:
    (tmp_path / "spool").write_bytes(b"a file in its place")
    with pytest.raises(OSError):
        spool.add(str(tmp_path), "", "/a", b"x")
    assert sent(tmp_path) == []


def test_a_file_is_seen_whole_or_not_at_all(tmp_path: Path) -> None:
    path = str(tmp_path / "folder" / "file")
    versions = [letter * 200_000 for letter in (b"a", b"b")]
    files.put(path, versions[0])
    writer = threading.Thread(target=lambda: [files.put(path, versions[number % 2]) for number in range(200)])
    writer.start()
    while writer.is_alive():
        assert files.get(path) in versions
    writer.join()
    assert os.listdir(tmp_path / "folder") == ["file"]


def test_the_last_firing(tmp_path: Path) -> None:
    assert firing.read(str(tmp_path), "codex") is None
    before = int(time.time())
    firing.write(str(tmp_path), "codex", "stop", "captured", "b\ud800", "s")
    found = firing.read(str(tmp_path), "codex")
    assert found is not None
    assert before <= found.pop("at") <= time.time()  # type: ignore[operator]
    assert found == {"event": "stop", "outcome": "captured", "bank": "b?", "session": "s"}
    assert os.listdir(tmp_path / "hooks") == ["codex.json"]
    firing.write("/dev/null", "codex", "stop", "captured", "b", "s")  # no folder: no record, no error
