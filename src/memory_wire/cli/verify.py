"""`memory-wire verify-sources`: which records no longer agree with the local files that they were taken from. Also used by `watch`."""

from __future__ import annotations

import os
from collections.abc import Iterator

from msgspec import Struct

from memory_wire import freshness as f
from memory_wire.cli.args import COMMON, Command, Option, Usage, Value
from memory_wire.cli.show import as_json, escaped, line, tell
from memory_wire.cli.target import bank_name, connect
from memory_wire.errors import Invalid
from memory_wire.sources import git
from memory_wire.sources.hashing import Folders, hashed, path_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.client import Client, Memory

ROOT = Option("root", "each", "folder that sources' paths begin at, repeatable (default: the repository's top, else this folder)")
EXITS = "Exit status 0: all are fresh; 1: a source has changed, is missing or named here and unknown; 2: the words don't fit."
STALE, FRESH, MISSING, UNKNOWN = "stale", "fresh", "missing", "unknown"


def commands() -> list[Command]:
    options = (
        ROOT,
        Option("changed", help="only files that differ from this commit, as HEAD~1"),
        Option(
            "git-hook",
            help="after each commit and merge look at what it changed; what it found: .git/memory-wire.log",
            choices=("install", "remove"),
        ),
        Option("quiet", "flag", "say only what is stale or missing"),
        *COMMON,
    )
    summary = "Which records no longer agree with the files they were taken from: of these sources, or of all. Nothing else is read."
    return [Command("verify-sources", summary, verify_sources, options=options, exits=EXITS, rest="sources")]


class Checked(Struct, kw_only=True):
    """One source: stale, fresh, missing, or unknown with the reason; the ids of stale records; where a missing file went."""

    source_id: str
    state: str
    why: str | None = None
    stale: list[str] = []
    summaries_affected: list[str] = []
    moved_to: str | None = None


def verify_sources(values: dict[str, Value]) -> int:
    roots = roots_of(values)
    if values.get("git_hook") is not None:
        from memory_wire.cli.git_hook import change

        return change(roots[0], str(values["git_hook"]), pinned(values))
    only = None if values.get("changed") is None else differing(roots[0], str(values["changed"]))
    sources = values.get("sources")
    named = Named(sources if isinstance(sources, list) else [])
    with connect(values) as target:
        found = list(checked(target, bank_name(values, target), Folders(roots), roots[0], only, named))
    if values.get("json"):
        as_json({"sources": found, "unknown": named.left})
    else:
        report(found, bool(values.get("quiet")))
    for source in named.left:
        tell(f"no record names {source}; `memory-wire verify-sources` lists the sources that records name")
    return 1 if named.left or any(one.state in (STALE, MISSING) for one in found) else 0


def pinned(values: dict[str, Value]) -> list[str]:
    """The words that a hook has to say again."""
    return [word for name in ("bank", "db") if values.get(name) is not None for word in (f"--{name}", str(values[name]))]


class Named:
    """The sources that a command line names, as records do or by a file's path from here; `left` are those that no record names."""

    def __init__(self, sources: list[str]) -> None:
        self.all, self.left = sources, list(sources)
        self.paths = {os.path.realpath(source): source for source in sources}

    def has(self, source: str, places: list[str]) -> bool:
        """Whether a source is meant; all are, when none is named."""
        found = source if source in self.all else next((self.paths[place] for place in places if place in self.paths), None)
        if found in self.left:
            self.left.remove(found)
        return found is not None or not self.all


def roots_of(values: dict[str, Value]) -> list[str]:
    given = values.get("root")
    roots = [str(root) for root in given] if isinstance(given, list) and given else [git.root(os.getcwd()) or os.getcwd()]
    for root in roots:
        if not os.path.isdir(root):
            raise Usage(f"--root {root} is no folder")
    return roots


def differing(root: str, commit: str) -> set[str]:
    """Real paths of the files that differ from a commit. Raises Usage."""
    done = git.git(root, "diff", "--name-only", "-z", "--no-renames", commit, "--")
    if done is None or done.returncode:
        raise Usage(f"--changed {commit}: git knows no such commit here")
    top = git.root(root) or root
    return {os.path.realpath(os.path.join(top, os.fsdecode(name))) for name in done.stdout.split(b"\0") if name}


def listed(target: Client | Memory, bank: str) -> Iterator[f.SourceRow]:
    """All sources of the bank."""
    cursor = None
    while True:
        page = target.list_sources(cursor=cursor, bank=bank)
        yield from page.sources
        cursor = page.cursor
        if cursor is None:
            return


def checked(
    target: Client | Memory, bank: str, folders: Folders, root: str, only: set[str] | None = None, named: Named | None = None
) -> Iterator[Checked]:
    """Every source that has a file, or had one; `only`: of these files, and of all in these folders. The store is told what the files'
    hashes are now.
    """
    tracked: dict[str, str] | None = None
    for row in listed(target, bank):
        path, why = folders.find(row.source_id)
        meant = path_of(row.source_id) or ""
        if named is not None and not named.has(row.source_id, folders.places(meant)):
            continue
        if path is None and why == "missing" and (only is None or any(within(place, only) for place in folders.places(meant))):
            tracked = git.tracked(root) if tracked is None else tracked
            blob = None if os.path.isabs(meant) else git.last_blob(root, meant)
            yield Checked(source_id=row.source_id, state=MISSING, moved_to=folders.moved(row.source_id, row.hashes, tracked, blob))
        elif path is None and only is None:
            yield Checked(source_id=row.source_id, state=UNKNOWN, why=why)
        elif path is not None and (only is None or within(path, only)):
            yield compared(target, bank, row, path)


def within(path: str, only: set[str]) -> bool:
    """Whether a path is one of these, or lies in one: a folder that is moved tells of itself alone."""
    while path not in only:
        path, before = os.path.dirname(path), path
        if path == before:
            return False
    return True


def compared(target: Client | Memory, bank: str, row: f.SourceRow, path: str) -> Checked:
    """A source against its file."""
    try:
        now = hashed(path, row.hashes)
    except (OSError, Invalid) as error:
        return Checked(source_id=row.source_id, state=UNKNOWN, why=str(error))
    if not now:
        why = "no hash of a known form was stored" if row.hashes else "no hash was stored"
        return Checked(source_id=row.source_id, state=UNKNOWN, why=why)
    answer = target.validate_memory(row.source_id, now, bank=bank)
    stale = [record.id for record in answer.stale]
    return Checked(
        source_id=row.source_id, state=STALE if stale else FRESH, stale=stale, summaries_affected=answer.summaries_affected if stale else []
    )


def report(found: list[Checked], quiet: bool) -> None:
    for one in found:
        said = {STALE: ", ".join(one.stale), MISSING: f"now at {one.moved_to}" if one.moved_to else "", UNKNOWN: one.why or ""}.get(
            one.state, ""
        )
        if not quiet or one.state in (STALE, MISSING):
            line(escaped(f"{one.state:<8} {one.source_id}" + (f"  {said}" if said else "")))
        for id in one.summaries_affected:
            line(f"affected {id}")
    if not quiet:
        counts = [f"{sum(one.state == state for one in found):,} {state}" for state in (FRESH, STALE, MISSING, UNKNOWN)]
        line(f"{len(found):,} {'source' if len(found) == 1 else 'sources'}: {', '.join(counts)}")
