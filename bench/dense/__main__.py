"""What vectors add to words: lexical, dense alone and the convex sum at several weights, on the sets of bench.quality.

--set NAME…     only these sets               --onnx FOLDER   also a MiniLM-class model: model.onnx and tokenizer.json
--data FOLDER   where the data is             --out-md FILE   also write the table there

One recall a question gives both scores of its candidates, from which the sum at each weight follows as the product orders it; up and down
count the questions whose first gold memory came to stand higher or lower than by words alone. Dense alone is exact, over all memories.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from bench.quality import datasets
from bench.quality.metrics import HEADS, mean, score
from bench.quality.runs import UNLIMITED, Loaded, loaded
from bench.report import Report
from memory_wire.service.fusing import scaled
from tests.embed.endpoint import WORDLLAMA

SETS = ("locomo-session", "locomo-turn", "coding-life", "devbench")
WEIGHTS = (0.0, 0.1, 0.25, 0.3, 0.5, 1.5)

Spec = dict[str, object]


class Question:
    """One question's candidates: names with both scores, in the order by words; and the exact order by vectors."""

    def __init__(self, bank: Loaded, question: datasets.Question, dense: list[str]) -> None:
        self.gold, self.dense = bank.gold(question), dense
        hits = bank.store.recall(question.text, bank=bank.bank.name, budget=UNLIMITED, explain=True)
        found = [(hit.explain, bank.key[hit.id]) for hit in hits if hit.explain["lexical_rank"]]  # what words found, as every weight has it
        rows = sorted(found, key=lambda row: row[0]["lexical_rank"])
        self.names = [name for _, name in rows]
        self.lexical = scaled([explain["lexical_score"] for explain, _ in rows])
        self.meant = scaled([explain["vector_score"] or 0.0 for explain, _ in rows])

    def ranked(self, weight: float) -> list[str]:
        total = [words + weight * meant for words, meant in zip(self.lexical, self.meant, strict=True)]
        return [self.names[place] for place in sorted(range(len(total)), key=lambda place: -total[place])]


def first(ranked: list[str], gold: set[str]) -> int:
    return next((rank for rank, name in enumerate(ranked, 1) if name in gold), len(ranked) + 1000)


def dense_of(bank: Loaded, questions: list[str]) -> list[list[str]]:
    """For each question all memories by their best passage's cosine."""
    store, name = bank.store, bank.bank.name
    with store.service.read() as reader:
        found = reader.bank("default", name)
        assert found is not None
        space = reader.embeddings.spaces(found)[-1]
        rows = [row for _, row in reader.embeddings.after(space, 0, 1_000_000)]
        uids = {unit.id: unit.uid for unit in reader.units(found, sorted({row.unit for row in rows})).values()}
    from memory_wire.store.ids import show

    units = sorted({row.unit for row in rows})
    place = {unit: number for number, unit in enumerate(units)}
    raw = np.frombuffer(b"".join(row.row for row in rows), np.uint8).reshape(len(rows), -1)
    matrix = raw[:, 4:].view(np.int8) * raw[:, :4].copy().view("<f4")
    where = np.array([place[row.unit] for row in rows])
    names = [bank.key[show(uids[unit])] for unit in units]
    orders = []
    for start in range(0, len(questions), 64):
        vectors = np.array(store.embed(questions[start : start + 64], query=True, bank=name).vectors)
        for row in vectors @ matrix.T:
            best = np.full(len(units), -2.0)
            np.maximum.at(best, where, row)
            orders.append([names[number] for number in np.argsort(-best, kind="stable")])
    return orders


def run_set(report: Report, banks: list[datasets.Bank], spec: Spec, rows: list[list[object]], head: list[object]) -> None:
    with loaded(banks) as held:
        begun, passages = time.perf_counter(), 0
        for bank in held:
            bank.store.put_config({"embedder": spec, "fusion": "convex"}, bank=bank.bank.name)
            passages += bank.store.run_embedding(limit=10**9, bank=bank.bank.name).passages
        spent = time.perf_counter() - begun
        questions: list[Question] = []
        for bank in held:
            asked = [question for question in bank.bank.questions if question.gold]
            orders = dense_of(bank, [question.text for question in asked])
            questions += [Question(bank, question, dense) for question, dense in zip(asked, orders, strict=True)]
    plain = [first(question.ranked(0.0), question.gold) for question in questions]
    rows.append(
        [*head, "dense alone", *mean(score(question.dense, question.gold) for question in questions), *moved(questions, plain, None)]
    )
    for weight in WEIGHTS:
        values = mean(score(question.ranked(weight), question.gold) for question in questions)
        rows.append([*head, f"words + {weight:g}" if weight else "words", *values, *moved(questions, plain, weight)])
    report.text(f"{head[0]}, {head[1]}: {passages:,} passages in {spent:.1f} s.")


def moved(questions: list[Question], plain: list[int], weight: float | None) -> tuple[str, str]:
    now = [first(question.dense if weight is None else question.ranked(weight), question.gold) for question in questions]
    pairs = list(zip(plain, now, strict=True))
    return str(sum(after < before for before, after in pairs)), str(sum(after > before for before, after in pairs))


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.dense", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[3] / "shared" / "data")
    parser.add_argument("--set", nargs="*", default=list(SETS))
    parser.add_argument("--onnx", type=Path)
    parser.add_argument("--out-md")
    given = parser.parse_args()
    embedders: list[tuple[str, Spec]] = [("WordLlama 256", WORDLLAMA)]
    if given.onnx:
        embedders.append(("MiniLM int8", {"kind": "onnx", "path": str(given.onnx), "threads": 2, "seconds": 50}))
    report = Report("Vectors beside words", ("numpy", "tokenizers", "onnxruntime", "wordllama"))
    rows: list[list[object]] = []
    for name, banks in datasets.sets(given.data):
        if name in given.set:
            for label, spec in embedders:
                run_set(report, banks, spec, rows, [name, label])
    report.text()
    report.table(["set", "embedder", "ranking", *HEADS, "up", "down"], rows)
    report.close(given.out_md)


if __name__ == "__main__":
    main()
