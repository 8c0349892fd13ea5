"""What statuses cost: a page of 50 results in a bank of 100,000 records under 10,000 fact keys, chains and diamonds of 1,000 records.

Times are medians of the process's own clock, milliseconds.
"""

from __future__ import annotations

import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from statistics import median

from bench.report import Report
from memory_wire import types as t
from memory_wire.ops import BY_NAME
from memory_wire.retrieve.pipeline import Ask
from memory_wire.service import open_service, statuses
from memory_wire.service.rows import RECORD_FIELD
from memory_wire.service.service import Service
from memory_wire.service.statuses import Hashes
from memory_wire.store.ids import parse
from memory_wire.store.records import EVERYTHING

RECORDS = 100_000
FACTS = 10_000
PAGE = 50
DEEP = 1_000
GROUP = 250
TIMES = 30
LIMITS = {"statuses of the 50": 2.0, "chain of 1,000": 10.0, "diamond of 1,000": 10.0}
SCOPE = t.Scope()
WORDS = "deploy queue cache index worker schema ledger retry backup release region quota token shard replica".split()


def request(number: int) -> t.Remember:
    """A record of some fact; every third has a source, every tenth of those is stale."""
    told = {"source_id": f"docs/{number % 2_000}.md", "source_hash": f"{number % 10:02x}"} if number % 3 == 0 else {}
    words = " ".join(WORDS[(number * step) % len(WORDS)] for step in (1, 3, 7))
    return t.Remember(content=f"Fact {number % FACTS} says {words} number {number % 7}.", fact_key=f"fact {number % FACTS}", **told)


def fill(service: Service, requests: list[t.Remember]) -> list[str]:
    """Ids of the records, stored in groups."""
    op, ids = BY_NAME["remember"], []
    for start in range(0, len(requests), GROUP):
        for answer in service.call_many([(op, SCOPE, one) for one in requests[start : start + GROUP]]):
            assert isinstance(answer, t.Remembered), answer
            ids.append(answer.id)
    return ids


def timed(run: Callable[[], object], times: int = TIMES) -> float:
    """Median milliseconds."""
    run()
    found = []
    for _ in range(times):
        begun = time.perf_counter()
        run()
        found.append((time.perf_counter() - begun) * 1_000)
    return median(found)


def page(service: Service, question: str) -> list[tuple[str, float]]:
    """The whole search, its ranking without statuses, and the statuses of its page alone."""
    search = BY_NAME["search"]
    asked = t.Search(query=question, limit=PAGE)
    found = service.call(search, SCOPE, asked)
    assert isinstance(found, t.SearchResults) and len(found.results) == PAGE
    whole = timed(lambda: service.call(search, SCOPE, asked))
    with service.read() as reader:
        bank = reader.bank("default", "default")
        assert bank is not None
        records = reader.records
        units = [unit for hit in found.results if (unit := records.find(bank, parse(hit.id) or b"", EVERYTHING, (1,))) is not None]
        ask = Ask(query=question, budget=1 << 32, k=PAGE, any_tags=[RECORD_FIELD])
        bare = timed(lambda: service.recalls.found(reader, bank, ask, lambda found: found))
        computing = timed(lambda: statuses.standings(records, bank, EVERYTHING, units, Hashes()))
    return [
        ("search, 50 results with everything told", whole),
        ("the same ranking, rows alone", bare),
        ("statuses of the 50", computing),
    ]


def shapes(service: Service) -> list[tuple[str, float]]:
    """A chain and a diamond of DEEP records, from the record that sums all up."""
    first = fill(service, [t.Remember(content="The root.", source_id="root.md", source_hash="aa")])[0]
    last = first
    for number in range(DEEP - 1):
        last = fill(service, [t.Remember(content=f"Link {number}.", derived_from=[last])])[0]
    level, made = [first], 1
    while made < DEEP - 1:
        wide = min(2, DEEP - 1 - made)
        level = fill(service, [t.Remember(content=f"Facet {made + n}.", derived_from=level) for n in range(wide)])
        made += wide
    top = fill(service, [t.Remember(content="The whole.", derived_from=level)])[0]
    service.call(BY_NAME["validate_memory"], SCOPE, t.ValidateMemory(source_id="root.md", current_source_hash="bb"))
    found = []
    with service.read() as reader:
        bank = reader.bank("default", "default")
        assert bank is not None
        for name, id in (("chain of 1,000", last), ("diamond of 1,000", top)):
            unit = reader.records.find(bank, parse(id) or b"", EVERYTHING, (1,))
            assert unit is not None
            standing = statuses.standings(reader.records, bank, EVERYTHING, [unit], Hashes())[unit]
            assert standing.statuses == ["stale"]
            found.append((name, timed(lambda unit=unit: statuses.standings(reader.records, bank, EVERYTHING, [unit], Hashes()))))  # type: ignore[misc]
    return found


def main() -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=RECORDS)
    parser.add_argument("--out-md", metavar="FILE")
    parser.add_argument("--gate", action="store_true", help="fail where a figure is above its limit")
    given = parser.parse_args()
    report = Report("Records")
    with tempfile.TemporaryDirectory() as folder, open_service(str(Path(folder) / "memory.db"), sync="normal") as service:
        begun = time.perf_counter()
        fill(service, [request(number) for number in range(given.records)])
        rate = given.records / (time.perf_counter() - begun)
        rows = [*page(service, "which deploy queue cache does the fact say?"), *shapes(service)]
    facts = min(given.records, FACTS)
    report.text(f"{given.records:,} records under {facts:,} fact keys, written at {rate:,.0f}/s in groups of {GROUP}; medians of {TIMES}.")
    report.text()
    report.table(("what", "ms", "at most"), [(name, f"{took:.2f}", LIMITS.get(name, "")) for name, took in rows])
    report.close(given.out_md)
    return 1 if given.gate and any(took > LIMITS.get(name, took) for name, took in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
