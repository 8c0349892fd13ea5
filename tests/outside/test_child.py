"""The child program's life: what hangs is killed, what crashed starts again, nothing is left behind."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from memory_wire import Memory, config
from memory_wire.errors import OutsideFailed, OutsideTimeout, StorageError
from memory_wire.outside import Outside
from memory_wire.outside.table import FETCH
from memory_wire.process import runs
from tests.outside.server import Server

PATIENCE = 10.0


def get(outside: Outside, url: str, seconds: float = PATIENCE, **more: object) -> dict[str, object]:
    return outside.ask("fetch", {"url": url, "private": True, **more}, seconds)


def pids(outside: Outside) -> list[int]:
    return [child.pid for children in outside.lanes.values() for child in children if child.pid]


def until(true: object) -> None:
    end = time.monotonic() + PATIENCE
    while not true():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.005)


def test_one_child_answers_one_after_the_other(outside: Outside, world: Server) -> None:
    assert pids(outside) == []
    for _ in range(3):
        assert get(outside, world.url)["status"] == 200
    assert len(pids(outside)) == 1


def test_several_are_asked_at_once_and_never_more_than_that(outside: Outside, world: Server) -> None:
    answers: dict[int, object] = {}

    def ask(number: int) -> None:
        answers[number] = get(outside, f"{world.url}/echo/{number}")["body"]

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(f'"path": "/echo/{number}"'.encode() in bytes(answers[number]) for number in range(20))  # type: ignore[call-overload]
    assert 1 <= len(pids(outside)) <= config.OUTSIDE_CHILDREN


def test_who_is_late_says_so_and_lives(outside: Outside, world: Server) -> None:
    for path in "never", "drip":
        with pytest.raises(OutsideTimeout, match=r"no answer within 0\.3 s"):
            get(outside, f"{world.url}/{path}", 0.3)
    (pid,) = pids(outside)
    assert get(outside, world.url)["status"] == 200
    assert pids(outside) == [pid]


def test_who_hears_nothing_is_killed(outside: Outside, world: Server) -> None:
    get(outside, world.url)
    (pid,) = pids(outside)
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(OutsideTimeout):
        get(outside, world.url, 0.1)
    assert not runs(pid)
    assert get(outside, world.url)["status"] == 200


def test_a_child_that_ends_itself_when_its_parent_cannot(outside: Outside, world: Server) -> None:
    """Its own clock: nobody is there any more to kill it."""
    code = (
        "import sys; from memory_wire.outside import Outside; o = Outside(); c = o.lanes['fetch'][0]; c.start(); print(c.pid, flush=True); "
    )
    code += "o.ask('fetch', {'url': sys.argv[1], 'private': True}, 0.5)"
    read, write = os.pipe()
    parent = os.posix_spawn(
        sys.executable, [sys.executable, "-c", code, f"{world.url}/never"], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, write, 1)]
    )
    os.close(write)
    with open(read) as stream:
        pid = int(stream.readline())
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    until(lambda: not runs(pid))


def test_a_crash_is_told_and_the_next_question_answered(outside: Outside, world: Server) -> None:
    get(outside, world.url)
    (pid,) = pids(outside)
    asked = len(world.asked)

    def crash() -> None:
        until(lambda: len(world.asked) > asked)
        os.kill(pid, signal.SIGKILL)

    thread = threading.Thread(target=crash)
    thread.start()
    with pytest.raises(OutsideFailed, match="the helper process failed: it was ended by signal 9"):
        get(outside, f"{world.url}/never")
    thread.join()
    assert get(outside, world.url)["status"] == 200
    assert not runs(pid)


def test_a_child_that_died_unasked_is_no_error(outside: Outside, world: Server) -> None:
    get(outside, world.url)
    (pid,) = pids(outside)
    os.kill(pid, signal.SIGKILL)
    until(lambda: not runs(pid))
    assert get(outside, world.url)["status"] == 200


def test_idle_and_close_leave_no_process(world: Server) -> None:
    outside = Outside()
    get(outside, world.url)
    (first,) = pids(outside)
    outside.idle()
    assert pids(outside) == []
    get(outside, world.url)
    (second,) = pids(outside)
    outside.close()
    for pid in (first, second):
        with pytest.raises(ProcessLookupError):  # not even a zombie
            os.kill(pid, 0)
    with pytest.raises(OutsideFailed):
        get(outside, world.url)


def test_closing_ends_what_is_being_asked(world: Server) -> None:
    outside, failed = Outside(), []

    def ask() -> None:
        try:
            get(outside, f"{world.url}/never")
        except OutsideFailed as error:
            failed.append(str(error))

    asked = len(world.asked)
    thread = threading.Thread(target=ask)
    thread.start()
    until(lambda: len(world.asked) > asked)
    outside.close()
    thread.join(PATIENCE)
    assert failed == ["the helper process failed: it was ended by signal 9"]
    assert pids(outside) == []


def test_a_service_closes_what_it_has_opened(tmp_path: Path, world: Server) -> None:
    with Memory(tmp_path / "memory.db") as memory:
        outside = memory.service.outside
        get(outside, world.url)
        assert pids(outside)
        memory.service.idle()
        assert not pids(outside)
        get(outside, world.url)
    assert not pids(outside)
    with pytest.raises(StorageError):
        _ = memory.service.outside


def test_what_nobody_closed_leaves_no_process(world: Server) -> None:
    outside = Outside()
    get(outside, world.url)
    (pid,) = pids(outside)
    del outside
    gc.collect()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    code = "import sys; from memory_wire.outside import Outside; kept = Outside()\n"
    code += "kept.ask('fetch', {'url': sys.argv[1], 'private': True}, 9.0); print(kept.lanes['fetch'][0].pid)"
    done = subprocess.run([sys.executable, "-c", code, world.url], capture_output=True, text=True, check=True)
    until(lambda: not runs(int(done.stdout)))
    assert done.stderr == ""


@pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")
def test_a_forked_process_has_children_of_its_own(outside: Outside, world: Server) -> None:
    get(outside, world.url)
    (pid,) = pids(outside)
    forked = os.fork()
    if not forked:
        status = 1
        try:
            assert pids(outside) == []
            assert get(outside, world.url)["status"] == 200
            assert pids(outside) != [pid]
            outside.close()
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(forked, 0)
    assert status == 0
    assert pids(outside) == [pid] and get(outside, world.url)["status"] == 200


def test_the_size_of_both_ways_is_bounded(outside: Outside, world: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OutsideFailed, match="more than 32 MiB to send"):
        get(outside, world.url, body=b"x" * config.OUTSIDE_BYTES)
    with pytest.raises(OutsideFailed, match="an answer of more than 32 MiB"):
        get(outside, f"{world.url}/bytes/{config.OUTSIDE_BYTES}", cap=config.OUTSIDE_BYTES * 2)
    assert get(outside, world.url)["status"] == 200


def test_what_nobody_expected_tells_its_class_only(outside: Outside) -> None:
    with pytest.raises(OutsideFailed, match=r"^internal error in fetch: KeyError$"):
        outside.ask("fetch", {"secret": "hunter2"}, PATIENCE)
    child = outside.lanes[FETCH][0]
    assert os.readlink(f"/proc/{child.pid}/fd/2") == os.devnull if sys.platform == "linux" else True


def test_a_child_that_cannot_start(outside: Outside, monkeypatch: pytest.MonkeyPatch, world: Server) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", "/nowhere/python")
        with pytest.raises(OutsideFailed, match="can't be started: No such file"):
            get(outside, world.url)
    assert get(outside, world.url)["status"] == 200
