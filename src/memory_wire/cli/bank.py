"""`memory-wire bank`: the bank of this place, the rule that named it, and what became of the banks of its former names."""

from __future__ import annotations

from memory_wire.cli.args import COMMON, Command, Option, Value
from memory_wire.cli.former import counts, move, others, word
from memory_wire.cli.show import as_json, line
from memory_wire.cli.target import connect, found_bank
from memory_wire.errors import MemoryWireError, UnknownBank
from memory_wire.identity import Identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.client import Client, Memory

__all__ = ["bank", "commands", "mend", "word"]
SUMMARY = "Show this folder's bank, which rule named it (flag, environment, remote, repository, folder), and banks that were its own."


def commands() -> list[Command]:
    options = (Option("per-worktree", "flag", "a bank of its own for a linked worktree (MEMORY_WIRE_PER_WORKTREE=1)"), *COMMON)
    return [Command("bank", SUMMARY, bank, options=options)]


def bank(values: dict[str, Value]) -> int:
    found = found_bank(values)
    try:
        with connect(values) as target:
            here, there = memories(target, found.bank), memories(target, found.former)
            held = counts(target) if found.names else {}
            why = ""
    except MemoryWireError as error:
        here, there, held = None, None, {}
        why = str(error)
    used = found.pick(lambda name: (here if name == found.bank else there) is not None)
    moving = mend(found, here, there)
    elsewhere = [{"bank": name, "memories": held[name], "move": move(name, found.bank, here is not None)} for name in others(found, held)]
    if values.get("json"):
        facts = {"memories": here, "former": found.former, "former_memories": there, "move": moving, "others": elsewhere}
        as_json({"bank": found.bank, "used": used, "rule": found.rule, "source": found.source, **facts})
        return 0
    show(found, (here, there), used, why)
    if moving:
        line(f"move    {moving}")
    for one in elsewhere:
        line(f"other   {one['bank']}  ({one['memories']:,} memories), if it was this folder's: {one['move']}")
    if why:
        line(f"store   {why}")
    return 0


def show(found: Identity, numbers: tuple[int | None, int | None], used: str, why: str) -> None:
    """The bank, its rule and its former name for a person; without counts when the store can't be read."""
    here, there = numbers
    line(f"bank    {found.bank}  ({counted(here)})" if not why else f"bank    {found.bank}")
    line(f"rule    {found.rule}  {found.source}")
    if found.former is not None and (there is not None or why):
        line(f"former  {found.former}  ({counted(there)})" if not why else f"former  {found.former}")
    if used != found.bank:
        line(f"used    {used}, as long as there is no {found.bank}")


def mend(found: Identity, here: int | None, there: int | None) -> str | None:
    """The command that moves what the former bank holds to the bank of today's name; None when there is nothing to move."""
    if found.former is None or there is None:
        return None
    return move(found.former, found.bank, here is not None)


def memories(target: Client | Memory, bank: str | None) -> int | None:
    """How many memories a bank holds, None when there is no such bank."""
    if bank is None:
        return None
    try:
        target.get_config(bank=bank)
    except UnknownBank:
        return None
    return target.stats(bank=bank).memories


def counted(count: int | None) -> str:
    return "not there yet" if count is None else f"{count:,} memories"
