"""The one service behind every surface: takes an operation, a scope and a request, returns the response or raises one of our errors.

Thread-safe. Reads run in one read transaction; a write is checked and redacted first, joins a group commit, then enters the index before it
is answered. Embedded callers, the HTTP server and the command line all come through `call` or `call_many`.
"""

from __future__ import annotations

import os
from _thread import allocate_lock, get_ident

from memory_wire import config
from memory_wire import types as t
from memory_wire.errors import MemoryWireError, NotReady, StorageError
from memory_wire.ops import Op
from memory_wire.retrieve import pipeline
from memory_wire.service import dates, forking, settings, validate  # noqa: F401 (forking: by being there)
from memory_wire.service.changes import Left, Outcome
from memory_wire.service.empty import NOTHING
from memory_wire.service.indexes import Indexes
from memory_wire.service.keys import Keys
from memory_wire.service.recalls import Recalls
from memory_wire.service.settings import Settings
from memory_wire.service.table import ALLOW, APART, ASKING, ASKS, HANDED, READS, SHOWN, STALE, WRITES
from memory_wire.store import sqlite
from memory_wire.store.place import absent, frozen
from memory_wire.store.reader import Reader
from memory_wire.store.rows import Bank

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from msgspec import Struct

    from memory_wire.outside import Outside
    from memory_wire.service.embedding import Made
    from memory_wire.store.protocol import Tx
    from memory_wire.store.sqlite import Store

    Work = Callable[[Tx], Outcome]

SETTINGS_KEPT = 256
RANKED = ("recall", "reflect", "search", "inject")  # by a model as well, where a bank has one
EMBEDDER, RERANKER = "MEMORY_WIRE_EMBEDDER", "MEMORY_WIRE_RERANKER"  # the server's, for banks that name none
PUBLIC_URL = "MEMORY_WIRE_PUBLIC_URL"

_opening = allocate_lock()  # one for all services: a fork waits until none is being opened, or the child would find it locked for good
os.register_at_fork(before=_opening.acquire, after_in_parent=_opening.release, after_in_child=_opening.release)


class Service:
    """One store with its index. `now` is the wall clock in milliseconds; tests replace it."""

    def __init__(
        self,
        path: str,
        *,
        sync: str = "full",
        create: bool = True,
        allow_network_fs: bool = False,
        now: Callable[[], int] = dates.now_ms,
    ) -> None:
        self.path = os.path.abspath(path)
        self.now = now
        self.keys = Keys(self._secret)
        self.recalls = Recalls(self)
        self._how = (sync, create, allow_network_fs)
        self._closed = False
        self._store: Store | None = None
        self._index: Indexes | None = None
        self._outside: Outside | None = None
        self._settings: dict[tuple[object, int, int], Settings] = {}
        self.origin = os.environ.get(PUBLIC_URL, "").rstrip("/")  # before the addresses of what is public
        self.modelled = EMBEDDER in os.environ or RERANKER in os.environ
        self.asking: dict[tuple[str, str], bool] = {}  # by project and bank whether ranking there asks a model, as far as it is known
        self.patient: set[int] | None = None  # a server's threads that may wait for the outside world; None: all may
        self.made: dict[object, Made] = {}  # embedders whose dimension is known
        self.kept: dict[str, object] = {}  # by module of public surfaces, what it keeps until nobody has asked for a while
        self.retold: Callable[[str], object] | None = None  # is told of a project whose tools may be others now
        self._next_job: list[int | None] = [None, None]  # when background work that this process knows of is due: in here, outside

    # calls -------------------------------------------------------------------------------------------------------------------------

    def call(self, op: Op, scope: t.Scope, request: Struct) -> object:
        """The response of one operation. Raises MemoryWireError."""
        if not op.writes:
            return self._read(op, scope, request)
        outcome = self.store.submit(self._work(op, scope, request))
        self._follow(outcome)
        return outcome.response

    def _follow(self, outcome: Outcome) -> None:
        self.index.follow(outcome)
        if outcome.jobs:
            self.expect_jobs()
        if outcome.tools is not None and self.retold is not None:
            self.retold(outcome.tools)

    def waits(self, op: Op, scope: t.Scope, request: Struct) -> bool:
        """Whether a call may have to wait for the outside world. Asked by a server, which must not wait with it."""
        if op.name == "exposed_tools":
            return bool(STALE(self, scope.project))
        if op.name == "hub_recall":
            return bool(ASKING(self, request))
        if op.name in RANKED:
            known = self.asking.get((scope.project, scope.bank))
            return self.recalls.asks(scope) if known is None else known
        return op.apart

    def may_wait(self) -> bool:
        """Whether this thread may wait for the outside world: none of a server's that others wait for."""
        return self.patient is None or get_ident() in self.patient

    def call_many(self, calls: Sequence[tuple[Op, t.Scope, Struct]]) -> list[object]:
        """Responses in order, the writes in one group commit; where a call failed, its error stands in its place."""
        answers: list[object] = [None] * len(calls)
        works: list[Work] = []
        places: list[int] = []
        for place, (op, scope, request) in enumerate(calls):
            try:
                if op.writes:
                    works.append(self._work(op, scope, request))
                    places.append(place)
                else:
                    answers[place] = self._read(op, scope, request)
            except Exception as error:
                answers[place] = as_ours(error)
        for place, result in zip(places, self.store.write(works) if works else (), strict=True):
            if isinstance(result, Outcome):
                self._follow(result)
                answers[place] = result.response
            else:
                answers[place] = as_ours(result)
        return answers

    def _read(self, op: Op, scope: t.Scope, request: Struct) -> object:
        answer = self._answer(op, scope, request)
        if scope.caller is not None and scope.caller.heir_of:
            HANDED(self, scope, answer)
        return answer

    def _answer(self, op: Op, scope: t.Scope, request: Struct) -> object:
        validate.scope(scope)
        if op.public:
            return SHOWN(self, op, request, scope)
        if scope.caller is not None:
            ALLOW(op, scope.caller)
        if op.right == "admin":
            self.open()  # who administers a store makes it
        if op.name == "recall" or op.name == "reflect":
            return getattr(self.recalls, op.name)(request, scope)
        if op.name in ASKS:
            return ASKS[op.name](self, request, scope)
        if op.apart:
            return APART[op.name](self, request, scope)
        with self.read() as reader:
            return READS[op.name](reader, request, scope)

    def _work(self, op: Op, scope: t.Scope, request: Struct) -> Work:
        if scope.caller is not None:
            ALLOW(op, scope.caller)
        if self._store is None:
            self._open(self._how[1])
        if op.name == "put_config":
            self.asking.clear()
        return self._embedding(WRITES[op.name](request, scope, self))

    def _embedding(self, work: Work) -> Work:
        """The work, which also asks for vectors of what it writes where an embedder is configured."""

        def both(tx: Tx) -> Outcome:
            outcome = work(tx)
            changed = [bank for bank, _ in outcome.behind]
            if outcome.bank is not None and outcome.changes and not outcome.dropped:
                changed.append(outcome.bank)
            for bank in changed:
                outcome.jobs = self.has_embedded(tx, bank) or outcome.jobs
            return outcome

        return both

    def has_embedded(self, tx: Tx, bank: Bank) -> bool:
        """Asks for a bank's vectors when it has an embedder; whether it has."""
        if not bank.config_version and EMBEDDER not in os.environ:
            return False
        from memory_wire.service import jobs, models

        if models.of(self.settings_of(bank, tx), "embedder") is None:
            return False
        jobs.enqueue(tx, "embed", bank)
        return True

    # parts -------------------------------------------------------------------------------------------------------------------------

    @property
    def store(self) -> Store:
        """The record store, made on first use when that is allowed. Raises StoreMissing, StoreRefused."""
        return self._store or self._open(self._how[1])

    @property
    def index(self) -> Indexes:
        """The indexes of the store's banks."""
        if self._index is None:
            self._open(self._how[1])
        assert self._index is not None
        return self._index

    @property
    def outside(self) -> Outside:
        """The way out of this process; what goes there is started when it is first asked."""
        from memory_wire.outside import Outside

        with _opening:
            if self._closed:
                raise StorageError(f"{self.path}: the store is closed")
            if self._outside is None:
                self._outside = Outside()
            return self._outside

    def _secret(self) -> bytes:
        """The store's secret; a store that was never made has none yet, and nothing in it could match."""
        return self.store.secret if self._store is not None or not absent(self.path) else b""

    def open(self) -> None:
        """Opens the store now, making it when that is allowed; on read-only media for reading.

        Raises StoreMissing, StoreRefused, StorageError.
        """
        if frozen(self.path):
            with self.store.read():
                return
        self.store.open()

    def _open(self, create: bool) -> Store:
        with _opening:
            if self._closed:
                raise StorageError(f"{self.path}: the store is closed")
            if self._store is None:
                sync, _, network = self._how
                store = sqlite.Store(self.path, sync=sync, create=create, allow_network_fs=network)
                self._index = Indexes(store)
                self._store = store
            return self._store

    def read(self) -> AbstractContextManager[Reader]:
        """A read transaction. A store that was never made reads as an empty one and isn't made by reading."""
        if self._store is None:
            if absent(self.path) and not self._closed:
                return NOTHING
            self._open(create=False)
        return self.store.read()

    def settings_of(self, bank: Bank, source: Reader | Tx) -> Settings:
        """The reading of the bank's configuration, kept until it changes.

        One read from a write transaction isn't kept: if it is undone, another configuration gets the same version.
        """
        if not bank.config_version:
            return settings.DEFAULTS
        key = (self.store.file, bank.id, bank.config_version)
        found = self._settings.get(key)
        if found is None:
            found = settings.read(source.config(bank))
            if isinstance(source, Reader):
                if len(self._settings) >= SETTINGS_KEPT:
                    self._settings.clear()
                self._settings[key] = found
        return found

    # background work -------------------------------------------------------------------------------------------------------------------

    def jobs_due(self, outside: bool = False) -> bool:
        """Whether background work of a lane can be done now. Asks no storage; before a store was opened there is none."""
        next = self._next_job[outside]
        return next is not None and self._store is not None and next <= self.now()

    def work_jobs(self, limit: int, outside: bool = False) -> Left:
        """Does up to `limit` jobs that are due, of those that stay in here or of those that wait for the outside. Raises StorageError."""
        lanes = [lane for lane in (False, True) if lane == outside or self._next_job[lane] == 0]  # what isn't known is looked at as well
        for lane in lanes:
            self._next_job[lane] = None  # whoever asks for work from now on shows
        next: list[int | None] = [self.now() + config.JOB_RETRY_MS] * 2
        try:
            next = self._worked(limit, outside)
        finally:
            for lane in lanes:
                if self._next_job[lane] is None:
                    self._next_job[lane] = next[lane]
        due = next[outside]
        return Left(due is not None and due <= self.now(), due)

    def _worked(self, limit: int, outside: bool) -> list[int | None]:
        """Does the work, if there is any; when each lane's next is due. Nothing is loaded for it in vain."""
        if frozen(self.path):
            return [None, None]
        with self.read() as reader:
            if not reader.has_jobs:
                return [None, None]
        from memory_wire.service import jobs

        jobs.work(self, limit, outside)
        return jobs.nexts(self)

    def expect_jobs(self) -> None:
        """Has the store looked through for work that was just asked for, or that an earlier process left."""
        self._next_job = [0, 0]

    # life --------------------------------------------------------------------------------------------------------------------------

    def ready(self) -> t.Ready:
        """Whether store and index really answer. Raises NotReady."""
        progress = None
        try:
            with self.read() as reader:
                bank = reader.bank("default", "default")
                if bank is not None:
                    language = self.settings_of(bank, reader).language
                    index = self.index.open(bank, language)
                    index.snapshot(self.index.rows(reader, bank, language))
                    progress = index.progress()
        except (MemoryWireError, OSError) as error:
            raise NotReady(f"not ready: {getattr(error, 'detail', error)}") from error
        return t.Ready(ready=True, store="ok", index=progress or "ok")

    def gauges(self) -> dict[str, int]:
        """Counters for the metrics; touches no storage."""
        store, index = self._store, self._index
        opened = index.cache.opened() if index else []
        return {
            "acknowledged": store.acknowledged if store else 0,
            "commits": store.commits if store else 0,
            "index_faults": index.faults if index else 0,
            "live_units": sum(bank.live_units for bank in opened),
            "open_banks": len(opened),
        }

    def catch_up(self, project: str, name: str) -> None:
        """Brings a bank's index up to the store, after rows were written that did not go through `call`."""
        with self.store.read() as reader:
            bank = reader.bank(project, name)
            language = self.settings_of(bank, reader).language if bank is not None else 0
        self.index.catch_up(project, name, language)

    def idle(self) -> None:
        """Gives caches, connections and maps back; the next call opens them again."""
        self.recalls.idle()
        self.asking.clear()
        self._settings.clear()
        self.kept.clear()
        pipeline.idle()
        dates.idle()
        if self._outside is not None:
            self._outside.idle()
        if self._index is not None:
            self._index.idle()
        if self._store is not None:
            self._store.idle()

    def close(self) -> None:
        """Closes index and store; calls fail afterwards. Closing twice is no error."""
        self._work_off()
        with _opening:
            self._closed = True
            store, index, outside = self._store, self._index, self._outside
            self._store = self._index = self._outside = None
        self.recalls.close()
        if outside is not None:
            outside.close()
        if index is not None:
            index.close()
        if store is not None:
            store.close()

    def _work_off(self) -> None:
        """Before the end: a little of what waits; the rest waits for the next process."""
        try:
            if self.jobs_due():
                self.work_jobs(config.JOBS_AT_CLOSE)
            if self.jobs_due(outside=True):
                from memory_wire.service import jobs

                jobs.work(self, config.JOBS_AT_CLOSE, True, jobs.AT_CLOSE)
        except (MemoryWireError, OSError):
            return  # closing must not fail for it, and it stands in the store

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def as_ours(error: object) -> MemoryWireError:
    """An error as one of ours; what isn't becomes a storage error with the reason as detail."""
    return error if isinstance(error, MemoryWireError) else StorageError(f"{type(error).__name__}: {error}")
