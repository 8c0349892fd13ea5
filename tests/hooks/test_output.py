"""What each host gets, byte for byte."""

from __future__ import annotations

import json

import pytest

from memory_wire.hooks.output import render, takes
from memory_wire.hooks.payload import HOSTS, Event
from tests.hooks.payloads import PAYLOADS, PROMPT, payload

TEXT = "### memory — `x`\n- [2026-09-20] harbour"
COMMON = {"continue", "decision", "reason", "stopReason", "suppressOutput", "systemMessage", "hookSpecificOutput"}  # Codex refuses others
ESCAPED = TEXT.replace("—", "\\u2014").replace("\n", "\\n")
EXPECTED = {
    (
        "claude-code",
        "session-start",
    ): '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"%s"},"suppressOutput":true}',
    ("claude-code", "prompt"): '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"%s"},"suppressOutput":true}',
    ("codex", "session-start"): '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"%s"}}',
    ("codex", "prompt"): '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"%s"}}',
    ("devin", "session-start"): '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"%s"}}',
    ("devin", "prompt"): '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"%s"}}',
    ("gemini-cli", "session-start"): '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"%s"}}',
    ("gemini-cli", "prompt"): '{"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"%s"}}',
    ("copilot-cli", "session-start"): '{"additionalContext":"%s"}',
    ("copilot-cli", "prompt"): '{"modifiedTransformedPrompt":"<current_datetime>now</current_datetime>\\n\\n' + PROMPT + '\\n\\n%s"}',
    ("cursor", "session-start"): '{"additional_context":"%s"}',
    ("cursor", "prompt"): '{"continue":true,"additional_context":"%s"}',
    ("vscode", "session-start"): '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"%s"}}',
    ("vscode", "prompt"): "",
    ("windsurf", "prompt"): "",
    ("cline", "session-start"): '{"cancel":false,"contextModification":"%s","errorMessage":""}',
    ("cline", "prompt"): '{"cancel":false,"contextModification":"%s","errorMessage":""}',
}
CASES = [(host, event) for host in HOSTS for event in PAYLOADS[host]]


def fired(host: str, event: str) -> Event:
    return Event(event, payload(host, event, "s-1", "/project"), host, {})


@pytest.mark.parametrize(("host", "event"), CASES)
def test_the_answer_with_something_to_say(host: str, event: str) -> None:
    expected = EXPECTED.get((host, event), "")
    if event in ("session-start", "prompt"):
        assert takes(host, fired(host, event)) == bool(expected)
        assert render(host, fired(host, event), TEXT).decode() == (expected % ESCAPED + "\n" if expected else "")
    else:
        assert not takes(host, fired(host, event))
        assert render(host, fired(host, event), "") == (CLINE_EMPTY if host == "cline" else b"")


CLINE_EMPTY = b'{"cancel":false,"contextModification":"","errorMessage":""}\n'


@pytest.mark.parametrize(("host", "event"), CASES)
def test_nothing_to_say_is_said_by_cline_only(host: str, event: str) -> None:
    assert render(host, fired(host, event), "") == (CLINE_EMPTY if host == "cline" else b"")


@pytest.mark.parametrize("event", ["session-start", "prompt"])
def test_codex_knows_every_key(event: str) -> None:
    answer = json.loads(render("codex", fired("codex", event), TEXT))
    assert answer.keys() <= COMMON
    assert answer["hookSpecificOutput"].keys() == {"hookEventName", "additionalContext"}


def test_copilots_prompt_is_carried_over_as_it_came() -> None:
    for text in ("a\ud800b", "naïve ☕", 'quoted "x" \\ \x01', "  blank ends  \n"):
        event = Event("prompt", {"sessionId": "s", "timestamp": 1, "prompt": "p", "transformedPrompt": text}, "copilot-cli", {})
        assert json.loads(render("copilot-cli", event, TEXT))["modifiedTransformedPrompt"] == f"{text}\n\n{TEXT}"


def test_copilot_without_a_prompt_to_rewrite() -> None:
    event = Event("prompt", {"sessionId": "s", "timestamp": 1, "prompt": "p"}, "copilot-cli", {})
    assert not takes("copilot-cli", event)
    assert render("copilot-cli", event, TEXT) == b""


def test_plain_text_without_a_host() -> None:
    event = Event("prompt", {"prompt": "p"}, None, {})
    assert render(None, event, TEXT + "\ud800") == f"{TEXT}?\n".encode()
    assert render(None, event, "") == b""
