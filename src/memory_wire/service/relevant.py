"""Which memories are worth injecting: for a prompt those that answer it, for the start of a session the recent and what belongs to them.

Nothing below the relevance floor; never transcripts and markers.
"""

from __future__ import annotations

from msgspec import Struct

from memory_wire import config, framing
from memory_wire import types as t
from memory_wire.kernels import text
from memory_wire.retrieve import keywords
from memory_wire.retrieve.pipeline import Ask
from memory_wire.service.keys import tag_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.kernels.postings import Parts
    from memory_wire.retrieve.pipeline import Row
    from memory_wire.service.service import Service
    from memory_wire.store.reader import Reader
    from memory_wire.store.rows import Bank, Found

KEPT_OUT = ("transcript", "marker")
OWN_TURN = "turn"
CONSIDERED = 40  # ranked memories looked at: some were injected before
LATEST = 200  # written last, among which the most recent by date are looked for
RECENT = 3  # of them open a session
BUDGET = 1 << 32  # a recall here is bounded by its number of hits
GO_ON = frozenset(
    "again ahead alright and carry confirm confirmed continue do does done fine finish forward fully go good great it just keep lets lgtm "
    "looks me move next nice now ok okay on perfect please proceed push remaining rest resume right same sounds start step sure task tasks "
    "thank thanks that the them this to try up weiter with work yeah yep yes you".split()
)


class Candidate(Struct):
    unit: Row
    relevance: float


class Search:
    """One bank within one read transaction."""

    def __init__(self, service: Service, reader: Reader, bank: Bank) -> None:
        self.service, self.reader, self.bank = service, reader, bank
        self.settings = service.settings_of(bank, reader)
        self.index = service.index.open(bank, self.settings.language)
        self.rows = service.index.rows(reader, bank, self.settings.language)

    @property
    def parts(self) -> Parts:
        return self.index.snapshot(self.rows)

    def keywords(self, asked: str, limit: int = config.KEYWORDS) -> str:
        return " ".join(keywords.telling(self.parts, asked, self.settings.language, limit))

    def find(self, query: str, floor: float = config.INJECT_FLOOR) -> list[Candidate]:
        """The memories for a query, best first, none below the floor."""
        if not query.strip():
            return []
        ask = Ask(
            query=query, budget=BUDGET, k=CONSIDERED, exclude=list(KEPT_OUT), not_tags=[tag_key(tag) for tag in KEPT_OUT], floor=floor
        )
        served = self.service.recalls.ranked(self.index, self.rows, ask, self.settings)
        return [Candidate(one.unit, one.relevance) for one in served]

    def recent(self) -> list[Found]:
        """The newest memories by date, among those written last."""
        units = self.reader.found(self.bank, self.reader.ledger.latest(self.bank, LATEST))
        allowed = [unit for unit in units.values() if not set(unit.tags) & set(KEPT_OUT)]
        return sorted(allowed, key=lambda unit: (unit.created, unit.id), reverse=True)

    def tend(self) -> None:
        self.service.index.tend(self.bank, self.index, self.rows)


def candidates(service: Service, reader: Reader, bank: Bank, request: t.Inject, shown: str) -> tuple[list[Candidate], bool]:
    """(memories in the order in which they are to be injected, whether the prompt only says "go on"). `shown` is the session."""
    search = Search(service, reader, bank)
    prompt, previous = request.prompt or "", request.previous or ""
    again = False
    if request.event == "session-start":
        found = opening(search, prompt, shown)
    elif says_nothing(prompt):
        again = True
        found = search.find(search.keywords(previous[-config.PREVIOUS_CHARS :]))
    elif len(prompt) <= config.SHORT_PROMPT_CHARS:
        found = search.find(prompt)
    else:
        found = search.find(search.keywords(prompt))
    search.tend()
    return distinct(found), again


def opening(search: Search, prompt: str, shown: str) -> list[Candidate]:
    """What a session starts with: what the prompt asks for where the host sends one, else the recent and what belongs to them."""
    if prompt and not says_nothing(prompt):
        return search.find(search.keywords(prompt) if len(prompt) > config.SHORT_PROMPT_CHARS else prompt)
    recent = [unit for unit in search.recent() if unit.session != shown or not shown][:RECENT]
    if not recent:
        return []
    around = search.find(search.keywords("\n".join(unit.content[: config.PREVIOUS_CHARS] for unit in recent)), 0.0)
    return [Candidate(unit, 1.0) for unit in recent] + around


def says_nothing(prompt: str) -> bool:
    """Is the prompt only a way to say "go on"?"""
    return all(word in GO_ON for word, _, _ in text.words(prompt))


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
