"""When a server does the work that stands in its store: in the pauses of the writes, on the thread of the commits.

What waits for the outside world has a thread of its own while there is some, so that no write waits with it. Nothing is armed while no work
is known of; what is due later is looked at with the next write or before the server rests. Everything here but `work` and `outside` runs
on the loop thread.
"""

from __future__ import annotations

import _thread

from memory_wire.config import JOB_PATIENCE_SECONDS, JOB_PAUSE_SECONDS, JOBS_AT_ONCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.serve.commits import Commits


class Toil:
    """`look` is called whenever the thread of the commits has become free."""

    def __init__(self, commits: Commits) -> None:
        self.commits = commits
        self.armed = False  # some of it is about to begin
        self.away = False  # the thread of what waits for the outside runs
        self.looked = self.closed = False
        self.ended = _thread.allocate_lock()  # held while that thread lives
        self.wrote = self.since = 0.0  # the last write, and how long work has been waiting for a pause

    def look(self, wrote: bool) -> None:
        """Begins with what is due, after a write when there has been none for a while."""
        service, loop = self.commits.service, self.commits.loop
        local, outside = service.jobs_due(), service.jobs_due(True)
        if wrote:
            self.wrote = loop.time()
        if (local or (outside and not self.away)) and not self.armed:
            self.armed = True
            self.since = loop.time()
            loop.call_later(JOB_PAUSE_SECONDS if wrote else 0.0, self.begin)

    def begin(self) -> None:
        """A little of it, unless there are writes."""
        commits, now = self.commits, self.commits.loop.time()
        patient = now - self.since < JOB_PATIENCE_SECONDS
        if commits.busy or (patient and now - self.wrote < JOB_PAUSE_SECONDS):
            commits.loop.call_later(JOB_PAUSE_SECONDS, self.begin)
            return
        self.armed = False
        local = commits.service.jobs_due()
        if commits.service.jobs_due(True) and not self.away and (self.looked or not local):  # a look in here tells whether there is any
            self.away = True
            self.ended.acquire()
            _thread.start_new_thread(self.outside, ())
        self.looked = local
        if local:
            commits.busy = True
            commits.post(self.work)

    def work(self) -> bool:
        """On the thread of the commits."""
        try:
            self.commits.service.work_jobs(JOBS_AT_ONCE)
        except Exception as error:
            self.commits.loop.call_soon_threadsafe(self.commits.lost, error)
        self.commits.loop.call_soon_threadsafe(self.commits.done, [])
        return True

    def outside(self) -> None:
        """The other thread: one after another until none is due."""
        try:
            while not self.closed and self.commits.service.work_jobs(1, outside=True).now:
                continue
        except Exception as error:
            if not self.closed:
                self.commits.loop.call_soon_threadsafe(self.commits.lost, error)
        finally:
            self.ended.release()
            if not self.closed:
                self.commits.loop.call_soon_threadsafe(self.returned)

    def returned(self) -> None:
        self.away = False
        self.commits.touch()  # the quiet time begins again
        self.look(False)

    def close(self) -> None:
        """The loop has stopped: what waits for the outside is cut short and begun again by the next process."""
        self.closed = True
        if self.away:
            self.commits.service.outside.close()
            self.ended.acquire()
            self.ended.release()
