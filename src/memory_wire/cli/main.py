"""The command line: finds the verb, parses its words, turns errors into one line and an exit status.

Exit status: 0 done, 1 the operation failed, 2 the words or values don't fit. Verbs of the operation table come from `ops`; the others are
declared by their module. A verb's module is imported only when that verb runs.
"""

from __future__ import annotations

from collections.abc import Sequence

from memory_wire.cli.args import Command, Usage, parse, usage
from memory_wire.cli.show import line
from memory_wire.errors import MemoryWireError

SUMMARY = "memory-wire: agent memory you can run anywhere"


def commands() -> dict[str, Command]:
    """Every verb by name."""
    from memory_wire.cli import banks, health, memories, service, store

    found = [*memories.commands(), *banks.commands(), *store.commands(), *service.commands(), *health.commands()]
    return {command.name: command for command in sorted(found, key=lambda command: command.name)}


def run(words: Sequence[str]) -> int:
    """The exit status of one command line; `serve` has gone its own way before."""
    if not words or words[0] in {"help", "--help", "-h"}:
        return overview()
    if words[0] in {"--version", "-V"}:
        from memory_wire import __version__

        line(f"memory-wire {__version__}")
        return 0
    command = commands().get(words[0])
    if command is None:
        line(f"memory-wire: unknown command {words[0]!r}; `memory-wire help` lists them")
        return 2
    if "--help" in words or "-h" in words:
        line(usage(command))
        return 0
    try:
        return command.run(parse(command, words[1:]))
    except Usage as error:
        line(f"memory-wire {command.name}: {error}\n{usage(command)}")
        return 2
    except MemoryWireError as error:
        return fail(error)
    except KeyboardInterrupt:
        return 130


def fail(error: MemoryWireError) -> int:
    """One line on stderr saying what is wrong; the exit status of the error."""
    import sys

    detail = getattr(error, "detail", "")
    sys.stderr.write(f"memory-wire: {error}{f': {detail}' if detail else ''}\n")
    return error.exit_code


def overview() -> int:
    """All commands with their summaries."""
    line(f"{SUMMARY}\n")
    line(f"  {'serve':<12}Serve the store over HTTP until stopped.")
    for command in commands().values():
        line(f"  {command.name:<12}{command.summary}")
    line("\n`memory-wire COMMAND --help` shows its options.")
    return 0
