"""`python -m bench.answers --data FILE --endpoint URL`: does what is served let a model answer?

FILE is a LongMemEval file. Each question is answered twice, from the served context and without any, and the same model (or --judge) judges
both answers. Printed: accuracy, tokens of the prompt, how often the gold session was served, and how often the answer was wrong although it
was; n and errors with each. --limit N takes N questions (seed 42), --budget the tokens of context (default: the product's own).
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean

from bench.answers.model import Failed, Model
from bench.quality.longmemeval import bank_of, items
from bench.quality.runs import loaded
from bench.report import Report

SEED = 42
ANSWER = """{context}Question, asked on {date}: {question}
Answer in one or two sentences. If there is nothing to answer it from, say that you don't know."""
CONTEXT = "What is remembered of earlier conversations, the best match first:\n\n{hits}\n\n"
JUDGE = """Question: {question}
Expected answer: {expected}
Given answer: {given}
Does the given answer say what the expected one says? An answer that doesn't know is right only where the expected one says that nothing is
known. Reply with yes or no."""


@dataclass
class Outcome:
    """One question under one condition; `right` is None when the model failed."""

    kind: str
    served: bool
    right: bool | None = None
    tokens: int = 0
    error: str = ""


@dataclass
class Asked:
    """A question with what was served for it."""

    kind: str
    question: str
    date: str
    expected: str
    hits: list[str] = field(default_factory=list)
    gold_served: bool = False


def prepared(item: dict[str, object], budget: int | None) -> Asked:
    """The question with the context that recall serves within the budget."""
    found = Asked(*(str(item[name]) for name in ("question_type", "question", "question_date", "answer")))
    with loaded([bank_of(item, dates=True)]) as (bank,):
        more = {} if budget is None else {"budget": budget}
        hits = bank.store.recall(found.question, bank=bank.bank.name, **more)
        found.hits = [f"({hit.created_at[:10]}) {hit.content}" for hit in hits]
        found.gold_served = bool({bank.key[hit.id] for hit in hits} & bank.gold(bank.bank.questions[0]))
    return found


def answered(asked: Asked, context: bool, model: Model, judge: Model) -> Outcome:
    """Asks and judges."""
    outcome = Outcome(asked.kind, context and asked.gold_served)
    shown = CONTEXT.format(hits="\n\n".join(asked.hits)) if context else ""
    try:
        said = model.ask(ANSWER.format(context=shown, date=asked.date, question=asked.question))
        outcome.tokens = said.prompt_tokens
        verdict = judge.ask(JUDGE.format(question=asked.question, expected=asked.expected, given=said.text)).text.lower().lstrip("*_ ")
        if not verdict.startswith(("yes", "no")):
            raise Failed("the judge said neither yes nor no")
        outcome.right = verdict.startswith("yes")
    except Failed as error:
        outcome.error = str(error)
    return outcome


def row(name: str, outcomes: Sequence[Outcome]) -> list[object]:
    """A line of the table."""
    judged = [outcome for outcome in outcomes if outcome.right is not None]
    served = [outcome for outcome in judged if outcome.served]

    def share(chosen: Sequence[Outcome], test: Callable[[Outcome], bool | None]) -> str:
        return f"{100 * sum(bool(test(outcome)) for outcome in chosen) / len(chosen):.1f}" if chosen else "-"

    tokens = f"{mean(outcome.tokens for outcome in judged):,.0f}" if judged else "-"
    wrong = share(served, lambda outcome: not outcome.right)
    errors = len(outcomes) - len(judged)
    return [name, len(judged), errors, share(judged, lambda o: o.right), tokens, share(judged, lambda o: o.served), wrong]


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.answers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--endpoint", required=True, help="address up to /v1")
    parser.add_argument("--model", default="default")
    parser.add_argument("--judge", help="another model of the same endpoint that judges")
    parser.add_argument("--limit", type=int, default=25)
    parser.add_argument("--budget", type=int)
    parser.add_argument("--answer-tokens", type=int, default=1_024)
    parser.add_argument("--seconds", type=float, default=120.0, help="for one answer")
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--out-md")
    given = parser.parse_args()
    chosen = list(items(given.data.read_text()))
    random.Random(SEED).shuffle(chosen)
    model = Model(given.endpoint, given.model, given.answer_tokens, given.seconds)
    judge = Model(given.endpoint, given.judge or given.model, given.answer_tokens, given.seconds)
    report = Report("Answer quality")
    questions = [prepared(item, given.budget) for item in chosen[: given.limit]]
    with ThreadPoolExecutor(given.workers) as pool:
        conditioned = list(pool.map(lambda asked: answered(asked, True, model, judge), questions))
        closed = list(pool.map(lambda asked: answered(asked, False, model, judge), questions))
    rows = [row("from what is served", conditioned), row("closed-book", closed)]
    rows += [row(f"  served, {kind}", [o for o in conditioned if o.kind == kind]) for kind in sorted({o.kind for o in conditioned})]
    report.text(
        f"Model {given.model}, judged by {given.judge or given.model}; budget {given.budget or 'the default'}; file {given.data.name}."
    )
    report.text("The reference, as published, with a small local model and 25 questions: 60.0 from what is served, 8.3 closed-book.")
    report.table(["answers", "n", "errors", "right %", "prompt tokens", "gold served %", "wrong although served %"], rows)
    for error in sorted({outcome.error for outcome in (*conditioned, *closed) if outcome.error}):
        report.text(f"- {error}")
    report.close(given.out_md)
    return 0 if any(outcome.right is not None for outcome in conditioned) else 1


if __name__ == "__main__":
    sys.exit(main())
