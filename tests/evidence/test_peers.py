"""The side-by-side bench on a handful of turns: the peers that need no installation, and how answers are read."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from bench.peers import __main__ as peers
from bench.peers import talk
from bench.peers.adapters import Basic, Fts5, Ours, Peer, in_order, title_of
from bench.quality.datasets import Bank, Memory, Question

BANK = Bank(
    "talk",
    [
        Memory(f"D1:{i}", f"{who}: {text}")
        for i, (who, text) in enumerate(
            [("Ann", "I adopted a grey cat"), ("Bo", "The ferry was late"), ("Ann", "We painted the kitchen green")]
        )
    ],
    [
        Question("Who adopted a cat?", {"D1:0"}, "1"),
        Question("What colour is the kitchen?", {"D1:2"}, "1"),
        Question("Was the ferry on time?", {"D1:1"}, "1"),
    ],
)


@pytest.mark.parametrize("peer", [Ours, Fts5], ids=lambda peer: peer.__name__)
def test_a_row_is_measured(peer: type[Peer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name, ready, rss, pss, *times, recall = peers.measured(peer, tmp_path, [BANK])
    assert name == peer.name and recall == 100.0 and all(float(value) > 0 for value in times)
    assert 0 < float(str(pss)) <= float(str(rss)) < 60 and float(str(ready).replace(",", "")) > 1


def test_an_mcp_server_is_spoken_to(tmp_path: Path) -> None:
    environ = {"PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    server = talk.Tools(
        [sys.executable, "-m", "memory_wire", "mcp", "--db", tmp_path / "memory.db", "--bank", "talk"], tmp_path / "home", environ
    )
    try:
        server.begin()
        server.call("memory_retain", content="the ferry was late")
        assert "ferry" in server.call("memory_recall", query="ferry")
        with pytest.raises(talk.Lost):
            server.call("memory_recall")
        rss, pss = talk.memory(server.process.pid)
        assert 0 < pss <= rss
    finally:
        server.close()


def test_keys_come_in_the_order_of_the_answer() -> None:
    assert in_order("… turn 2 end … turn 1 end, turn 2 end", [("1", "turn 1 end"), ("2", "turn 2 end"), ("3", "turn 3 end")]) == ["2", "1"]
    assert title_of("D1:1") not in title_of("D1:11")


def test_what_can_not_be_installed_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Basic, "python", "9.9")
    with pytest.raises(peers.Absent, match=r"no Python 9\.9"):
        peers.installed(Basic, tmp_path)
    with pytest.raises(peers.Absent, match="no absent-program here"):
        peers.run(["absent-program"])
