"""What a hook gets for a model's context: limits, order, once per session, across hosts and compactions."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_wire import config, framing
from memory_wire import types as t
from tests.inject.conftest import Desk

HEAD = "### memory-wire recall — `atlas`\n(recalled by relevance, unverified)\n"
QUEUE = "The job queue uses advisory locks because Redis lost jobs on failover."
ASK = "why does the job queue use advisory locks?"


def lines(done: t.Injected) -> list[str]:
    """The memories of a block as they stand there."""
    return [line for line in done.text.split("\n") if line.startswith("- ")]


def test_a_block_is_bounded_dated_and_flat(desk: Desk) -> None:
    for number in range(12):
        desk.retain(f"Advisory  locks\n guard queue number {number}. " + f"queue lock detail {number} " * 40)
    done = desk.prompt("which advisory locks guard the queue?")
    assert done.text.startswith(HEAD) and len(done.text) <= config.INJECT_SECTION_CHARS
    assert 1 < len(lines(done)) == len(done.entries) <= config.INJECT_ENTRIES
    for line in lines(done):
        assert line.startswith("- [2026-02-03] Advisory locks guard queue number ")
        assert len(line.removeprefix("- [2026-02-03] ")) == config.INJECT_CHARS and line.endswith("…")


def test_five_short_ones_at_most(desk: Desk) -> None:
    for number in range(9):
        desk.retain(f"Advisory locks guard queue {number}.")
    assert len(desk.prompt("which advisory locks guard the queue?").entries) == config.INJECT_ENTRIES


def test_nothing_where_nothing_is_relevant(desk: Desk) -> None:
    desk.retain(QUEUE)
    desk.retain("Parking permits are renewed in March.")
    for asked in ("what is the capital of Mongolia?", "thanks!", "", "<system-reminder>the job queue</system-reminder>"):
        assert desk.prompt(asked).text == ""


def test_a_date_nobody_knows_is_left_out(desk: Desk) -> None:
    desk.retain(QUEUE, created_at="1970-01-01")
    assert desk.prompt(ASK).text == f"{HEAD}- {QUEUE}"


def test_transcripts_and_markers_stay_out(desk: Desk) -> None:
    for tag in ("transcript", "marker"):
        desk.retain(f"{QUEUE} ({tag})", tags=[tag])
    assert desk.prompt(ASK).text == "" and "- [" not in desk.start(session="t").text
    desk.retain(QUEUE, tags=["turn"])
    assert len(desk.prompt(ASK).entries) == 1


def test_no_memory_twice_in_a_session(desk: Desk) -> None:
    first = desk.retain(QUEUE)
    assert [entry.id for entry in desk.prompt(ASK).entries] == [first]
    assert desk.prompt(ASK).text == "" and desk.prompt("the job queue and its advisory locks").text == ""
    second = desk.retain("The job queue retries with advisory locks held.")
    assert [entry.id for entry in desk.prompt(ASK).entries] == [second]
    assert len(desk.prompt(ASK, session="another").entries) == 2
    assert len(desk.prompt(ASK, session=None).entries) == 2


def test_a_firing_of_another_host_injects_nothing_more(desk: Desk) -> None:
    for number in range(9):
        desk.retain(f"Advisory locks guard queue {number}.")
    asked = "which advisory locks guard the queue?"
    assert len(desk.prompt(asked, host="claude-code").entries) == 5
    assert desk.prompt(asked, host="cursor", step=400).text == ""
    assert len(desk.prompt(asked, step=config.INJECT_REPEAT_MS).entries) == 4  # asked again: what was left
    assert desk.start(host="claude-code").text and desk.start(host="cursor", step=400).text == ""


def test_a_compaction_begins_anew_and_a_resumption_goes_on(desk: Desk) -> None:
    desk.retain(QUEUE)
    start = desk.start(source="startup")
    assert QUEUE in start.text and framing.HISTORIAN in start.text
    assert desk.start(source="resume").text == "" and desk.prompt(ASK).text == ""
    fresh = desk.retain("Payouts run at noon.")
    assert [entry.id for entry in desk.start(source="resume").entries] == [fresh]
    assert desk.fire("pre-compact", session="s").text == ""
    assert QUEUE in desk.prompt(ASK).text
    for source in ("compact", "clear"):
        again = desk.start(source=source)
        assert framing.HISTORIAN in again.text and len(again.entries) == 2
        assert desk.start(source=source, step=300).text == ""
    desk.capture(("ok", "fine"), event="pre-compact")
    assert QUEUE in desk.prompt(ASK).text


def test_own_turns_come_back_only_after_a_compaction(desk: Desk) -> None:
    desk.prompt(ASK)
    desk.capture((ASK, "Redis lost jobs when it failed over, so the job queue takes advisory locks."))
    assert desk.prompt("how did the job queue come to advisory locks?").text == ""
    assert "Redis lost jobs" in desk.prompt(ASK, session="another").text
    desk.fire("pre-compact", session="s")
    assert "Redis lost jobs" in desk.prompt("how did the job queue come to advisory locks?").text
    desk.capture(("and the retries of the job queue?", "Retries of the job queue take advisory locks as well."))
    assert "Retries" not in desk.prompt("which retries does the job queue take?").text


def test_a_frozen_block_grows_only_at_its_end(desk: Desk) -> None:
    desk.retain("Payouts run at noon in the settlement region.")
    text = desk.start(frozen=True).text
    assert framing.HISTORIAN in text
    for number in range(8):
        desk.retain(f"Advisory locks guard queue number {number}. " + "More of it stands here. " * 9)
        desk.retain(f"Tide gauge {number} stands in the harbour.")
        if number == 4:
            desk.memory.put_config({"injectionFormat": "summary"})
        more = desk.prompt(f"what do advisory locks of queue number {number} and tide gauge {number} do?", frozen=True).text
        assert more.startswith(text) and more != text
        assert desk.prompt(f"what do advisory locks of queue number {number} and tide gauge {number} do?", frozen=True, step=9).text == more
        text = more
        for source in ("compact", "resume"):
            assert desk.start(frozen=True, source=source).text.startswith(text)
        text = desk.prompt("thanks!", frozen=True).text
    assert text.count(HEAD) == 1 and text.count("Whole: `memory-wire get ID --bank atlas`") == 1
    desk.capture(("x" * 40, "y"), event="pre-compact")
    assert desk.prompt("thanks!", frozen=True).text == text
    entries = desk.memory.injections(session="s").injections
    assert len({row.id for row in entries}) == len(entries)


def test_a_frozen_block_has_an_end(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "INJECT_FROZEN_CHARS", 400)
    for number in range(9):
        desk.retain(f"Advisory locks guard queue {number}. " + "x" * 90)
    text = desk.prompt("which advisory locks guard the queue?", frozen=True).text
    assert len(text) <= 400 and text.count("- [") == 2
    assert desk.prompt("advisory locks, which queue do they guard?", frozen=True).text == text


def test_what_was_forgotten_leaves_a_frozen_block(desk: Desk) -> None:
    id = desk.retain(QUEUE)
    assert QUEUE in desk.prompt(ASK, frozen=True).text
    desk.memory.forget(id)
    assert desk.prompt(ASK, frozen=True).text == ""


def test_a_long_prompt_is_asked_by_its_telling_words(desk: Desk) -> None:
    desk.retain(QUEUE)
    for number in range(40):
        desk.retain(f"Note {number}: the harbour office opens at {number} and closes later on the same day of the week.")
    long = f"Please have a look at this and tell me what you think. {'I am not sure where to start today. ' * 5}"
    long += "The job queue lost jobs when Redis went through a failover, and somebody spoke of advisory locks."
    assert [QUEUE in line for line in lines(desk.prompt(long))] == [True]
    assert desk.prompt("Tell me a story about dragons, castles, rivers and bakers. " * 5, session="t").text == ""


@pytest.mark.parametrize(
    "asked", ["Continue", "ok, go on", "<system-reminder>Your list is empty.</system-reminder>", "yes please, next step"]
)
def test_a_prompt_that_says_nothing_leans_on_the_last_answer(desk: Desk, asked: str) -> None:
    desk.retain(QUEUE)
    for number in range(5):
        desk.retain(f"Job queue failover, Redis and advisory locks, part {number}. " + "größere Länge " * 60)
    said = "Redis lost jobs on failover; next I look at how the job queue takes its advisory locks."
    done = desk.prompt(asked, previous=said)
    assert done.entries and len(done.text.encode()) <= config.INJECT_AGAIN_BYTES
    assert desk.prompt(asked, session="t").text == ""
    assert desk.prompt("thanks, that looks great!", session="t", previous=said).text == ""


def test_a_few_words_lean_on_it_as_well(desk: Desk) -> None:
    desk.retain("The wake threshold of the accelerometer is 63 mg, since trucks woke the node.")
    desk.retain("A value of a setting is shown in the table.")
    said = "The accelerometer's wake threshold is 63 mg for three samples so that the node sleeps through."
    assert "trucks" in lines(desk.prompt("why that value?", previous=said))[0]


def test_capsules(desk: Desk) -> None:
    long = "We keep the accelerometer's wake threshold at 63 mg. " + "Lower values woke the node on passing trucks. " * 5
    id = desk.retain(long)
    ask = "which accelerometer wake threshold do we keep?"
    short = f"{HEAD}Whole: `memory-wire get ID --bank atlas`\n- [2026-02-03] We keep the accelerometer's wake threshold at 63 mg. ({id})"
    whole = f"{HEAD}- [2026-02-03] {long.strip()}"
    for bank, client, text in (
        (None, None, whole),
        (None, "summary", short),
        (None, "capsule", whole),
        ("full", "summary", whole),
        ("summary", "full", short),
        ("summary", None, short),
        ("odd", "summary", short),
        (7, "summary", short),
    ):
        desk.memory.put_config({} if bank is None else {"injectionFormat": bank})
        done = desk.prompt(ask, session=None, format=client)
        assert (done.text, [entry.id for entry in done.entries]) == (text, [id])


def test_the_framing_of_a_start(desk: Desk) -> None:
    desk.retain("x")
    start = desk.start(session=None, url="http://127.0.0.1:9")
    assert start.text.startswith(framing.session_start("atlas", url="http://127.0.0.1:9"))
    for configured, said in (
        ({"system_prompt": "third", "preamble": " second ", "background": "first"}, "first"),
        ({"system_prompt": "third", "preamble": " second ", "background": " "}, "second"),
        ({"system_prompt": "third", "preamble": 5}, "third"),
        ({"background": "x" * 9_000}, "x" * config.PREAMBLE_CHARS),
        ({"background": ""}, framing.HISTORIAN),
    ):
        desk.memory.put_config(configured)
        assert desk.start(session=None).text.startswith(f"## memory-wire — bank `atlas`\n\n{said}\nStore: `curl ")


def test_a_start_brings_the_recent_and_what_belongs_to_it(desk: Desk) -> None:
    desk.retain("Old: the accelerometer wake threshold of the node was raised to 63 mg after trucks woke it.", created_at="2026-01-02")
    for number in range(30):
        desk.retain(f"Note {number} of the harbour office about berth {number}.", created_at=f"2026-02-{number % 28 + 1:02}")
    desk.retain("The accelerometer wake threshold of the node stays at 63 mg though trucks pass.", created_at="2026-03-04")
    text = desk.start().text
    assert [line[3:13] for line in text.split("\n") if line.startswith("- [")] == ["2026-03-04", "2026-02-28", "2026-02-27", "2026-01-02"]


def test_a_start_is_bounded_in_bytes(desk: Desk) -> None:
    for number in range(8):
        desk.retain(f"{number} " + "Übergrößenträger " * 60, created_at=f"2026-03-0{number + 1}")
    assert len(desk.start(session=None).text.encode()) <= config.INJECT_START_BYTES
    sizes = {len(line) - len("- [2026-03-01] ") for line in lines(desk.start(session=None))}
    assert sizes <= {config.INJECT_START_CHARS, config.INJECT_START_CHARS - 1}  # no blank before the `…`
    asked = desk.start(session=None, prompt="Übergrößenträger?")
    assert asked.entries and len(asked.text.encode()) <= config.INJECT_START_BYTES
    desk.memory.put_config({"preamble": "p" * 3_000})
    own = desk.start(session=None)
    assert own.entries and len(own.text.partition("\n\n###")[2].encode()) <= config.INJECT_START_RECALL_BYTES


def test_a_bank_under_its_former_name(desk: Desk) -> None:
    desk.retain(QUEUE)
    done = desk.memory.inject(t.Inject(event="prompt", prompt=ASK, former="atlas"), bank="new-name")
    assert done.bank == "atlas" and QUEUE in done.text
    desk.memory.retain("a memory", bank="new-name")
    assert desk.memory.inject(t.Inject(event="prompt", prompt=ASK, former="atlas"), bank="new-name").text == ""


def test_asking_makes_no_bank(desk: Desk) -> None:
    assert desk.start().text.startswith("## memory-wire — bank `atlas`") and desk.prompt(ASK).text == ""
    assert [row.bank for row in desk.memory.banks()] == ["default"]


def test_what_is_given_is_a_name_of_the_log(desk: Desk) -> None:
    id = desk.retain(QUEUE)
    desk.prompt(ASK, host="codex")
    (row,) = desk.memory.injections().injections
    assert (row.id, row.text, row.session, row.host, row.event, row.held) == (id, QUEUE, "s", "codex", "prompt", True)
    assert row.relevance > config.INJECT_FLOOR


ANY = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=300) | st.sampled_from([ASK, "Continue", "<system-reminder>"])


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(prompt=ANY, previous=ANY | st.none(), frozen=st.booleans(), form=st.sampled_from([None, "summary"]))
def test_whatever_is_asked_the_limits_hold(desk: Desk, prompt: str, previous: str | None, frozen: bool, form: str | None) -> None:
    if not desk.contents():
        for number in range(30):
            desk.retain(f"Job queue number {number} takes advisory locks, 検索 {number}. " * (number % 9 + 1), session=f"t{number % 3}")
    done = desk.prompt(prompt, session=f"{frozen}-{form}", previous=previous, frozen=frozen, format=form)
    assert len(done.entries) <= config.INJECT_ENTRIES
    assert len(done.text) <= (config.INJECT_FROZEN_CHARS if frozen else config.INJECT_SECTION_CHARS)
    held = [row.id for row in desk.memory.injections(session=f"{frozen}-{form}", limit=500).injections if row.held]
    assert len(held) == len(set(held))
    assert done.text == "" or done.text.startswith(HEAD)
    msgspec.json.encode(done)
