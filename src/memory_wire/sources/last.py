"""The last answer of an agent on this machine, from the transcripts that its host keeps. Used by `memory-wire capture`."""

from __future__ import annotations

import os
from collections.abc import Mapping

from msgspec import Struct

from memory_wire.hooks.transcript import turns
from memory_wire.sources.transcripts import Kept, files


class Answer(Struct):
    """What was said last, by whom and where it stands; `session` as the host names it."""

    text: str
    host: str
    path: str
    session: str | None


def last(home: str, environ: Mapping[str, str], cwd: str, host: str | None) -> Answer | None:
    """Of the conversation in this folder that was written last; with a `host`, of that one's last where none says it was here."""
    here = os.path.realpath(cwd)
    fallback: Answer | None = None
    for kept in files(home, environ, None):
        if host is not None and kept.host != host:
            continue
        for found, place in answers(kept):
            if place is not None and related(os.path.realpath(place), here):
                return found
            fallback = fallback or (found if host is not None and place is None else None)
    return fallback


def answers(kept: Kept) -> list[tuple[Answer, str | None]]:
    """The last answer of each conversation in a file with the folder where it took place, the newest conversation first."""
    found = []
    for conversation in kept.read(kept.path):
        text = ""
        for turn in turns(conversation.entries):
            text = turn.assistant or text
        if text:
            found.append((Answer(text, kept.host, kept.path, conversation.session), conversation.cwd))
    return found[::-1]


def related(one: str, other: str) -> bool:
    """Whether two folders are the same, or one holds the other."""
    return one == other or one.startswith(other.rstrip(os.sep) + os.sep) or other.startswith(one.rstrip(os.sep) + os.sep)
