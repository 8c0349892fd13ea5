"""`memory-wire embed` as it is typed."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.embed.endpoint import WORDLLAMA, Endpoint

TEXTS = ["The kitten slept.", "The deploy failed on Tuesday.", "Bread needs time."]


class Shell:
    def __init__(self, folder: Path) -> None:
        self.db = folder / "memory-wire" / "memory.db"
        self.environ = {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder), "MEMORY_WIRE_BANK": "b", "NO_COLOR": "1"}

    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "memory_wire", *words]
        return subprocess.run(command, env=self.environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_a_text_is_one_json_array(shell: Shell) -> None:
    shell.environ["MEMORY_WIRE_EMBEDDER"] = json.dumps(WORDLLAMA)
    done = shell("embed", "a kitten")
    assert (done.returncode, done.stderr) == (0, "")
    vector = json.loads(done.stdout)
    assert len(vector) == 256
    assert abs(sum(value * value for value in vector) - 1) < 1e-5


def test_without_an_embedder_it_names_the_command(shell: Shell) -> None:
    done = shell("embed", "a kitten")
    assert done.returncode == 2
    assert "pip install 'memory-wire[dense]'" in done.stderr


def test_a_paid_run_is_told_first_and_not_begun_unasked(shell: Shell, endpoint: Endpoint) -> None:
    for text in TEXTS:
        shell("retain", text)
    shell.environ["MEMORY_WIRE_EMBEDDER"] = json.dumps(endpoint.model())
    done = shell("embed", "run", "--dry-run", "--price", "100000")
    assert done.returncode == 0
    tokens = sum(-(-len(text) // 4) for text in TEXTS)
    assert done.stdout.startswith(f"would embed 3 passages of 3 memories, about {tokens} tokens, about {tokens / 10:.4f} at its price")
    assert (shell("embed", "run", "--price", "1").returncode, endpoint.texts) == (2, ["dimension"] * 2)
    assert shell("embed", "status").stdout.startswith("waiting  table")
    done = shell("embed", "run", "--price", "1", "--yes")
    assert done.returncode == 0
    assert done.stdout.startswith("embedded 3 passages")
    assert sorted(set(endpoint.texts) - {"dimension"}) == sorted(TEXTS)
    assert "3 passages of 3 memories, 0.0 MB; 0 memories left" in shell("embed", "status").stdout
    done = shell("embed", "verify")
    assert done.returncode == 0
    assert "3 embedded again, least similarity" in done.stdout
    assert json.loads(shell("embed", "status", "--json").stdout)["state"] == "ready"


def test_what_fails_is_said(shell: Shell, endpoint: Endpoint) -> None:
    shell("retain", TEXTS[0])
    endpoint.bad = 401
    shell.environ["MEMORY_WIRE_EMBEDDER"] = json.dumps(endpoint.model(dimension=256, key="env:NO_SUCH_NAME"))
    unset = "the environment variable NO_SUCH_NAME (key of the model to embed with) isn't set where the memory-wire server runs"
    assert unset in shell("embed", "run").stderr
    shell.environ["NO_SUCH_NAME"] = "sk-very-secret"
    done = shell("embed", "run")
    assert done.returncode == 1
    assert "refuses the key" in done.stderr
    assert "sk-very" not in done.stderr
    assert endpoint.keys == ["Bearer sk-very-secret"]


def test_a_job_that_fails_says_why(shell: Shell, endpoint: Endpoint) -> None:
    endpoint.bad = 401
    shell("retain", TEXTS[0])
    assert shell("config", json.dumps({"embedder": endpoint.model(dimension=256)})).returncode == 0
    why = "OutsideFailed: 127.0.0.1 answered 401: "
    ran = shell("jobs", "run")
    assert (ran.returncode, ran.stdout.splitlines()[1].split()) == (0, ["embed", "1", "1", "0"])
    assert ran.stdout.splitlines()[2].startswith(f"embed: {why}") and "sk-secret" not in ran.stdout
    assert f"last failure: {why}" in shell("embed", "status").stdout
    assert f"1 embed jobs failed and wait for their next try: {why}" in shell("doctor").stdout
    for _ in range(4):
        shell("jobs", "run", "--retry")
    with sqlite3.connect(shell.db) as connection:
        connection.execute("UPDATE job SET attempts = 5")
    assert "`memory-wire jobs run --retry` begins anew what was given up" in shell("jobs").stdout
    assert f"1 embed jobs were given up: {why}" in shell("doctor").stdout
    with sqlite3.connect(shell.db) as connection:
        connection.execute("UPDATE job SET failure = 'Interrupted'")
    for words in (("jobs",), ("embed", "status"), ("doctor",)):
        assert "Interrupted: its process was ended while it worked; it is begun again, five times at most" in shell(*words).stdout
