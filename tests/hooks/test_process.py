"""The command as hosts run it, beside a real server: what it prints, what is stored, and that it never breaks the host."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.footprint.server import Server, launcher
from memory_wire import framing
from memory_wire.hooks.payload import HOSTS
from tests.hooks.payloads import ANSWER, PAYLOADS, PROMPT, payload
from tests.hooks.place import HANG, Place, transcript

FACT = "The harbour pilot sleeps in Vlissingen in winter, above the chandler's."
FRAME = framing.session_start("pilots", url=None)


def shown(host: str, printed: bytes) -> str:
    """The text that a host would put into the model's context."""
    if not printed:
        return ""
    answer = json.loads(printed)
    for key in ("additionalContext", "additional_context", "contextModification", "modifiedTransformedPrompt"):
        if key in answer:
            return str(answer[key])
    return str(answer["hookSpecificOutput"]["additionalContext"])


def stored(server: Server, place: Place, total: int | None = None) -> list[str]:
    status, body = server.ask("GET", f"/banks/{place.env['MEMORY_WIRE_BANK']}/memories?limit=500")
    assert status == 200
    found = [item["content"] for item in json.loads(body)]
    assert total is None or len(found) == total
    return found


@pytest.mark.parametrize("host", HOSTS)
def test_a_session_of_each_host(host: str, server: Server, place: Place, tmp_path: Path) -> None:
    bank = place.env["MEMORY_WIRE_BANK"]
    server.retain(bank, {"content": FACT})
    if host == "devin":
        place.env["DEVIN_PROJECT_DIR"] = str(place.project)
    path = transcript(tmp_path / "t.jsonl", ("user", PROMPT), ("assistant", ANSWER))
    for event in PAYLOADS[host]:
        printed = place.hook(event, "--host", host, given=payload(host, event, "s-1", str(place.project), path))
        text = shown(host, printed)
        if event == "session-start":
            assert framing.start_heading(bank) in text
        elif event == "prompt" and host in ("vscode", "windsurf"):
            assert printed == b""
        elif event == "prompt" and "session-start" in PAYLOADS[host]:  # it has been said at the start
            assert "Vlissingen" not in text
        elif event != "prompt":
            assert text == ""
    (turn,) = stored(server, place, 2)[1:]
    assert PROMPT in turn
    assert ANSWER in turn
    last = json.loads((place.data / "hooks" / f"{host}.json").read_text())
    assert (last["event"], last["bank"], last["session"]) == (list(PAYLOADS[host])[-1], bank, "s-1")


@pytest.mark.parametrize("host", [host for host in HOSTS if host not in ("vscode", "windsurf")])
def test_a_prompt_of_each_host(host: str, server: Server, place: Place) -> None:
    server.retain(place.env["MEMORY_WIRE_BANK"], {"content": FACT})
    text = shown(host, place.hook("prompt", "--host", host, given=payload(host, "prompt", "s-1", str(place.project))))
    assert FACT in text
    assert text.startswith("<current_datetime>" if host == "copilot-cli" else framing.recall_heading(place.env["MEMORY_WIRE_BANK"]))


def test_without_a_host_the_text_is_plain(server: Server, place: Place) -> None:
    bank = place.env["MEMORY_WIRE_BANK"]
    server.retain(bank, {"content": FACT})
    printed = place.hook("prompt", given={"user_prompt": PROMPT, "sessionId": "s"}).decode()
    assert printed.startswith(f"{framing.recall_heading(bank)}\n{framing.LABEL}\n- [20")
    assert printed.endswith(f"] {FACT}\n")
    assert place.hook("session-start", given=b"").decode().startswith(f"{framing.start_heading(bank)}\n\n{framing.HISTORIAN}\n")


def test_a_short_prompt_is_asked_with_the_last_answer(server: Server, place: Place, tmp_path: Path) -> None:
    server.retain(place.env["MEMORY_WIRE_BANK"], {"content": FACT})
    path = transcript(tmp_path / "t.jsonl", ("user", "hm?"), ("assistant", "Shall I ask where the harbour pilot sleeps in winter?"))
    given = {**payload("claude-code", "prompt", "s-1", str(place.project), path), "prompt": "yes, go on"}
    assert FACT in shown("claude-code", place.hook("prompt", "--host", "claude-code", given=given))


def test_banks_by_flag_environment_and_payload(server: Server, place: Place) -> None:
    del place.env["MEMORY_WIRE_BANK"]
    (place.project / ".git").mkdir()
    (place.project / ".git" / "config").write_text('[remote "origin"]\n\turl = git@example.org:harbour/pilots.git\n')
    given = {"cwd": str(place.project), "session_id": "s"}
    heading = framing.start_heading("harbour-pilots").encode()
    assert heading in place.hook("session-start", given=given)
    place.project = place.home  # where the process runs, as hooks of a user's file do
    assert heading in place.hook("session-start", given=given)
    assert framing.start_heading("mine").encode() in place.hook("--bank", "mine", "session-start", given=given)
    assert framing.start_heading("mine").encode() in place.hook("session-start", "--bank=mine", given=given)


# no server, another one, one that is ill -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [b"", b"{", b"[]", b'{"session_id": "s"}', b"\xff\xfe"])
def test_no_server(given: bytes, away: Place) -> None:
    assert away.hook("session-start", given=given).decode() == f"{FRAME}\n"
    assert json.loads(away.hook("session-start", "--host", "codex", given=given))["hookSpecificOutput"]["additionalContext"] == FRAME
    assert away.hook("prompt", given=given) == b""
    assert away.hook("stop", given=given) == b""
    assert away.spooled() == []


def test_captures_wait_for_a_server_and_are_stored_once(server: Server, away: Place) -> None:
    for number in range(12):
        given = payload("gemini-cli", "stop", f"s-{number}", str(away.project))
        assert away.hook("stop", "--host", "gemini-cli", given=given) == b""
    assert len(away.spooled()) == 12
    lines = [file.read_bytes().split(b"\n")[0] for file in away.spooled()]
    assert set(lines) == {b"http://127.0.0.1:9"}
    away.env["MEMORY_WIRE_URL"] = f"http://127.0.0.1:{server.port}"  # another server: not its captures
    away.hook("session-start", given={"session_id": "x"})
    assert len(away.spooled()) == 12
    for file in away.spooled():
        file.write_bytes(file.read_bytes().replace(lines[0], away.env["MEMORY_WIRE_URL"].encode(), 1))
    for left in (4, 0, 0):
        away.hook("session-start", given={"session_id": "x"})
        assert len(away.spooled()) == left
    assert len(stored(server, away)) == 12
    away.hook("stop", "--host", "gemini-cli", given=payload("gemini-cli", "stop", "s-3", str(away.project)))  # once more
    assert len(stored(server, away)) == 12


def test_what_waits_is_older_than_what_is_new(server: Server, place: Place, tmp_path: Path) -> None:
    path = transcript(tmp_path / "t.jsonl", ("user", "first question of all"), ("assistant", "and its answer, long enough"))
    given = payload("claude-code", "session-end", "s-1", str(place.project), path)
    del place.env["MEMORY_WIRE_URL"]
    place.data.mkdir(parents=True)
    (place.data / "serve.json").write_text('{"addr": "127.0.0.1:9"}')
    place.hook("session-end", "--host", "claude-code", given=given)
    transcript(Path(path), ("user", "second question of all"), ("assistant", "and its answer, just as long"))
    place.names(server)
    place.hook("session-end", "--host", "claude-code", given=given)
    assert [content.split()[1] for content in stored(server, place, 2)] == ["first", "second"]


@pytest.mark.parametrize("manner", ["silent", "dribbling", "foreign"])
def test_a_server_that_is_none(manner: str, away: Place) -> None:
    with subprocess.Popen([*PEER, manner], stdout=subprocess.PIPE, text=True) as peer:
        assert peer.stdout is not None
        away.env["MEMORY_WIRE_URL"] = f"http://127.0.0.1:{peer.stdout.readline().strip()}"
        try:
            assert away.hook("session-start", given={"session_id": "s"}).decode() == f"{FRAME}\n"
            assert away.hook("prompt", given={"session_id": "s", "prompt": PROMPT}) == b""
            assert away.hook("stop", "--host", "gemini-cli", given=payload("gemini-cli", "stop", "s", "/")) == b""
            assert len(away.spooled()) == 1
        finally:
            peer.kill()


PEER = [
    sys.executable,
    "-c",
    """
import socket, sys, threading, time
def answer(peer):
    try:
        if sys.argv[1] == "silent":
            time.sleep(60)
        peer.recv(65536)
        if sys.argv[1] == "foreign":
            peer.sendall(b"HTTP/1.1 404 Not Found\\r\\nContent-Length: 9\\r\\n\\r\\nnot found")
        for byte in b"HTTP/1.1 200 OK\\r\\nContent-Length: 9999\\r\\n\\r\\n{" + b" " * 9998:
            peer.sendall(bytes([byte]))
            time.sleep(0.05)
    except OSError:
        return
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
while True:
    threading.Thread(target=answer, args=(server.accept()[0],), daemon=True).start()
""",
]


def test_a_capture_that_the_server_refuses_is_not_kept(server: Server, place: Place) -> None:
    place.env["MEMORY_WIRE_BANK"] = "b" * 600  # too long a name
    assert place.hook("stop", "--host", "gemini-cli", given=payload("gemini-cli", "stop", "s", "/")) == b""
    assert place.spooled() == []


# switched off, fired by itself ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variable", ["MEMORY_WIRE_DISABLE", "MEMORY_WIRE_HOOK"])
def test_switched_off(variable: str, server: Server, place: Place) -> None:
    server.retain(place.env["MEMORY_WIRE_BANK"], {"content": FACT})
    place.env[variable] = "1"
    for event in PAYLOADS["claude-code"]:
        assert place.hook(event, "--host", "claude-code", given=payload("claude-code", event, "s", "/")) == b""
    assert len(stored(server, place)) == 1
    assert not place.data.exists()
    place.env[variable] = ""
    assert FACT.encode() in place.hook("prompt", given={"prompt": PROMPT})


@pytest.mark.parametrize("field", [{"stop_hook_active": True}, {"agent_id": "sub-1"}])
def test_what_hooks_and_subagents_cause_is_not_captured(field: dict[str, object], server: Server, place: Place) -> None:
    given = payload("claude-code", "stop", "s", "/") | field
    assert place.hook("stop", "--host", "claude-code", given=given) == b""
    assert stored(server, place) == []


def test_prompts_that_nobody_wrote(server: Server, place: Place) -> None:
    server.retain(place.env["MEMORY_WIRE_BANK"], {"content": FACT})
    for prompt in (f"<system-reminder>{PROMPT}</system-reminder>", "", "   "):
        assert place.hook("prompt", given={"prompt": prompt, "session_id": "s"}) == b""


# the process ------------------------------------------------------------------------------------------------------------------------


def test_a_pipe_that_never_closes(away: Place) -> None:
    inner, outer = os.pipe()
    try:
        done = subprocess.run(
            [*launcher(), "hook", "session-start"], stdin=inner, capture_output=True, env=away.env, check=False, timeout=HANG
        )
        assert (done.returncode, done.stdout.decode(), done.stderr) == (0, f"{FRAME}\n", b"")
        os.write(outer, b'{"prompt": "x"}')
        done = subprocess.run([*launcher(), "hook", "prompt"], stdin=inner, capture_output=True, env=away.env, check=False, timeout=HANG)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    finally:
        os.close(inner)
        os.close(outer)


def test_fifty_megabytes(server: Server, place: Place) -> None:
    given = b'{"session_id": "s", "prompt": "' + b"harbour pilot " * (50 * 1024 * 1024 // 14) + b'"}'
    assert place.hook("prompt", given=given) == b""
    assert place.hook("stop", given=given) == b""
    assert stored(server, place) == []


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_descriptors(closed: str, away: Place) -> None:
    for event in ("session-start", "stop"):
        words = " ".join([*launcher(), "hook", event])
        done = subprocess.run(["sh", "-c", f"{words} {closed}"], stdin=subprocess.DEVNULL, capture_output=True, env=away.env, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.decode() == (f"{FRAME}\n" if event == "session-start" and ">&-" not in closed.replace("2>&-", "") else "")


def test_no_place_to_write_to(server: Server, place: Place) -> None:
    server.retain(place.env["MEMORY_WIRE_BANK"], {"content": FACT})
    place.env["XDG_DATA_HOME"] = "/dev/null/share"
    assert FACT.encode() in place.hook("prompt", "--host", "codex", given=payload("codex", "prompt", "s", "/"))
    assert place.hook("stop", "--host", "codex", given=payload("codex", "stop", "s", "/")) == b""
    assert len(stored(server, place)) == 2
    place.env["MEMORY_WIRE_URL"] = "http://127.0.0.1:9"
    assert place.hook("stop", "--host", "codex", given=payload("codex", "stop", "s2", "/")) == b""


@pytest.mark.parametrize("words", [[], ["whatever"], ["prompt", "--what", "--host"], ["--bank"], ["prompt", "--host", "nobody"]])
def test_words_that_are_none(words: list[str], away: Place) -> None:
    assert away.hook(*words, given={"prompt": PROMPT, "session_id": "s"}) == b""


@pytest.mark.parametrize("url", ["nonsense", "https://x", "http://", "unix://relative", "unix:///none", "http://127.0.0.1:99999"])
def test_urls_that_lead_nowhere(url: str, away: Place) -> None:
    away.env["MEMORY_WIRE_URL"] = url
    assert away.hook("session-start").decode() == f"{FRAME}\n"
    assert away.hook("prompt", given={"prompt": PROMPT}) == b""


def test_help(away: Place) -> None:
    assert away.hook("--help").startswith(b"memory-wire hook EVENT")
