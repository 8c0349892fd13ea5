"""`python -m bench.quality longmemeval --data FILE`: LongMemEval-S, one fresh store a question, a session as one memory.

Protocol: the text of a memory is its lines `role: content`, its id the session's, gold is `answer_session_ids`; all 500 questions count,
those that have no answer too; nothing is trimmed. `--dates` dates the memories by `haystack_dates`, `--limit N` takes the first N.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from bench.quality.datasets import Bank, Memory, Question
from bench.quality.metrics import HEADS, mean, score
from bench.quality.runs import loaded, with_fusion
from bench.report import Report

SOURCE = "huggingface.co/datasets/xiaowu0162/longmemeval-cleaned, file longmemeval_s_cleaned.json (264 MB)"
SHA256 = "d6f21ea9d60a0d56f34a05b609c79c88a451d2ae03597821ea3d5a9678c3a442"
PUBLISHED = (  # the reference's own figures; its weight was fitted on this set
    ["the reference, as published", 83.8, 97.2, 98.6, 99.6, 88.2, 89.2],
    ["its ranking at equal weights, unfitted", "-", 93.0, 97.4, 99.6, 83.5, 83.9],
)


def items(text: str) -> Iterator[dict[str, object]]:
    """The elements of a JSON list one by one, so that the whole is held as text only."""
    decoder, at = json.JSONDecoder(), text.index("[") + 1
    while True:
        while text[at] in " \t\r\n,":
            at += 1
        if text[at] == "]":
            return
        item, at = decoder.raw_decode(text, at)
        yield item


def bank_of(item: dict[str, object], dates: bool) -> Bank:
    """One question with its haystack."""
    ids, stamps, sessions = (item[name] for name in ("haystack_session_ids", "haystack_dates", "haystack_sessions"))
    memories = []
    for id, stamp, turns in zip(ids, stamps, sessions, strict=True):
        date = f"{datetime.strptime(stamp, '%Y/%m/%d (%a) %H:%M'):%Y-%m-%dT%H:%M:%SZ}" if dates else None
        memories.append(Memory(id, "\n".join(f"{turn['role']}: {turn['content']}" for turn in turns), date))
    gold = set(item["answer_session_ids"])
    return Bank("haystack", memories, [Question(str(item["question"]), gold, str(item["question_type"]))])


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.quality longmemeval", description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--dates", action="store_true")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--out-md")
    given = parser.parse_args(words)
    if not given.data.is_file():
        print(f"no file {given.data}\nsource: {SOURCE}\nsha256: {SHA256}")
        return 2
    raw = given.data.read_bytes()
    digest = hashlib.sha256(raw).hexdigest()
    report = Report("LongMemEval-S")
    report.text(f"File {given.data.name}, sha256 {digest}{'' if digest == SHA256 else f' (the published file has {SHA256})'}.")
    report.text("Memories are dated." if given.dates else "Memories are not dated.")
    report.text()
    ours: dict[str, list[tuple[float, ...]]] = {}
    theirs: list[tuple[float, ...]] = []
    for number, item in enumerate(items(raw.decode())):
        if number == given.limit:
            break
        with loaded([bank_of(item, given.dates)]) as held:
            (bank,), (question,) = held, held[0].bank.questions
            ours.setdefault(question.category, []).append(score(bank.ranked(question), bank.gold(question)))
            with_fusion(held, "reference")
            theirs.append(score(bank.ranked(question), bank.gold(question)))
    every = [values for kind in ours.values() for values in kind]
    rows: list[list[object]] = [["ours", len(every), *mean(every)], ["reference ranking, this run", len(theirs), *mean(theirs)]]
    rows += [[f"  ours, {kind}", len(values), *mean(values)] for kind, values in sorted(ours.items())]
    if digest == SHA256 and given.limit is None:
        rows += [[name, 500, *values] for name, *values in PUBLISHED]
    report.table(["ranking", "questions", *HEADS], rows)
    report.close(given.out_md)
    return 0
