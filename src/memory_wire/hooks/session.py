"""What one session's hooks tell each other: how far its transcript was captured, and what a later event's payload will not repeat."""

from __future__ import annotations

import os

from memory_wire.config import HOOK_SESSIONS
from memory_wire.hooks import files
from memory_wire.hooks.values import dumps, mapping, text_of, whole
from memory_wire.identity import digits

FOLDER = os.path.join("hooks", "sessions")
NAME_CHARS = 64
KEPT_CHARS = 16_000


class Kept:
    """The state of a session. `offset`: bytes (or messages) of `transcript` that are captured; `prompt`: asked and not yet captured;
    `said`: answers to it that came without a transcript; `answer`: the end of the last captured answer, on one line."""

    __slots__ = ("answer", "offset", "path", "prompt", "said", "session", "transcript")

    def __init__(self, folder: str, session: str) -> None:
        self.session = whole(session)
        plain = "".join(letter for letter in session if letter.isascii() and (letter.isalnum() or letter in "-_"))[:NAME_CHARS]
        self.path = os.path.join(folder, FOLDER, f"{plain}-{digits(self.session)}.json")
        found = mapping(files.get(self.path)) if session else {}
        if found.get("session") != self.session:  # another one of the same name
            found = {}
        self.transcript, self.prompt = text_of(found, "transcript"), text_of(found, "prompt")
        self.said, self.answer = text_of(found, "said"), text_of(found, "answer")
        offset = found.get("offset")
        self.offset = offset if isinstance(offset, int) and offset > 0 else 0

    def follow(self, transcript: str) -> None:
        """Takes the transcript that an event names; how far another one was captured says nothing about it."""
        if transcript and transcript != self.transcript:
            self.transcript, self.offset = transcript, 0

    def save(self) -> None:
        """Writes it down. A disk that takes nothing costs repetition only: captures are idempotent."""
        if not self.session:
            return
        said = {"session": self.session, "transcript": self.transcript, "offset": self.offset}
        said |= {"prompt": self.prompt[:KEPT_CHARS], "said": self.said[-KEPT_CHARS:], "answer": self.answer[-KEPT_CHARS:]}
        try:
            files.put(self.path, dumps(said).encode())
        except OSError:
            return


def prune(folder: str) -> None:
    """Forgets the sessions that were quiet longest, above the number that is kept."""
    place = os.path.join(folder, FOLDER)
    kept = files.names(place)
    if len(kept) > HOOK_SESSIONS:
        ages = sorted((modified(os.path.join(place, name)), name) for name in kept)
        for _, name in ages[: len(kept) - HOOK_SESSIONS]:
            files.drop(os.path.join(place, name))


def modified(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
