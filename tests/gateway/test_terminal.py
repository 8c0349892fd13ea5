"""Integrations on the command line."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.commands import Machine
from tests.outside.server import Server


def test_set_list_call_remove(tmp_path: Path, world: Server) -> None:
    machine = Machine(tmp_path)
    how = ("--header", "Authorization: Bearer s3cr3t", "--header", "Accept: a, b", "--argument", "deep=boolean?")
    assert machine.out("integrations", "set", "wiki", f"{world.url}/echo/{{page}}", *how) == "set\n"
    assert machine.out("integrations").split("\n")[1].split() == ["wiki", "http", f"{world.url}/echo/{{page}}", "page,", "deep"]
    [row] = json.loads(machine.out("integrations", "--json"))["integrations"]
    assert row["headers"] == {"Authorization": "(set)", "Accept": "a, b"}
    asked = json.loads(machine.out("gateway-call", "wiki", "--arguments", '{"page": "a", "deep": true}'))
    assert asked["path"] == "/echo/a?deep=true" and "s3cr3t" not in str(asked)
    wrong = machine.run("gateway-call", "wiki", "--arguments", "page")
    assert (wrong.returncode, wrong.stderr.splitlines()[0].split(":")[0]) == (2, "memory-wire gateway-call")
    missing = machine.run("gateway-call", "wiki")
    assert (missing.returncode, missing.stderr) == (
        2,
        "memory-wire: --arguments page is missing; there are: page (string), deep (boolean?)\n",
    )
    machine.out("integrations", "set", "down", f"{world.url}/status/503", "--expose", "*")
    failed = machine.run("gateway-call", "down")
    assert (failed.returncode, failed.stdout, failed.stderr) == (1, "as asked\n", "memory-wire: down answered with status 503\n")
    assert machine.out("integrations", "tools").split("\n")[1].split() == ["down", "down", "Call", "down."]
    assert machine.out("integrations", "remove", "wiki") == "removed\n"
    gone = machine.run("gateway-call", "wiki")
    assert (gone.returncode, gone.stderr) == (1, "memory-wire: unknown integration 'wiki'; there are: down\n")
