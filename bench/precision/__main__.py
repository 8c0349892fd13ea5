"""`python -m bench.precision`: the cases of PrecisionMemBench through the product's own fields. What is too much fails a case as what is
missing does.

--data FOLDER   where the bench's files are      --out FILE  also write the tables there
--gate          exit 1 when `search --named` misses the floors
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from bench.precision.tiers import LIMIT, Store, Tiers, read
from bench.report import Report
from memory_wire import Memory

FLOORS = {"passed": 60 / 77, "precision": 0.8, "recall": 0.9}
USER = "test-user"
CONVERSED = "turns of conversations"
NAMED = "search, named and current"
SAID = """A case passes when every tier that it speaks of is exact; precision and recall are of the relevant tier.

`search` brings whatever shares words with the question, best first, and cuts nothing off: a floor of relevance would cost more than it
saves (0.25: 50 cases, recall 0.69). `named` asks for something else: only the records that the question calls by an alias, one slip in the
spelling of a word allowed. That is what these cases ask for; a question that calls nothing by its name gets nothing. How near a spelling
must be was settled with the cases at hand; the conversations were looked at once, afterwards.
"""
WAYS: dict[str, dict[str, object]] = {
    "search": {},
    "search, current": {"exclude_superseded": True},
    NAMED: {"exclude_superseded": True, "named": True},
}


class Verdict:
    """What became of one case. Precision and recall are those of the relevant tier, None where the case says nothing of them."""

    def __init__(self, case: dict[str, Any], got: Tiers) -> None:
        self.case, self.got = case, got
        expected = case["expect"].get("relevantBeliefs", {})
        only, found = set(expected.get("shouldOnlyInclude", ())), set(got.relevant)
        hits = len(only & found)
        self.precision = hits / len(found) if found else 0.0 if only else None
        self.recall = hits / len(only) if only else None
        self.wrong = [*self.sets(expected), *self.texts(case["expect"].get("personaPrelude", {}))]

    @property
    def passed(self) -> bool:
        return not self.wrong

    def sets(self, relevant: dict[str, list[str]]) -> list[str]:
        """What is missing or too much in the tiers of beliefs."""
        got, expect = self.got, self.case["expect"]
        either = {*got.pinned, *got.relevant}
        wrong = []
        if "shouldOnlyInclude" in relevant:
            only, found = set(relevant["shouldOnlyInclude"]), set(got.relevant)
            wrong += [f"too much: {name}" for name in sorted(found - only)] + [f"missing: {name}" for name in sorted(only - found)]
        wrong += [f"missing: {name}" for name in relevant.get("mustInclude", ()) if name not in either]
        forbidden = [*relevant.get("mustExclude", ()), *expect.get("noiseCheck", {}).get("mustNotSurface", ())]
        wrong += [f"forbidden: {name}" for name in forbidden if name in either]
        for tier, there in (("pinnedFacts", got.pinned), ("openQuestions", got.questions)):
            wrong += [f"{tier} lack {name}" for name in expect.get(tier, {}).get("mustInclude", ()) if name not in there]
            wrong += [f"{tier} have {name}" for name in expect.get(tier, {}).get("mustExclude", ()) if name in there]
        return wrong

    def texts(self, prelude: dict[str, Any]) -> list[str]:
        """What is wrong with what every conversation starts with."""
        said = self.got.prelude
        wrong = ["the prelude is empty"] if prelude.get("nonEmpty") and not said else []
        wrong += ["there is a prelude"] if prelude.get("isNull") and said else []
        wrong += [f"the prelude lacks {text!r}" for text in prelude.get("contains", ()) if text not in said]
        return wrong + [f"the prelude has {text!r}" for text in prelude.get("mustNotContain", ()) if text in said]


def judged(data: Path, how: dict[str, object]) -> list[Verdict]:
    """Every case of the folder, over a fresh store."""
    with tempfile.TemporaryDirectory() as folder, Memory(Path(folder) / "memory.db", sync="normal") as memory:
        store = Store(memory, read(data, "beliefs.seed.json"), how)
        return [
            Verdict(case, store.tiers(case.get("userId", USER), case["query"], case["scope"], most_of(case)))
            for case in read(data, "retrieval.cases.json")
        ]


def conversed(data: Path, how: dict[str, object]) -> list[Verdict]:
    """Every turn of the folder's conversations, over a fresh store that learns on the way."""
    with tempfile.TemporaryDirectory() as folder, Memory(Path(folder) / "memory.db", sync="normal") as memory:
        store, verdicts = Store(memory, read(data, "beliefs.seed.json"), how), []
        for session in read(data, "session-retrieval.cases.json"):
            for turn in session["turns"]:
                case = {"caseId": f"{session['caseId']} {turn['turnIndex']}", "category": CONVERSED, "expect": turn["expect"]}
                verdicts.append(Verdict(case, store.tiers(USER, turn["userMessage"], turn["scope"], LIMIT)))
                if "createBeliefAtTurn" in turn:
                    store.learn(turn["createBeliefAtTurn"])
                if "updateBeliefAtTurn" in turn:
                    store.rename(turn["updateBeliefAtTurn"]["beliefId"], turn["updateBeliefAtTurn"]["addAliases"])
        return verdicts


def most_of(case: dict[str, Any]) -> int:
    """How many beliefs a case may get."""
    return int(case.get("budget", {}).get("maxBeliefs", LIMIT))


def mean(values: Sequence[float | None]) -> str:
    """Of those that are there."""
    found = [value for value in values if value is not None]
    return f"{fmean(found):.2f}" if found else "-"


def row(name: str, verdicts: Sequence[Verdict]) -> list[object]:
    passed = [verdict for verdict in verdicts if verdict.passed]
    active = sum(verdict.precision is not None for verdict in passed)
    return [
        name, f"{len(passed)} of {len(verdicts)}", active, mean([v.precision for v in verdicts]), mean([v.recall for v in verdicts])
    ]  # fmt: skip


def missed(verdicts: Sequence[Verdict]) -> list[str]:
    """Floors that were not reached."""
    _, _, _, precision, recall = row("", verdicts)
    share = sum(verdict.passed for verdict in verdicts) / len(verdicts)
    figures = {"passed": share, "precision": float(str(precision)), "recall": float(str(recall))}
    return [f"{name} {figures[name]:.2f} under {floor:.2f}" for name, floor in FLOORS.items() if figures[name] < floor]


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.precision", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[3] / "shared" / "data" / "precisionmembench")
    parser.add_argument("--gate", action="store_true")
    parser.add_argument("--out", "--out-md", metavar="FILE")
    given = parser.parse_args(words)
    report = Report("Precision")
    found = {name: judged(given.data, how) for name, how in WAYS.items()}
    heads = ["passed", "with a precision", "precision", "recall"]
    report.text(SAID)
    report.table(["way", *heads], [row(name, verdicts) for name, verdicts in found.items()])
    verdicts = found[NAMED]
    turns = conversed(given.data, WAYS[NAMED])
    categories = sorted({str(v.case["category"]) for v in verdicts})
    rows = [row(name, [v for v in verdicts if v.case["category"] == name]) for name in categories]
    report.table([NAMED, *heads], [*rows, row(CONVERSED, turns)])
    for verdict in [*verdicts, *turns]:
        if not verdict.passed:
            report.text(f"- {verdict.case['caseId']}: {'; '.join(verdict.wrong)}")
    misses = missed(verdicts)
    for miss in misses:
        report.text(f"MISSED {miss}")
    report.close(given.out)
    return 1 if given.gate and misses else 0


if __name__ == "__main__":
    sys.exit(main())
