"""Reads command lines against declared options, without argparse: hooks and the serving process can't afford its import.

`Command` describes one verb; `options_of` derives options from a request Struct, so a field added to an operation is an option at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import NODEFAULT, Struct
from msgspec.structs import fields

Value = str | int | float | bool | list[str] | None


class Usage(Exception):
    """The words of a command line don't fit; printed with the command's help, exit status 2."""


class Option(Struct, frozen=True):
    """`kind` is text, int, float, flag or list (repeatable, commas split)."""

    name: str
    kind: str = "text"
    help: str = ""
    field: str = ""

    @property
    def key(self) -> str:
        return self.field or self.name.replace("-", "_")


class Command(Struct, frozen=True):
    """One verb: `run` gets the parsed values and returns the exit status."""

    name: str
    summary: str
    run: Callable[[dict[str, Value]], int]
    positional: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()


COMMON = (
    Option("bank", help="bank to act in (default: default)"),
    Option("db", help="path of the store"),
    Option("embedded", "flag", "open the store here even when a server runs"),
    Option("json", "flag", "machine-readable output"),
)


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
        found.append(Option(field.name.replace("_", "-"), kind, field=field.name))
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
        if not word.startswith("--"):
            loose.append(word)
            continue
        name, equals, given = word[2:].partition("=")
        option = by_name.get(name)
        if option is None:
            raise Usage(f"unknown option --{name}")
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


def place(command: Command, loose: list[str]) -> dict[str, Value]:
    """Positional values by name. Raises Usage when there are too few or too many."""
    names = command.positional + command.optional
    if len(loose) < len(command.positional):
        raise Usage(f"{command.name} needs {command.positional[len(loose)].upper()}")
    if len(loose) > len(names):
        raise Usage(f"unexpected argument {loose[len(names)]!r}")
    return dict(zip(names, loose, strict=False))


def convert(option: Option, given: str, before: Value) -> Value:
    """The value of one option. Raises Usage when it is not of the option's kind."""
    if option.kind == "list":
        return (before if isinstance(before, list) else []) + [part for part in given.split(",") if part]
    if option.kind in {"int", "float"}:
        try:
            return int(given) if option.kind == "int" else float(given)
        except ValueError:
            raise Usage(f"--{option.name} takes a number, not {given!r}") from None
    return given


def usage(command: Command) -> str:
    """The short help of one command."""
    words = " ".join([name.upper() for name in command.positional] + [f"[{name.upper()}]" for name in command.optional])
    lines = [f"memory-wire {command.name} {words}".rstrip() + ("  [options]" if command.options else ""), f"  {command.summary}"]
    for option in command.options:
        shown = f"--{option.name}" + ("" if option.kind == "flag" else f" {option.kind.upper()}")
        lines.append(f"    {shown:<24}{option.help}".rstrip())
    return "\n".join(lines)
