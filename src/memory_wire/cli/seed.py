"""`seed`: fills a bank from what a project has already: its git history, and the conversations that agent hosts keep of it."""

from __future__ import annotations

import os
import time

from memory_wire import config, identity
from memory_wire.cli.args import COMMON, Command, Option, Usage, Value
from memory_wire.cli.intake import Intake
from memory_wire.cli.show import Progress, as_json, line
from memory_wire.cli.target import bank_name, connect

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass

QUIET_SECONDS = 600.0  # a conversation that was written to since may still be going on


def commands() -> list[Command]:
    return [
        Command(
            "seed",
            "Fill the project's bank from its git history and from conversations with agents; running it again adds what is new.",
            seed,
            options=(
                Option("commits", "int", f"the newest so many commits (default {config.SEED_COMMITS}, 0: none)"),
                Option("transcripts", "flag", "also conversations that agent hosts keep on this machine, of this project"),
                Option("all-projects", "flag", "conversations of all projects, into this bank"),
                Option("since", help="only what happened since this date"),
                Option("dry-run", "flag", "only read and count"),
                *COMMON,
            ),
        )
    ]


def seed(values: dict[str, Value]) -> int:
    since = since_of(values)
    wanted = values.get("commits")
    commits = config.SEED_COMMITS if not isinstance(wanted, int) else wanted
    if commits < 0:
        raise Usage("--commits takes a number from 0 on")
    with connect(values) as target:
        intake = Intake(None if values.get("dry_run") else target, bank_name(values, target))
        return report(values, *fill(intake, values, min(commits, config.SEED_COMMITS_MAX), since))


def since_of(values: dict[str, Value]) -> str | None:
    """RFC 3339 in UTC of --since; a date alone begins at 00:00 UTC. Raises Usage."""
    from memory_wire.sources.dates import moment

    given = values.get("since")
    if given is None:
        return None
    try:
        found = moment(str(given), local=True)
    except ValueError:
        raise Usage(f"--since takes a date such as 2026-05-01, not {given!r}") from None
    return f"{found}T00:00:00.000Z" if found is not None and len(found) == len("2026-05-01") else found


def fill(intake: Intake, values: dict[str, Value], commits: int, since: str | None) -> tuple[Intake, int, int, list[str]]:
    """The intake, how many commits and turns were stored, and notes."""
    from memory_wire.sources import git

    here = os.getcwd()
    notes: list[str] = []
    top = git.root(here)
    stored = 0
    bar = Progress("seed")
    if top is None:
        notes.append("not in a git repository: no history to read")
    elif commits:
        session = f"git:{identity.resolve(None, {}, top).bank}"
        stored = intake.take(git.history(top, commits, since, session))
    said = 0
    if values.get("transcripts") or values.get("all_projects"):
        said = conversations(intake, bool(values.get("all_projects")), here, since, bar, notes)
    bar.close()
    return intake, stored, said, notes


def conversations(intake: Intake, every: bool, here: str, since: str | None, bar: Progress, notes: list[str]) -> int:
    """Stores the turns of this project's conversations, or of all; returns how many."""
    from datetime import datetime

    from memory_wire.sources import transcripts

    begun = None if since is None else datetime.fromisoformat(since).timestamp()
    kept = transcripts.files(os.path.expanduser("~"), os.environ, begun)
    project = Project(here)
    stored = others = taken = empty = 0
    for place, file in enumerate(kept):
        bar(place, len(kept))
        open_end = time.time() - file.modified < QUIET_SECONDS
        for conversation in file.read(file.path):
            if not every and not project.owns(conversation.cwd):
                others += 1
                continue
            taken += 1
            seen = intake.read + intake.ignored.total()
            stored += intake.take(transcripts.turns(file, conversation, open_end, since), once=True)
            empty += intake.read + intake.ignored.total() == seen
    bar(len(kept), len(kept))
    notes.append(f"{taken:,} conversations read" + (f", {empty:,} of them without a turn" if empty else ""))
    if others:
        notes.append(f"{others:,} conversations of other projects left alone (--all-projects takes them)")
    return stored


class Project:
    """The project that a folder belongs to, as banks tell them apart."""

    def __init__(self, folder: str) -> None:
        self.folder = os.path.realpath(folder)
        self.bank = identity.resolve(None, {}, folder).bank
        self.seen: dict[str, bool] = {}

    def owns(self, cwd: str | None) -> bool:
        """Whether a conversation that took place in a folder is the project's. One that doesn't say where is nobody's."""
        if not cwd or not os.path.isabs(cwd):
            return False
        if cwd not in self.seen:
            found = identity.resolve(None, {}, cwd)
            same = found.bank == self.bank and (found.rule != "none" or os.path.realpath(cwd) == self.folder)
            self.seen[cwd] = same
        return self.seen[cwd]


def report(values: dict[str, Value], intake: Intake, commits: int, turns: int, notes: list[str]) -> int:
    dry = bool(values.get("dry_run"))
    if values.get("json"):
        as_json({"git": commits, "transcripts": turns, "dry_run": dry, **intake.facts(), "notes": notes})
        return 0
    line(f"{'would seed' if dry else 'seeded'} {commits} git + {turns} transcripts into bank '{intake.bank}'")
    if intake.known:
        line(f"  {intake.known:,} were there")
    for note in notes:
        line(f"  {note}")
    intake.show_rest()
    return 0
