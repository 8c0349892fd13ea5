"""Errors in the words of a command line: options instead of fields and JSON bodies, and how to go on where the store is damaged."""

from __future__ import annotations

import os

from memory_wire.cli.args import Command, Value
from memory_wire.cli.target import db_path
from memory_wire.errors import MemoryWireError

DAMAGE = ("malformed", "corrupt", "damaged", "not a database", "the schema is not there", "no such table", "no such column")
BODY = "Failed to deserialize the JSON body into the target type: "
INVALID = "invalid "
INSTEAD = {"expected an unsigned integer": "must be a whole number, 0 or more"}
MENDS = {
    "corrupt": "`memory-wire reindex` builds the index anew",
    "not_ready": "the server is still starting: ask again",
    "storage": "`memory-wire check` looks for damage",
    "store_missing": "restore a backup there, or remove what lies beside it to begin anew",
    "store_refused": "`memory-wire doctor` says more",
    "unknown_bank": "`memory-wire banks` lists them",
    "unknown_memory": "`memory-wire memories` lists them",
    "unknown_record": "`memory-wire search` finds them",
    "unauthorized": "MEMORY_WIRE_KEY, or the key file beside the store, gives one; `memory-wire keys create` makes one",
    "unreachable": "`memory-wire daemon start` starts a server, --embedded does without",
}


def told(error: MemoryWireError, command: Command, values: dict[str, Value]) -> str:
    """What is wrong and what mends it."""
    detail = getattr(error, "detail", "")
    text = f"{error}: {detail}" if detail else str(error)
    if is_damage(error):
        return f"{text}; {restored(db_path(values))}"
    mend, named = MENDS.get(error.code, ""), os.environ.get("MEMORY_WIRE_URL")
    if named and error.code == "unreachable":
        from memory_wire.cli.address import mend_named

        mend = mend_named(named)
    if mend and error.code == "storage":
        mend = "free some space on its disk" if "full" in text else "" if command.name == "check" else mend
    if not detail and error.exit_code == 2:
        text = of_option(text, command)
    return f"{text}; {mend}" if mend and "`" not in text else text


def is_damage(error: MemoryWireError) -> bool:
    """Does the error say that the database itself is not whole?"""
    return error.code in ("storage", "store_refused") and any(word in f"{error} {getattr(error, 'detail', '')}" for word in DAMAGE)


def restored(path: str) -> str:
    """How to go on with a damaged database."""
    from shlex import quote

    return f"put a backup in place of {path}; what can be read up to the damage: `memory-wire export - --db {quote(path)} > memories.jsonl`"


def of_option(text: str, command: Command) -> str:
    """The same with the option in place of the field; texts that name no option of the command stay."""
    said = text.removeprefix(BODY).removeprefix(INVALID)
    field, colon, rule = said.partition(": ")
    if not colon:
        field, blank, rule = said.partition(" must ")
        rule = f"must {rule}" if blank else ""
    if not rule:
        return text
    rule = INSTEAD.get(rule, rule)
    if field in command.positional + command.optional:
        return f"{field.upper()} {rule}"
    return next((f"--{option.name} {rule}" for option in command.options if option.key == field), text.removeprefix(BODY))
