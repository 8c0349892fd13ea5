"""Turns that hosts report: readable, each once, complete in the end."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_wire import Client, config, framing
from memory_wire import types as t
from memory_wire.errors import Invalid, WrongType
from tests.inject.conftest import Desk
from tests.serve.serving import Serving

ASKED = "Why does the build break on Tuesdays?"
ANSWER = "A certificate expires on Tuesdays; I made it renew earlier."


def test_a_turn_is_a_dated_memory_of_its_session(desk: Desk) -> None:
    turn = t.Turn(user=ASKED, assistant=ANSWER, at="2026-05-06T07:08:09+02:00", index=3)
    done = desk.memory.capture(t.Capture(event="stop", host="codex", session="s-1", reason="auto", turns=[turn]))
    assert (done.stored, done.known) == (1, 0)
    (item,) = desk.memory.memories().items
    assert item.content == f"[user] {ASKED}\n[assistant] {ANSWER}"
    assert (item.created_at, item.context) == ("2026-05-06T05:08:09.000Z", "hook:stop codex auto")
    known = desk.memory.history(item.id)
    assert (known.session, known.tags, known.document_id) == ("s-1", ["turn"], framing.turn_id("s-1", ASKED))
    assert desk.memory.recall("certificate on Tuesdays", session="s-1")[0].id == item.id


def test_only_what_was_said_is_kept(desk: Desk) -> None:
    own = desk.memory.inject(t.Inject(event="session-start", session="other")).text
    asked = f"<system-reminder>\nbe brief\n</system-reminder>{ASKED}\n<environment_details>ls: a b c</environment_details>\n{own}\n"
    desk.capture((asked, ANSWER))
    assert desk.contents() == [f"[user] {ASKED}\n[assistant] {ANSWER}"]
    assert desk.capture(("<system-reminder>only this, though it is rather long</system-reminder>", "ok")).stored == 0
    assert desk.capture((f"the key is sk-{'a1B2' * 8}", ANSWER)).stored == 1
    assert "sk-a1B2" not in desk.contents()[-1] and "[REDACTED:api_key]" in desk.contents()[-1]


def test_the_same_turn_from_anywhere_is_one(desk: Desk) -> None:
    assert desk.capture((ASKED, ANSWER), host="claude-code").stored == 1
    assert desk.capture((ASKED, ANSWER), host="cursor").known == 1
    assert desk.capture(("Why does  the build\nbreak on Tuesdays?", ANSWER), event="session-end").known == 1
    assert desk.capture((ASKED, ANSWER), session="another").stored == 1


def test_a_fuller_answer_takes_the_place(desk: Desk) -> None:
    desk.capture((ASKED, "A certificate expires"), ("and then what was done?", "It was renewed by hand at noon."))
    desk.capture((ASKED, ANSWER))
    assert desk.capture((ASKED, "A certificate expires on Tuesdays;"), event="session-end").known == 1
    assert desk.capture((ASKED, "")).known == 1
    assert sorted(desk.contents()) == [
        f"[user] {ASKED}\n[assistant] {ANSWER}",
        "[user] and then what was done?\n[assistant] It was renewed by hand at noon.",
    ]
    assert desk.memory.recall("certificate expires", session="s")[0].content.startswith(f"[user] {ASKED}\n")


def test_the_same_prompt_with_other_answers_is_another_turn(desk: Desk) -> None:
    said = [("Continue", f"Step {number} is done and its tests pass.") for number in range(4)]
    assert desk.capture(*said).stored == 4
    assert desk.capture(*said, event="session-end").known == 4
    assert len(desk.contents()) == 4


def test_what_was_forgotten_is_not_captured_again(desk: Desk) -> None:
    desk.capture((ASKED, ANSWER))
    desk.memory.forget(desk.memory.memories().items[0].id)
    assert desk.capture((ASKED, ANSWER)).known == 1 and desk.contents() == []


def test_without_a_session_equal_turns_are_one(desk: Desk) -> None:
    assert [desk.capture((ASKED, ANSWER), session=session).stored for session in (None, "", " ", None)] == [1, 0, 0, 0]


def test_turns_have_a_size(desk: Desk) -> None:
    desk.capture(("begin " + "u" * 9_000 + " end", "first " + "a" * 9_000 + " last"))
    asked, answered = desk.contents()[0].removeprefix("[user] ").split("\n[assistant] ")
    for text, first, last in ((asked, "begin", "end"), (answered, "first", "last")):
        assert len(text) == config.TURN_CHARS and text.startswith(first) and text.endswith(last) and "\n…\n" in text
    assert desk.capture(("begin " + "u" * 9_000 + " other end", "first " + "a" * 9_000 + " last")).known == 1  # its end tells nothing
    assert desk.capture(("x" * (config.TURN_LEAST_CHARS - 3), "ab"), session="t").stored == 0
    assert desk.capture(("x" * (config.TURN_LEAST_CHARS - 2), "ab"), session="t").stored == 1


def test_of_many_turns_the_newest_are_kept(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "TURNS", 3)
    said = [(f"What was done in step number {number}?", "It was finished.") for number in range(5)]
    assert desk.capture(*said).stored == 3
    assert [text[7:38] for text in desk.contents()] == [f"What was done in step number {number}?"[:31] for number in (2, 3, 4)]


def test_a_note_is_a_marker(desk: Desk) -> None:
    for stored in (1, 0):
        done = desk.memory.capture(t.Capture(event="session-end", session="s", note="session s ended"))
        assert (done.stored, done.known) == (stored, 1 - stored)
    assert desk.memory.capture(t.Capture(event="session-end", session="s", note=" ")).stored == 0
    (item,) = desk.memory.memories().items
    assert desk.memory.history(item.id).tags == ["marker"]


def test_nothing_to_say_makes_no_bank(desk: Desk) -> None:
    assert desk.capture(("hi", "hello")).stored == 0 and desk.capture().stored == 0
    assert [row.bank for row in desk.memory.banks()] == ["default"]


def test_what_is_refused(desk: Desk) -> None:
    for request, kind, text in (
        (t.Capture(event="prompt"), Invalid, "invalid event: "),
        (t.Capture(event="stop", turns=[t.Turn(user="a\0b")]), Invalid, "invalid user: "),
        (t.Capture(event="stop", turns=[t.Turn(user="x" * 40, at="yesterday")]), Invalid, "invalid created_at: "),
        (t.Capture(event="stop", turns=[t.Turn(user="x")] * 1_001), Invalid, "invalid turns: "),
        (t.Capture(event="stop", former=" "), Invalid, "invalid bank id"),
        (t.Capture(event="stop", turns="x"), WrongType, "Failed to deserialize"),  # type: ignore[arg-type]
        (t.Inject(event="stop"), Invalid, "invalid event: "),
        (t.Inject(event="prompt", prompt="a\0b"), Invalid, "invalid prompt: "),
        (t.Inject(event="prompt", session="x" * 1_025), Invalid, "invalid session: "),
    ):
        with pytest.raises(kind, match=f"^{text}"):
            desk.memory.call("inject" if isinstance(request, t.Inject) else "capture", request)


def test_hosts_that_report_at_once_store_once(tmp_path: Path) -> None:
    with Serving(tmp_path) as server, Client(f"http://{server.found['addr']}", bank="atlas") as client:
        stored: list[int] = []

        def report() -> None:
            with Client(client.url, bank="atlas") as own:
                turns = [t.Turn(user=f"{ASKED} ({number})", assistant=ANSWER) for number in range(20)]
                stored.append(own.capture(t.Capture(event="stop", session="s", turns=turns)).stored)

        hosts = [threading.Thread(target=report) for _ in range(6)]
        for host in hosts:
            host.start()
        for host in hosts:
            host.join()
        assert sorted(stored) == [0] * 5 + [20] and client.stats().memories == 20
        assert server.stop() == 0


SAID = st.tuples(st.sampled_from(["Continue", ASKED, "next one"]), st.sampled_from(["", "A", "A long", "A long answer to it", "B answer"]))


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(turns=st.lists(st.lists(SAID, max_size=4), min_size=1, max_size=4), number=st.integers(0, 1 << 60))
def test_sending_everything_again_changes_nothing(desk: Desk, turns: list[list[tuple[str, str]]], number: int) -> None:
    filler = " and so on, as was said before"
    session = f"{number}-{desk.now}"
    for said in turns:
        desk.capture(*[(asked + filler, answered) for asked, answered in said], session=session)
    before = desk.memory.stats().memories
    for said in turns:
        assert desk.capture(*[(asked + filler, answered) for asked, answered in said], session=session).stored == 0
    assert desk.memory.stats().memories == before
