"""The hermes provider in the host's memory slot, against a real server: turns, compression, outages, bad servers, tools."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_wire import Client
from memory_wire.hosts import plugin
from memory_wire.hosts.base import Wiring
from memory_wire.process import start_ticks
from tests.foreign import foreigner
from tests.plugins.hermes_host import Host
from tests.plugins.playing import Home, answering
from tests.plugins.test_scripts import BAD, HEAD, QUICK, client, taught, turns
from tests.serve.serving import Serving


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A scratch home that is this process's own, with the provider installed."""
    made = Home(tmp_path)
    for name in os.environ.keys() - made.environ().keys():
        monkeypatch.delenv(name)
    for name, value in made.environ(MEMORY_WIRE_BANK="shop").items():
        monkeypatch.setenv(name, value)
    folder = tmp_path / ".hermes" / "plugins" / "memory-wire"
    folder.mkdir(parents=True)
    for name in plugin.HERMES:
        (folder / name).write_text(plugin.provider(name, Wiring("/nowhere/memory-wire")))
    return made


@pytest.fixture
def memory(home: Home) -> Iterator[Client]:
    with home.serving(QUICK), taught(home) as made:
        yield made


def hosted(home: Home, session: str = "h1", **kwargs: object) -> Host:
    return Host(home.folder / ".hermes", session, **kwargs)


def test_a_session_of_several_turns(home: Home, memory: Client) -> None:
    host = hosted(home)
    assert host.provider.name == "memory-wire" and "bank `shop`" in host.provider.system_prompt_block()
    first = host.ask("Why did we choose Postgres for the shop?")
    assert "row level security" in first and "7070" not in first
    host.answer("Because of row level security, which MySQL does not have.")
    second = host.ask("On which port does the pelican service render invoices?")
    assert second.startswith(first) and "7070" in second
    host.answer("On port 7070, as the runbook of the pelican service says.")
    host.end()
    found = turns(memory)
    assert [item.content.split()[1] for item in found] == ["Why", "On"]
    assert {hit.session for hit in memory.recall("pelican invoices", tags=["turn"])} == {"h1"}


def test_compression_keeps_the_block_and_says_where_the_turns_are(home: Home, memory: Client) -> None:
    host = hosted(home)
    first = host.ask("Why did we choose Postgres for the shop?")
    host.answer("Because of row level security, which MySQL does not have.")
    assert "bank `shop`" in host.provider.on_pre_compress(host.history)
    assert host.ask("How do deploys of the shop go?").startswith(first)
    host.provider.on_session_switch("h2", parent_session_id="h1")
    host.session = "h2"
    assert "blue ring" in host.ask("How do deploys of the shop go?")
    host.end()


def test_without_a_server_nothing_happens_and_turns_are_sent_later(home: Home) -> None:
    host = hosted(home)
    assert host.ask("Where does the billing job write its ledger?") == ""
    host.answer("Into the ledger folder of the billing host, once a night.")
    host.end()
    with home.serving(QUICK), client(home) as memory:
        assert "bank `shop`" in host.ask("And who reads the ledger of the billing job?")
        host.answer("The finance team reads it on the first day of the month.")
        host.end()
        assert len(turns(memory)) == 2
    assert "bank `shop`" in host.ask("Is there anything else to know about it?")


@pytest.mark.parametrize("reply", [*BAD.values(), None], ids=[*BAD, "hangs"])
def test_answers_of_something_else_are_no_memory(
    reply: bytes | None, home: Home, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with answering(reply) as (addr, _):
        monkeypatch.setenv("MEMORY_WIRE_URL", f"http://{addr}")
        host = hosted(home)
        assert host.ask("Why did we choose Postgres for the shop?") == ""
        host.answer("Because of row level security, which MySQL does not have.")
        assert host.provider.prefetch(None) == "" and host.provider.sync_turn([{"type": "image"}], None) is None
        host.end()
    assert capfd.readouterr() == ("", "")


def test_only_the_primary_agent_stores(home: Home, memory: Client) -> None:
    for context in ("subagent", "cron", "flush"):
        host = hosted(home, agent_context=context)
        assert "row level" in host.ask("Why did we choose Postgres for the shop?")
        host.answer("Because of row level security, which MySQL does not have.")
        host.end()
    assert turns(memory) == []


@pytest.mark.parametrize("name", ("MEMORY_WIRE_DISABLE", "MEMORY_WIRE_HOOK"))
def test_switched_off(name: str, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "1")
    with answering(HEAD % (b"200 OK", 2) + b"{}") as (addr, requests):
        monkeypatch.setenv("MEMORY_WIRE_URL", f"http://{addr}")
        host = hosted(home)
        assert not host.provider.is_available()
        assert host.ask("Why did we choose Postgres for the shop?") == "" == host.provider.system_prompt_block()
        host.answer("Because of row level security, which MySQL does not have.")
        host.end()
        assert requests == []


def test_the_tools(home: Home, memory: Client) -> None:
    provider = hosted(home).provider
    assert [tool["name"] for tool in provider.get_tool_schemas()] == [
        "memory_retain",
        "memory_recall",
        "memory_reflect",
        "memory_bank_config_get",
    ]

    def call(tool: str, **args: object) -> object:
        return json.loads(provider.handle_tool_call(tool, args))

    stored = call("memory_retain", content="The canary ring of the shop is called teal.", tags=["ops"], bogus=1)
    assert isinstance(stored, dict)
    hits = call("memory_recall", query="canary ring", tags=["ops"])
    assert isinstance(hits, list) and hits[0]["id"] == stored["id"] and hits[0]["created_at"]
    assert "teal" in str(call("memory_reflect", query="canary ring"))
    assert isinstance(call("memory_bank_config_get"), dict)
    assert call("memory_retain", content=" ") == {"error": "invalid content"}
    assert "unknown tool" in str(call("shell"))


def test_settings_of_its_own(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    provider = hosted(home).provider
    monkeypatch.delenv("MEMORY_WIRE_BANK")
    assert provider.bank() == "memory-wire" and provider.url() == ""
    state = home.data / "serve.json"
    state.write_text('{"addr": "127.0.0.1:9999"}')
    assert provider.url() == ""  # nothing proves whose it is
    state.write_text(json.dumps({"addr": "127.0.0.1:9999", "pid": os.getpid(), "start_ticks": start_ticks()}))
    assert provider.url() == "http://127.0.0.1:9999"
    state.chmod(0o666)
    assert provider.url() == ""
    with foreigner() as pid:
        state.chmod(0o600)
        state.write_text(json.dumps({"addr": "127.0.0.1:9999", "pid": pid, "start_ticks": start_ticks(pid)}))
        assert provider.url() == ""
    with socket.create_server(("127.0.0.1", 0)) as held:
        addr = f"127.0.0.1:{held.getsockname()[1]}"
        (home.data / "service.json").write_text(json.dumps({"addr": addr}))
        assert provider.url() == f"http://{addr}"
    assert provider.url() == ""
    provider.save_config({"url": "http://box:1", "bank": "mine", "other": 1}, str(home.folder / ".hermes"))
    assert (provider.bank(), provider.url()) == ("mine", "http://box:1")
    monkeypatch.setenv("MEMORY_WIRE_URL", "unix:///nowhere/socket")
    assert provider.prefetch("Why did we choose Postgres for the shop?") == ""
    assert {field["key"] for field in provider.get_config_schema()} == {"url", "bank"}


def test_over_a_unix_socket(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    socket = home.folder / "s"
    with Serving(home.data, "--addr=none", "--socket", str(socket)):
        monkeypatch.setenv("MEMORY_WIRE_URL", f"unix://{socket}")
        assert "bank `shop`" in hosted(home).ask("Why did we choose Postgres for the shop?")
