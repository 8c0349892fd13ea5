"""Stores what a source yields, a batch at a time, and counts what became of all of it. Used by `import` and `seed`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from memory_wire import config
from memory_wire import types as t
from memory_wire.cli.show import line
from memory_wire.errors import Malformed, MemoryWireError
from memory_wire.sources.items import Found, Ignored, Item, Skipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.client import Surface

ROOM = 400  # bytes that a memory takes beside its texts, at most
ESCAPED = 6  # bytes of a character in JSON, at most


class Intake:
    """Counts of one run: `read` = `stored` + `known` + `skipped`. Without a target nothing is stored, all that could be counts as stored.

    `once` stores a document only when the bank has none of its id; else a document that says something else now is replaced.
    """

    def __init__(self, target: Surface | None, bank: str) -> None:
        self.target, self.bank = target, bank
        self.read = self.stored = self.known = self.skipped = 0
        self.ignored: Counter[str] = Counter()
        self.problems: list[Skipped] = []
        self.waiting: list[Item] = []
        self.bytes = 0
        self.once = False

    def take(self, found: Iterable[Found], once: bool = False) -> int:
        """Stores all of it; returns how many were. Raises MemoryWireError when the store or server fails."""
        before, self.once = self.stored, once
        for each in found:
            if isinstance(each, Ignored):
                self.ignored[each.kind] += each.count
                continue
            self.read += 1
            if isinstance(each, Skipped):
                self.skip(each)
                continue
            size = weight(each)
            if len(self.waiting) == config.IMPORT_BATCH or self.bytes + size > config.IMPORT_BATCH_BYTES:
                self.flush()
            self.waiting.append(each)
            self.bytes += size
        self.flush()
        return self.stored - before

    def flush(self) -> None:
        """Stores what waits, in one transaction."""
        items, self.waiting, self.bytes = self.waiting, [], 0
        if self.target is None:
            self.stored += len(items)
            return
        if not items:
            return
        try:
            answer = self.target.retain_batch([request(item, self.once) for item in items], bank=self.bank, keep=True)
        except MemoryWireError as error:
            if error.status >= 500 or error.status == 401:
                raise
            if len(items) > 1:  # something in it can't even be sent: each by itself
                for item in items:
                    self.waiting = [item]
                    self.flush()
                return
            self.skip(Skipped(items[0].place, "text that is no valid Unicode" if isinstance(error, Malformed) else str(error)))
            return
        for item, result in zip(items, answer.results, strict=True):
            if isinstance(result, t.Retained):
                self.known += result.deduplicated is True
                self.stored += result.deduplicated is not True
            elif result.error.status == 409:
                self.known += 1
            else:
                self.skip(Skipped(item.place, result.error.message))

    def skip(self, problem: Skipped) -> None:
        self.skipped += 1
        if len(self.problems) < config.IMPORT_NAMED:
            self.problems.append(problem)

    def facts(self) -> dict[str, object]:
        """The counts, what was left out by kind, and the problems."""
        return {
            "bank": self.bank,
            "read": self.read,
            "stored": self.stored,
            "known": self.known,
            "skipped": self.skipped,
            "ignored": dict(self.ignored),
            "problems": self.problems,
        }

    def show_rest(self) -> None:
        """What was left out and what went wrong, for a person."""
        for kind, count in self.ignored.most_common():
            line(f"  left out: {count:,} {kind}")
        for problem in self.problems[: config.IMPORT_SHOWN]:
            line(f"  skipped: {problem.place}: {problem.reason}")
        if self.skipped > config.IMPORT_SHOWN:
            line(f"  …and {self.skipped - config.IMPORT_SHOWN:,} more; --json names them")


def weight(item: Item) -> int:
    """Bytes of the item in a request, at most."""
    return ROOM + ESCAPED * (len(item.document_id) + sum(map(len, item.tags))) + 3 * (len(item.content) + len(item.context or ""))


def request(item: Item, once: bool) -> t.Retain:
    return t.Retain(
        content=item.content,
        context=item.context,
        tags=item.tags,
        document_id=item.document_id,
        update_mode="append" if once else None,
        created_at=item.created_at,
        session=item.session,
    )
