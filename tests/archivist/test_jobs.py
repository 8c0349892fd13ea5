"""Work in the background: at least once, its effect once, whatever fails or dies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memory_wire.background import JobRow
from memory_wire.client import Memory
from memory_wire.config import JOB_ATTEMPTS, JOB_DIED, JOB_MS
from memory_wire.service import archivist, jobs
from memory_wire.service.jobs import Kind
from memory_wire.store.jobs import Job
from memory_wire.store.protocol import Tx

OLD = "Login tokens are signed with RS256."
NEW = "Login tokens are now signed with EdDSA instead of RS256."
DAY = 86_400_000


@pytest.fixture
def clock(memory: Memory) -> list[int]:
    """Moved by tests; milliseconds."""
    now = [memory.service.now()]
    memory.service.now = lambda: now[0]
    return now


def broken(service: object, job: Job) -> Callable[[Tx], None]:
    raise RuntimeError("the text of a record")


def rows(memory: Memory) -> list[JobRow]:
    return memory.jobs().jobs


def test_a_job_that_fails_is_tried_again_later_then_given_up_for_all_to_see(
    memory: Memory, clock: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archivist, "archive", broken)
    id = memory.remember(OLD).id
    tries = 0
    while memory.service.work_jobs(8).next is not None:
        assert rows(memory) == [JobRow(kind="archive", waiting=1, failed=0, retrying=1, failure="RuntimeError")]
        assert memory.search("login tokens").results[0].id == id  # nobody waits for it
        before = clock[0]
        memory.service.work_jobs(8)
        assert memory.service.work_jobs(8).now is False  # its time has not come
        clock[0] = before + DAY
        tries += 1
    assert tries == JOB_ATTEMPTS - 1
    assert rows(memory) == [JobRow(kind="archive", waiting=0, failed=1, failure="RuntimeError")]
    monkeypatch.undo()
    memory.service.now = lambda: clock[0]
    assert memory.run_jobs().jobs != []  # it stays given up
    assert memory.run_jobs(retry=True).jobs == []


def test_one_that_ends_the_process_is_given_up_and_comes_alone(memory: Memory, clock: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    class Killed(BaseException):
        """What the test has instead of a signal."""

    done = []

    def deadly(service: object, job: Job) -> None:
        if job.subject == victim:
            raise Killed
        done.append(job.subject)

    monkeypatch.setattr(archivist, "archive", deadly)
    ids = [memory.remember(f"Fact {number}.").id for number in range(4)]
    with memory.service.read() as reader:
        bank = reader.bank("default", "default")
        assert bank is not None
        victim = reader.page(bank, 4)[1].id
    for _ in range(20):
        try:
            if memory.service.work_jobs(8).next is None:
                break
        except Killed:
            pass
        clock[0] += DAY
    assert len(set(done)) == len(ids) - 1
    assert rows(memory) == [JobRow(kind="archive", waiting=0, failed=1, failure=JOB_DIED)]


def test_another_process_leaves_a_job_alone_that_is_being_done(memory: Memory, clock: list[int], tmp_path: Path) -> None:
    memory.remember(OLD)
    with memory.service.read() as reader:
        [job] = reader.jobs.due(["archive"], clock[0], 8)
    [held] = jobs.taken(memory.service, [job], clock[0], False)
    assert jobs.taken(memory.service, [job], clock[0], False) == []
    assert memory.service.work_jobs(8).now is False
    clock[0] += JOB_MS
    assert memory.service.work_jobs(8).next is None
    effects: list[int] = []
    memory.service.store.submit(jobs.finished(held, lambda tx: effects.append(1)))
    assert effects == []  # whoever comes late writes nothing


def test_a_job_asked_for_again_while_it_is_done_is_done_again(memory: Memory, clock: list[int]) -> None:
    memory.remember(OLD)
    with memory.service.read() as reader:
        [job] = reader.jobs.due(["archive"], clock[0], 8)
    [held] = jobs.taken(memory.service, [job], clock[0], False)
    memory.service.store.submit(lambda tx: tx.jobs.add("archive", job.bank, job.subject, clock[0], None))
    memory.service.store.submit(jobs.finished(held, None))
    assert rows(memory) == [JobRow(kind="archive", waiting=1, failed=0, failure=None)]


def test_closing_does_what_waits_and_the_next_process_the_rest(tmp_path: Path) -> None:
    db = tmp_path / "memory.db"
    with Memory(db) as memory:
        old, new = memory.remember(OLD).id, memory.remember(NEW).id
    with Memory(db) as memory:
        assert [(link.type, link.id) for link in memory.get_record(new).graph_relations] == [("outdates", old)]
        assert rows(memory) == []


def test_work_that_goes_outside_has_a_lane_of_its_own(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    done = []
    monkeypatch.setattr(archivist, "ask", lambda service, job: done.append(job.subject), raising=False)
    monkeypatch.setitem(jobs.KINDS, "asking", Kind("archivist", "ask", outside=True))
    memory.retain("a bank")
    with memory.service.read() as reader:
        bank = reader.bank("default", "default")
    memory.service.store.submit(lambda tx: jobs.enqueue(tx, "asking", bank, 7))  # type: ignore[arg-type]
    memory.service.work_jobs(8)
    assert done == []
    assert memory.service.work_jobs(8, outside=True).next is None
    assert done == [7]


def test_a_banks_jobs_go_with_it(memory: Memory) -> None:
    memory.remember(OLD, bank="short")
    memory.delete_bank("short", confirm="short")
    assert memory.run_jobs().jobs == []
