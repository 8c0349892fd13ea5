"""What a project tells agents about its memory, for those that read instructions but run no hooks: a block in the files they look at.

Written into a folder by `connect --guidelines`, replaced in place when run again, removed by `connect --guidelines --uninstall`. The block
has a section for each preset that was asked for (presets.py); to ask for one, or to remove it, leaves the others there.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from msgspec import Struct

from memory_wire import identity
from memory_wire.hosts import files
from memory_wire.hosts.base import Environment, Refused
from memory_wire.hosts.fence import Fence
from memory_wire.hosts.presets import HEADINGS, MEMORY, body

FILES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".cursorrules", os.path.join(".github", "copilot-instructions.md"))
FENCE = Fence("<!-- memory-wire:start -->", "<!-- memory-wire:end -->")


class Result(Struct):
    """What became of one file: created, updated, removed, unchanged or REFUSED; of a dry run, what would, with the diff."""

    file: str
    word: str
    reason: str | None = None
    diff: str | None = None


def update(folder: str, uninstall: bool, dry: bool, preset: str | None = None) -> list[Result]:
    """Writes a preset (default `memory`) into the block in every file of FILES, or removes it (default: all there are).

    One refused file stops no other. Raises OSError.
    """
    env = Environment.current()
    bank = identity.resolve(None, env.variables, folder).bank

    def edit(text: str | None) -> str | None:
        return removed(text, bank, preset) if uninstall else written(text, bank, preset or MEMORY)

    base = os.path.join(env.data, "backups", f"guidelines-{time.strftime('%Y%m%d-%H%M%S')}")
    backups = next(name for name in (base, *(f"{base}-{count}" for count in range(2, 100))) if not os.path.exists(name))
    return [one(env, os.path.join(folder, name), name, edit, None if dry else backups) for name in FILES]


def one(env: Environment, path: str, name: str, edit: Callable[[str | None], str | None], backups: str | None) -> Result:
    """Edits one file; without a folder for backups nothing is written."""
    try:
        content = files.read(path)
        text = files.text(content)
        after = edit(text)
        if after == text:
            return Result(name, "unchanged")
        result = Result(name, "created" if text is None else "updated" if presets(after) else "removed")
        if backups is None:
            result.diff = difference(path, text, after)
            return result
        if content is not None:
            files.check_writable(path)
            files.backup(backups, env.home, path, content)
            result.reason = f"(backup: {backups})"
        if after is not None:
            files.replace(path, content, after.encode(), 0o644)
        elif content is not None:
            files.remove(path, content)
            files.clear([os.path.dirname(path)] if os.path.dirname(name) else [])
        return result
    except Refused as refusal:
        return Result(name, "REFUSED", refusal.reason)
    except files.Raced:
        return Result(name, "REFUSED", f"{path} changed at this moment; try again")


def difference(path: str, before: str | None, after: str | None) -> str:
    """The change as a unified diff."""
    from difflib import unified_diff

    old, new = ((text or "").splitlines(keepends=True) for text in (before, after))
    names = ["/dev/null" if text is None else path for text in (before, after)]
    return "".join(part if part.endswith("\n") else part + "\n" for part in unified_diff(old, new, names[0], names[1]))


def presets(text: str | None) -> set[str]:
    """The presets that a file's block has a section of. Raises Refused."""
    span = FENCE.span(text or "")
    lines = (text or "")[span[0] : span[1]].splitlines() if span is not None else []
    return {name for name, heading in HEADINGS.items() if heading in lines}


def written(text: str | None, bank: str, preset: str = MEMORY) -> str:
    """The file with the preset in its block. Raises Refused."""
    return FENCE.put(text, body(bank, {preset, *presets(text)}))


def removed(text: str | None, bank: str = "", preset: str | None = None) -> str | None:
    """The file without the preset, or without the block; None when nothing else was in it. Raises Refused."""
    there = presets(text)
    kept = there - {preset} if preset is not None else set()
    if text is None or kept == there != set():
        return text
    return FENCE.put(text, body(bank, kept)) if kept else FENCE.take(text)
