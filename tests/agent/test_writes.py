"""Writes through the agent: on the disk before they are answered, in order, each once, whoever is killed."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memory_wire import Client
from memory_wire.agent.spool import Spool
from tests.agent.conftest import Site, told, until
from tests.mcp.child import Child


def retain(agent: Child, text: str) -> dict[str, object]:
    return agent.call("memory_retain", content=text)


def waiting(answer: dict[str, object]) -> bool:
    return answer["isError"] is False and "waiting" in answer["structuredContent"]  # type: ignore[operator]


def test_writes_wait_for_the_server_in_order(site: Site) -> None:
    agent = site.agent()
    said = [f"Fact number {number}." for number in range(12)]
    assert all(waiting(retain(agent, text)) for text in said)
    assert told(agent)["waiting"] == 12
    agent.process.kill()
    again = site.agent()
    site.serve()
    until(lambda: told(again)["waiting"] == 0)
    assert site.contents() == said


def test_killed_again_and_again_nothing_is_lost_or_doubled(site: Site) -> None:
    site.serve()
    said = []
    for turn in range(6):
        agent = site.agent()
        for number in range(4):
            text = f"Turn {turn} said {number}."
            if number == 2 and turn % 2:
                site.kill()
            retain(agent, text)
            answer = agent.call("remember", content=text, workspace="child")
            assert answer["isError"] is False
            said.append(text)
        agent.process.kill()
        if turn % 2:
            site.serve()
    last = site.agent()
    until(lambda: told(last)["waiting"] == 0)
    assert sorted(site.contents()) == sorted(said * 2)


@contextmanager
def deaf(site: Site) -> Iterator[list[bytes]]:
    """Passes requests on to the server, but answers to calls are lost."""
    seen: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        def work() -> None:
            while True:
                try:
                    near = listener.accept()[0]
                except OSError:
                    return
                with near, socket.create_connection(("127.0.0.1", site.port)) as far:
                    request = near.recv(1 << 16)
                    far.sendall(request)
                    far.recv(1 << 16)
                    seen.append(request)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        site.url = f"http://127.0.0.1:{port}"
        yield seen
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(10)


@pytest.mark.parametrize("tool", ["remember", "memory_retain"])
def test_an_answer_that_was_lost_doubles_nothing(tool: str, site: Site) -> None:
    site.serve()
    direct = site.url
    with deaf(site) as seen:
        agent = site.agent()
        assert waiting(agent.call(tool, content="Said once."))
        until(lambda: len(seen) > 2)
        agent.process.kill()
    keys = {
        json.loads(body.partition(b"\r\n\r\n")[2])["params"]["_meta"]["memory-wire/idempotency-key"]
        for body in seen
        if b'"tools/call"' in body
    }
    assert len(keys) == 1
    site.url = direct
    assert site.contents() == ["Said once."]


def test_what_is_refused_for_good_holds_nothing_up(site: Site) -> None:
    agent = site.agent()
    retain(agent, "First.")
    agent.call("remember", content="  ", workspace="child")
    retain(agent, "Last.")
    site.serve()
    until(lambda: told(agent)["waiting"] == 0)
    assert (told(agent)["set_aside"], site.contents()) == (1, ["First.", "Last."])
    spool = Spool(str(site.data / "agent"), site.url)
    (why,) = [path.read_text() for path in site.data.rglob("*.why")]
    assert "content" in why and spool.names() == []


def test_what_is_kept_is_never_said_to_be_lost(site: Site) -> None:
    spool = Spool(str(site.data / "agent"), site.url)
    unreadable = Path(spool.place) / f"{1:020d}-1-abcdef"
    unreadable.parent.mkdir(parents=True)
    unreadable.write_bytes(b"{")
    Path(spool.aside_place).touch()  # nothing can be set aside there
    site.serve()
    agent = site.agent()
    assert waiting(retain(agent, "Kept all the same."))
    assert "exists" in str(told(agent)["last_error"]).lower()
    Path(spool.aside_place).unlink()
    until(lambda: told(agent)["waiting"] == 0)
    assert (told(agent)["set_aside"], site.contents()) == (1, ["Kept all the same."])


def test_a_full_spool_refuses_and_keeps_what_it_has(site: Site) -> None:
    agent = site.agent(AGENT_SPOOL_FILES=2)
    assert [retain(agent, f"Number {number}.")["isError"] for number in range(3)] == [False, False, True]
    site.serve()
    until(lambda: told(agent)["waiting"] == 0)
    assert site.contents() == ["Number 0.", "Number 1."]


def test_a_key_that_does_not_count_yet(site: Site) -> None:
    site.serve()
    with site.client() as client:
        key = client.create_key("agents", rights="write").key
    agent = site.agent()
    assert waiting(retain(agent, "Kept until there is a key."))
    (site.data / "memory.db.key").write_text(key)
    (site.data / "memory.db.key").chmod(0o600)
    until(lambda: told(agent)["waiting"] == 0)
    assert "Kept until" in str(agent.call("memory_recall", query="kept until there is a key")["content"])


@pytest.mark.parametrize("state", ["grace", "ended"])
def test_what_is_kept_waits_for_an_account_that_is_renewed(state: str, site: Site) -> None:
    site.serve()
    with site.client() as client:
        owner = client.create_key("owner", rights="admin").key
    with Client(site.url, key=owner) as client:
        client.set_account("acme")
        key = client.create_key("agents", rights="write", account="acme").key
        client.set_account("acme", state=state)
    site.kill()
    site.data.mkdir(parents=True, exist_ok=True)
    (site.data / "memory.db.key").write_text(key)
    (site.data / "memory.db.key").chmod(0o600)
    agent = site.agent()
    assert waiting(retain(agent, "Kept until the account is renewed."))
    site.serve()
    until(lambda: "account" in str(told(agent)["last_error"]))
    assert (told(agent)["waiting"], told(agent)["set_aside"]) == (1, 0)
    with Client(site.url, key=owner) as client:
        client.set_account("acme", state="active")
    until(lambda: told(agent)["waiting"] == 0)
    assert told(agent)["set_aside"] == 0
    assert "Kept until" in str(agent.call("memory_recall", query="kept until the account is renewed")["content"])


def test_a_silent_server_and_what_was_left_half_written(site: Site) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        site.url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        spool = Spool(str(site.data / "agent"), site.url)
        half = Path(spool.place) / f".{1:020d}-1-abcdef"
        half.parent.mkdir(parents=True)
        half.write_bytes(b"{")
        agent = site.agent(AGENT_SEND_SECONDS=0.3, AGENT_AWAY_SECONDS=0.05)
        assert all(waiting(retain(agent, f"Number {number}.")) for number in range(3))
        assert "no answer" in str(told(agent)["last_error"]) and told(agent)["waiting"] == 3
        assert not half.exists()


def test_agents_side_by_side(site: Site) -> None:
    agents = [site.agent() for _ in range(3)]

    def work(number: int) -> None:
        for count in range(8):
            assert retain(agents[number], f"Agent {number} says {count}.")["isError"] is False

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    site.serve()
    for thread in threads:
        thread.join(20)
    until(lambda: told(agents[0])["waiting"] == 0)
    found = site.contents()
    for number in range(3):
        own = [text for text in found if text.startswith(f"Agent {number} ")]
        assert own == [f"Agent {number} says {count}." for count in range(8)]
