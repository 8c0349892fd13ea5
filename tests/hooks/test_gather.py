"""Which turns a capture brings: each answered turn once, whatever order hosts write and fire in."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_wire import config
from memory_wire.hooks.gather import clip, gather
from memory_wire.hooks.payload import Event
from memory_wire.hooks.session import Kept, prune
from tests.hooks.place import transcript


class Session:
    """One session's hooks in a data folder; `path` is its transcript."""

    def __init__(self, folder: Path, host: str = "claude-code") -> None:
        self.folder, self.host, self.path = folder, host, folder / "t.jsonl"

    def say(self, *messages: tuple[str, str], session: str | None = None) -> None:
        transcript(self.path, *messages, session=session)

    def ask(self, prompt: str) -> None:
        kept = Kept(str(self.folder), "s")
        kept.prompt = prompt
        kept.save()

    def fire(self, name: str = "stop", **fields: object) -> list[tuple[str, str]]:
        event = Event(name, {"session_id": "s", **fields}, self.host, {})
        kept = Kept(str(self.folder), "s")
        kept.follow(event.transcript)
        found = [(turn.user, turn.assistant) for turn in gather(event, kept)]
        kept.save()
        return found

    def stop(self, answer: str | None = None, name: str = "stop") -> list[tuple[str, str]]:
        return self.fire(name, transcript_path=str(self.path), last_assistant_message=answer)


@pytest.fixture(name="session")
def started(tmp_path: Path) -> Session:
    return Session(tmp_path)


def test_each_stop_brings_its_turn(session: Session) -> None:
    session.say(("user", "q1"), ("assistant", "a1"))
    assert session.stop("a1") == [("q1", "a1")]
    session.say(("user", "q2"), ("assistant", "looking"), ("assistant", "a2"))
    assert session.stop("a2") == [("q2", "looking\n\na2")]
    assert session.stop("a2", "session-end") == []


def test_what_no_stop_brought_comes_at_the_end(session: Session) -> None:
    session.say(("user", "q1"), ("assistant", "a1"), ("user", "q2"), ("assistant", "a2"), ("user", "q3"))
    assert session.fire("pre-compact", transcript_path=str(session.path)) == [("q1", "a1"), ("q2", "a2")]
    session.say(("assistant", "a3"))
    assert session.fire("session-end") == [("q3", "a3")]  # the path is remembered: Copilot's last event has none


def test_the_answer_is_not_in_the_transcript_yet(session: Session) -> None:
    session.say(("user", "q1"), ("assistant", "looking"))
    assert session.stop("a1") == [("q1", "looking\n\na1")]
    session.say(("assistant", "a1"), ("user", "q2"), ("assistant", "a2"))
    assert session.stop("a2") == [("q2", "a2")]


def test_nothing_of_the_turn_is_in_the_transcript_yet(session: Session) -> None:
    session.say(("user", "q1"), ("assistant", "a1"))
    session.ask("q1")
    session.stop("a1")
    session.ask("q2")
    assert session.stop("a2") == [("q2", "a2")]
    session.say(("user", "q2"), ("assistant", "a2"))
    session.ask("q3")
    assert session.stop("a3") == [("q2", "a2"), ("q3", "a3")]  # the server knows the first


def test_an_answer_that_only_the_payload_has_waits_for_no_transcript(session: Session) -> None:
    session.ask("q1")
    assert session.fire(last_assistant_message="a1") == [("q1", "a1")]
    assert session.fire(last_assistant_message="a2") == [("", "a2")]
    assert session.fire() == []


def test_without_an_answer_the_turn_waits(session: Session) -> None:
    session.say(("user", "q1"))
    assert session.stop() == []
    session.say(("assistant", "a1"))
    assert session.stop() == [("q1", "a1")]


def test_a_repeated_prompt_is_a_turn_of_its_own(session: Session) -> None:
    session.say(("user", "continue"), ("assistant", "a1"), ("user", "continue"), ("assistant", "a2"))
    assert session.stop("a2") == [("continue", "a1"), ("continue", "a2")]


def test_lines_of_the_session_that_was_forked(session: Session) -> None:
    session.say(("user", "old"), ("assistant", "old answer"), session="before")
    session.say(("user", "new"), ("assistant", "new answer"), session="s")
    assert session.stop("new answer") == [("new", "new answer")]


def test_a_question_that_came_in_meanwhile(session: Session) -> None:
    session.say(("user", "q1"), ("assistant", "a1"), ("user", "q2"))
    assert session.stop("a1") == [("q1", "a1")]
    session.say(("assistant", "a2"))
    assert session.stop("a2") == [("q2", "a2")]


def test_the_rest_of_an_answer_is_not_given_to_the_next_question(session: Session) -> None:
    session.say(("user", "q1"), ("assistant", "looking"))
    assert session.stop() == [("q1", "looking")]
    session.ask("q2")
    session.say(("assistant", "a1"), ("user", "q2"), ("assistant", "a2"))
    assert session.stop() == [("", "a1"), ("q2", "a2")]


def test_another_hosts_transcript_of_the_session(session: Session, tmp_path: Path) -> None:
    session.say(("user", "q1"), ("assistant", "a1"))
    assert session.stop("a1") == [("q1", "a1")]
    other = transcript(tmp_path / "other.jsonl", ("user", "q1"), ("assistant", "a1"), ("user", "q2"), ("assistant", "a2"))
    assert session.fire(transcript_path=other) == [("q1", "a1"), ("q2", "a2")]


def test_a_transcript_that_was_replaced(session: Session) -> None:
    session.say(("user", "q1"), ("assistant", "a1" * 200))
    session.stop()
    session.path.unlink()
    session.say(("user", "q2"), ("assistant", "a2"))
    assert session.stop("a2") == [("q2", "a2")]


def test_cut_in_the_middle() -> None:
    assert clip("x" * config.HOOK_TEXT_CHARS) == "x" * config.HOOK_TEXT_CHARS
    long = clip("a" * config.HOOK_TEXT_CHARS + "z")
    assert long.startswith("aaa")
    assert long.endswith("az")
    assert len(long) == config.HOOK_TEXT_CHARS + 3


def test_states_of_sessions_are_bounded_and_apart(tmp_path: Path) -> None:
    for number in range(config.HOOK_SESSIONS + 20):
        kept = Kept(str(tmp_path), f"s/{number}\ud800")
        kept.prompt = f"p{number}"
        kept.save()
    prune(str(tmp_path))
    folder = tmp_path / "hooks" / "sessions"
    assert len(list(folder.iterdir())) == config.HOOK_SESSIONS
    assert folder.stat().st_mode & 0o777 == 0o700
    assert Kept(str(tmp_path), f"s/{config.HOOK_SESSIONS + 19}\ud800").prompt == f"p{config.HOOK_SESSIONS + 19}"
    assert Kept(str(tmp_path), "s/").prompt == ""


def test_a_damaged_state_is_none(tmp_path: Path) -> None:
    kept = Kept(str(tmp_path), "s")
    kept.offset = 5
    kept.save()
    path = Path(kept.path)
    for content in (b"", b"{", b'{"session":"t","offset":5}', b'{"session":"s","offset":"5"}', b'{"session":"s","offset":-1}'):
        path.write_bytes(content)
        assert Kept(str(tmp_path), "s").offset == 0
