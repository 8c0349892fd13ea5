"""Consent is typed by a person at a terminal; without it no session is opened, and after it was taken back none any more."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from tests.agent.conftest import Site, told, until

RECORDER = """
import os, sys
def heard(event, given):
    if event == "open" and ".claude" in str(given[0]):
        os.write(log, f"{given[0]}\\n".encode())
log = os.open(os.environ["OPENED"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
sys.addaudithook(heard)
"""
PROGRAM = [sys.executable, "-W", "error", "-m", "memory_wire", "agent"]


def line(text: str, role: str = "user") -> str:
    return json.dumps({"type": role, "message": {"role": role, "content": text}, "timestamp": "2026-01-02T03:04:05Z"}) + "\n"


def typed(site: Site, answer: str) -> tuple[int, str]:
    """Exit status and screen of `agent consent` at a terminal."""
    near, far = pty.openpty()
    environment = {**os.environ, **site.environment()}
    with subprocess.Popen([*PROGRAM, "consent"], stdin=far, stdout=far, stderr=far, env=environment) as process:
        os.close(far)
        screen = b""
        while b"to agree: " not in screen:
            screen += os.read(near, 4096)
        os.write(near, f"{answer}\n".encode())
        while True:
            try:
                more = os.read(near, 4096)
            except OSError:  # the other side is closed
                break
            if not more:
                break
            screen += more
        status = process.wait(20)
    os.close(near)
    return status, screen.decode()


def command(site: Site, *words: str, **how: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **site.environment()}
    return subprocess.run([*PROGRAM, *words], capture_output=True, text=True, env=environment, timeout=20, input="upload\n", check=False)


def test_consent_is_typed_at_a_terminal(site: Site) -> None:
    for name in ("one", "two"):
        site.session(name).write_text(line("Hello."))
    refused = command(site, "consent")
    assert refused.returncode == 1 and "terminal" in refused.stderr
    for answer in ("", "y", "yes"):
        status, screen = typed(site, answer)
        assert status == 1 and "2 sessions were found: claude-code 2" in screen and site.url in screen
        assert json.loads(command(site, "status", "--json").stdout)["consent"] is False
    status, screen = typed(site, "upload")
    assert (status, json.loads(command(site, "status", "--json").stdout)["consent"]) == (0, True)
    assert os.stat(site.data / "agent" / "consent.json").st_mode & 0o777 == 0o600
    assert command(site, "revoke").stdout == "revoked: no further session is read\n"
    assert json.loads(command(site, "status", "--json").stdout)["consent"] is False
    assert command(site, "revoke").returncode == 0


def test_consent_is_for_one_server(site: Site) -> None:
    assert typed(site, "upload")[0] == 0
    site.url = "http://127.0.0.1:1"
    assert json.loads(command(site, "status", "--json").stdout)["consent"] is False


@pytest.mark.parametrize("words", [("consent", "--url", "ftp://x"), ("agree",)])
def test_words_that_do_not_fit(site: Site, words: tuple[str, ...]) -> None:
    assert command(site, *words).returncode == 2


def test_without_consent_no_session_is_opened(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site.serve()
    (tmp_path / "hooked").mkdir()
    (tmp_path / "hooked" / "sitecustomize.py").write_text(RECORDER)
    opened = tmp_path / "opened"
    monkeypatch.setenv("OPENED", str(opened))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path / "hooked"), *sys.path]))
    path = site.session()
    path.write_text(line("Only between us."))
    agent = site.agent()
    for _ in range(20):
        assert told(agent)["last_cycle"] is None
    assert opened.read_text() == ""
    with site.client() as client:
        assert client.sessions().total == 0
    site.consent()
    until(lambda: told(agent)["bytes"])
    assert str(path) in opened.read_text()
    assert command(site, "revoke").returncode == 0
    count = len(opened.read_text())
    with path.open("a") as file:
        file.write(line("Not for you any more."))
    state = [told(agent)["consent"] for _ in range(20)]
    assert not any(state) and len(opened.read_text()) == count
    with site.client() as client:
        (row,) = client.sessions().sessions
        assert [kept.text for kept in client.session_lines(row.id).lines] == ["Only between us."]


def test_revoking_stops_in_the_middle_of_a_session(site: Site) -> None:
    site.serve()
    site.session().write_text(line("Again and again and again.") * 20_000)
    site.consent()
    agent = site.agent(AGENT_PIECE_BYTES=500)
    with site.client() as client:
        until(lambda: client.sessions().total)
        assert command(site, "revoke").returncode == 0
        assert told(agent)["consent"] is False  # a request that was under way is done by now
        (row,) = client.sessions().sessions
        for _ in range(20):
            assert told(agent)["consent"] is False
        assert client.sessions().sessions == [row] and 0 < row.offset < site.session().stat().st_size


def test_the_program_of_its_own(site: Site) -> None:
    settings = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    module, _, name = settings["project"]["scripts"]["mmw-agent"].partition(":")
    assert callable(getattr(import_module(module), name))
    code = f"import sys; sys.argv[0] = 'mmw-agent'; from {module} import {name}; sys.exit({name}())"
    environment = {**os.environ, **site.environment()}
    found = subprocess.run([sys.executable, "-c", code, "status"], capture_output=True, text=True, env=environment, check=True, timeout=20)
    assert "consent: False" in found.stdout
