"""The shared texts: what a start says, what of a text was said, capsules, names of turns."""

from __future__ import annotations

import json
import shlex
import urllib.request

import pytest

from memory_wire import framing
from memory_wire.service import prose
from tests.serve.serving import Serving


@pytest.mark.parametrize("bank", ["atlas", "größe/1", "it's", "a b"])
def test_the_commands_work_as_they_stand(server: Serving, bank: str) -> None:
    lines = framing.curls(bank, f"http://{server.found['addr']}").split("\n")
    for line, start in zip(lines, ("Store: ", "Ask: "), strict=True):
        words = shlex.split(line.removeprefix(start).strip("`"))
        assert words[:2] == ["curl", "-sH"] and words[4] == "-d"
        request = urllib.request.Request(words[3], words[5].encode(), dict([words[2].split(":")]))
        with urllib.request.urlopen(request) as answer:
            assert isinstance(json.load(answer), list if start == "Ask: " else dict)
    assert server.ask("GET", f"/banks/{framing.quoted(bank)}/stats").json["memories"] == 1


@pytest.mark.parametrize("bank", ["atlas", "größe/1", "it's", "a b"])
def test_the_command_of_capsules_names_the_bank(bank: str) -> None:
    assert shlex.split(framing.fetch(bank).removeprefix("Whole: ").strip("`")) == ["memory-wire", "get", "ID", "--bank", bank]


def test_a_start_without_a_server_has_no_commands() -> None:
    assert framing.session_start("atlas") == f"## memory-wire — bank `atlas`\n\n{framing.HISTORIAN}"
    assert len(framing.session_start("atlas", url="http://127.0.0.1:8888").encode()) < 700


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("plain", "plain"),
        ("<system-reminder>a</system-reminder>b<system-reminder>c\nd</system-reminder> e", "b e"),
        ('<ide_selection path="x">a</ide_selection>b', "b"),
        ("<system-reminder>never ends", ""),
        ("why is there <system-reminder> in my prompt?", "why is there <system-reminder> in my prompt?"),
        ("<system-reminders>kept</system-reminders>", "<system-reminders>kept</system-reminders>"),
        (f"before\n{framing.recall_heading('b')}\n{framing.LABEL}\n- [2026-01-02] x\n- y\nafter", "before\nafter"),
        (f"{framing.session_start('b', url='http://h:1')}\n\n{framing.recall_heading('b')}\n{framing.LABEL}\n- x\n\nafter", "after"),
        (f"{framing.session_start('b', 'own framing' + chr(10) + 'of two lines', 'http://h:1')}\nafter", "after"),
        (f"{framing.session_start('b')}\n\nafter", "after"),
        (f"{framing.recall_heading('b')}\n{framing.LABEL}\n{framing.fetch('b')}\n- x (id)\nafter", "after"),
    ],
)
def test_what_was_said(text: str, said: str) -> None:
    assert framing.spoken(text) == said


def test_stripping_takes_no_quadratic_time() -> None:
    assert framing.spoken("<system-reminder>" * 50_000) == ""
    assert framing.spoken("x<system-reminder>" * 50_000).startswith("x")
    assert framing.spoken(f"{framing.START}b`\n" * 20_000) == ""


@pytest.mark.parametrize(
    ("content", "capsule"),
    [
        ("short", "short"),
        ("\n first line \nsecond line", "first line"),
        ("The first sentence is long enough to stand. The second is not shown.", "The first sentence is long enough to stand."),
        ("Short one. The second sentence comes along with it. A third.", "Short one. The second sentence comes along with it."),
        (
            "See v1.2.3 and a.b.c in the file at src/x.py for all of that, please",
            "See v1.2.3 and a.b.c in the file at src/x.py for all of that, please",
        ),
        ("word " * 60, ("word " * 40).rstrip() + "…"),
        ("x" * 300, "x" * 199 + "…"),
        ("東" * 50 + "。" + "京" * 50, "東" * 50 + "。"),
    ],
)
def test_a_capsule_is_the_first_sentence(content: str, capsule: str) -> None:
    assert prose.capsule(content) == capsule and len(capsule) <= 200


def test_a_capsule_that_saves_nothing_is_none() -> None:
    text = "The first sentence is long enough to stand. Tiny rest."
    assert prose.entry(text, "2026-01-02", 400, "0" * 36) == f"- [2026-01-02] {text}"


def test_names_of_turns_never_change() -> None:
    assert framing.turn_id("s", "hello\n world") == framing.turn_id("s", " hello world ") == "turn:s:779a65e7023cd2e7"
    assert framing.turn_id("s", "hello world", 2) == "turn:s:779a65e7023cd2e7:2"
    assert framing.turn_id("s", "größe \ud800") != framing.turn_id("s", "größe")
