"""`memory-wire hub import` and `hub sync`: documents of files, and a hub that is what a folder is. Called by hub.py.

Files are read and converted here; the store gets Markdown, many documents in one request.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress

from memory_wire import config
from memory_wire import filing as f
from memory_wire.cli.args import Usage, Value
from memory_wire.cli.show import Progress, as_json, line
from memory_wire.cli.target import bank_name
from memory_wire.errors import Invalid, MemoryWireError, UnknownHub
from memory_wire.sources.folder import Folder
from memory_wire.sources.items import Ignored, Skipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.client import Client, Memory
    from memory_wire.sources.files import Source

    Target = Client | Memory

BATCH_DOCS = 64
QUIET_MS = 3_000
BATCH_CHARS = 512 * 1024
STATES = ("created", "changed", "moved", "restored", "deleted", "unchanged")
SAID = {"created": "new", "unchanged": "as before", "restored": "back again"}


class Tally:
    """Counts of one run, and what went wrong."""

    def __init__(self, target: Target, bank: str, values: dict[str, Value]) -> None:
        self.target, self.bank = target, bank
        self.draft = bool(values.get("draft")) or None
        self.moved = bool(values.get("moved")) or None
        self.dry = bool(values.get("dry_run"))
        self.states: Counter[str] = Counter()
        self.ignored: Counter[str] = Counter()
        self.problems: list[Skipped] = []

    def write(self, docs: Iterable[f.NewDoc], origin: str | None) -> None:
        """Stores documents, a batch at a time."""
        for batch in batches(docs):
            if self.dry:
                self.states["created"] += len(batch)
                continue
            self.file(batch, origin)

    def file(self, batch: list[f.NewDoc], origin: str | None) -> None:
        """Stores one batch; where it is refused as a whole, as one that is too large, each document by itself."""
        try:
            filed = self.target.write_docs(batch, origin=origin, moved=self.moved, is_draft=self.draft, bank=self.bank)
        except MemoryWireError as error:
            if error.status >= 500 or error.status in (401, 403):
                raise
            if len(batch) > 1:
                for doc in batch:
                    self.file([doc], origin)
            else:
                self.problems.append(Skipped(batch[0].source, str(error)))
            return
        self.states.update(doc.state for doc in filed.docs)
        self.problems += [Skipped(one.name, one.reason) for one in filed.warnings]

    def changed(self) -> bool:
        return any(count for state, count in self.states.items() if state != "unchanged")

    def tell(self, values: dict[str, Value], name: str, **more: object) -> None:
        """Prints what was done."""
        if values.get("json"):
            counts = {state: self.states[state] for state in STATES}
            as_json({"name": name, "bank": self.bank, **counts, **more, "ignored": dict(self.ignored), "problems": self.problems})
            return
        counted = [f"{self.states[state]:,} {SAID.get(state, state)}" for state in STATES if self.states[state]]
        line(f"{name}: {', '.join(counted) or 'nothing to do'} (bank '{self.bank}')" + (", if it were done" if self.dry else ""))
        for kind, count in self.ignored.most_common():
            line(f"  left out: {count:,} {kind}")
        for problem in self.problems[: config.IMPORT_SHOWN]:
            line(f"  not taken: {problem.place}: {problem.reason}")
        if len(self.problems) > config.IMPORT_SHOWN:
            line(f"  …and {len(self.problems) - config.IMPORT_SHOWN:,} more; --json names them")


def batches(docs: Iterable[f.NewDoc]) -> Iterator[list[f.NewDoc]]:
    batch: list[f.NewDoc] = []
    size = 0
    for doc in docs:
        if batch and (len(batch) == BATCH_DOCS or size + len(doc.markdown) > BATCH_CHARS):
            yield batch
            batch, size = [], 0
        batch.append(doc)
        size += len(doc.markdown)
    if batch:
        yield batch


def bank_of(target: Target, values: dict[str, Value]) -> str:
    """The bank of the hub that is named, which has the hub's name where there is no such hub yet; else this place's."""
    slug = values.get("hub")
    if slug is None:
        return bank_name(values, target)
    try:
        return target.get_hub(str(slug)).bank
    except UnknownHub:
        return str(values.get("bank") or slug)


def made_hub(target: Target, values: dict[str, Value], bank: str) -> None:
    """Gives the bank the slug that was named, when it has none. It isn't public for that."""
    slug = values.get("hub")
    if slug is not None and not values.get("dry_run") and not target.hubs(bank=bank).hubs:
        target.put_hub(str(slug), bank=bank)


def paths_of(values: dict[str, Value]) -> list[str]:
    """The words behind the action. Raises Usage."""
    more = values.get("paths")
    found = [str(values[name]) for name in ("slug", "question") if values.get(name) is not None] + (more if isinstance(more, list) else [])
    if not found:
        raise Usage(f"hub {values['action']} needs {'PATH' if values['action'] == 'import' else 'DIR'}")
    return found


# import ----------------------------------------------------------------------------------------------------------------------------


def import_(target: Target, values: dict[str, Value]) -> int:
    """`hub import PATH…`: each file, folder or archive; exit status 1 when nothing of it could be taken."""
    from memory_wire.sources.files import Source

    paths = paths_of(values)
    if values.get("as") is not None and len(paths) > 1:
        raise Usage("--as gives one PATH its name")
    bank = bank_of(target, values)
    tally = Tally(target, bank, values)
    for path in paths:
        take(tally, Source(path), str(values["as"]) if values.get("as") is not None else None)
    made_hub(target, values, bank)
    tally.tell(values, ", ".join(os.path.basename(os.path.abspath(path)) for path in paths))
    return 1 if tally.problems and not sum(tally.states.values()) else 0


def take(tally: Tally, source: Source, name: str | None) -> None:
    """The documents of one source; what has a name of its own wherever it is read, as a chat has, is filed without the source's."""
    own: list[f.NewDoc] = []
    bar = Progress("import")
    tally.write(placed(tally, source, name or stem(source), own, bar), source.path)
    tally.write(own, None)
    bar.close()


def stem(source: Source) -> str:
    """What the sources of its documents begin with."""
    return source.name.rsplit(".", 1)[0] if source.name.lower().endswith(".zip") else source.name


def placed(tally: Tally, source: Source, name: str, own: list[f.NewDoc], bar: Progress) -> Iterator[f.NewDoc]:
    """The documents of a source under its name; those with one of their own go into `own`."""
    from memory_wire.sources.pages import Page, pages

    for member in source.all:
        for found in pages(member):
            if isinstance(found, Page):
                path = (f"{name}/{found.name}" if source.folder else name) if not found.own else found.name
                doc = f.NewDoc(source=path, markdown=found.markdown, title=found.title)
                if found.own:
                    own.append(doc)
                else:
                    yield doc
            elif isinstance(found, Ignored):
                tally.ignored[found.kind] += found.count
            else:
                tally.problems.append(found)
        bar(source.position(), source.size)


# sync ------------------------------------------------------------------------------------------------------------------------------


def sync(target: Target, values: dict[str, Value]) -> int:
    """`hub sync DIR [--watch]`"""
    paths = paths_of(values)
    if len(paths) > 1:
        raise Usage(f"unexpected argument {paths[1]!r}")
    folder = Folder(paths[0])
    folder.name = str(values.get("as") or folder.name)
    bank = bank_of(target, values)
    tally = once(target, folder, bank, values)
    made_hub(target, values, bank)
    tally.tell(values, folder.name)
    if values.get("watch"):
        with suppress(KeyboardInterrupt):
            follow(target, folder, bank, values, tally)
    return 0


def once(target: Target, folder: Folder, bank: str, values: dict[str, Value]) -> Tally:
    """Makes the folder's documents its files."""
    tally, look = Tally(target, bank, values), folder.look()
    tally.ignored, tally.problems = look.ignored, look.problems
    files = [f.FileSeen(path=path, hash=hash) for path, hash in look.files.items()]
    more = True
    while more:
        found = target.sync_docs(
            folder.name,
            files,
            origin=folder.root,
            moved=tally.moved,
            delete=bool(values.get("delete")) or None,
            dry_run=tally.dry or None,
            bank=bank,
        )
        tally.states.update(moved=len(found.moved), deleted=len(found.deleted), restored=len(found.restored))
        more = found.more
    tally.states["unchanged"] = len(files) - len(found.wanted) - sum(tally.states[state] for state in ("moved", "restored"))
    tally.write(texts(tally, folder, found.wanted), folder.root)
    return tally


def texts(tally: Tally, folder: Folder, wanted: list[str]) -> Iterator[f.NewDoc]:
    """The texts of files, those that are still there."""
    bar = Progress("sync")
    for number, path in enumerate(wanted, 1):
        try:
            yield f.NewDoc(source=f"{folder.name}/{path}", markdown=folder.read(path).decode())
        except FileNotFoundError:
            continue
        except (OSError, Invalid) as error:
            tally.problems.append(Skipped(path, error.rule if isinstance(error, Invalid) else str(error.strerror)))
        bar(number, len(wanted))
    bar.close()


def follow(target: Target, folder: Folder, bank: str, values: dict[str, Value], before: Tally) -> None:
    """Does it again whenever something in the folder changes, until it is interrupted, and once when the watch has begun."""
    from memory_wire.sources.watching import watch

    begun = False
    for paths in watch([folder.root], quiet_ms=QUIET_MS):
        if begun and not paths:
            continue
        begun = begun or not paths
        tally = once(target, folder, bank, values)
        if tally.changed() or tally.problems != before.problems:
            tally.tell(values, folder.name)
        before = tally
