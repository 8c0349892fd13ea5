"""Memories as they may stand in a model's context: what a host or a chat template would take for its own is shown, but no mark of it.

One character for one, so that lengths stay; the same text gives the same bytes. Only what is injected goes through here, never what is
stored.
"""

from __future__ import annotations

from memory_wire import framing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

TAG, BRACKET, HASH = "‹", "［", "＃"
BARS = "|｜"  # delimiters of chat templates, `<|im_start|>` and the like
OWN = frozenset(  # names of tags
    "sys s bos eos pad unk user assistant human tool tools function functions developer instruction instructions important critical "
    "start_of_turn end_of_turn invoke parameter environment context hook claude thinking".split()
)
STARTS = (
    *(name.lower() for name in framing.TAGS),
    "system",
    "antml",
    "memory-wire",
    "memory_wire",
    "tool_",
    "function_",
    "user_",
    "assistant_",
)
WORDS = ("inst]", "/inst]", "system_prompt]", "/system_prompt]", "available_tools]", "/available_tools]", "tool_calls]", "tool_results]")
HEADINGS = tuple(heading.lower().lstrip("#").partition("—")[0].strip() for heading in framing.OURS)
AHEAD = 64  # characters in which the name of a tag ends


def defused(text: str) -> str:
    """The text of one line with `<`, `[` and `#` replaced where they begin a tag of a host, a template's delimiter or our heading."""
    if "<" in text:
        text = replaced(text, "<", TAG, is_tag)
    if "[" in text:
        text = replaced(text, "[", BRACKET, is_word)
    if "#" in text:
        text = replaced(text, "#", HASH, is_heading)
    return text


def replaced(text: str, mark: str, by: str, meant: Callable[[str], bool]) -> str:
    """The text with `by` in place of each mark of which `meant` says so of what follows."""
    parts = text.split(mark)
    kept = [parts[0]]
    for at in range(1, len(parts)):
        following = parts[at][:AHEAD]
        if not following and at + 1 < len(parts):  # the mark is doubled: `<<SYS>>`, `##`
            rest = at + 1
            while rest + 1 < len(parts) and not parts[rest]:
                rest += 1
            following = parts[rest][:AHEAD]
        kept.append((by if meant(seen(following)) else mark) + parts[at])
    return "".join(kept)


def seen(text: str) -> str:
    """What a lenient reader makes of it: lower case, without blanks at the beginning and signs that nobody sees."""
    return "".join(letter for letter in text if letter.isprintable()).lstrip().lower()


def is_tag(following: str) -> bool:
    """Does this follow the `<` of any closing tag, a delimiter or a tag that means something to a host?"""
    if following[:1] == "/":
        return True
    if following[:1] and following[0] in BARS:
        return True
    name = following
    for at, letter in enumerate(following):
        if not (letter.isalnum() or letter in "-_:"):
            name = following[:at]
            break
    return name in OWN or name.startswith(STARTS)


def is_word(following: str) -> bool:
    return following.startswith(WORDS)


def is_heading(following: str) -> bool:
    return following.startswith(HEADINGS)
