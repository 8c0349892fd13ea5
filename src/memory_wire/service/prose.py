"""Text as hooks bring it, made readable: harness blocks and our own blocks taken out, long texts cut, memories rendered for a context.

Used by injection and capture.
"""

from __future__ import annotations

from memory_wire import config, framing

TAGS = (
    "system-reminder",
    "system-notice",
    "system_reminder",
    "environment_details",
    "environment_context",
    "user_instructions",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "command-message",
    "command-contents",
    "ide_opened_file",
    "ide_selection",
    "task-notification",
)
OURS = (framing.start_heading("")[:-1], framing.recall_heading("")[:-1])
TAIL = ("Store: `curl ", "Ask: `curl ", framing.LABEL, "- ", framing.HISTORIAN)
FRAMING_LINES = 60  # a bank's own framing ends within so many, with the commands
CUT = "…"
GAP = "\n…\n"
ENDS = ".!?…"
WIDE_ENDS = "。！？"
LEAST_CAPSULE = 24  # a sentence shorter than that says too little


def spoken(text: str) -> str:
    """What was really said: without reminders and other blocks of the harness, and without what we injected."""
    if "<" in text:
        for tag in TAGS:
            text = without(text, f"<{tag}", f"</{tag}>")
    if any(heading in text for heading in OURS):
        text = without_ours(text)
    return text.strip()


def without(text: str, opening: str, closing: str) -> str:
    """The text without the blocks of one tag. A block that never ends is one only where it begins the text."""
    start = text.find(opening)
    if start < 0:
        return text
    kept: list[str] = []
    at = 0
    while start >= 0:
        after = text[start + len(opening) : start + len(opening) + 1]
        end = text.find(closing, start)
        if end < 0:
            if not text[:start].strip() and not kept:
                return ""
            break
        if after in (">", " ", "\n", "\t"):
            kept.append(text[at:start])
            at = end + len(closing)
            start = text.find(opening, at)
        else:
            start = text.find(opening, start + len(opening))
    kept.append(text[at:])
    return "".join(kept)


def without_ours(text: str) -> str:
    """The text without our blocks: a heading and the lines that can follow it."""
    kept: list[str] = []
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        if not lines[at].lstrip().startswith(OURS):
            kept.append(lines[at])
            at += 1
            continue
        if lines[at].lstrip().startswith(OURS[0]):  # the framing may be the bank's own: it ends with the commands
            ends = [n for n in range(at, min(at + FRAMING_LINES, len(lines))) if lines[n].startswith("Ask: `curl ")]
            at = ends[0] if ends else at
        at += 1
        while at < len(lines) and (not lines[at].strip() or lines[at].startswith(TAIL)):
            at += 1
    return "\n".join(kept)


def clamped(text: str, chars: int) -> str:
    """At most `chars` characters, the last of them `…` when some were cut."""
    return text if len(text) <= chars else text[: chars - 1].rstrip() + CUT


def cut_middle(text: str, chars: int) -> str:
    """At most `chars` characters: of a longer text the beginning and, where conclusions stand, the end."""
    if len(text) <= chars:
        return text
    head = (chars - len(GAP)) // 3
    return text[:head].rstrip() + GAP + text[len(text) - (chars - len(GAP) - head) :].lstrip()


def capsule(content: str, chars: int = config.CAPSULE_CHARS) -> str:
    """The first line, cut at a sentence's end within `chars` characters; where none ends, at a word, with `…`."""
    line = framing.flat(content.strip().partition("\n")[0])
    if len(line) <= chars:
        return line
    best = 0
    for at in range(LEAST_CAPSULE, chars + 1):
        if (line[at - 1] in ENDS and line[at] == " ") or line[at - 1] in WIDE_ENDS:
            best = at
    if best:
        return line[:best]
    blank = line.rfind(" ", chars // 2, chars)
    return line[: blank if blank > 0 else chars - 1] + CUT


def entry(content: str, day: str | None, chars: int, fetch: str | None) -> str:
    """One memory as a line of a block. With `fetch`, the command that shows it whole, it is a capsule unless that saves nothing."""
    whole = framing.flat(content)
    shown = clamped(whole, chars)
    if fetch is not None:
        short = capsule(content)
        if short != whole:
            short = f"{short} (`{fetch}`)"
        if len(short) < len(shown):
            shown = short
    return f"- [{day}] {shown}" if day else f"- {shown}"
