"""Background work: what a write asks for is kept in the store with it, and done when nobody waits. At least once, its effect just once.

A server works in the pauses of its writes and before it rests, an embedded store when it is closed, `memory-wire jobs run` at once. Local
kinds take milliseconds; those that wait for the outside world have a lane of their own.
"""

from __future__ import annotations

from msgspec import Struct, structs

from memory_wire import background as b
from memory_wire import config
from memory_wire.errors import Forbidden, MemoryWireError
from memory_wire.service.rights import operator
from memory_wire.store.jobs import Job

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from memory_wire.service.service import Service
    from memory_wire.store.protocol import Tx
    from memory_wire.store.reader import Reader
    from memory_wire.store.rows import Bank
    from memory_wire.types import Scope

    Effect = Callable[[Tx], None]
    Done = Callable[[Tx], str | None]


class Kind(Struct, frozen=True):
    """Who does a kind of work: `function(service, job)` of a module in here gives what is to be written, or None.

    It runs outside any transaction and may read; with `outside` it may ask `service.outside`, which takes its time.
    """

    module: str
    function: str
    outside: bool = False


KINDS: dict[str, Kind] = {
    "advise": Kind("advising", "advise", outside=True),
    "archive": Kind("archivist", "archive"),
    "expunge": Kind("erasing", "resume", outside=True),
    "embed": Kind("embedding", "run", outside=True),
    "gist": Kind("gists", "run"),
}
AT_CLOSE = ("expunge",)  # of those that take their time what is not left to the next process


def enqueue(tx: Tx, kind: str, bank: Bank, subject: int = 0, due: int = 0, payload: str | None = None) -> None:
    """Asks for work in the transaction of what it is about. The Outcome must say `jobs=True`, so that somebody looks soon."""
    tx.jobs.add(kind, bank.id, subject, due, payload)


def work(service: Service, limit: int, outside: bool, only: Collection[str] = KINDS) -> None:
    """Does up to `limit` jobs of one lane that are due. A job that fails is tried again later; that is no error of the caller's."""
    kinds = [name for name, kind in KINDS.items() if kind.outside == outside and name in only]
    now = service.now()
    with service.read() as reader:
        found = together(reader.jobs.due(kinds, now, limit))
    found = taken(service, found, now, outside)
    if found:
        works = [finished(job, attempt(service, job)) for job in found]
        for job, result in zip(found, service.store.write(works), strict=True):
            failure = told(result) if isinstance(result, Exception) else result
            if isinstance(failure, str):
                service.store.submit(failed(job, failure, now))


def nexts(service: Service) -> list[int | None]:
    """When the next job of each lane is due, those in here first."""
    with service.read() as reader:
        return [reader.jobs.next([name for name, kind in KINDS.items() if kind.outside == outside]) for outside in (False, True)]


def together(due: list[Job]) -> list[Job]:
    """Those that are done in one go: one that was begun before comes alone, it may have ended the process."""
    fresh = [job for job in due if not job.attempts]
    return fresh or due[:1]


def taken(service: Service, found: list[Job], now: int, outside: bool) -> list[Job]:
    """The jobs as they are kept from other processes for a while, without those that another one has."""
    until = now + (config.JOB_LEASE_MS if outside else config.JOB_MS)

    def work(tx: Tx) -> list[Job]:
        return [structs.replace(job, due=until, attempts=job.attempts + 1) for job in found if tx.jobs.take(job, until)]

    return service.store.submit(work) if found else []


def bank_of(reader: Reader, job: Job) -> Bank | None:
    """The bank that a job is about, if it is there."""
    place = reader.jobs.bank(job.bank)
    return reader.bank(*place) if place is not None else None


def attempt(service: Service, job: Job) -> Effect | Exception | None:
    """What is to be written, or what went wrong."""
    kind = KINDS[job.kind]
    function = getattr(__import__(f"memory_wire.service.{kind.module}", fromlist=[kind.function]), kind.function)
    try:
        effect: Effect | None = function(service, job)
        return effect
    except Exception as error:
        return error


def finished(job: Job, effect: Effect | Exception | None) -> Done:
    """The work that deletes a job with its effect; its result is the failure, if it failed."""

    def work(tx: Tx) -> str | None:
        if isinstance(effect, Exception):
            return told(effect)
        if tx.jobs.finish(job) and effect is not None:
            effect(tx)
        return None

    return work


def told(error: Exception) -> str:
    """What is kept of an error: its class and what callers are told of ours, which never holds a secret."""
    text = " ".join(str(error).split())[: config.FAILURE_CHARS] if isinstance(error, MemoryWireError) else ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def failed(job: Job, failure: str, now: int) -> Callable[[Tx], None]:
    """The work that notes how an attempt ended; each next one waits four times as long."""
    due = now + config.JOB_RETRY_MS * 4 ** (job.attempts - 1)
    return lambda tx: tx.jobs.fail(job, due, failure)


# operations ------------------------------------------------------------------------------------------------------------------------


def jobs(reader: Reader, request: b.ListJobs, scope: Scope) -> b.JobList:
    """What waits. Only for who runs the store: jobs are of all projects. Raises Forbidden."""
    for_operators(scope)
    return b.JobList(jobs=[b.JobRow(**structs.asdict(row)) for row in reader.jobs.waiting()])


def run_jobs(service: Service, request: b.RunJobs, scope: Scope) -> b.JobList:
    """Does what is due, both lanes, until nothing is. Raises Forbidden, StorageError."""
    for_operators(scope)
    if request.retry:
        now = service.now()
        service.store.submit(lambda tx: tx.jobs.retry(now))
    for outside in (False, True):
        while service.work_jobs(config.JOBS_AT_CLOSE, outside).now:
            continue
    with service.read() as reader:
        return jobs(reader, b.ListJobs(), scope)


def for_operators(scope: Scope) -> None:
    if not operator(scope.caller):
        raise Forbidden("jobs are for who runs the store")
