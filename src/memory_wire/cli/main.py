"""The command line: finds the verb, parses its words, turns errors into one line with what mends it, and an exit status.

Exit status: 0 done, 1 the operation failed, 2 the words or values don't fit. Verbs of the operation table come from `ops`; the others are
declared by their module, named in OWNERS: only the module of the verb that runs is imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from memory_wire.cli.args import Command, Usage, Value, parse, synopsis, usage
from memory_wire.cli.show import as_json, line, open_streams, paint, refuse, tell
from memory_wire.errors import MemoryWireError

SUMMARY = "memory-wire: agent memory you can run anywhere"
OWNERS = {  # module of cli that declares the verb; a verb that isn't here belongs to the operation table
    "accounts": "people",
    "agent": "agent",
    "audit": "audit",
    "backup": "store",
    "bank": "bank",
    "banks": "banks",
    "bundle": "bundle",
    "capture": "capture",
    "check": "store",
    "completion": "completion",
    "config": "banks",
    "connect": "connect",
    "daemon": "daemon",
    "delete-bank": "banks",
    "disconnect": "connect",
    "doc": "doc",
    "doctor": "doctor",
    "embed": "embed",
    "erase": "erase",
    "export": "store",
    "health": "health",
    "hook": "apart",
    "hub": "hub",
    "import": "importing",
    "info": "home",
    "integrations": "integrations",
    "jobs": "jobs",
    "keys": "keys",
    "mcp": "apart",
    "members": "people",
    "projects": "people",
    "reindex": "store",
    "seed": "seed",
    "serve": "apart",
    "service": "service",
    "skill": "skill",
    "sweep": "sweep",
    "units": "people",
    "update": "update",
    "verify-sources": "verify",
    "watch": "watch",
}
EXITS = """Exit status: 0 done; 1 it failed, one line on standard error says why and what mends it; 2 the words or values don't fit;
130 interrupted. What a command means by 1 beside that, its help says."""


def commands() -> dict[str, Command]:
    """Every verb by name. Imports all their modules: for help and completion."""
    found = [command for module in {"memories", *OWNERS.values()} for command in declared(module)]
    return {command.name: command for command in sorted(found, key=lambda command: command.name)}


def declared(module: str) -> list[Command]:
    """The verbs that a module of cli declares."""
    made: list[Command] = import_module(f"memory_wire.cli.{module}").commands()
    return made


def find(verb: str) -> Command | None:
    """The command of that name; None when there is none."""
    return next((command for command in declared(OWNERS.get(verb, "memories")) if command.name == verb), None)


def run(words: Sequence[str]) -> int:
    """The exit status of one command line; `serve`, `hook` and `mcp` have gone their own way before."""
    open_streams()
    if not words:
        from memory_wire.cli.home import home

        return home()
    if words[0] in {"help", "--help", "-h"}:
        return help_(words[1:])
    if words[0] in {"--version", "-V"}:
        from memory_wire import __version__

        line(f"memory-wire {__version__}")
        return 0
    command = find(words[0])
    if command is None:
        return unknown(words[0])
    if "--help" in words or "-h" in words:
        line(usage(command))
        return 0
    values: dict[str, Value] = {}
    try:
        values = parse(command, words[1:])
        return command.run(values)
    except Usage as error:
        refuse(f"memory-wire {command.name}: {error}\nusage: {synopsis(command)}; `memory-wire {command.name} --help` says more")
        return 2
    except MemoryWireError as error:
        return fail(error, command, values)
    except OSError as error:
        return say(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except KeyboardInterrupt:
        return 130


def fail(error: MemoryWireError, command: Command, values: dict[str, Value]) -> int:
    """One line on stderr saying what is wrong and what mends it; the exit status of the error."""
    from memory_wire.cli import words

    return say(words.told(error, command, values), error.exit_code)


def say(text: str, status: int = 1) -> int:
    """The text as one line on stderr; the status."""
    tell(text)
    return status


def unknown(verb: str) -> int:
    """What to say of a verb that doesn't exist."""
    from difflib import get_close_matches

    near = get_close_matches(verb, [*commands(), "help"], 1)
    refuse(f"memory-wire: unknown command {verb!r}; " + (f"did you mean `{near[0]}`?" if near else "`memory-wire help` lists them"))
    return 2


def help_(words: Sequence[str]) -> int:
    """All commands with their summaries, one command's options, or with --json all of both for programs."""
    every = commands()
    named = [word for word in words if word != "--json"]
    if named and named[0] not in every:
        return unknown(named[0])
    if "--json" in words:
        as_json({"commands": [described(command) for command in every.values() if command.name in named or not named]})
        return 0
    if named:
        from memory_wire.cli import apart

        line(apart.text(named[0]) or usage(every[named[0]]))
        return 0
    width = max(map(len, every))
    line(f"{paint(SUMMARY, 'head')}\n")
    for name, command in every.items():
        line(f"  {paint(name.ljust(width), 'name')}  {command.summary}")
    line(f"\n`memory-wire COMMAND --help` shows its options, `memory-wire help --json` all of them for programs.\n\n{EXITS}")
    return 0


def described(command: Command) -> dict[str, object]:
    """A command as `help --json` has it."""
    options = [
        {"name": f"--{option.name}", "kind": option.kind, "help": option.help, "choices": option.choices} for option in command.options
    ]
    positional = {"positional": command.positional, "optional": command.optional, "choices": command.choices}
    return {"name": command.name, "summary": command.summary, **positional, "options": options, "exits": command.exits}
