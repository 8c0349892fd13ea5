"""Which key the agent shows a server, to whom it shows none, and what it says where that or the address is wrong."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from tests.agent.conftest import Site
from tests.agent.test_consent import command
from tests.outside.server import Server


def keyed(site: Site) -> str:
    """A key of the site's server, whose store lies elsewhere than the agent's."""
    with site.client() as first:
        return first.create_key("agent").key


def key_file(site: Site, key: str, mode: int = 0o600) -> Path:
    path = site.data / "agent" / "key"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{key}\n")
    path.chmod(mode)
    return path


def test_the_key_file_counts_for_a_server_on_this_machine_too(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.serve()
    key = keyed(site)
    said = str(site.agent().call("memory_recall", query="anything")["content"])
    path = site.data / "agent" / "key"
    assert f"{site.url} asks for a key: `memory-wire agent` takes it from MEMORY_WIRE_KEY, or from {path} (mode 0600)" in said
    key_file(site, key)
    assert site.agent().call("memory_recall", query="anything")["isError"] is False
    key_file(site, "mmw_" + "0" * 64)
    assert f"{site.url} refuses the key: " in str(site.agent().call("memory_recall", query="anything")["content"])
    monkeypatch.setenv("MEMORY_WIRE_KEY", key)
    assert site.agent().call("memory_recall", query="anything")["isError"] is False


def test_a_key_file_that_others_may_read_is_refused(site: Site) -> None:
    site.serve()
    path = key_file(site, keyed(site), 0o640)
    refused = command(site)
    assert (refused.returncode, refused.stderr) == (1, f"memory-wire agent: {path} may be read by others: chmod 600 it\n")
    assert f"state: {path} may be read by others: chmod 600 it\n" in command(site, "status").stdout
    path.chmod(0o600)
    assert "state: it answers\n" in command(site, "status").stdout


def test_a_key_goes_to_no_other_machine_in_the_open(site: Site) -> None:
    site.url = "http://192.0.2.7:8888"  # of TEST-NET-1: nobody is there
    key_file(site, "mmw_" + "0" * 64)
    refused = command(site)
    said = f"{site.url} is another machine's and not encrypted, so the key is not sent: use https://, or say --insecure"
    assert (refused.returncode, refused.stdout, refused.stderr) == (1, "", f"memory-wire agent: {said}\n")
    assert json.loads(command(site, "status", "--json").stdout)["state"] == said
    warned = command(site, "--insecure")
    assert (warned.returncode, warned.stderr) == (0, f"memory-wire agent: warning: the key goes to {site.url} unencrypted\n")


@pytest.mark.parametrize("url", ["memory.example", "ftp://memory.example", "http://", "http://host:port", "https://"])
def test_what_is_no_address(site: Site, url: str) -> None:
    refused = command(site, "--url", url, "status")
    assert refused.returncode == 2 and refused.stdout == ""
    told = f"{url!r} is no address of a server: https://HOST[:PORT], http://HOST[:PORT] or unix:///PATH"
    assert refused.stderr.splitlines()[0] == f"memory-wire agent: {told}"


def test_status_says_what_waits_and_why(site: Site) -> None:
    agent = site.agent(AGENT_RETRY_SECONDS=60.0, AGENT_RETRY_MAX_SECONDS=60.0)
    for text in ("The first.", "The\nsecond."):
        agent.call("memory_retain", content=text)
    told = command(site, "status").stdout
    assert f"last error: no server at {site.url}: Connection refused\n" in told and "waiting: 2\n" in told
    assert f"state: no server at {site.url}: Connection refused\n" in told
    assert [row.split("  ")[2:] for row in told.splitlines()[-2:]] == [["memory_retain", "The first."], ["memory_retain", "The second."]]
    found = json.loads(command(site, "status", "--json").stdout)
    assert [(row["tool"], row["text"], row["refused"]) for row in found["writes"][:1]] == [("memory_retain", "The first.", None)]
    site.serve()
    agent.call("memory_retain", content="The third.")
    told = command(site, "status").stdout
    assert "waiting: 0\n" in told and "last error: -\n" in told and "state: it answers\n" in told


def test_what_the_server_refused_for_good_is_told(site: Site) -> None:
    agent = site.agent()
    agent.call("memory_retain", content="  ")
    site.serve()
    agent.call("memory_retain", content="The second.")
    told = command(site, "status").stdout
    assert "set aside: 1\n" in told and "  refused: invalid content" in told


def test_somebody_elses_server(site: Site) -> None:
    with Server() as other:
        site.url = other.url
        state = json.loads(command(site, "status", "--json").stdout)["state"]
        assert state.startswith(f"{other.url} answered ") and state.endswith("but not as a memory-wire server does: is it the right URL?")
        site.url = other.url.replace("http://", "https://")
        state = json.loads(command(site, "status", "--json").stdout)["state"]
        assert state.startswith(f"no server at {site.url}: ") and "_ssl.c" not in state


def test_a_server_that_says_nothing_holds_a_host_up_no_longer_than_it_should(site: Site) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        site.url = f"https://127.0.0.1:{silent.getsockname()[1]}"
        agent = site.agent(AGENT_LIST_SECONDS=0.2, AGENT_SEND_SECONDS=0.2)  # a connection may take a minute else
        assert "memory_recall" in [tool["name"] for tool in agent.ask("tools/list")["result"]["tools"]]  # type: ignore[index]
        assert f"no server at {site.url}: " in str(agent.call("memory_recall", query="anything")["content"])
