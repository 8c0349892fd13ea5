"""`memory-wire skill`: prints what agents have to know about their memory, or puts it where a host looks; and the installation runbook."""

from __future__ import annotations

from memory_wire.cli.args import JSON, Command, Option, Usage, Value
from memory_wire.cli.show import as_json, line, paint
from memory_wire.hosts import skill as spots
from memory_wire.hosts.base import Environment, Refused

HOSTS = tuple(spots.SPOTS)


def commands() -> list[Command]:
    options = (
        Option("install", help="write it where this host looks", choices=HOSTS),
        Option("uninstall", help="remove it from there", choices=HOSTS),
        Option("runbook", "flag", "print the installation runbook for agents instead"),
        JSON,
    )
    return [Command("skill", "Print or install the skill that tells an agent how to use its memory.", skill, options=options)]


def skill(values: dict[str, Value]) -> int:
    given = [name for name in ("install", "uninstall", "runbook") if values.get(name)]
    if len(given) > 1:
        raise Usage(f"--{given[0]} and --{given[1]} exclude each other")
    if given and given != ["runbook"]:
        return change(str(values[given[0]]), given == ["uninstall"], bool(values.get("json")))
    name = "RUNBOOK.md" if given else "SKILL.md"
    text = spots.read(name)
    if values.get("json"):
        as_json({"name": name, "text": text})
    else:
        line(text.rstrip("\n"))
    return 0


def change(host: str, uninstall: bool, json: bool) -> int:
    """Installs or removes it and says where."""
    try:
        result = spots.update(host, Environment.current(), uninstall)
    except Refused as refusal:
        from memory_wire.cli.main import say

        return say(f"{host}: {refusal.reason}")
    if json:
        as_json(result)
        return 0
    line(f"{paint(result.word, 'dim' if result.word == 'unchanged' else 'good')} {result.file}")
    if result.note:
        line(result.note)
    return 0
