"""A look at a store from outside, for the home view and `doctor`: never makes one, and answers with a reason instead of raising."""

from __future__ import annotations

import os

from msgspec import Struct, field

from memory_wire.errors import MemoryWireError
from memory_wire.service import dates, maintenance, open_service
from memory_wire.store.bulk import Bulk
from memory_wire.store.jobs import Waiting
from memory_wire.store.place import absent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.store.reader import Reader

    Pick = Callable[[Callable[[str], bool]], str]

TAGS = 5


class BankSeen(Struct):
    memories: int
    newest_ms: int | None
    top_tags: list[tuple[str, int]] = field(default_factory=list)


class StoreSeen(Struct):
    """`state` is ok, missing or unreadable (then `why`); `size` in bytes with the write-ahead log and its index, `log_size` that log alone.

    `bank` is the one that was picked, `findings` are those of a check, `jobs` what waits in the background.
    """

    path: str
    state: str
    why: str = ""
    size: int = 0
    log_size: int = 0
    banks: dict[str, BankSeen] = field(default_factory=dict)
    bank: str = ""
    findings: list[str] = field(default_factory=list)
    jobs: list[Waiting] = field(default_factory=list)

    @property
    def memories(self) -> int:
        return sum(bank.memories for bank in self.banks.values())


def look(path: str, pick: Pick, check: bool = False, project: str = "default") -> StoreSeen:
    """The store's banks, the most used tags of the one that `pick` names, and with `check` what is wrong with database and index.

    `pick` is told which banks exist by a function.
    """
    try:
        if absent(path):
            return StoreSeen(path, "missing", bank=pick(nowhere))
        seen = StoreSeen(path, "ok", size=sum(map(bytes_of, (path, path + "-wal", path + "-shm"))), log_size=bytes_of(path + "-wal"))
        with open_service(path, create=False) as service, service.read() as reader:
            fill(seen, reader, pick, project)
        if check:
            seen.findings = maintenance.check(path, lambda done, total: None)
        return seen
    except MemoryWireError as error:
        return StoreSeen(path, "unreadable", getattr(error, "detail", "") or str(error), bank=pick(nowhere))
    except OSError as error:
        return StoreSeen(path, "unreadable", error.strerror or str(error), bank=pick(nowhere))


def fill(seen: StoreSeen, reader: Reader, pick: Pick, project: str) -> None:
    for row in reader.banks(project):
        seen.banks[row.name] = BankSeen(row.memories, row.newest)
    seen.jobs = reader.jobs.waiting()
    seen.bank = pick(seen.banks.__contains__)
    bank = reader.bank(project, seen.bank)
    if bank is not None:
        seen.banks[seen.bank].top_tags = Bulk(reader.connection).top_tags(bank, TAGS)


def nowhere(bank: str) -> bool:
    """Which banks a store has that can't be read."""
    return False


def bytes_of(path: str) -> int:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


def ago(ms: int, now: int | None = None) -> str:
    """`2h ago`: the largest unit that fits."""
    seconds = max((dates.now_ms() if now is None else now) - ms, 0) // 1000
    for unit, size in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds >= size:
            return f"{seconds // size}{unit} ago"
    return "just now"
