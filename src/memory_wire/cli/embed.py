"""`memory-wire embed TEXT`: a text's vector; `embed status`, `embed run` and `embed verify`: the vectors of a bank."""

from __future__ import annotations

import os
import sys

from memory_wire import embedding as e
from memory_wire.cli.args import COMMON, Command, Option, Usage, Value
from memory_wire.cli.jobs import explained
from memory_wire.cli.show import Progress, as_json, line
from memory_wire.cli.target import bank_name, connect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.client import Client, Memory

STEP = 128  # passages between two looks at the bar


def commands() -> list[Command]:
    options = (
        Option("query", "flag", "with TEXT: as a question, where the model tells them from documents"),
        Option("dry-run", "flag", "with run: only say what would be embedded and what it would cost"),
        Option("price", "float", "with run: of a million tokens (default: the configuration's)"),
        Option("yes", "flag", "with run: don't ask before a run that costs"),
        Option("sample", "int", "with verify: passages to embed again (default: 8)"),
        *COMMON,
    )
    summary = "A text's vector as a JSON array; `embed run` makes a bank's, `embed status` and `embed verify` look at them."
    exits = "Exit status 1: verify found something."
    return [Command("embed", summary, embed, positional=("text",), options=options, exits=exits)]


def embed(values: dict[str, Value]) -> int:
    with connect(values) as target:
        bank = bank_name(values, target)
        actions = {"status": status, "run": run, "verify": verify}
        action = actions.get(str(values["text"]))
        if action is not None:
            return action(values, target, bank)
        as_json(target.embed([str(values["text"])], query=bool(values.get("query")), bank=bank).vectors[0])
        return 0


def status(values: dict[str, Value], target: Client | Memory, bank: str) -> int:
    found = target.embedding_status(bank=bank)
    if values.get("json"):
        as_json(found)
        return 0
    line(f"{found.state}  {found.model or 'no embedder'}" + (f"  {found.dimension} dimensions" if found.dimension else ""))
    if found.state != "off":
        line(f"  {found.passages:,} passages of {found.units:,} memories, {found.bytes / 1e6:,.1f} MB; {found.units_left:,} memories left")
    if found.former:
        line("  another model's vectors are kept until all are there" if found.state != "off" else "  a former model's vectors are kept")
    if found.failure:
        line(f"  last failure: {explained(found.failure)}; `memory-wire embed run` tries now")
    return 0


def run(values: dict[str, Value], target: Client | Memory, bank: str) -> int:
    price = values.get("price")
    plan = target.run_embedding(dry_run=True, price=price if isinstance(price, float) else None, bank=bank)
    if values.get("dry_run") or not agreed(values, plan):
        if values.get("json"):
            as_json(plan)
        elif values.get("dry_run"):
            line(f"would embed {told(plan)}")
        return 0 if values.get("dry_run") else 1
    bar, done = Progress("embed"), 0
    try:
        while True:
            step = target.run_embedding(limit=STEP, bank=bank)
            done += step.passages
            bar(done, max(plan.passages, done))
            if not step.units_left and not step.passages:
                break
    finally:
        bar.close()
    plan.passages, plan.units_left = done, 0
    if values.get("json"):
        as_json(plan)
    else:
        line(f"embedded {told(plan)}")
    return 0


def agreed(values: dict[str, Value], plan: e.EmbeddingRun) -> bool:
    """Whether to go on: a run that costs is asked about. Raises Usage where there is nobody to ask."""
    if not plan.cost or values.get("yes"):
        return True
    if not (os.isatty(0) and os.isatty(2)):
        raise Usage(f"embedding {told(plan)}: --yes says that it may")
    sys.stderr.write(f"embed {told(plan)}? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def told(plan: e.EmbeddingRun) -> str:
    cost = f", about {plan.cost:,.4f} at its price" if plan.cost is not None else ""
    return f"{plan.passages:,} passages of {plan.units:,} memories, about {plan.tokens:,} tokens{cost}; {plan.known:,} were known"


def verify(values: dict[str, Value], target: Client | Memory, bank: str) -> int:
    sample = values.get("sample")
    proof = target.verify_embedding(sample=sample if isinstance(sample, int) else 8, bank=bank)
    if values.get("json"):
        as_json(proof)
    else:
        least = f", least similarity {proof.least}" if proof.least is not None else ""
        line(f"{proof.passages:,} passages of {proof.units:,} memories; {proof.sampled} embedded again{least}")
        for finding in proof.findings:
            line(f"  {finding}")
    return 1 if proof.findings else 0
