"""The archivist: how a record that was stored stands to the older ones that its author may see. It adds links and changes nothing else.

A job of jobs.py. Candidates are the records of the same fact key and the same source, and what the bank's own recall finds for the telling
words of this one; relating.py judges each pair. A link is an opinion with a reason: statuses, conflicts and texts stay as they are.
"""

from __future__ import annotations

from memory_wire import config
from memory_wire.retrieve import keywords
from memory_wire.retrieve.pipeline import Ask
from memory_wire.service import access, advising, jobs, relating, statuses
from memory_wire.service.rows import RECORD_FIELD
from memory_wire.service.statuses import Hashes
from memory_wire.store.records import Link
from memory_wire.store.rows import RECORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.service.relating import Said
    from memory_wire.service.service import Service
    from memory_wire.store.jobs import Job
    from memory_wire.store.protocol import Tx
    from memory_wire.store.reader import Reader
    from memory_wire.store.records import Provenance
    from memory_wire.store.rows import Bank, Found, Unit

MAKER = "archivist"
WORDS = 24  # of a record that its neighbours are searched with
NEAREST = 16  # neighbours that are looked at
SIBLINGS = 24  # newest records of the same source that are looked at, and of the same fact key
WIDEST = 800  # records that are ranked for them, however many of those are newer or not to be seen
READ_CHARS = 4_000  # of a record that are compared
BUDGET = 1 << 32
SAME_SOURCE = 0.3  # weight of a link that has no other reason


def archive(service: Service, job: Job) -> Callable[[Tx], None] | None:
    """What is to be written for one record; None when it is gone."""
    with service.read() as reader:
        found = opened(service, reader, job)
        if found is None:
            return None
        bank, unit, links = found.bank, found.unit, found.links()
        advised = bool(links) and bool(bank.config_version) and advising.of(reader, bank) is not None
    at = service.now()

    def effect(tx: Tx) -> None:
        tx.records.relate(bank, unit.id, links, MAKER, at)
        if advised:
            jobs.enqueue(tx, advising.KIND, bank, unit.id)
            service.expect_jobs()

    return effect


def opened(service: Service, reader: Reader, job: Job) -> Archive | None:
    """A job's record; None when it is gone."""
    bank = jobs.bank_of(reader, job)
    unit = reader.units(bank, [job.subject]).get(job.subject) if bank is not None else None
    return Archive(service, reader, bank, unit) if bank is not None and unit is not None and unit.kind == RECORD else None


class Archive:
    """One record among the older ones, in one read transaction."""

    def __init__(self, service: Service, reader: Reader, bank: Bank, unit: Unit) -> None:
        self.service, self.reader, self.bank, self.unit = service, reader, bank, unit
        self.settings = service.settings_of(bank, reader)
        self.language = self.settings.language
        self.index = service.index.open(bank, self.language)
        self.rows = service.index.rows(reader, bank, self.language)
        self.row = reader.records.rows([unit.id])[unit.id]
        self.sight = access.of_author(reader, self.row.author, service.now())

    def links(self) -> list[Link]:
        """The strongest relations to older records, best first; the same ones whenever it is asked for the same bank."""
        records, row = self.reader.records, self.row
        peers, siblings = records.older(self.bank, row, self.sight, SIBLINGS)
        same_fact, near = set(peers), self.near()
        named = {*same_fact, *siblings, *near, *([row.supersedes] if row.supersedes is not None else [])}
        older = self.seen({unit for unit in named if unit < self.unit.id})
        texts = self.reader.found(self.bank, sorted(older))
        rows = records.rows(texts)
        derived = set(records.sources([self.unit.id]).get(self.unit.id, ()))
        own = self.said(self.unit)
        others = {id: self.said(texts[id]) for id in texts if id in rows and id not in derived}
        idf = self.idf([own, *others.values()])
        found = [self.link(own, other, rows[id], texts[id].created, id in same_fact, idf) for id, other in others.items()]
        ranked = sorted([link for link in found if link is not None], key=lambda link: (-(link.weight or 0.0), link.source, link.target))
        return ranked[: config.RELATIONS]

    def said(self, unit: Found | Unit) -> Said:
        return relating.said(unit.content[:READ_CHARS], self.language)

    def link(self, own: Said, other: Said, row: Provenance, created: int, same_fact: bool, idf: dict[bytes, float]) -> Link | None:
        """The link to one older record, if there is a reason for one; from it, where it tells of a later time."""
        if row.unit == self.row.supersedes:
            return Link(self.unit.id, row.unit, "outdates", 1.0, "supersedes it")
        same_source = row.source_key is not None and row.source_key == self.row.source_key
        if same_fact and row.sameness == self.row.sameness and same_source:
            return None  # said twice, and answered as such
        (source, new), (target, old) = (self.unit.id, own), (row.unit, other)
        if created > self.unit.created:
            (source, new), (target, old) = (target, old), (source, new)
        relation = relating.judge(new, old, idf, same_fact=same_fact, other_source=not same_source)
        if relation is not None:
            return Link(source, target, relation.type, relation.weight, relation.reason)
        return Link(source, target, "related", SAME_SOURCE, "same source") if same_source else None

    def near(self) -> list[int]:
        """Older records that the bank's recall finds for the telling words of this one."""
        words = keywords.telling(self.index.snapshot(self.rows), self.unit.content[:READ_CHARS], self.language, WORDS)
        if not words:
            return []
        ask = Ask(query=" ".join(words), budget=BUDGET, k=NEAREST, any_tags=[RECORD_FIELD], widest=WIDEST)
        served = self.service.recalls.ranked(self.index, self.rows, ask, self.settings, self.keep)
        return [one.unit.id for one in served]

    def keep(self, found: dict[int, Found]) -> dict[int, Found]:
        records = {id: unit for id, unit in found.items() if unit.kind == RECORD and id < self.unit.id}
        seen = self.seen(set(records))
        return {id: unit for id, unit in records.items() if id in seen}

    def seen(self, units: set[int]) -> set[int]:
        """Those that the author may see, with all that they come from."""
        return units & statuses.standings(self.reader.records, self.bank, self.sight, sorted(units), Hashes()).keys() if units else units

    def idf(self, texts: list[Said]) -> dict[bytes, float]:
        terms = sorted({term for one in texts for term in one.terms})
        return dict(zip(terms, keywords.idf(self.index.snapshot(self.rows), terms, self.language), strict=True))
