"""Who speaks in a memory, read from the text when the request doesn't say: a leading `Name: ` or `[user] `.

Pure functions of the stored row, so that an index built anew reads the same.
"""

from __future__ import annotations

NONE, USER, ASSISTANT, OTHER = 0, 1, 2, 3  # bits 0-1 of a unit's flags
ROLES = {
    "user": USER,
    "human": USER,
    "assistant": ASSISTANT,
    "ai": ASSISTANT,
    "bot": ASSISTANT,
    "model": ASSISTANT,
    "system": OTHER,
    "tool": OTHER,
}
NAME_CHARS = 40
NAME_WORDS = 3
INNER = frozenset("'’.-")
TURNS_READ = 64  # lines looked at to tell a transcript from one turn


def role_number(role: str | None) -> int:
    """The role as a unit stores it."""
    return ROLES.get(role.strip().lower(), OTHER) if role else NONE


def read(text: str) -> tuple[str | None, int]:
    """(speaker, role) that the text itself names. A transcript of several speakers has none."""
    name, role = label(text)
    if (name or role) and "\n" in text and is_transcript(text, name, role):
        return None, NONE
    return name, role


def label(line: str) -> tuple[str | None, int]:
    """(speaker, role) of a leading `Name: `, `user: ` or `[user] `."""
    head = line[: NAME_CHARS + 2]
    if head[:1] == "[":
        end = head.find("] ")
        return None, ROLES.get(head[1:end].lower(), NONE) if end > 0 else NONE
    end = head.find(": ")
    if end <= 0:
        return None, NONE
    name = head[:end]
    role = ROLES.get(name.lower(), NONE)
    if role:
        return None, role
    words = name.split(" ")
    return (name, NONE) if len(words) <= NAME_WORDS and all(map(is_name, words)) else (None, NONE)


def is_name(word: str) -> bool:
    """A word that may be part of a name: starts with a letter that is no small one, goes on in letters, digits, ' . and -."""
    if not word or not word[0].isalpha() or word[0].islower():
        return False
    return word.isalnum() or all(character.isalnum() or character in INNER for character in word)


def is_transcript(text: str, name: str | None, role: int) -> bool:
    """Whether a later line names another speaker."""
    for line in text.split("\n", TURNS_READ)[1:TURNS_READ]:
        other = label(line)
        if other != (None, NONE) and other != (name, role):
            return True
    return False
