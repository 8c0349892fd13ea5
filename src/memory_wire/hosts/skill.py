"""Where each host keeps skills, and the skill as a file there. `memory-wire skill --install` writes it, `connect` never does.

Hosts without skills get it as a rule that is read on demand, Aider as a block in the project's conventions file.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from msgspec import Struct

from memory_wire.hosts import files
from memory_wire.hosts.base import Environment, Refused
from memory_wire.hosts.fence import Fence

FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "data", "skill")
FENCE = Fence("<!-- memory-wire:skill:start -->", "<!-- memory-wire:skill:end -->")
MARK = "name: memory-wire\n"  # in the front matter; a file without it is somebody else's
RULE = "description: Long-term memory across sessions"


class Spot(Struct, frozen=True):
    """Where a host reads it. `shape` is skill, rule (another front matter) or block; `note` says what the user has still to do."""

    path: Callable[[Environment], str]
    shape: str = "skill"
    note: str = ""


def skill(variable: str, *default: str) -> Spot:
    """A skill of the host whose settings are in that folder."""
    return Spot(lambda env: os.path.join(env.folder(variable, *default), "skills", "memory-wire", "SKILL.md"))


SPOTS = {
    "claude-code": skill("CLAUDE_CONFIG_DIR", ".claude"),
    "codex": skill("", ".agents"),
    "copilot-cli": skill("COPILOT_HOME", ".copilot"),
    "cursor": Spot(lambda env: os.path.join(env.cwd, ".cursor", "rules", "memory-wire.mdc"), "rule"),
    "opencode": Spot(lambda env: env.config("opencode", "skills", "memory-wire", "SKILL.md")),
    "omp": skill("", ".omp", "agent"),
    "hermes": skill("HERMES_HOME", ".hermes"),
    "pi": skill("PI_CODING_AGENT_DIR", ".pi", "agent"),
    "gemini-cli": skill("", ".gemini"),
    "windsurf": Spot(lambda env: os.path.join(env.cwd, ".windsurf", "rules", "memory-wire.md"), "rule"),
    "aider": Spot(
        lambda env: os.path.join(env.cwd, "CONVENTIONS.md"),
        "block",
        "aider reads it when told to: `aider --read CONVENTIONS.md`, or `read: CONVENTIONS.md` in .aider.conf.yml",
    ),
}


class Result(Struct):
    """What became of it: created, updated, removed or unchanged."""

    host: str
    word: str
    file: str
    note: str = ""


def read(name: str) -> str:
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


def body() -> str:
    """The skill without its front matter."""
    return read("SKILL.md").partition("\n---\n")[2].strip("\n")


def shaped(shape: str) -> str:
    """A whole file with the skill. The front matter of a rule has it read when its description fits, not always."""
    if shape == "skill":
        return read("SKILL.md")
    description = next(line for line in read("SKILL.md").split("\n") if line.startswith("description: "))
    return f"---\n{description}\nalwaysApply: false\ntrigger: model_decision\n---\n\n{body()}\n"


def update(host: str, env: Environment, uninstall: bool) -> Result:
    """Writes the skill where the host looks, or removes it. Raises Refused for a file that isn't ours, OSError."""
    spot = SPOTS[host]
    path = spot.path(env)
    content = files.read(path)
    text = files.text(content)
    if spot.shape == "block":
        after = (None if text is None else FENCE.take(text)) if uninstall else FENCE.put(text, body())
    elif text is not None and (MARK if spot.shape == "skill" else RULE) not in text:
        raise Refused(f"{path} was not written by memory-wire; left untouched")
    else:
        after = None if uninstall else shaped(spot.shape)
    if after == text:
        return Result(host, "unchanged", path)
    if content is not None and text != shaped(spot.shape):  # somebody's words are in it
        base = os.path.join(env.data, "backups", f"skill-{host}-{time.strftime('%Y%m%d-%H%M%S')}")
        files.backup(next(f"{base}-{n}" for n in range(1, 100) if not os.path.exists(f"{base}-{n}")), env.home, path, content)
    if after is not None:
        files.replace(path, content, after.encode(), 0o644)
        return Result(host, "created" if content is None else "removed" if uninstall else "updated", path, "" if uninstall else spot.note)
    assert content is not None
    files.remove(path, content)
    files.clear([os.path.dirname(path), os.path.dirname(os.path.dirname(path))] if spot.shape != "block" else [])
    return Result(host, "removed", path)
