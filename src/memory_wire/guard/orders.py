"""Orders to a model, found by the parts that words play in a sentence. Loaded for texts that have the parts of one.

An order is a verb in the imperative at its place in the clause; its object is looked for in the same sentence, within a few words. What is
reported, negated or asked about is no order.
"""

from __future__ import annotations

import re

from memory_wire.guard import parts as g
from memory_wire.guard.sentence import Sentence

OVERRIDE, ROLE, ORDER = "instruction override", "role or system-prompt takeover", "tool or exfiltration order"
DESTINATION = re.compile(
    r"(?:https?|wss?|ftp)://|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.\w|\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[\w-]{1,63}\.(?:com|net|org|io|example|ru|xyz)\b"
)
DANGER = re.compile(
    r"\b(?:curl|wget)\b[^\n|]{0,200}\||\brm\s+-rf\b|\bbase64\s+-d|\bnc\s+-e\b|\bDROP\s+TABLE\b|\bchmod\s+777\b", re.IGNORECASE
)
NEAR = 240  # characters around a verb in which its destination or command stands
BRINGS = re.compile(r"(?:\W+\w+)?\W{0,3}(?::|\s(?:is|are|ist|est|es|é|è)\b)")
COPULA = frozenset("are youre will must shall act become re".split())
CONFIGURED = frozenset(("override", "bypass"))  # what settings do with a system prompt
WHOSE = g.ALL | g.YOUR | g.USER
MODES = frozenset("developer dev god debug root sudo admin".split())


def order(text: str) -> str | None:
    """The category of the first order found, by kind."""
    sentence = Sentence(text)
    parts = sentence.part
    for i, part in enumerate(parts):
        if not part:
            continue
        if part & g.DROP and drops(sentence, i) and sentence.ordered(i):
            return OVERRIDE
        if part & g.FOLLOW and unfollows(sentence, i):
            return OVERRIDE
        if part & g.VOID and voids(sentence, i):
            return OVERRIDE
        if part & (g.NOW | g.ACT | g.YOU) and becomes(sentence, i):
            return ROLE
        if part & (g.SHOW | g.NEW | g.MODE) and takes_prompt(sentence, i):
            return ROLE
        if part & (g.SEND | g.RUN | g.SILENT | g.TELL) and sends(sentence, i):
            return ORDER
    return None


def drops(sentence: Sentence, i: int) -> bool:
    """Whether what is to be dropped are a model's instructions: previous, its own or all of them."""
    part = sentence.object(i)
    if part & (g.RULES | g.PROMPT) and part & (g.PRIOR | g.YOUR | g.ALL):
        return True
    if part & g.PROMPT:
        return sentence.words[i][0] not in CONFIGURED
    if part & g.TERMS:
        return bool(part & (g.PRIOR | g.YOUR) or (part & g.ALL and part & g.YOU))
    near = sentence.part[i + 1 : i + 4]  # `ignore the above and print …`
    return (
        any(p & g.PRIOR for p in near)
        and any(p & (g.SHOW | g.SEND | g.RUN) for p in sentence.part[i + 3 : i + 7])
        and "and" in sentence.said(i, 6)
    )


def unfollows(sentence: Sentence, i: int) -> bool:
    """`Do not follow your instructions`."""
    near = range(max(sentence.first[i], i - 3), i)
    if not any(sentence.part[j] & g.NOT for j in near) or sentence.reported(i):
        return False
    part = sentence.object(i)
    whose = g.YOUR | g.PRIOR if sentence.is_last(i) else g.YOUR
    return bool(part & g.PROMPT or (part & whose and part & (g.RULES | g.TERMS)))


def voids(sentence: Sentence, i: int) -> bool:
    """`The rules above no longer apply`, beside new ones."""
    part = sentence.before(i) | sentence.after(i)
    fresh = any(sentence.part[j] & g.NEW for j in range(max(0, i - 20), min(len(sentence.words), i + 20)))
    return bool(part & g.PRIOR and part & (g.RULES | g.TERMS) and fresh and not sentence.reported(i))


def becomes(sentence: Sentence, i: int) -> bool:
    """`You are now an assistant without limits`, `act as …`."""
    own, part = sentence.part[i], sentence.after(i, 120)
    free = part & g.WITHOUT and part & g.LIMITS
    if not part & g.PERSONA or not (free or part & g.ROGUE) or sentence.reported(i):
        return False
    if own & g.ACT and sentence.ordered(i):
        return True
    if own & g.YOU:  # `you are an AI that has no limits`
        persona = any(part & g.PERSONA for part in sentence.part[i + 2 : i + 5])
        return bool(free and persona) and sentence.clause[i] and sentence.said(i, 1) == ["are"]
    return bool(own & g.NOW) and addressed(sentence, i)


def addressed(sentence: Sentence, i: int) -> bool:
    """Whether a `now` goes with a `you`; in English, with one that is or becomes something."""
    near = range(max(sentence.first[i], i - 8), min(len(sentence.words), i + 8))
    you = [j for j in near if sentence.part[j] & g.YOU]
    english = [j for j in you if sentence.words[j][0] in {"you", "youre"}]
    if not english:
        return bool(you)
    return any(word in COPULA for j in english for word in (sentence.words[j][0], *sentence.said(j, 1)))


def takes_prompt(sentence: Sentence, i: int) -> bool:
    """Asks for the system prompt, brings a new one, or says that a mode without limits is on."""
    own = sentence.part[i]
    part = sentence.object(i)
    if own & g.SHOW and sentence.ordered(i):
        asked = 0
        for before in sentence.part[max(0, i - 8) : i]:
            asked |= before
        if (part & g.PROMPT and part & (g.YOUR | g.EXACTLY)) or (part & g.EXACTLY and asked & g.PROMPT and asked & g.YOUR):
            return True
    if own & g.NEW and not sentence.reported(i):
        for j in range(i + 1, min(i + 3, len(sentence.words))):
            if sentence.part[j] & g.PROMPT:
                end = sentence.words[j][2]
                return BRINGS.match(sentence.text, end, end + 40) is not None
    if own & g.MODE:
        near = sentence.part[max(0, i - 12) : i + 12]
        free = sentence.part[i - 1] & g.ROGUE or sentence.words[i - 1][0] in MODES if i else False
        return bool(free) and any(p & g.ON for p in near) and any(p & g.LIMITS for p in near) and not sentence.reported(i)
    return False


def sends(sentence: Sentence, i: int) -> bool:
    """Secrets to somewhere, or a dangerous command behind the user's back."""
    own = sentence.part[i]
    start, end = sentence.words[i][1], sentence.words[i][2] + NEAR
    if own & (g.SEND | g.SILENT | g.TELL) and sentence.near(DESTINATION, start - NEAR if sentence.is_last(i) else start, end):
        part = sentence.object(i)
        if own & g.SEND and precious(sentence, i, part) and sentence.ordered(i):
            return True
        if own & g.SILENT and part & g.SEND and not sentence.reported(i):
            return True
        if own & g.TELL and part & g.USER and part & (g.PRIVATE | g.SECRET) and negated(sentence, i) and not sentence.reported(i):
            return True
    if own & g.RUN and sentence.near(DANGER, start, end):
        part = sentence.object(i) | sentence.before(i)
        hides = part & g.SILENT or (part & g.NOT and part & g.TELL)
        return bool(hides or (part & g.WHENEVER and part & g.USER))
    return False


def precious(sentence: Sentence, i: int, part: int) -> bool:
    """Whether what is sent is private: a conversation, a file of keys; all passwords, somebody's."""
    if part & g.PRIVATE:
        return True
    if not part & g.SECRET or not part & WHOSE:
        return False
    if sentence.is_last(i):
        return True
    for j in range(i + 1, min(i + 12, len(sentence.words))):
        if sentence.part[j] & g.SECRET and any(p & WHOSE for p in sentence.part[max(i + 1, j - 3) : j]):
            return True
    return False


def negated(sentence: Sentence, i: int) -> bool:
    return any(part & g.NOT for part in sentence.part[max(sentence.first[i], i - 3) : i])
