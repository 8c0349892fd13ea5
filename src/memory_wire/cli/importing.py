"""`import`: what `export` wrote, and what other memories and chats export, told apart by content.

Our own export restores the banks it names, ids and all. Everything else goes into one bank, each piece under a document id that is the
same whenever it is read again: known pieces are left alone, changed ones replaced.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager

from memory_wire.cli.args import BANK, DB, JSON, Command, Option, Usage, Value
from memory_wire.cli.intake import Intake
from memory_wire.cli.show import Progress, as_json, line
from memory_wire.cli.target import bank_name, connect, db_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_wire.sources.files import Source
    from memory_wire.sources.items import Found

NAMES = ("agentmemory", "chatgpt", "claude", "hindsight", "mcp-memory", "mem0", "memory-wire", "notes")


def commands() -> list[Command]:
    return [
        Command(
            "import",
            "Read an export of ours, of another memory or chat, or notes; `-`: standard input, ours or as --from says. Again adds none.",
            import_,
            positional=("file",),
            options=(
                Option("from", help="its format, where the content doesn't tell", choices=NAMES),
                Option("dry-run", "flag", "only read and count"),
                BANK,
                DB,
                Option("embedded", "flag", "open the store here even when a server runs"),
                JSON,
            ),
            exits="Exit status 1: nothing of it could be read.",
        )
    ]


def import_(values: dict[str, Value]) -> int:
    name = str(values["file"])
    if name == "-" and values.get("from") in (None, "memory-wire"):
        return own(values, name)
    from memory_wire.sources.files import Source
    from memory_wire.sources.formats import OWN, detect

    if name == "-":
        with spooled() as path:
            return foreign(values, Source(path), str(values["from"]))
    readable(name)
    source = Source(name)
    format = str(values["from"]) if values.get("from") else detect(source)
    return own(values, name) if format == OWN else foreign(values, source, format)


def readable(name: str) -> None:
    """Raises OSError where a file or folder isn't there or may not be read."""
    if os.path.isdir(name):
        os.scandir(name).close()
    else:
        os.close(os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))


@contextmanager
def spooled() -> Iterator[str]:
    """The path of a file that holds what standard input brings, as long as it is needed: formats are read more than once."""
    from shutil import copyfileobj
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = os.path.join(folder, "stdin")
        with open(path, "wb") as file:
            copyfileobj(sys.stdin.buffer, file)
        yield path


def own(values: dict[str, Value], name: str) -> int:
    """Restores an export of ours."""
    from memory_wire.service import importing

    if values.get("bank"):
        raise Usage("import restores the banks named in the file; --bank does not apply")
    if values.get("dry_run"):
        raise Usage("--dry-run is for other formats; an export of ours never changes what is there")
    bar = Progress("import")
    done = importing.import_(db_path(values), sys.stdin.buffer if name == "-" else name, bar)
    bar.close()
    if values.get("json"):
        as_json(done)
    else:
        line(f"{done['added']:,} memories added, {done['present']:,} were there" + library(done))
    return 0


def library(done: dict[str, object]) -> str:
    """What came beside the memories."""
    taken = done.get("slugs_taken")
    return (f"; {done['documents']:,} documents and bundles" if "documents" in done else "") + (
        f"; slugs of other banks, not taken: {', '.join(map(str, taken))}" if isinstance(taken, list) else ""
    )


def foreign(values: dict[str, Value], source: Source, format: str) -> int:
    """Stores what another program exported."""
    from memory_wire.sources.formats import reader

    dry = bool(values.get("dry_run"))
    bar = Progress("import")
    found = watched(reader(format)(source), source, bar)
    with connect(values) as target:
        intake = Intake(None if dry else target, bank_name(values, target))
        intake.take(found)
    bar(source.size, source.size)
    bar.close()
    if values.get("json"):
        as_json({"format": format, "dry_run": dry, **intake.facts()})
    else:
        verb = "would be stored" if dry else "stored"
        line(
            f"{format}: {intake.read:,} read, {intake.stored:,} {verb}, {intake.known:,} known, {intake.skipped:,} skipped"
            f" (bank '{intake.bank}')"
        )
        intake.show_rest()
    return 1 if intake.read == intake.skipped and intake.skipped else 0


def watched(found: Iterator[Found], source: Source, bar: Progress) -> Iterator[Found]:
    """The same, moving the bar on as the source is read."""
    for each in found:
        bar(source.position(), source.size)
        yield each
