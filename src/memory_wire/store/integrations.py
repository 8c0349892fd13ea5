"""The integrations of projects. Reached through Tx and Reader; what a spec says is the service's business."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

_ROWS = "SELECT i.name, i.spec, i.updated FROM integration i JOIN project p ON p.id = i.project WHERE p.name = ?"


class Integrations:
    """Integrations in one transaction; `project` is a project's name."""

    __slots__ = ("_execute",)

    def __init__(self, connection: Connection) -> None:
        self._execute = connection.execute

    def all(self, project: str) -> list[tuple[str, bytes, int]]:
        """(name, spec, when it was set) by name."""
        return self._execute(f"{_ROWS} ORDER BY i.name", (project,)).fetchall()

    def find(self, project: str, name: str) -> bytes | None:
        """The spec of one."""
        row = self._execute(f"{_ROWS} AND i.name = ?", (project, name)).fetchone()
        return None if row is None else row[1]

    def put(self, project: int, name: str, spec: bytes, at: int) -> None:
        """Sets one, in the place of what was there."""
        self._execute("INSERT OR REPLACE INTO integration VALUES (?, ?, ?, ?)", (project, name, spec, at))

    def remove(self, project: int, name: str) -> bool:
        """Whether there was one to remove."""
        return self._execute("DELETE FROM integration WHERE project = ? AND name = ?", (project, name)).rowcount > 0
