"""Verbs over banks: which there are, their configuration, moving and deleting them."""

from __future__ import annotations

import sys

from memory_wire import types as t
from memory_wire.cli.args import COMMON, Command, Option, Usage, Value
from memory_wire.cli.show import as_json, line, table
from memory_wire.cli.target import bank_name, connect


def commands() -> list[Command]:
    return [
        Command(
            "banks",
            "The banks with their counts; `banks rename|merge|copy FROM TO` moves one (merge: into one that is there).",
            banks,
            optional=("action", "from", "to"),
            options=tuple(option for option in COMMON if option.name != "bank"),
            choices=("rename", "merge", "copy"),
        ),
        Command(
            "config",
            "Show a bank's configuration, or replace it: `config '{…}'`, `config -` reads standard input.",
            config,
            optional=("body",),
            options=COMMON,
        ),
        Command(
            "delete-bank",
            "Delete a bank and everything in it; there is no way back but a backup.",
            delete,
            positional=("name",),
            options=(Option("confirm", help="the bank's name again, without which nothing is deleted"), *COMMON[1:]),
        ),
    ]


def banks(values: dict[str, Value]) -> int:
    action = values.get("action")
    if action is None:
        with connect(values) as target:
            found = target.banks()
        if values.get("json"):
            as_json(t.Banks(banks=found))
        else:
            table(("bank", "memories", "newest"), [(row.bank, row.memories, row.newest or "-") for row in found])
        return 0
    if values.get("to") is None:
        raise Usage(f"{action} needs FROM and TO")
    source, to = str(values["from"]), str(values["to"])
    with connect(values) as target:
        done = {"rename": target.rename_bank, "merge": target.merge_bank, "copy": target.copy_bank}[str(action)](source, to)
    if values.get("json"):
        as_json(done)
        return 0
    shared = f", {done.deduplicated:,} were there already" if done.deduplicated else ""
    line(f"{done.memories:,} memories {'copied' if action == 'copy' else 'moved'} to {done.bank}{shared}")
    if done.clashes:
        names = ", ".join(done.clashing) + (", …" if done.clashes > len(done.clashing) else "")
        line(f"{done.clashes:,} came without their document_id, which {done.bank} holds with another text: {names}")
    return 0


def config(values: dict[str, Value]) -> int:
    body = values.get("body")
    request: t.Empty | t.PutConfig = t.Empty()
    if isinstance(body, str):
        request = t.PutConfig(body=(sys.stdin.read() if body == "-" else body).encode(errors="surrogateescape"))
    with connect(values) as target:
        answer = target.call("put_config" if isinstance(request, t.PutConfig) else "get_config", request, bank=bank_name(values, target))
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
