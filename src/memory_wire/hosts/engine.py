"""Plans and carries out what connect does to one host: all its files are planned before the first is written, and a failure puts them back.

Used by the command line only. A plan whose removal would not give today's bytes again is refused before anything is written.
"""

from __future__ import annotations

import difflib
import os
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Literal

from msgspec import Struct, convert, to_builtins
from msgspec.structs import replace

from memory_wire.hosts import entries, files
from memory_wire.hosts.base import Environment, Host, Refused, Slot, State, Trace, Wiring
from memory_wire.hosts.record import Record, Wired

ATTEMPTS = 3  # when a host writes its file at the same moment
OURS = ("same", "stale", "changed")


class Change(Struct):
    """One file: `before` None when it is made, `after` None when it goes."""

    path: str
    before: bytes | None
    after: bytes | None
    mode: int
    trace: Trace


class Plan(Struct):
    """What is to happen to one host: `done` are the labels that change, `left` what stays although it isn't as wanted."""

    host: str
    changes: list[Change]
    done: list[str]
    left: list[str]
    slots: list[tuple[str, str]]
    roots: list[str]


def wired(host: Host, env: Environment, record: Record, wiring: Wiring) -> Literal["no", "partial", "yes"]:
    """Whether the host has our entries: yes when every one is there and runs this launcher. A file that can't be read has none."""
    states = []
    for slot in host.slots(env, replace(wiring, bank=bank(host, env, wiring))):
        try:
            state = slot.look(files.text(files.read(slot.path)), record.trace(slot.path))
        except Refused:
            state = "absent"
        states.append((state, slot.counts))
    if not any(counts and state in OURS for state, counts in states):
        return "no"
    return "yes" if all(state in ("same", "changed") for state, _ in states) else "partial"


def bank(host: Host, env: Environment, wiring: Wiring) -> str | None:
    """The bank asked for, else the one baked into entries that are there."""
    if wiring.bank:
        return wiring.bank
    for slot in host.slots(env, wiring):
        try:
            found = slot.bank(files.text(files.read(slot.path)))
        except Refused:
            continue
        if found:
            return found
    return None


def install(host: Host, env: Environment, record: Record, wiring: Wiring) -> Plan:
    """What has to change for the host to be wired. Raises Refused."""
    slots = host.slots(env, replace(wiring, bank=bank(host, env, wiring)))
    plan = Plan(host.name, [], [], [], [(slot.path, slot.label) for slot in slots], [env.cwd] if host.local else [])
    for path, group in grouped(slots):
        with refusing(path, group):
            put(plan, path, group, record.trace(path))
    return plan


def put(plan: Plan, path: str, group: Sequence[Slot], trace: Trace) -> None:
    """Adds to the plan what has to change in one file. Raises Refused."""
    before = files.read(path)
    text = start = files.text(before)
    states = [slot.look(text, trace) for slot in group]
    for slot, state in zip(group, states, strict=True):
        edited = slot.put(text, trace) if state in ("absent", "stale", "changed") else text
        if edited == text and state != "same":
            plan.left.append(f"{slot.label} ({'changed since' if state == 'changed' else 'not ours'})")
        elif edited != text:
            plan.done.append(slot.label + ("" if state == "absent" else " (replaced stale)"))
        text = edited
    if text is not None and text != start:
        files.check_writable(path)
        prove(group, states, start, text, trace)
        trace.known = trace.known or not any(slot.counts and state in OURS for slot, state in zip(group, states, strict=True))
        if before is None:
            trace.folders += [folder for folder in files.missing(os.path.dirname(path)) if folder not in trace.folders]
        plan.changes.append(Change(path, before, encoded(text), group[0].mode, trace))


def removal(host: Host, env: Environment, record: Record, wiring: Wiring, leaving: Collection[str] = ()) -> Plan:
    """What has to change for the host to be as it was; what it shares with a host that isn't `leaving` stays. Raises Refused."""
    slots = host.slots(env, wiring)
    for root in record.hosts.get(host.name, Wired()).roots:
        there = {(slot.path, slot.label) for slot in slots}
        slots += [slot for slot in host.slots(replace(env, cwd=root), wiring) if (slot.path, slot.label) not in there]
    plan = Plan(host.name, [], [], [], [], [])
    for path, group in grouped(slots):
        with refusing(path, group):
            take(plan, path, group, record, {host.name, *leaving})
    order = [slot.label for slot in slots]
    plan.done.sort(key=lambda done: order.index(done.removesuffix(" (pruned)")))
    return plan


def take(plan: Plan, path: str, group: Sequence[Slot], record: Record, leaving: Collection[str]) -> None:
    """Adds to the plan what has to go from one file, last in first out. Raises Refused."""
    before, trace = files.read(path), record.trace(path)
    text = start = files.text(before)
    for slot in reversed(group):
        state = slot.look(text, trace) if text is not None else "absent"
        others = record.users(path, slot.label, leaving)
        if state == "changed" or (others and state in OURS):
            plan.left.append(f"{slot.label} ({f'needed by {others[0]}' if others else 'changed since'})")
        elif text is not None and state in OURS:
            edited = slot.take(text, trace)
            plan.done += [f"{slot.label} (pruned)"] if edited != text and slot.counts else []
            text = edited
    if text != start:
        files.check_writable(path)
        plan.changes.append(Change(path, before, None if text is None else encoded(text), group[0].mode, trace))


@contextmanager
def refusing(path: str, group: Sequence[Slot]) -> Iterator[None]:
    """A refusal names the file, and shows everything of ours that belongs into it."""
    try:
        yield
    except Refused as refusal:
        snippet = entries.together([slot for slot in group if isinstance(slot, entries.Json)])
        rest = [slot.snippet() for slot in group if not isinstance(slot, entries.Json)]
        raise Refused(f"{refusal.reason}: {path}", "\n".join(filter(None, [snippet, *rest]))) from None


def prove(group: Sequence[Slot], states: Sequence[State], start: str | None, text: str, trace: Trace) -> None:
    """Raises Refused unless the new text has the entries, and taking them out again gives the old one."""
    trial = convert(to_builtins(trace), Trace)
    trial.known = True
    if any(
        slot.look(text, trial) not in (("same", "changed") if state in OURS else ("same", state))
        for slot, state in zip(group, states, strict=True)
    ):
        raise Refused("can't be edited safely; left untouched")
    if all(state in ("absent", "foreign") for state in states):
        undone: str | None = text
        for slot in reversed(group):
            if undone is not None and slot.look(undone, trial) == "same":
                undone = slot.take(undone, trial)
        if undone != start:
            raise Refused("can't be edited so that it could be undone; left untouched")


def grouped(slots: Sequence[Slot]) -> list[tuple[str, list[Slot]]]:
    """The slots by file, in order."""
    found: dict[str, list[Slot]] = {}
    for slot in slots:
        found.setdefault(slot.path, []).append(slot)
    return list(found.items())


def encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise Refused("our launcher's path is not UTF-8; left untouched") from None


def difference(plan: Plan) -> str:
    """The plan as a unified diff."""
    shown: list[str] = []
    for change in plan.changes:
        old, new = ((content or b"").decode().splitlines(keepends=True) for content in (change.before, change.after))
        names = ["/dev/null" if content is None else change.path for content in (change.before, change.after)]
        for line in difflib.unified_diff(old, new, names[0], names[1]):
            shown.append(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n")
    return "".join(shown)


def apply(plan: Plan, env: Environment, record: Record, check: Callable[[], None]) -> str | None:
    """Backs up, writes and checks; the backup's folder. All is put back when a step or the check fails. Raises Refused, Raced, OSError.

    A crash in between leaves a record that says more than was done, never less: so it is written before entries go in, after they went out.
    """
    backup = saved(plan, env)
    former = copied(record)
    done: list[Change] = []
    try:
        if plan.slots:
            remember(plan, record)
            record.save()
        for change in plan.changes:
            write(change)
            done.append(change)
        files.clear(folder for change in done if change.after is None for folder in change.trace.folders)
        check()
        if not plan.slots:
            remember(plan, record)
            record.save()
    except BaseException:
        for change in reversed(done):
            with suppress(files.Raced):  # its host has written it since: what that left is planned anew, or found by the next run
                write(Change(change.path, change.after, change.before, change.mode, change.trace))
        files.clear(folder for change in done if change.before is None for folder in change.trace.folders)
        record.files, record.hosts = former.files, former.hosts
        record.save()
        raise
    return backup


def write(change: Change) -> None:
    if change.after is None:
        assert change.before is not None
        files.remove(change.path, change.before)
    else:
        files.replace(change.path, change.before, change.after, change.mode)
        if files.read(change.path) != change.after:
            raise files.Raced(change.path)


def saved(plan: Plan, env: Environment) -> str | None:
    """Copies of every file that changes, in a folder of their own; None when there is none yet."""
    kept = [(change.path, change.before) for change in plan.changes if change.before is not None]
    if not kept:
        return None
    folder = base = os.path.join(env.data, "backups", f"{plan.host}-{time.strftime('%Y%m%d-%H%M%S')}")
    count = 1
    while os.path.exists(folder):
        count += 1
        folder = f"{base}-{count}"
    for path, content in kept:
        files.backup(folder, env.home, path, content)
    return folder


def remember(plan: Plan, record: Record) -> None:
    """Writes into the record what the plan did; of a file that no host needs nothing is kept."""
    if plan.slots:
        before = record.hosts.get(plan.host, Wired())
        record.hosts[plan.host] = Wired(sorted({*before.slots, *plan.slots}), sorted({*before.roots, *plan.roots}))
    else:
        record.hosts.pop(plan.host, None)
    for change in plan.changes:
        if change.after is None or not (
            plan.slots or any(change.path == path for wired in record.hosts.values() for path, _ in wired.slots)
        ):
            record.files.pop(change.path, None)
        else:
            record.files[change.path] = change.trace


def after(plan: Plan, record: Record) -> Record:
    """A copy of the record as it will be."""
    copy = copied(record)
    remember(plan, copy)
    return copy


def copied(record: Record) -> Record:
    return convert(to_builtins(record), Record)
