"""Verbs over a bank's configuration and existence."""

from __future__ import annotations

import sys

from memory_wire import types as t
from memory_wire.cli.args import COMMON, Command, Option, Value
from memory_wire.cli.show import as_json, line
from memory_wire.cli.target import bank_name, connect


def commands() -> list[Command]:
    return [
        Command(
            "config",
            "Show a bank's configuration, or replace it: `config '{…}'`, `config -` reads standard input.",
            config,
            optional=("body",),
            options=COMMON,
        ),
        Command(
            "delete-bank",
            "Delete a bank and everything in it.",
            delete,
            positional=("name",),
            options=(Option("confirm", help="the bank's name again"), *COMMON),
        ),
    ]


def config(values: dict[str, Value]) -> int:
    body = values.get("body")
    request: t.Empty | t.PutConfig = t.Empty()
    if isinstance(body, str):
        request = t.PutConfig(body=(sys.stdin.read() if body == "-" else body).encode(errors="surrogateescape"))
    with connect(values) as target:
        answer = target.call("put_config" if isinstance(request, t.PutConfig) else "get_config", request, bank=bank_name(values))
    line(answer.decode())
    return 0


def delete(values: dict[str, Value]) -> int:
    confirm = values.get("confirm")
    with connect(values) as target:
        answer = target.call("delete_bank", t.DeleteBank(confirm=str(confirm) if confirm else None), bank=str(values["name"]))
    if values.get("json"):
        as_json(answer)
    else:
        line(f"deleted {answer.memories} memories" if answer.deleted else "not there")
    return 0
