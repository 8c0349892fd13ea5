"""`memory-wire integrations`: what agents of a project may call outside through the server."""

from __future__ import annotations

from memory_wire import integrations as i
from memory_wire.cli.args import COMMON, Command, Option, Usage, Value
from memory_wire.cli.show import as_json, line, one_line, table, tell
from memory_wire.cli.target import connect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SECRET = "env:NAME and file:PATH are read by the server at each call"


def commands() -> list[Command]:
    return [
        Command(
            "integrations",
            "What agents may call; `integrations set NAME URL` allows one, `remove NAME` no longer, `tools` lists those of their own.",
            integrations,
            optional=("action", "name", "url"),
            options=(
                Option("kind", help="default http; a URL of http takes {name} for an argument", choices=("http", "mcp")),
                Option("method", help="of http (default GET)"),
                Option("header", "each", f"'Name: value', repeatable; {SECRET}", field="headers"),
                Option("argument", "each", "of http, NAME=TYPE or NAME=TYPE? when it may be left out, repeatable", field="arguments"),
                Option("tools", "list", "of mcp that may be called, with commas or repeated; * for all"),
                Option("description", help="what it is for"),
                Option("expose", "list", "tools that agents see as tools of their own, NAME_TOOL; * for all, and for http"),
                Option("private", "flag", "it may lead to this machine or a private network; a URL that names such an address may anyway"),
                Option("seconds", "float", "that a call may take"),
                Option("cap", "int", "most bytes of an answer"),
                Option("project", help="default: the key's"),
                Option("account", help="of another account (for who runs the store)"),
                *(option for option in COMMON if option.name != "bank"),
            ),
            choices=("set", "remove", "tools"),
        )
    ]


def integrations(values: dict[str, Value]) -> int:
    action, name, url = (values.get(word) for word in ("action", "name", "url"))
    if action in ("set", "remove") and name is None:
        raise Usage(f"{action} needs NAME")
    if action == "set" and url is None:
        raise Usage("set needs URL")
    where: dict[str, Any] = {key: values[key] for key in ("project", "account") if values.get(key) is not None}
    with connect(values) as target:
        if action == "set":
            answer: object = target.set_integration(str(name), str(url), **how(values), **where)
            said = "set"
        elif action == "remove":
            answer = i.IntegrationRemoved(removed=target.remove_integration(str(name), **where))
            said = "removed" if answer.removed else "not there"
        elif action == "tools":
            answer, said = target.exposed_tools(), ""
        else:
            answer, said = target.integrations(**where), ""
    if values.get("json"):
        as_json(answer)
    elif isinstance(answer, i.Integrations):
        rows = [(row.name, row.kind, row.url, ", ".join(row.tools or row.arguments) or "-") for row in answer.integrations]
        table(("name", "kind", "url", "tools or arguments"), rows)
    elif isinstance(answer, i.ExposedTools):
        table(("tool", "integration", "description"), [(row.name, row.server, one_line(row.description or "-")) for row in answer.tools])
        for refused in answer.refused:
            tell(f"{refused.server}: {refused.tool or 'its tools'}: {refused.why}")
    else:
        line(said)
    return 0


def how(values: dict[str, Value]) -> dict[str, Any]:
    """The further fields of a SetIntegration that were given. Raises Usage."""
    names = ("kind", "method", "tools", "description", "expose", "private", "seconds", "cap")
    found: dict[str, Any] = {name: values[name] for name in names if values.get(name) is not None}
    for name, mark in (("headers", ":"), ("arguments", "=")):
        given = values.get(name)
        if isinstance(given, list):
            parts = [entry.partition(mark) for entry in given]
            if not all(middle for _, middle, _ in parts):
                raise Usage(f"--{name.removesuffix('s')} takes NAME{mark}VALUE")
            found[name] = {key.strip(): value.strip() for key, _, value in parts}
    return found
