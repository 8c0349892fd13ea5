"""Conversations that agent hosts keep on this machine, as turns: what was asked and what was answered, prose only.

`files` finds them under the hosts' folders, `turns` makes memories of one. A turn's document id is the one that hooks give it, so
that what they captured is not stored again.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec import Struct

from memory_wire.config import TURN_CHARS, TURN_LEAST_CHARS
from memory_wire.framing import cut_middle, flat, turn_id
from memory_wire.hooks.transcript import Turn
from memory_wire.hooks.transcript import turns as grouped
from memory_wire.sources import storage
from memory_wire.sources.items import Found, Ignored, digest, made, turn_text

SESSION_CHARS = 900


class Place(Struct, frozen=True):
    """Where a host keeps conversations: patterns below a folder that a variable may move. `read` opens one of the files found."""

    host: str
    variable: str
    folder: str  # below the home folder, where the variable is not set
    patterns: tuple[str, ...]
    read: Callable[[str], Iterator[storage.Conversation]] = storage.lines


PLACES = (
    Place("claude-code", "CLAUDE_CONFIG_DIR", ".claude", ("projects/*/*.jsonl",)),
    Place("codex", "CODEX_HOME", ".codex", ("sessions/**/rollout-*.jsonl", "archived_sessions/rollout-*.jsonl")),
    Place("copilot-cli", "COPILOT_HOME", ".copilot", ("session-state/*/events.jsonl", "session-state/*.jsonl")),
    Place("cursor", "", ".cursor", ("projects/*/agent-transcripts/**/*.jsonl",)),
    Place("gemini-cli", "", ".gemini", ("tmp/*/chats/*.json", "tmp/*/chats/*.jsonl"), storage.gemini),
    Place("opencode", "", ".local/share/opencode", ("storage/session/*/*.json",), storage.opencode_files),
    Place("opencode", "", ".local/share/opencode", ("opencode.db",), storage.opencode_database),
    Place("windsurf", "", ".windsurf", ("transcripts/*.jsonl",)),
    Place("pi", "PI_CODING_AGENT_DIR", ".pi/agent", ("sessions/*/*.jsonl",)),
    Place("hermes", "HERMES_HOME", ".hermes", ("state.db",), storage.hermes),
    Place("omp", "", ".omp/agent", ("sessions/*/*.jsonl",)),
    Place("continue", "CONTINUE_GLOBAL_DIR", ".continue", ("sessions/*.json",), storage.continue_),
    Place("cline", "", ".cline/data", ("tasks/*/api_conversation_history.json",), storage.cline),
    Place("cline", "", ".config/Code/User/globalStorage/saoudrizwan.claude-dev", ("tasks/*/api_conversation_history.json",), storage.cline),
    Place(
        "roo-code",
        "",
        ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline",
        ("tasks/*/api_conversation_history.json",),
        storage.cline,
    ),
    Place("vscode", "", ".config/Code/User/workspaceStorage", ("*/chatSessions/*.json",), storage.vscode),
)


class Kept(Struct):
    """A file in which a host keeps one conversation or more."""

    host: str
    path: str
    modified: float
    read: Callable[[str], Iterator[storage.Conversation]]


def files(home: str, environ: Mapping[str, str], since: float | None) -> list[Kept]:
    """The files of all hosts, newest first; those not touched since a time are left out."""
    found: dict[str, Kept] = {}
    for place in PLACES:
        for base in bases(place, home, environ):
            for pattern in place.patterns:
                for path in glob.iglob(os.path.join(glob.escape(base), pattern), recursive=True):
                    try:
                        modified = os.stat(path).st_mtime
                    except OSError:
                        continue
                    if since is None or modified >= since:
                        found.setdefault(os.path.realpath(path), Kept(place.host, path, modified, place.read))
    return sorted(found.values(), key=lambda kept: (-kept.modified, kept.path))


def bases(place: Place, home: str, environ: Mapping[str, str]) -> list[str]:
    """The folders that a place means: those of its variable, else below the home or the XDG data folder."""
    moved = environ.get(place.variable, "") if place.variable else ""
    if moved.strip():
        return [part for part in moved.split(",") if os.path.isabs(part)]
    data = environ.get("XDG_DATA_HOME", "")
    if place.folder.startswith(".local/share/") and os.path.isabs(data):
        return [os.path.join(data, place.folder.removeprefix(".local/share/"))]
    return [os.path.join(home, place.folder)]


def turns(kept: Kept, conversation: storage.Conversation, open_end: bool, since: str | None) -> Iterator[Found]:
    """The turns of a conversation as memories. With `open_end` the last one is left out: it may still be going on."""
    session = (conversation.session or digest(kept.path))[:SESSION_CHARS]
    context = f"seed:transcript:{os.path.basename(kept.path)}"
    answers: dict[str, list[str]] = {}
    for turn, last in with_last(grouped(conversation.entries)):
        if last and open_end:
            yield Ignored("turns that may still be going on")
            return
        at = storage.when(turn.at) or storage.stamp(kept.modified)
        if since is not None and at < since:
            yield Ignored("turns before the date")
        elif len(turn.user) + len(turn.assistant) < TURN_LEAST_CHARS:
            yield Ignored("turns that say too little")
        else:
            others = answers.setdefault(flat(turn.user), [])
            if turn.assistant not in others:
                others.append(turn.assistant)
            name = turn_id(session, turn.user, others.index(turn.assistant))
            text = turn_text(cut_middle(turn.user, TURN_CHARS), cut_middle(turn.assistant, TURN_CHARS))
            place = f"{kept.path} turn {turn.index + 1}"
            yield from made(place, name, text, at, context=context, tags=["transcript", kept.host], session=session)


def with_last(turns: Iterable[Turn]) -> Iterator[tuple[Turn, bool]]:
    """Each turn and whether it is the last."""
    before: Turn | None = None
    for turn in turns:
        if before is not None:
            yield before, False
        before = turn
    if before is not None:
        yield before, True
