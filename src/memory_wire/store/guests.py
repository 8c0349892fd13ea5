"""Documents that some may read, and the links that open them, within one transaction. The view shared_document says which these are."""

from __future__ import annotations

from msgspec import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

_SHARED = """
SELECT d.id, d.public_id, d.slug, d.title, d.version, d.source, d.created, d.updated, d.password, d.allowed, d.asks,
  (SELECT o.account FROM bank b JOIN project o ON o.id = b.project WHERE b.id = d.bank)
FROM shared_document d WHERE d.public_id = ?
"""
_SPEND = """
UPDATE reading_link SET uses = uses - 1 WHERE token = ? AND uses > 0 AND expires > ?
AND document = (SELECT id FROM shared_document WHERE public_id = ?)
"""


class Shared(Struct):
    """A document of a public hub that an allow-list or a password keeps from everybody. `asks`: its page asks for the password."""

    id: int
    public_id: str
    slug: str
    title: str
    version: int
    source: str | None
    created: int
    updated: int
    password: bytes | None
    allowed: str | None
    asks: int
    account: int


class Guests:
    """The queries of one transaction."""

    __slots__ = ("_execute",)

    def __init__(self, connection: Connection) -> None:
        self._execute = connection.execute

    def document(self, public_id: str) -> Shared | None:
        row = self._execute(_SHARED, (public_id,)).fetchone()
        return None if row is None else Shared(*row)

    def markdown(self, document: Shared) -> bytes:
        """Its text, as it was given."""
        query = "SELECT markdown FROM version WHERE document = ? AND version = ?"
        return bytes(self._execute(query, (document.id, document.version)).fetchone()[0])

    def email(self, member: int) -> str | None:
        """The address of a member, as who administers the store has set it."""
        row = self._execute("SELECT email FROM member WHERE id = ?", (member,)).fetchone()
        return None if row is None else row[0]

    def asks(self, document: int) -> bool:
        """Whether the document's page asks for its password."""
        return bool(self._execute("SELECT asks FROM document WHERE id = ?", (document,)).fetchone()[0])

    def ask(self, document: int, asks: bool) -> None:
        self._execute("UPDATE document SET asks = ? WHERE id = ?", (int(asks), document))

    # links -------------------------------------------------------------------------------------------------------------------------

    def add(self, token: bytes, document: int, made: int, expires: int, uses: int) -> None:
        """A link by the hash of its token. Those whose time is over go."""
        self._execute("DELETE FROM reading_link WHERE expires <= ? OR uses <= 0", (made,))
        self._execute("INSERT INTO reading_link (token, document, expires, uses) VALUES (?, ?, ?, ?)", (token, document, expires, uses))

    def spend(self, token: bytes, public_id: str, now: int) -> bool:
        """Takes one of a link's uses; whether it opens that document."""
        return self._execute(_SPEND, (token, now, public_id)).rowcount > 0

    def drop(self, document: int) -> int:
        """Ends the links to a document; how many there were."""
        return self._execute("DELETE FROM reading_link WHERE document = ?", (document,)).rowcount
