"""Verbs over memories: one per operation that names a CLI word, built from the operation table."""

from __future__ import annotations

import sys
from collections.abc import Callable

from msgspec import NODEFAULT, DecodeError, Struct, convert
from msgspec.json import decode
from msgspec.structs import fields

from memory_wire import integrations as i
from memory_wire import types as t
from memory_wire.cli import records
from memory_wire.cli.args import COMMON, Command, Option, Usage, Value, options_of
from memory_wire.cli.erase import report
from memory_wire.cli.former import nothing
from memory_wire.cli.show import as_json, line, one_line, table, tell
from memory_wire.cli.target import bank_name, connect, exists
from memory_wire.erasure import Erased
from memory_wire.ops import OPS, Op

APART = ("format", "workspace", "current_source_hashes")  # not words of a command line; the workspace is --bank

MORE = {"forget": (Option("purge", "flag", "remove it for good: text, index and log, also of a record that was forgotten"),)}
SUMMARIES = {  # where a command line has more to say than the operation's own
    "retain": "Store one memory (`-`: standard input); secrets are redacted before anything is written.",
}


def commands() -> list[Command]:
    """A command for every operation of the table that names one."""
    return [command_of(op) for op in OPS if op.cli]


def command_of(op: Op) -> Command:
    needed = tuple(field.name for field in fields(op.request) if field.default is NODEFAULT and field.default_factory is NODEFAULT)
    options = (*options_of(op.request, without=APART), *MORE.get(op.name, ()), *COMMON)
    name, summary = op.cli or op.name, SUMMARIES.get(op.name, op.summary)
    return Command(name, summary, runner(op), positional=needed, options=options, exits=records.EXITS.get(op.name, ""))


def runner(op: Op) -> Callable[[dict[str, Value]], int]:
    """The function that runs one operation with parsed values."""

    def run(values: dict[str, Value]) -> int:
        request = request_of(op, values)
        with connect(values) as target:
            bank = bank_name(values, target)
            if op.name == "forget" and values.get("purge"):
                answer = target.erase(id=str(values["id"]), bank=bank)
            else:
                answer = target.call(op.name, request, bank=bank)
            json = bool(values.get("json"))
            missed = (isinstance(answer, t.Recalled) and not answer.hits) or (isinstance(answer, t.SearchResults) and not answer.results)
            if missed and not json:
                tell(nothing(values, target, bank))
            if isinstance(answer, t.Stats) and values.get("bank") and not exists(target, bank):
                tell(f"there is no bank {bank}; `memory-wire banks` lists them")
        show(answer, json, whole=op.name == "get")
        if isinstance(answer, i.GatewayAnswer) and not answer.ok:
            tell(f"{answer.server} answered with " + ("an error" if answer.status is None else f"status {answer.status}"))
            return 1
        return records.exit_status(answer)

    return run


def request_of(op: Op, values: dict[str, Value]) -> Struct:
    """The request Struct from parsed values; `-` as content reads standard input. Raises Usage on a wrong type."""
    names = {field.name for field in fields(op.request)}
    given: dict[str, object] = {key: value for key, value in values.items() if key in names}
    if given.get("content") == "-":
        given["content"] = sys.stdin.read()
    if op.name == "recall":
        given["format"] = "full"
    try:
        if "arguments" in given:
            given["arguments"] = decode(str(given["arguments"]))
        return convert(given, op.request)
    except DecodeError as error:
        raise Usage(str(error)) from None


def show(answer: object, json: bool, whole: bool = False) -> None:
    """The answer for a person, or as JSON; `whole`: a memory as it is instead of a line about it."""
    if json:
        as_json(plain(answer))
    elif isinstance(answer, t.Retained):
        line(answer.id)
    elif isinstance(answer, t.Recalled):
        for hit in answer.hits:
            line(f"{hit.created_at[:10]}  {hit.id}  {hit.relevance:.2f}  {one_line(hit.content)}")
    elif isinstance(answer, t.Page):
        for item in answer.items:
            line(f"{item.created_at[:10]}  {item.id}  {one_line(item.content)}" if not whole else item.content)
    elif isinstance(answer, t.Stats):
        table(("memories", "tags", "oldest", "newest"), [(answer.memories, answer.tags, answer.oldest or "-", answer.newest or "-")])
    elif isinstance(answer, t.Banks):
        table(("bank", "memories", "newest"), [(row.bank, row.memories, row.newest or "-") for row in answer.banks])
    elif isinstance(answer, Erased):
        report(answer)
    elif isinstance(answer, t.Deleted):
        line("deleted" if answer.deleted else "not there")
    elif isinstance(answer, i.GatewayAnswer):
        line(answer.result) if isinstance(answer.result, str) else as_json(answer.result)
    elif not records.show(answer):
        line(str(answer))


def plain(answer: object) -> object:
    """What `--json` prints: the list itself where the answer is one."""
    if isinstance(answer, t.Recalled):
        return answer.hits
    if isinstance(answer, t.Page):
        return {"items": answer.items, "total": answer.total}
    return answer
