"""Uploaded sessions of projects, in compressed pieces. Reached through Tx and Reader; what is in a piece is the service's business.

`author` is the member whose session it is, 0 for what nobody's key brought. `among` is the one author asked about, None for all.
"""

from __future__ import annotations

from msgspec import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

_COLUMNS = "u.id, u.session, u.host, u.upto, u.lines, u.bytes, u.created, u.updated"
_WHERE = "FROM upload u JOIN project p ON p.id = u.project WHERE p.name = :project AND (:among IS NULL OR u.author = :among)"
_FIND = f"SELECT {_COLUMNS} {_WHERE} AND u.session = :session ORDER BY u.author = :first DESC, u.author LIMIT 1"


class Upload(Struct):
    """One session: how far its file was taken, lines and compressed bytes kept."""

    id: int
    session: str
    host: str
    upto: int
    lines: int
    bytes: int
    created: int
    updated: int


class Sessions:
    """Uploaded sessions in one transaction; `project` is a project's name."""

    __slots__ = ("_execute",)

    def __init__(self, connection: Connection) -> None:
        self._execute = connection.execute

    def find(self, project: str, session: str, among: int | None, first: int = 0) -> Upload | None:
        """A session by its uploader's id; where several authors have it, that of the author `first`."""
        row = self._execute(_FIND, {"project": project, "session": session, "among": among, "first": first}).fetchone()
        return None if row is None else Upload(*row)

    def page(self, project: str, among: int | None, limit: int, offset: int) -> tuple[list[Upload], int]:
        """(sessions, last changed first; how many there are)."""
        values = {"project": project, "among": among, "limit": limit, "offset": offset}
        (total,) = self._execute(f"SELECT count(*) {_WHERE}", values).fetchone()
        rows = self._execute(f"SELECT {_COLUMNS} {_WHERE} ORDER BY u.updated DESC, u.id DESC LIMIT :limit OFFSET :offset", values)
        return [Upload(*row) for row in rows], int(total)

    def all(self, project: str, among: int | None) -> list[Upload]:
        """All sessions, in the order in which they came."""
        values = {"project": project, "among": among}
        return [Upload(*row) for row in self._execute(f"SELECT {_COLUMNS} {_WHERE} ORDER BY u.id", values)]

    def held(self, project: str) -> int:
        """Compressed bytes of all sessions of the project."""
        (held,) = self._execute(f"SELECT ifnull(sum(u.bytes), 0) {_WHERE}", {"project": project, "among": None}).fetchone()
        return int(held)

    def add(self, project: int, author: int, session: str, host: str, at: int) -> int:
        """The row id of a new session, of which nothing is kept yet."""
        row = (project, author, session, host, at, at)
        self._execute("INSERT INTO upload (project, author, session, host, created, updated) VALUES (?, ?, ?, ?, ?, ?)", row)
        return int(self._execute("SELECT last_insert_rowid()").fetchone()[0])

    def append(self, upload: int, upto: int, lines: int, body: bytes, at: int) -> None:
        """Adds a piece that ends at an offset of the file; without lines it only notes the offset."""
        if lines:
            self._execute("INSERT INTO upload_piece VALUES (?, (SELECT lines FROM upload WHERE id = ?), ?)", (upload, upload, body))
        self._execute(
            "UPDATE upload SET upto = ?, lines = lines + ?, bytes = bytes + ?, updated = ? WHERE id = ?",
            (upto, lines, len(body), at, upload),
        )

    def pieces(self, upload: int, first: int, last: int) -> list[tuple[int, bytes]]:
        """[(number of its first line, body)] of the pieces with the lines from `first` up to but not `last`."""
        begin = "(SELECT max(first) FROM upload_piece WHERE upload = ? AND first <= ?)"
        query = f"SELECT first, body FROM upload_piece WHERE upload = ? AND first >= ifnull({begin}, 0) AND first < ? ORDER BY first"
        return self._execute(query, (upload, upload, first, last)).fetchall()

    def replace(self, upload: int, first: int, body: bytes) -> None:
        """Another body for the piece that begins with a line, if it is there."""
        grown = "bytes = bytes + length(:body) - (SELECT length(body) FROM upload_piece WHERE upload = :upload AND first = :first)"
        values = {"upload": upload, "first": first, "body": body}
        there = "EXISTS (SELECT 1 FROM upload_piece WHERE upload = :upload AND first = :first)"
        self._execute(f"UPDATE upload SET {grown} WHERE id = :upload AND {there}", values)
        self._execute("UPDATE upload_piece SET body = :body WHERE upload = :upload AND first = :first", values)

    def remove(self, upload: int) -> None:
        """Deletes a session and its pieces."""
        self._execute("DELETE FROM upload_piece WHERE upload = ?", (upload,))
        self._execute("DELETE FROM upload WHERE id = ?", (upload,))
