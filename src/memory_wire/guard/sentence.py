"""A text as orders are looked for in it: words with the parts they play (parts.py), clauses, sentences. Used by orders.py."""

from __future__ import annotations

import re
from bisect import bisect_left

from memory_wire.guard import parts as g
from memory_wire.kernels.text import order_parts, words

REACH = 90  # characters in which the object of a verb stands
REPORTED = 10  # words before a verb in which it is said to be reported
SENTENCE = re.compile(r"[.!?;…]\s|[。！？؟।]|\n\s*[\n*>-]|[#{}()\[\]=|;\\][^\n]*\n|\n[^\n]*[#{}()\[\]=|\\]")
CLAUSE = re.compile(r"[^\s\w'’/-]|\n| [-–—] |[-–—]{2}")
# in languages that put the verb last: what follows or precedes it when it tells instead of ordering
TOLD = re.compile(r"(?:了|过|した|され|しまし|する(?!こと)|했|하였|하는|한다|된|되)")
DENIED = re.compile(r"(?:不|不要|不得|别|勿|被|没有|不会|不能)$")
# words that an imperative may follow, and those it follows when it is a model that must
LEADS = frozenset(
    "please now then and just also kindly simply so instead hereby first next always do must"
    " bitte jetzt und dann sofort ab sil plait veuillez"
    " maintenant et puis por favor ahora y luego agora e depois per favore ora poi alsjeblieft nu en prosze teraz i пожалуйста теперь и"
    " сейчас lutfen simdi يرجى الرجاء الآن hay vui long tolong silakan mohon παρακαλω".split()
)
MODALS = frozenset("must should shall will can may need are".split())


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
        ends: dict[str, tuple[bool, bool]] = {}  # what a gap ends, a clause or a sentence: the same few stand between most words
        for i, (_, start, stop) in enumerate(self.words):
            gap = text[end:start]
            if gap != " " and gap:
                known = ends.get(gap)
                if known is None:
                    known = ends[gap] = CLAUSE.search(gap) is not None, SENTENCE.search(gap) is not None
                self.clause[i] = known[0]
                if known[1]:
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
