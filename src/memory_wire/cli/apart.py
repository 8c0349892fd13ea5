"""The verbs with a start of their own (`serve`, `hook`, `mcp`; see __main__), as help and completion show them."""

from __future__ import annotations

from memory_wire.cli.args import BANK, DB, Command, Option, Usage, Value

SUMMARIES = {
    "hook": "Answer an event of an agent host; hosts run it.",
    "mcp": "Serve an agent's tools over standard input and output (Model Context Protocol).",
    "serve": "Serve the store over HTTP until stopped.",
}


def commands() -> list[Command]:
    from memory_wire.cli import mcp, serve
    from memory_wire.hooks.payload import EVENTS
    from memory_wire.hosts import NAMES

    words = [Option(name, "path" if name in ("db", "socket") else "text") for name in serve.VALUES if name != "sync"]
    flags = [Option(name, "flag") for name in serve.FLAGS]
    serving = (*words, Option("sync", choices=("full", "normal")), *flags)
    hooking = (Option("host", help="whose payload and answer these are", choices=NAMES), BANK)
    of_mcp = tuple(DB if option.name == "db" else option for option in mcp.OPTIONS)
    return [
        Command("hook", SUMMARIES["hook"], elsewhere, ("event",), options=hooking, choices=tuple(EVENTS), exits="Exit status always 0."),
        Command("mcp", SUMMARIES["mcp"], elsewhere, options=of_mcp),
        Command("serve", SUMMARIES["serve"], elsewhere, options=serving),
    ]


def text(name: str) -> str | None:
    """The help that the verb itself prints, where it has its own."""
    from memory_wire.cli import hook, serve

    return {"serve": serve.HELP, "hook": hook.HELP}.get(name)


def elsewhere(values: dict[str, Value]) -> int:
    """Not reached from a shell: these verbs get their words before anything is parsed."""
    raise Usage("must be the first word of the command line")
