"""What people and assistants said, as Markdown: subtitles, `Speaker:` texts, transcripts of agent hosts, conversations of chats.

Each speaker's words stand in a paragraph behind their name; a conversation has a heading for each message.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator

from memory_wire.hooks.transcript import Entry
from memory_wire.sources.chats import Chat

NAMES = {"user": "User", "assistant": "Assistant"}
ARROW = re.compile(r"(?:(\d+):)?(\d{1,2}):(\d{2})[.,]\d{1,3}\s+-->\s+")
VOICE = re.compile(r"<v(?:\.[^ >]*)?[ \t]+([^>]+)>")
TAG = re.compile(r"</?[A-Za-z0-9][^<>]*>|\{\\[^{}]*\}")
SPEAKER = re.compile(
    r"(?:\[?(\d{1,2}:\d{2}(?::\d{2})?)\]?\s+)?(?:\*\*|__)?([^\W\d_][\w .,'’()&-]{0,59}?)(?:\*\*|__)?\s?:(?:\*\*|__)?\s+(\S.*)"
)
TALK_LINES = 3  # of a speaker, before a text is taken for a talk
TALK_SHARE = 0.6  # of its lines that are a speaker's
GAP_CHARS = 700  # after which words of the same speaker begin a new paragraph


class Words:
    """Words of one speaker from a time on."""

    __slots__ = ("at", "parts", "who")

    def __init__(self, who: str, at: str, text: str) -> None:
        self.who, self.at, self.parts = who, at, [text]


def said(found: Iterable[tuple[str, str, str]]) -> str:
    """(speaker, time, words) as paragraphs; what one speaker says in a row is joined. Names and times may be missing."""
    paragraphs: list[Words] = []
    for who, at, text in found:
        last = paragraphs[-1] if paragraphs else None
        if last is not None and last.who == who and sum(map(len, last.parts)) < GAP_CHARS:
            if text != last.parts[-1]:  # rolling subtitles say a line twice
                last.parts.append(text)
        else:
            paragraphs.append(Words(who, at, text))
    return "\n\n".join(lead(one) + " ".join(one.parts) for one in paragraphs) + "\n" if paragraphs else ""


def lead(words: Words) -> str:
    """What stands before the words: time and name."""
    marks = [f"[{words.at}]"] if words.at else []
    return " ".join([*marks, f"**{words.who}:**"] if words.who else marks) + (" " if marks or words.who else "")


def captions(text: str) -> str:
    """WebVTT or SubRip subtitles (W3C WebVTT §4; a blank line ends a cue)."""
    return said(cues(text))


def cues(text: str) -> Iterator[tuple[str, str, str]]:
    for block in re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")):
        lines = block.strip("\n").split("\n")
        place = next((number for number, line in enumerate(lines[:2]) if ARROW.match(line.strip())), None)
        if place is None:
            continue
        start = ARROW.match(lines[place].strip())
        assert start is not None
        at = ":".join([f"{int(start[1] or 0):02d}", f"{int(start[2]):02d}", start[3]])
        who = ""
        for line in lines[place + 1 :]:
            voice = VOICE.search(line)
            bare = html.unescape(TAG.sub("", line)).strip()
            spoken = None if voice is not None else SPEAKER.fullmatch(bare.removeprefix("- "))
            who = voice[1].strip() if voice is not None else spoken[2] if spoken is not None else who
            bare = spoken[3] if spoken is not None else bare
            if bare:
                yield who, at, bare


def is_talk(text: str) -> bool:
    """Whether most lines of a text are a speaker's, and some speaker has several."""
    lines = [line for line in text.split("\n") if line.strip()][:400]
    spoken = [found[2].strip() for line in lines if (found := SPEAKER.fullmatch(line.strip())) is not None]
    return len(spoken) >= TALK_SHARE * len(lines) and any(spoken.count(name) >= TALK_LINES for name in set(spoken))


def talk(text: str) -> str:
    """A text of lines `Speaker: words`; lines without a speaker go on with the last."""
    return said(turns_of(text.replace("\r\n", "\n").replace("\r", "\n")))


def turns_of(text: str) -> Iterator[tuple[str, str, str]]:
    who = at = ""
    for line in text.split("\n"):
        found = SPEAKER.fullmatch(line.strip())
        if found is not None:
            at, who = found[1] or "", found[2].strip()
        words = found[3] if found is not None else line.strip()
        if words:
            yield who, at, words


def chat(found: Chat, fallback: str) -> tuple[str, str]:
    """(title, Markdown) of a conversation."""
    title = " ".join((found.title or fallback).split())
    return title, conversation(title, ((message.role, message.text) for message in found.messages))


def transcript(entries: Iterable[Entry], title: str) -> str:
    """A host's transcript; what one side says in a row stands under one heading."""
    return conversation(title, ((entry.role, entry.text) for entry in entries))


def conversation(title: str, messages: Iterable[tuple[str, str]]) -> str:
    """Messages by role under headings; "" without any."""
    parts: list[str] = []
    before = ""
    for role, text in messages:
        if role != before:
            parts.append(f"## {NAMES[role]}")
        parts.append(text.strip())
        before = role
    return "\n\n".join([f"# {title}", *parts]) + "\n" if parts else ""
