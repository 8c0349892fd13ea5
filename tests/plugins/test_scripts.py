"""The opencode, omp and pi plugins in their hosts' runtimes against a real server: turns, compaction, resumption, outages, bad servers."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_wire import Client
from memory_wire.hosts.base import Wiring
from memory_wire.process import start_ticks
from memory_wire.types import Item
from tests import package
from tests.foreign import foreigner
from tests.plugins.playing import BASE, Home, Playing, answering
from tests.serve.serving import Serving

HOSTS = ("opencode/bun", "opencode/node", "omp/bun", "pi/node")
FACTS = (
    "We chose Postgres over MySQL for the shop because of row level security.",
    "Invoices are rendered by the pelican service on port 7070.",
    "Deploys of the shop go through the blue ring first, then green.",
)
QUICK = {"INJECT_REPEAT_MS": 0}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
def server(home: Home) -> Iterator[Serving]:
    with home.serving(QUICK) as serving:
        yield serving


def client(home: Home) -> Client:
    addr = json.loads((home.data / "serve.json").read_text())["addr"]
    return Client(f"http://{addr}", bank="shop", db=home.data / "memory.db")


def taught(home: Home) -> Client:
    """A client of the server, whose bank knows FACTS and more."""
    made = client(home)
    for text in (*FACTS, *(f"Lunch on day {day} was soup, as the canteen wrote." for day in range(20))):  # the newest say nothing
        made.retain(text, session="earlier")
    return made


def turns(made: Client) -> list[Item]:
    """What was captured."""
    return [item for item in made.memories(limit=100).items if item.content.startswith("[user] ")]


@pytest.mark.parametrize("host", HOSTS)
def test_a_session_of_several_turns(host: str, home: Home, server: Serving) -> None:
    with taught(home) as memory, Playing(host, home) as playing:
        first = playing.prompt("Why did we choose Postgres for the shop?")
        assert "row level security" in first and "bank `shop`" in first and "7070" not in first
        if host.startswith("opencode"):  # one prompt, many calls of the model: the same bytes
            assert [playing.system() for _ in range(3)] == [first] * 3
        playing.answer("Because of row level security, which MySQL does not have.", idle=3)
        second = playing.prompt("On which port does the pelican service render invoices?")
        assert second.startswith(first) and "7070" in second
        playing.answer("On port 7070, as the runbook of the pelican service says.", idle=2)
        assert [item.content.split("\n")[0] for item in turns(memory)] == [
            "[user] Why did we choose Postgres for the shop?",
            "[user] On which port does the pelican service render invoices?",
        ]
        assert all("dump of a tool" not in item.content for item in turns(memory))
        hits = memory.recall("pelican invoices port", tags=["turn"])
        assert {hit.session for hit in hits} == {"s1"} and hits[0].created_at.startswith("2026-09-21")
        other = playing.prompt("How do deploys of the shop go?", session="s2")
        assert "blue ring" in other and "blue ring" not in second


@pytest.mark.parametrize("host", HOSTS)
def test_compaction_keeps_the_block_and_stores_no_summary(host: str, home: Home, server: Serving) -> None:
    with taught(home) as memory, Playing(host, home) as playing:
        first = playing.prompt("Why did we choose Postgres for the shop?")
        playing.answer("Because of row level security, which MySQL does not have.")
        playing.compact()
        again = playing.prompt("How do deploys of the shop go?")
        assert again.startswith(first) and "blue ring" in again
        playing.answer("Through the blue ring first, and then through green.")
        assert len(turns(memory)) == 2 and all("Summary" not in item.content for item in turns(memory))


@pytest.mark.parametrize("host", HOSTS)
def test_a_resumed_session_has_the_same_block(host: str, home: Home, server: Serving) -> None:
    with taught(home):
        with Playing(host, home) as playing:
            first = playing.prompt("Why did we choose Postgres for the shop?")
        with Playing(host, home) as playing:
            assert playing.prompt("Why did we choose Postgres for the shop?").startswith(first)


@pytest.mark.parametrize("host", HOSTS)
def test_without_a_server_nothing_happens_and_turns_are_sent_later(host: str, home: Home) -> None:
    with Playing(host, home) as playing:
        assert playing.prompt("Where does the billing job write its ledger?") == ""
        playing.answer("Into the ledger folder of the billing host, once a night.")
        with home.serving(QUICK), client(home) as memory:
            assert "bank `shop`" in playing.prompt("And who reads the ledger of the billing job?")
            playing.answer("The finance team reads it on the first day of the month.")
            assert len(turns(memory)) == 2
        assert playing.prompt("Is there anything else to know about it?") != ""  # the block it had


@pytest.mark.parametrize("host", HOSTS)
def test_a_server_that_hangs_is_left_alone(host: str, home: Home) -> None:
    with answering(None) as (addr, requests), Playing(host, home, MEMORY_WIRE_URL=f"http://{addr}") as playing:
        assert playing.prompt("Why did we choose Postgres for the shop?") == ""
        playing.answer("Because of row level security, which MySQL does not have.")
        assert len(requests) == 2  # neither was waited for for ever, or this test would hang


HEAD = b"HTTP/1.1 %s\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
BAD = {
    "no HTTP": b"hello\r\n\r\n",
    "nothing": b"",
    "error": HEAD % (b"500 Oops", 2) + b"{}",
    "not found": HEAD % (b"404 Not Found", 9) + b"not found",
    "redirect": b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n",
    "no JSON": HEAD % (b"200 OK", 5) + b"hello",
    "null": HEAD % (b"200 OK", 4) + b"null",
    "other JSON": HEAD % (b"200 OK", 12) + b'{"text":[1]}',
    "cut short": HEAD % (b"200 OK", 99) + b'{"text":"',
    "too large": HEAD % (b"200 OK", 2 << 20) + b'{"text":"' + b"x" * (2 << 20),
}


@pytest.mark.parametrize("reply", BAD.values(), ids=BAD)
@pytest.mark.parametrize("host", ("opencode/bun", "pi/node"))
def test_answers_of_something_else_are_no_memory(host: str, reply: bytes, home: Home) -> None:
    with answering(reply) as (addr, _), Playing(host, home, MEMORY_WIRE_URL=f"http://{addr}") as playing:
        assert playing.prompt("Why did we choose Postgres for the shop?") == ""
        playing.answer("Because of row level security, which MySQL does not have.")


@pytest.mark.parametrize(("status", "kept"), [(b"422 Unprocessable", False), (b"503 Not Ready", True)])
@pytest.mark.parametrize("host", ("opencode/bun", "pi/node"))
def test_a_turn_that_is_refused_is_not_sent_again(host: str, status: bytes, kept: bool, home: Home) -> None:
    with answering(HEAD % (status, 2) + b"{}") as (addr, requests), Playing(host, home, MEMORY_WIRE_URL=f"http://{addr}") as playing:
        for number in ("one", "two"):
            playing.prompt(f"What is the {number} thing?")
            playing.answer(f"The {number} thing is what it is, as everybody knows.")
        assert (b"the one thing" in requests[-1], b"the two thing" in requests[-1]) == (kept, True)


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("off", ({"MEMORY_WIRE_DISABLE": "1"}, {"MEMORY_WIRE_HOOK": "1"}), ids=("disabled", "recursion"))
def test_switched_off_it_registers_nothing(host: str, off: dict[str, str], home: Home) -> None:
    with Playing(host, home, **off) as playing:
        assert playing.loaded["hooks"] == [] and playing.loaded["events"] == []


@pytest.mark.parametrize(("url", "mode", "sent"), [("loopback", 0o600, True), ("loopback", 0o644, False), ("elsewhere", 0o600, False)])
def test_the_stored_key_goes_to_this_machine_only(url: str, mode: int, sent: bool, home: Home) -> None:
    key = home.data / "memory.db.key"
    key.write_text("mw_secret\n")
    key.chmod(mode)
    with answering(HEAD % (b"200 OK", 2) + b"{}") as (addr, requests):
        named = f"http://{addr}" if url == "loopback" else f"http://0.0.0.0:{addr.rpartition(':')[2]}"
        with Playing("opencode/bun", home, MEMORY_WIRE_URL=named) as playing:
            playing.prompt("Why did we choose Postgres for the shop?")
        assert len(requests) == 1 and (b"authorization: Bearer mw_secret" in requests[0]) == sent


def test_the_bank_is_the_projects_own_unless_one_is_named(home: Home, server: Serving) -> None:
    launcher = home.folder / "memory-wire"
    launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m memory_wire "$@"\n')
    launcher.chmod(launcher.stat().st_mode | stat.S_IXUSR)
    (home.project / ".git").mkdir()
    (home.project / ".git" / "config").write_text('[remote "origin"]\n\turl = git@example.org:acme/shop.git\n')
    with Playing("opencode/bun", home, Wiring(str(launcher)), MEMORY_WIRE_BANK=None, PYTHONPATH=package.PATH) as playing:
        assert "bank `acme-shop`" in playing.prompt("Why did we choose Postgres for the shop?")
    with Playing("opencode/bun", home, Wiring(str(launcher), "pinned"), MEMORY_WIRE_BANK=None) as playing:
        assert "bank `pinned`" in playing.prompt("Why did we choose Postgres for the shop?")
    with Playing("opencode/bun", home, Wiring("/nowhere/memory-wire"), MEMORY_WIRE_BANK=None) as playing:
        assert playing.prompt("Why did we choose Postgres for the shop?") == ""


def test_what_opencode_does_beside_a_users_turns(home: Home, server: Serving) -> None:
    with taught(home) as memory, Playing("opencode/bun", home) as playing:
        assert playing.loaded["exports"] == ["MemoryWire"]  # every exported function would be run as a plugin
        assert playing.system("never-heard-of") == ""  # no session.created needed, and no request for what has no prompt
        playing.do("message", session="child", id="c1", text="Search the code for Postgres, please.", parent="s1")
        playing.do("answer", session="child", text="It is in the file compose.yaml of the shop.")
        playing.do("event", event={"type": "session.idle", "properties": {"sessionID": "child"}})
        assert turns(memory) == []  # an agent asked, not the user
        playing.do("message", session="s1", id="m1", parts=[{"type": "text", "text": "synthetic", "synthetic": True}, {"type": "file"}])
        playing.do("event", event={"type": "session.idle", "properties": {"sessionID": "s1"}})
        playing.prompt("Why did we choose Postgres for the shop?", id="m2")
        playing.do("event", event={"type": "session.idle", "properties": {"sessionID": "s1"}})  # aborted before an answer
        assert turns(memory) == []
        playing.prompt("Say again: why Postgres and not MySQL?", id="m3")
        playing.do("answer", session="s1", text="Because of row level security, which MySQL does not have.")
        playing.do("breaks", on=True)
        playing.do("event", event={"type": "session.idle", "properties": {"sessionID": "s1"}})
        playing.do("breaks", on=False)
        playing.do("event", event={"type": "session.idle", "properties": {"sessionID": "s1"}}, wait=False)
        playing.do("dispose")  # a run without a terminal ends here
        assert len(turns(memory)) == 1
        for odd in (
            {},
            {"type": "session.idle"},
            {"type": "session.deleted", "properties": {"info": {"id": "s1"}}},
            {"type": "other", "properties": 1},
        ):
            playing.do("event", event=odd)


def test_runs_that_pi_goes_on_with_are_one_turn(home: Home, server: Serving) -> None:
    with client(home) as memory, Playing("omp/bun", home) as playing:
        assert "bank `shop`" in playing.prompt("Why did we choose Postgres?", base=[BASE, "Rules."])
        playing.emit("agent_end", {"messages": [{"role": "user", "content": "Why did we choose Postgres?"}], "willContinue": True})
        playing.emit("agent_end", {"messages": [{"role": "assistant", "content": "Because of row level security."}]})
        [turn] = turns(memory)
        assert turn.content == "[user] Why did we choose Postgres?\n[assistant] Because of row level security."
        for odd in ({}, {"messages": None}, {"messages": [{}, {"role": "assistant"}]}):
            playing.emit("agent_end", odd)
        playing.do("emit", name="before_agent_start", event={}, session="s1")
        playing.do("emit", name="session_start", event={"reason": "startup"})
        playing.emit("session_shutdown")
        assert len(turns(memory)) == 1


@pytest.mark.parametrize("host", HOSTS)
def test_over_a_unix_socket(host: str, home: Home) -> None:
    socket = home.folder / "s"
    with Serving(home.data, "--addr=none", "--socket", str(socket)), Playing(host, home, MEMORY_WIRE_URL=f"unix://{socket}") as playing:
        assert "bank `shop`" in playing.prompt("Why did we choose Postgres for the shop?")


@pytest.mark.parametrize("host", HOSTS)
def test_only_a_server_of_this_user_is_asked(host: str, home: Home) -> None:
    """Whoever listens where a server could be gets no prompt, unless a file of this user's and the process itself prove whose it is."""
    reply = b'HTTP/1.1 200 OK\r\ncontent-length: 44\r\n\r\n{"bank":"shop","text":"injected","entries":[]}'
    state = home.data / "serve.json"
    with answering(reply) as (addr, requests), foreigner() as pid, Playing(host, home) as playing:
        for said in (
            {"pid": pid, "start_ticks": start_ticks(pid)},
            {"pid": os.getpid(), "start_ticks": (start_ticks() or 0) + 1},
            {"pid": os.getpid()},
            {},
        ):
            state.write_text(json.dumps({"addr": addr, **said}))
            assert playing.prompt("Why did we choose Postgres for the shop?") == ""
        state.write_text(json.dumps({"addr": addr, "pid": os.getpid(), "start_ticks": start_ticks()}))
        state.chmod(0o666)
        assert playing.prompt("Why did we choose Postgres for the shop, again?") == ""
        assert requests == []
        state.chmod(0o600)
        playing.prompt("Why did we choose Postgres for the shop, after all?")
        assert requests
        state.unlink()
        (home.data / "service.json").write_text(json.dumps({"addr": addr}))
        count = len(requests)
        playing.prompt("And why did we choose it again?")
        assert len(requests) > count
