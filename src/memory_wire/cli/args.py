"""Reads command lines against declared options, without argparse: hooks and the serving process can't afford its import.

`Command` describes one verb; `options_of` derives options from a request Struct, so a field added to an operation is an option at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import NODEFAULT, Struct
from msgspec.structs import fields

from memory_wire.cli.show import refuse

Value = str | int | float | bool | list[str] | None


class Usage(Exception):
    """The words of a command line don't fit; printed with the command's help, exit status 2."""


class Option(Struct, frozen=True):
    """`kind` is text, path, int, float, flag, list (repeatable, commas split) or each (repeatable); `choices` are all values there are."""

    name: str
    kind: str = "text"
    help: str = ""
    field: str = ""
    choices: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return self.field or self.name.replace("-", "_")


class Command(Struct, frozen=True):
    """One verb: `run` gets the parsed values and returns the exit status.

    `choices` are the words that the first positional can be, `rest` names the list of any further positionals, `exits` is what the exit
    status says beside 0 done, 1 failed, 2 doesn't fit.
    """

    name: str
    summary: str
    run: Callable[[dict[str, Value]], int]
    positional: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    choices: tuple[str, ...] = ()
    exits: str = ""
    rest: str = ""


BANK = Option("bank", help="bank to act in (default: the project's, see `memory-wire bank`)")
DB = Option("db", "path", "path of the store")
JSON = Option("json", "flag", "machine-readable output")
COMMON = (BANK, DB, Option("embedded", "flag", "open the store here even when a server runs"), JSON)
HINTS = {  # what the fields of requests are, where a command doesn't say it otherwise
    "arguments": "a JSON object",
    "aliases": "other names to find it by, with commas or repeated",
    "budget": "tokens that the answer may take",
    "confidence": "how sure it is, 0 to 1 (default: 0.5)",
    "current_source_hash": "hash of the source now",
    "derived_from": "ids of the records that it sums up",
    "exclude_stale": "leave out records whose source has changed",
    "fact_key": "what the fact is about, the same for all its versions",
    "idempotency_key": "makes the call safe to repeat",
    "kind": "such as decision or fact",
    "memory_id": "the record's id",
    "pinned": "show it when a session starts",
    "purge": "keep nothing of the text",
    "scope": "a part of the bank, for filters",
    "source": "where it comes from",
    "source_hash": "hash of the source",
    "source_id": "the source's file, URL or the like",
    "source_revision": "commit or version of the source",
    "supersedes": "id of the record that it replaces",
    "visibility": "who with a key sees it: author, unit, project (default) or organization; the store's owner sees all",
    "context": "what the memory belongs to",
    "created_at": "when it was, a date or RFC 3339 (default: now)",
    "dry_run": "only say what would be done",
    "document_id": "your own name for the memory, unique in the bank",
    "exclude_superseded": "leave out records that others supersede",
    "exclude_tags": "none of these tags",
    "explain": "how each result got its score",
    "k": "at most so many results",
    "limit": "at most so many",
    "min_score": "least relevance, 0 to 1",
    "named": "only records of which the question says an alias",
    "offset": "leave out so many first",
    "role": "who said it, such as user or assistant",
    "session": "the conversation it belongs to",
    "since": "not before this date",
    "speaker": "name of who said it",
    "tool": "of an MCP server; without one its tools are listed",
    "tags": "tags, with commas or repeated",
    "truncate": "cut contents to so many characters",
    "until": "before this date",
    "update_mode": "when the document exists: replace or append",
}
CHOICES = {"update_mode": ("replace", "append")}  # of fields that take no other value
SHOWN = 23  # columns of an option and its kind, in help
SERVER = ("endpoint", "api-url", "url")  # what people try; the server is named otherwise


def options_of(request: type[Struct], without: Sequence[str] = ()) -> tuple[Option, ...]:
    """Options for the fields of a request Struct that have a default."""
    found = []
    for field in fields(request):
        if field.name in without or (field.default is NODEFAULT and field.default_factory is NODEFAULT):
            continue
        shape = str(field.type)
        kind = next(
            (kind for word, kind in (("list", "list"), ("bool", "flag"), ("int", "int"), ("float", "float")) if word in shape), "text"
        )
        found.append(Option(field.name.replace("_", "-"), kind, HINTS.get(field.name, ""), field.name, CHOICES.get(field.name, ())))
    return tuple(found)


def parse(command: Command, words: Sequence[str]) -> dict[str, Value]:
    """Values by key; options not given are absent. Raises Usage."""
    by_name = {option.name: option for option in command.options}
    values: dict[str, Value] = {}
    loose: list[str] = []
    queue = list(words)
    while queue:
        word = queue.pop(0)
        if word == "--":
            loose += queue
            break
        if len(word) == 2 and word[0] == "-" and word[1] in by_name:  # an option of one letter
            word = f"-{word}"
        if not word.startswith("--"):
            loose.append(word)
            continue
        name, equals, given = word[2:].partition("=")
        option = by_name.get(name)
        if option is None:
            raise Usage(unknown(name, list(by_name)))
        if option.kind == "flag":
            if equals:
                raise Usage(f"--{name} takes no value")
            values[option.key] = True
            continue
        if not equals:
            if not queue:
                raise Usage(f"--{name} needs a value")
            given = queue.pop(0)
        values[option.key] = convert(option, given, values.get(option.key))
    return values | place(command, loose)


def unknown(name: str, names: list[str]) -> str:
    """What to say of an option that doesn't exist."""
    from difflib import get_close_matches

    if name in SERVER:
        return f"unknown option --{name}; the environment variable MEMORY_WIRE_URL names the server"
    near = get_close_matches(name, names, 1)
    return f"unknown option --{name}" + (f"; did you mean --{near[0]}?" if near else "")


def place(command: Command, loose: list[str]) -> dict[str, Value]:
    """Positional values by name. Raises Usage when there are too few or too many."""
    names = command.positional + command.optional
    if len(loose) < len(command.positional):
        raise Usage(f"{command.name} needs {command.positional[len(loose)].upper()}")
    if len(loose) > len(names) and not command.rest:
        raise Usage(f"unexpected argument {loose[len(names)]!r}")
    if loose and command.choices and loose[0] not in command.choices:
        raise Usage(f"{names[0].upper()} is {either(command.choices)}, not {loose[0]!r}")
    return dict(zip(names, loose, strict=False)) | ({command.rest: loose[len(names) :]} if command.rest else {})


def convert(option: Option, given: str, before: Value) -> Value:
    """The value of one option. Raises Usage when it is not of the option's kind."""
    if option.name == "bank" and not given.strip():
        raise Usage("--bank needs a name, not a blank one")
    if option.choices and given not in option.choices:
        raise Usage(f"--{option.name} is {either(option.choices)}, not {given!r}")
    if option.kind == "list":
        return (before if isinstance(before, list) else []) + [part for part in given.split(",") if part]
    if option.kind == "each":
        return [*(before if isinstance(before, list) else []), given]
    if option.kind in {"int", "float"}:
        try:
            return int(given) if option.kind == "int" else float(given)
        except ValueError:
            raise Usage(f"--{option.name} takes a number, not {given!r}") from None
    return given


def either(words: Sequence[str]) -> str:
    """`a, b or c`."""
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def synopsis(command: Command) -> str:
    """The words of a command on one line."""
    words = " ".join([name.upper() for name in command.positional] + [f"[{name.upper()}]" for name in command.optional])
    words += f" [{command.rest.upper()}…]" if command.rest else ""
    return f"memory-wire {command.name} {words}".rstrip() + ("  [options]" if command.options else "")


def usage(command: Command) -> str:
    """The short help of one command."""
    lines = [synopsis(command), f"  {command.summary}"]
    if command.choices:
        lines.append(f"    {(command.positional + command.optional)[0].upper()} is {either(command.choices)}")
    for option in command.options:
        shown = f"--{option.name}" + ("" if option.kind == "flag" else f" {'|'.join(option.choices) or option.kind.upper()}")
        if len(shown) > SHOWN and option.help:
            lines += [f"    {shown}", f"    {'':<{SHOWN}} {option.help}"]
        else:
            lines.append(f"    {shown:<{SHOWN}} {option.help}".rstrip())
    return "\n".join([*lines, *([f"  {command.exits}"] if command.exits else [])])


def alone(command: Command, words: Sequence[str]) -> int:
    """Runs a verb that has a start of its own: its exit status, 2 with its help when the words don't fit."""
    if "--help" in words or "-h" in words:
        print(usage(command))
        return 0
    try:
        return command.run(parse(command, words))
    except Usage as error:
        refuse(f"memory-wire {command.name}: {error}\n{usage(command)}")
        return 2
    except KeyboardInterrupt:
        return 130
