"""What a transaction is asked through, a noun each: each is loaded when it is first needed. Tx and Reader inherit it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

    from memory_wire.store.bundles import Bundles
    from memory_wire.store.descriptions import Descriptions
    from memory_wire.store.documents import Documents
    from memory_wire.store.embeddings import Embeddings
    from memory_wire.store.erasing import Erasing
    from memory_wire.store.filing import Filing
    from memory_wire.store.graph import Graph
    from memory_wire.store.guests import Guests
    from memory_wire.store.hubs import Hubs
    from memory_wire.store.integrations import Integrations
    from memory_wire.store.jobs import Jobs
    from memory_wire.store.kept_vectors import KeptVectors
    from memory_wire.store.keyring import Keyring
    from memory_wire.store.ledger import Ledger
    from memory_wire.store.people import People
    from memory_wire.store.public import Shelf
    from memory_wire.store.records import Records
    from memory_wire.store.sessions import Sessions
    from memory_wire.store.trail import Trail


class Nouns:
    """The queries of one transaction by what they are about."""

    __slots__ = ("connection",)

    connection: Connection

    @property
    def records(self) -> Records:
        """Provenance of records."""
        from memory_wire.store.records import Records  # a store of memories alone does without

        return Records(self.connection)

    @property
    def documents(self) -> Documents:
        """Documents, their versions and chunks."""
        from memory_wire.store.documents import Documents

        return Documents(self.connection)

    @property
    def filing(self) -> Filing:
        """Documents by where they come from."""
        from memory_wire.store.filing import Filing

        return Filing(self.connection)

    @property
    def hubs(self) -> Hubs:
        """Hubs and the public projection."""
        from memory_wire.store.hubs import Hubs

        return Hubs(self.connection)

    @property
    def graph(self) -> Graph:
        """What documents of hubs are about."""
        from memory_wire.store.graph import Graph

        return Graph(self.connection)

    @property
    def bundles(self) -> Bundles:
        """Bundles of documents."""
        from memory_wire.store.bundles import Bundles

        return Bundles(self.connection)

    @property
    def public(self) -> Shelf:
        """What everybody may see."""
        from memory_wire.store.public import Shelf

        return Shelf(self.connection)

    @property
    def descriptions(self) -> Descriptions:
        """What models made of documents."""
        from memory_wire.store.descriptions import Descriptions

        return Descriptions(self.connection)

    @property
    def trail(self) -> Trail:
        """The log of what was done."""
        from memory_wire.store.trail import Trail

        return Trail(self.connection)

    @property
    def keyring(self) -> Keyring:
        """Keys and who they stand for."""
        from memory_wire.store.keyring import Keyring

        return Keyring(self.connection)

    @property
    def people(self) -> People:
        """Accounts, projects, members and the units of their organisation."""
        from memory_wire.store.people import People

        return People(self.connection)

    @property
    def integrations(self) -> Integrations:
        """What agents of a project may call."""
        from memory_wire.store.integrations import Integrations

        return Integrations(self.connection)

    @property
    def embeddings(self) -> Embeddings:
        """Vectors of passages."""
        from memory_wire.store.embeddings import Embeddings  # of banks with an embedder

        return Embeddings(self.connection)

    @property
    def guests(self) -> Guests:
        """Documents that some may read."""
        from memory_wire.store.guests import Guests

        return Guests(self.connection)

    @property
    def kept_vectors(self) -> KeptVectors:
        """Vectors of documents and bundles by what they are of."""
        from memory_wire.store.kept_vectors import KeptVectors

        return KeptVectors(self.connection)

    @property
    def jobs(self) -> Jobs:
        """Work that waits to be done in the background."""
        from memory_wire.store.jobs import Jobs

        return Jobs(self.connection)

    @property
    def sessions(self) -> Sessions:
        """Sessions that were uploaded."""
        from memory_wire.store.sessions import Sessions

        return Sessions(self.connection)

    @property
    def erasing(self) -> Erasing:
        """What leaves the store for good."""
        from memory_wire.store.erasing import Erasing

        return Erasing(self.connection)

    @property
    def ledger(self) -> Ledger:
        """What hooks injected and captured."""
        from memory_wire.store.ledger import Ledger  # a server that never saw a hook doesn't load it

        return Ledger(self.connection)
