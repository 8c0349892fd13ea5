"""Orders to a model, found by the parts that words play in a sentence (grammar.py). Loaded for texts that have the parts of one.

An order is a verb in the imperative at its place in the clause; its object is looked for in the same sentence, within a few words. What is
reported, negated or asked about is no order.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from memory_wire.guard import parts as g
from memory_wire.kernels.text import order_parts, words

OVERRIDE, ROLE, ORDER = "instruction override", "role or system-prompt takeover", "tool or exfiltration order"
REACH = 90  # characters in which the object of a verb stands
REPORTED = 10  # words before a verb in which it is said to be reported
SENTENCE = re.compile(r"[.!?;…]\s|[。！？؟।]|\n\s*[\n*>-]|[#{}()\[\]=|;\\][^\n]*\n|\n[^\n]*[#{}()\[\]=|\\]")
CLAUSE = re.compile(r"[^\s\w'’/-]|\n| [-–—] |[-–—]{2}")
DESTINATION = re.compile(
    r"(?:https?|wss?|ftp)://|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.\w|\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[\w-]{1,63}\.(?:com|net|org|io|example|ru|xyz)\b"
)
DANGER = re.compile(
    r"\b(?:curl|wget)\b[^\n|]{0,200}\||\brm\s+-rf\b|\bbase64\s+-d|\bnc\s+-e\b|\bDROP\s+TABLE\b|\bchmod\s+777\b", re.IGNORECASE
)
NEAR = 240  # characters around a verb in which its destination or command stands
TOLD = re.compile(r"(?:了|过|した|され|しまし|する(?!こと)|했|하였|하는|한다|된|되)")
DENIED = re.compile(r"(?:不|不要|不得|别|勿|被|没有|不会|不能)$")
BRINGS = re.compile(r"(?:\W+\w+)?\W{0,3}(?::|\s(?:is|are|ist|est|es|é|è)\b)")
LEADS = frozenset(
    "please now then and just also kindly simply so instead hereby first next always do must"
    " bitte jetzt und dann sofort ab s'il plait veuillez"
    " maintenant et puis por favor ahora y luego agora e depois per favore ora poi alsjeblieft nu en prosze teraz i пожалуйста теперь и"
    " сейчас lutfen simdi يرجى الرجاء الآن hay vui long tolong silakan mohon παρακαλω".split()
)
MODALS = frozenset("must should shall will can may need are".split())
COPULA = frozenset("are youre will must shall act become re".split())

CONFIGURED = frozenset(("override", "bypass"))  # what settings do with a system prompt
WHOSE = g.ALL | g.YOUR | g.USER
MODES = frozenset("developer dev god debug root sudo admin".split())


class Sentence:
    """The words of a text with the parts they play and where sentences and clauses begin.

    `joined` are pieces of identifiers and addresses: they go with each other only.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = words(text)
        n = len(self.words)
        self.part, self.first = order_parts(text), [0] * n
        self.clause, self.joined = [False] * n, [False] * n
        self.places: dict[re.Pattern[str], list[int]] = {}
        end = first = 0
        for i, (_, start, stop) in enumerate(self.words):
            gap = text[end:start]
            if gap != " " and gap:
                self.clause[i] = CLAUSE.search(gap) is not None
                if SENTENCE.search(gap):
                    first = i
                if gap in "_.":
                    self.joined[i - 1] = self.joined[i] = i > 0
                if gap in "./@:-_":
                    self.part[i] &= ~g.REPORT  # a piece of an address tells nothing
            self.first[i] = first
            end = stop
        if n:
            self.clause[0] = True

    def near(self, found: re.Pattern[str], start: int, end: int) -> bool:
        """Whether a pattern has a match that begins within these places."""
        if found not in self.places:
            self.places[found] = [match.start() for match in found.finditer(self.text)]
        places = self.places[found]
        at = bisect_left(places, start)
        return at < len(places) and places[at] < end

    def after(self, i: int, reach: int = REACH) -> int:
        """The parts of what follows in the sentence."""
        part, limit, first, joined = 0, self.words[i][2] + reach, self.first[i], self.joined[i]
        for j in range(i + 1, len(self.words)):
            if self.first[j] != first or self.words[j][1] > limit:
                break
            if self.joined[j] == joined:
                part |= self.part[j]
        return part

    def before(self, i: int, reach: int = REACH) -> int:
        """The parts of what stands before in the sentence."""
        part, limit, joined = 0, self.words[i][1] - reach, self.joined[i]
        for j in range(i - 1, self.first[i] - 1, -1):
            if self.words[j][1] < limit:
                break
            if self.joined[j] == joined:
                part |= self.part[j]
        return part

    def object(self, i: int) -> int:
        """The parts among which a verb's object is: behind it, and before it in languages that put the verb last."""
        return self.after(i) | (self.before(i) if self.is_last(i) else 0)

    def is_last(self, i: int) -> bool:
        """Whether a verb may stand behind what it governs: in Turkish, Persian, and every script from Devanagari to Han."""
        return bool(self.part[i] & g.LAST) or self.words[i][0] > "\u0900"

    def ordered(self, i: int) -> bool:
        """Whether the verb stands where an imperative does, neither negated nor reported."""
        _, start, end = self.words[i]
        if self.is_last(i):  # languages without such a place
            return not TOLD.match(self.text, end) and not DENIED.search(self.text[max(start - 3, 0) : start]) and not self.reported(i)
        if self.reported(i) or any(self.part[j] & g.NOT for j in range(max(self.first[i], i - 3), i) if not self.crosses(j, i)):
            return False
        j = i
        while j > self.first[i] and not self.clause[j] and self.words[j - 1][0].endswith("ly"):
            j -= 1
        if self.clause[j] or j == self.first[i]:
            return True
        lead = self.words[j - 1][0]
        if lead == "to" and any(self.part[k] & g.RUN and self.clause[k] for k in range(max(self.first[i], j - 8), j - 1)):
            return True  # `use the shell to …`
        told = any(self.part[k] & (g.YOU | g.PERSONA) for k in range(max(self.first[i], j - 6), j - 1))
        return lead in LEADS or ((lead in MODALS or lead == "to") and told)

    def said(self, i: int, n: int) -> list[str]:
        """The next words."""
        return [word for word, _, _ in self.words[i + 1 : i + 1 + n]]

    def crosses(self, j: int, i: int) -> bool:
        return any(self.clause[k] for k in range(j + 1, i + 1))

    def reported(self, i: int) -> bool:
        """Whether words before say that an attack is spoken of."""
        return any(self.part[j] & g.REPORT for j in range(max(self.first[i], i - REPORTED), i))


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
    part = sentence.after(i, 120)
    rogue = part & g.ROGUE and part & g.PERSONA
    free = part & g.WITHOUT and part & g.LIMITS and part & g.PERSONA
    if (not rogue and not free) or sentence.reported(i):
        return False
    if sentence.part[i] & g.ACT and sentence.ordered(i):
        return True
    near = range(max(sentence.first[i], i - 8), min(len(sentence.words), i + 8))
    you = [j for j in near if sentence.part[j] & g.YOU]
    if sentence.part[i] & g.YOU:  # `you are an AI that has no limits`
        return (
            bool(free)
            and sentence.clause[i]
            and sentence.said(i, 1) == ["are"]
            and any(p & g.PERSONA for p in sentence.part[i + 2 : i + 5])
        )
    english = [j for j in you if sentence.words[j][0] in {"you", "youre"}]
    if english:
        return bool(sentence.part[i] & g.NOW) and any(
            sentence.words[k][0] in COPULA for j in english for k in range(j, min(j + 2, len(sentence.words)))
        )
    return bool(sentence.part[i] & g.NOW and you)


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
