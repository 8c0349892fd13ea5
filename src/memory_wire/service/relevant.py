"""Which memories are worth injecting: for a prompt those that answer it, for the start of a session the recent and what belongs to them.

Nothing below the relevance floor; never transcripts and markers.
"""

from __future__ import annotations

from math import log

from msgspec import Struct

from memory_wire import config, framing
from memory_wire import types as t
from memory_wire.kernels import text
from memory_wire.retrieve import keywords
from memory_wire.retrieve.analyse import BACKGROUND
from memory_wire.retrieve.pipeline import Ask
from memory_wire.service.doubts import Doubts
from memory_wire.service.keys import tag_key
from memory_wire.service.screening import FLAG
from memory_wire.store.rows import RECORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.retrieve.pipeline import Served
    from memory_wire.service.fusing import Ranks
    from memory_wire.service.second import Second
    from memory_wire.service.service import Service
    from memory_wire.store.reader import Reader
    from memory_wire.store.rows import Bank, Found

KEPT_OUT = ("transcript", "marker", FLAG)
CONSIDERED = 40  # ranked memories looked at: some were injected before
NOISE_RANK = 30  # a memory this far down a ranking was found by chance
LATEST = 200  # written last, among which the most recent by date are looked for
PINNED = 3  # records that open a session
RECENT = 3  # of them open a session
EVERYDAY = 5e-4  # share of running text above which a word tells nothing by itself
BUDGET = 1 << 32  # a recall here is bounded by its number of hits
ANSWERED = "\n[assistant] "  # between what a captured turn's user said and the answer
SAID = "[user] "
NUMBER_DIGITS = 3  # a number of so many digits is in many texts by chance
PLEASED = frozenset("alright fine good great it lgtm looks nice perfect right sounds thank thanks that this works you".split())
GO_ON = PLEASED | frozenset(
    "again ahead and carry confirm confirmed continue do does done finish forward fully go just keep lets me move next now ok okay on "
    "please proceed push remaining rest resume same start step sure task tasks the them to try up weiter with work yeah yep yes".split()
)

BARE = GO_ON | frozenset("absolutely agreed cool definitely hello hey hi no nope ready y yup".split())


class Candidate(Struct):
    unit: Found
    relevance: float
    ranks: Ranks | None = None


class Search:
    """One bank within one read transaction. `second` knows the prompt's vector, where the bank has an embedder."""

    def __init__(self, service: Service, reader: Reader, bank: Bank, scope: t.Scope, second: Second | None = None) -> None:
        self.service, self.reader, self.bank, self.scope, self.second = service, reader, bank, scope, second
        self.doubts = Doubts(reader, bank, scope)
        self.settings = service.settings_of(bank, reader)
        self.index = service.index.open(bank, self.settings.language)
        self.rows = service.index.rows(reader, bank, self.settings.language)
        self.parts = self.index.snapshot(self.rows)

    def short(self, prompt: str) -> list[Candidate]:
        """What answers a question: it must match much of what is asked, and by more than an everyday word."""
        hits = self.hits(prompt, config.INJECT_FLOOR)
        words = list(zip(text.words(prompt), text.terms(prompt, self.settings.language), strict=True))
        if hits and any(word.isdigit() for (word, _, _), _ in words):
            hits = self.beside_numbers(hits, [(word, term) for (word, _, _), term in words if not text.is_stop(word)])
        return self.near(hits, config.INJECT_WEIGHT * self.unit())

    def beside_numbers(self, hits: list[Served], words: list[tuple[str, bytes]]) -> list[Served]:
        """Those that share more with the words of a prompt than small numbers; none for a prompt of numbers alone."""
        if all(word.isdigit() for word, _ in words):
            return []
        telling = {term for word, term in words if not word.isdigit() or len(word) > NUMBER_DIGITS}
        return [hit for hit in hits if not telling.isdisjoint(text.terms(hit.unit.content, self.settings.language))]

    def long(self, asked: str) -> list[Candidate]:
        """What a long text is about: no memory matches most of its many words, so some in one passage, and more than chance brings."""
        words = keywords.telling(self.parts, asked, self.settings.language, config.KEYWORDS)
        hits = self.hits(" ".join(words), None)
        noise = hits[NOISE_RANK - 1].score if len(hits) >= NOISE_RANK else 0.0
        floor = config.INJECT_LONG_WORDS / max(len(words), 1)
        least = max(config.INJECT_LONG_WEIGHT * self.unit(), config.INJECT_STANDS_OUT * noise)
        return self.near([hit for hit in hits if hit.relevance >= floor], least)

    def near(self, hits: list[Served], least: float) -> list[Candidate]:
        """Those that score enough, by themselves and beside the best. Words decide about that; vectors may change their order."""
        best = hits[0].score if hits else 0.0
        least = max(least, config.INJECT_NEAR_BEST * best)
        hits, ranks = [hit for hit in hits if hit.score >= least], dict[int, "Ranks"]()
        if self.second is not None:
            from memory_wire.service.second import again

            hits, ranks = again(self.reader, self.bank, self.second, hits)
        return [Candidate(hit.unit, hit.relevance, ranks.get(hit.unit.id)) for hit in hits]  # type: ignore[arg-type]  # rows of this store

    def hits(self, query: str, floor: float | None) -> list[Served]:
        """The memories for a query, best first."""
        if not query.strip():
            return []
        ask = Ask(
            query=query, budget=BUDGET, k=CONSIDERED, exclude=list(KEPT_OUT), not_tags=[tag_key(tag) for tag in KEPT_OUT], floor=floor
        )
        return self.service.recalls.ranked(self.index, self.rows, ask, self.settings, self.doubts)

    def unit(self) -> float:
        """Idf of a word that no memory has: what scores are measured in, so that a limit holds for banks of any size."""
        return log(1.0 + 2.0 * (self.parts.n_groups + BACKGROUND + 0.5))

    def recent(self) -> list[Found]:
        """The newest memories by date, among those written last, without turns that tell nothing."""
        units = self.reader.found(self.bank, self.reader.ledger.latest(self.bank, LATEST))
        allowed = [unit for unit in units.values() if not set(unit.tags) & set(KEPT_OUT) and not is_trivial(unit.content)]
        return sorted(allowed, key=lambda unit: (unit.created, unit.id), reverse=True)

    def pinned(self) -> list[Candidate]:
        """The records that are shown whenever a session starts."""
        ids = self.reader.ledger.pinned(self.bank, PINNED)
        units = self.reader.found(self.bank, ids) if ids else {}
        return [Candidate(unit, 1.0) for unit in reversed(units.values()) if FLAG not in unit.tags]

    def marked(self, found: list[Candidate]) -> list[Candidate]:
        """The candidates, records with what is doubtful about them."""
        if not any(one.unit.kind == RECORD for one in found):
            return found
        from memory_wire.service.marks import marked

        units = marked(self.reader, self.bank, self.scope, {one.unit.id: one.unit for one in found})
        return [Candidate(units[one.unit.id], one.relevance, one.ranks) for one in found if one.unit.id in units]

    def tend(self) -> None:
        self.service.index.tend(self.bank, self.index, self.rows)


def candidates(
    service: Service, reader: Reader, bank: Bank, scope: t.Scope, request: t.Inject, shown: str, second: Second | None = None
) -> tuple[list[Candidate], bool]:
    """(memories in the order in which they are to be injected, whether the prompt only says "go on"). `shown` is the session."""
    search = Search(service, reader, bank, scope, second)
    prompt, previous = request.prompt or "", framing.flat(request.previous or "")[-config.PREVIOUS_CHARS :]
    again = request.event != "session-start" and says_nothing(prompt)
    if request.event == "session-start":
        found = [*search.pinned(), *opening(search, prompt, shown)]
    elif again:
        found = [] if is_pleased(prompt) else search.long(previous)
    elif len(prompt) > config.SHORT_PROMPT_CHARS:
        found = search.long(prompt)
    elif previous and leans(prompt, search.settings.language):
        found = search.long(f"{prompt}\n{previous}")
    else:
        found = search.short(prompt)
    search.tend()
    return search.marked(distinct(found)), again


def opening(search: Search, prompt: str, shown: str) -> list[Candidate]:
    """What a session starts with: what the prompt asks for where the host sends one, else the recent and what belongs to them."""
    if prompt and not says_nothing(prompt):
        return search.long(prompt) if len(prompt) > config.SHORT_PROMPT_CHARS else search.short(prompt)
    recent = [unit for unit in search.recent() if not shown or unit.session != shown][:RECENT]
    found = [Candidate(unit, 1.0) for unit in recent]
    ids = {unit.id for unit in recent}
    for unit in recent:  # of each the nearest other one
        found += [one for one in search.long(unit.content[: config.PREVIOUS_CHARS]) if one.unit.id not in ids][:1]
    return found


def says_nothing(prompt: str) -> bool:
    """Is the prompt only a way to say "go on"?"""
    return all(word in GO_ON for word, _, _ in text.words(prompt))


def is_trivial(content: str) -> bool:
    """Is it a captured turn in which the user only agreed, greeted or declined, and the answer was short?"""
    if not content.startswith(SAID):
        return False
    asked, _, answer = content.removeprefix(SAID).partition(ANSWERED)
    return len(answer) <= config.INJECT_TRIVIAL_CHARS and all(word in BARE for word, _, _ in text.words(asked))


def is_pleased(prompt: str) -> bool:
    """Does it only praise, so that nothing is asked for?"""
    words = [word for word, _, _ in text.words(prompt)]
    return bool(words) and all(word in PLEASED for word in words)


def leans(prompt: str, language: int) -> bool:
    """Does the prompt, of at most one telling word, mean something only after what was answered before?"""
    terms = text.terms(prompt, language)
    words = [word for word, _, _ in text.words(prompt)]
    telling = {
        term
        for word, term in zip(words, terms, strict=True)
        if word not in GO_ON and not text.is_stop(word) and text.prior(term) < EVERYDAY
    }
    return len(telling) <= 1


def distinct(found: list[Candidate]) -> list[Candidate]:
    """Without repeats of a memory or of a text."""
    seen: set[object] = set()
    kept: list[Candidate] = []
    for one in found:
        said = framing.flat(one.unit.content)
        if one.unit.id not in seen and said not in seen:
            kept.append(one)
            seen.update((one.unit.id, said))
    return kept
