"""A reader of a store that was never made: no banks, nothing found. Reading must not create a database."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from memory_wire.store.hubs import Hub
    from memory_wire.store.reader import Reader
    from memory_wire.store.rows import BankSummary


class NoDocuments:
    """The documents, and the hubs and integrations, of no store."""

    def by_id(self, project: str, public_id: str) -> None:
        return None

    def by_slug(self, slug: str) -> None:
        return None

    def public(self, slug: str) -> None:
        return None

    def all(self, project: str) -> list[Hub]:
        return []


class Nothing:
    """Stands for a read transaction over no store; only what is asked without a bank can be asked."""

    version = (0, 0)
    documents = hubs = integrations = NoDocuments()

    def __enter__(self) -> Nothing:
        return self

    def __exit__(self, *exception: object) -> None:
        return None

    def bank(self, project: str, name: str) -> None:
        return None

    def banks(self, project: str | None = None) -> list[BankSummary]:
        return []


NOTHING: AbstractContextManager[Reader] = Nothing()  # type: ignore[assignment]  # nothing else of a Reader can be reached without a bank
