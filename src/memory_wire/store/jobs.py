"""Work that waits in the store to be done in the background. Reached through Tx and Reader; what a kind does is the service's business."""

from __future__ import annotations

from msgspec import Struct

from memory_wire.config import JOB_ATTEMPTS, JOB_DIED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from sqlite3 import Connection


class Job(Struct, frozen=True):
    """One piece of work: `subject` is a unit's id, or 0 for a whole bank. `due` also tells whether it was asked for again meanwhile."""

    id: int
    kind: str
    bank: int
    subject: int
    due: int
    attempts: int
    payload: str | None


class Waiting(Struct, frozen=True):
    """How many jobs of a kind wait, how many were given up and how many of those that wait failed before; what one of these ended with."""

    kind: str
    waiting: int
    failed: int
    retrying: int
    failure: str | None


class Jobs:
    """The queries of one transaction; times in milliseconds."""

    __slots__ = ("_execute",)

    def __init__(self, connection: Connection) -> None:
        self._execute = connection.execute

    def add(self, kind: str, bank: int, subject: int, due: int, payload: str | None) -> None:
        """Adds a job; one of the same subject begins anew, also one that was given up or is being done at this moment."""
        self._execute(
            "INSERT INTO job (kind, bank, subject, due, payload) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
            " due = max(excluded.due, job.due + 1), attempts = 0, failure = NULL, payload = excluded.payload",
            (kind, bank, subject, due, payload),
        )

    def due(self, kinds: Sequence[str], now: int, limit: int) -> list[Job]:
        """Jobs whose time has come, those that wait longest first."""
        rows = self._execute(
            f"SELECT id, kind, bank, subject, due, attempts, payload FROM job WHERE due <= ? AND attempts < ? AND kind IN {_marks(kinds)}"
            " ORDER BY due, id LIMIT ?",
            (now, JOB_ATTEMPTS, *kinds, limit),
        )
        return [Job(*row) for row in rows]

    def next(self, kinds: Sequence[str]) -> int | None:
        """When the next one is due; None while none waits."""
        query = f"SELECT min(due) FROM job WHERE attempts < ? AND kind IN {_marks(kinds)}"
        row = self._execute(query, (JOB_ATTEMPTS, *kinds)).fetchone()
        return None if row[0] is None else int(row[0])

    def take(self, job: Job, until: int) -> bool:
        """Keeps it from others until a time and counts the attempt; False when another process was faster.

        It is due again then, should this process die: one that it dies of each time is given up like any other.
        """
        query = "UPDATE job SET due = ?, attempts = attempts + 1, failure = ? WHERE id = ? AND due = ?"
        return self._execute(query, (until, JOB_DIED, job.id, job.due)).rowcount > 0

    def finish(self, job: Job) -> bool:
        """Deletes it; False when it is gone or was asked for again since it was read, so that it has to be done anew."""
        return self._execute("DELETE FROM job WHERE id = ? AND due = ?", (job.id, job.due)).rowcount > 0

    def fail(self, job: Job, due: int, failure: str) -> None:
        """What the attempt ended with, and when the next is due."""
        self._execute("UPDATE job SET due = ?, failure = ? WHERE id = ? AND due = ?", (due, failure, job.id, job.due))

    def drop(self, kind: str, bank: int) -> None:
        """Deletes what waits of a kind for a whole bank: it was done."""
        self._execute("DELETE FROM job WHERE kind = ? AND bank = ? AND subject = 0", (kind, bank))

    def retry(self, now: int) -> int:
        """Begins those anew that were given up, or wait after a failure; how many."""
        return self._execute("UPDATE job SET attempts = 0, due = ? WHERE attempts > 0", (now,)).rowcount

    def waiting(self) -> list[Waiting]:
        """All kinds of which there are any."""
        rows = self._execute(
            "SELECT kind, sum(attempts < ?1), sum(attempts >= ?1), sum(attempts < ?1 AND coalesce(failure, ?2) <> ?2),"
            " max(CASE WHEN attempts >= ?1 OR failure <> ?2 THEN failure END) FROM job GROUP BY kind ORDER BY kind",
            (JOB_ATTEMPTS, JOB_DIED),  # one that is being done has failed with that so far
        )
        return [Waiting(*row) for row in rows]

    def spend(self, what: str, day: int, limit: int) -> bool:
        """Counts one of the day's calls for something; False when there were as many as there may be."""
        row = self._execute("SELECT value FROM meta WHERE key = ?", (what,)).fetchone()
        last, _, calls = str(row[0] if row is not None else "").partition(" ")
        made = int(calls) if last == str(day) else 0
        if made < limit:
            self._execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (what, f"{day} {made + 1}"))
        return made < limit

    def bank(self, id: int) -> tuple[str, str] | None:
        """(project, name) of a bank that is there."""
        row = self._execute(
            "SELECT p.name, b.name FROM bank b JOIN project p ON p.id = b.project WHERE b.id = ? AND b.name IS NOT NULL", (id,)
        ).fetchone()
        return None if row is None else (str(row[0]), str(row[1]))


def _marks(values: Sequence[str]) -> str:
    return f"({', '.join('?' * len(values))})"
