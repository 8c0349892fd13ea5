"""The runners of public sets on small sets of our own: what they read, what they count, what they say when a file isn't there."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from bench.quality import beam, longmemeval, oracle, sweep
from bench.quality.datasets import Bank, Memory, Question
from bench.quality.runs import loaded

FIXTURE = Path(longmemeval.__file__).parent / "fixture"


def rows(text: str) -> dict[str, list[str]]:
    """The cells of a table's lines by their first one."""
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    return {cells[0]: cells[1:] for cells in lines}


def test_longmemeval_asks_every_question_of_its_own_haystack(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "out.md"
    assert longmemeval.main(["--data", str(FIXTURE / "longmemeval.json"), "--out-md", str(out)]) == 0
    found = rows(out.read_text())
    assert found["ours"][0] == "4" and found["ours, single-session-user"][:2] == ["1", "100.0"]
    assert found["ours, knowledge-update"][1] == "100.0"
    assert found["ours, multi-session"][4] == "0.0"  # nothing in its sessions answers it, and it counts
    assert hashlib.sha256((FIXTURE / "longmemeval.json").read_bytes()).hexdigest() in out.read_text()
    assert "as published" not in out.read_text()  # beside another file it would compare what can't be compared


def test_longmemeval_dates_its_memories() -> None:
    item = next(longmemeval.items((FIXTURE / "longmemeval.json").read_text()))
    assert longmemeval.bank_of(item, dates=True).memories[0].created_at == "2024-02-11T10:00:00Z"
    assert longmemeval.bank_of(item, dates=False).memories[0].content.startswith("user: My sourdough starter")


def test_a_limit_ends_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert longmemeval.main(["--data", str(FIXTURE / "longmemeval.json"), "--limit", "1"]) == 0
    assert rows(capsys.readouterr().out)["ours"][0] == "1"


@pytest.mark.parametrize(("runner", "word"), [(longmemeval, longmemeval.SHA256), (beam, "5a64c992ba05")])
def test_an_absent_file_is_told_with_its_source(runner: object, word: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert runner.main(["--data", str(tmp_path / "nothing")]) == 2  # type: ignore[attr-defined]
    said = capsys.readouterr().out
    assert "source: " in said and "sha256: " in said and word in said


@pytest.mark.parametrize(("size", "count", "gold"), [(1, 12, {"m2", "m8"}), (2, 6, {"m1", "m4"}), (10, 2, {"m0"})])
def test_beam_makes_memories_of_three_sizes(size: int, count: int, gold: set[str]) -> None:
    bank = beam.bank_of(FIXTURE / "beam" / "100K" / "1", size)
    assert len(bank.memories) == count
    by_ability = {question.category: question.gold for question in bank.questions}
    assert set(by_ability) == {"knowledge_update", "information_extraction", "event_ordering"}  # abstention names no message
    assert by_ability["knowledge_update"] == gold


def test_beam_prints_both_rankings(capsys: pytest.CaptureFixture[str]) -> None:
    assert beam.main(["--data", str(FIXTURE / "beam" / "100K")]) == 0
    said = capsys.readouterr().out
    assert said.count("| reference") == 3 and rows(said)["information_extraction"][2:4] == ["1", "100.0"]


BANK = Bank(
    "talk",
    [Memory(f"m{i}", text) for i, text in enumerate(["red fox", "red fox red fox in the snow", "blue whale", "a fox and a whale"])],
    [Question("red fox", {"m0"}, "1"), Question("whale", {"m2"}, "1"), Question("zebra", {"m3"}, "1"), Question("fox", set(), "5")],
)


def test_the_oracle_counts_where_gold_stands() -> None:
    with loaded([BANK]) as held:
        found = oracle.places(held)
        gold = zip(BANK.questions[:2], ("m0", "m2"), strict=True)
        ranks = [held[0].ranked(question).index(name) + 1 for question, name in gold]
    assert found["absent"] == 1 and found.total() == 3  # zebra; the question without gold isn't counted
    assert found["at 1"] == sum(rank == 1 for rank in ranks) and found["2-5"] == sum(rank > 1 for rank in ranks)


def test_the_parts_of_a_score_give_the_order_that_was_served() -> None:
    with loaded([BANK]) as held:
        questions = list(sweep.asked(held))
        served = [held[0].ranked(question) for question in BANK.questions if question.gold]
    assert [[name for name, _ in q.pool] for q in questions] == served
    shipped = [q.measured(sweep.total({})) for q in questions]
    assert sweep.against(shipped, shipped, 0) == "0/0"
    nothing = [q.measured(lambda streams: -streams["own"]) for q in questions]
    assert sweep.against(shipped, nothing, 0) == f"0/{sum(values[0] > 0 for values in shipped)}"
