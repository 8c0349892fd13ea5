"""The gateway of a server: who may call and who may set, what one project knows of another, and that nobody waits for somebody's call."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from memory_wire import Client
from memory_wire.errors import Forbidden, OutsideFailed, OutsideTimeout, RateLimited, SubscriptionReadOnly, UnknownIntegration, UnknownName
from tests.outside.server import Server
from tests.serve.serving import Serving

PATIENCE = 10.0


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Serving]:
    with Serving(tmp_path, config={"FIRST_KEY_SECONDS": 0.0}) as server:
        yield server


def client(server: Serving, key: str | None = None) -> Client:
    host, port = server.address
    return Client(f"http://{host}:{port}", key=key, db=server.db)


def admin(server: Serving) -> Client:
    with client(server) as first:
        return client(server, first.create_key("admin", rights="admin").key)


def children(server: Serving) -> list[int]:
    """The processes that the server has started."""
    found = []
    for task in Path(f"/proc/{server.process.pid}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has ended meanwhile
            found += [int(pid) for pid in (task / "children").read_text().split()]
    return found


def test_rights(server: Serving, world: Server) -> None:
    with admin(server) as owner:
        owner.set_integration("echo", f"{world.url}/echo")
        writer, reader = (owner.create_key(rights, rights=rights).key for rights in ("write", "read"))
    with client(server, writer) as agent, client(server, reader) as watcher:
        assert agent.gateway_call("echo").ok
        for call in (agent.integrations, lambda: agent.set_integration("x", world.url), lambda: agent.remove_integration("echo")):
            with pytest.raises(Forbidden, match="needs a key with the right `admin`"):
                call()
        with pytest.raises(Forbidden, match="this key may only read"):
            watcher.gateway_call("echo")


def test_one_project_knows_nothing_of_another(server: Serving, world: Server) -> None:
    with admin(server) as owner:
        for project in ("web", "app"):
            owner.create_project(project)
        owner.set_integration("echo", f"{world.url}/echo", project="web")
        web, app = (owner.create_key(project, rights="admin", project=project).key for project in ("web", "app"))
        assert owner.integrations().integrations == []
    with client(server, web) as inside, client(server, app) as outside:
        assert inside.gateway_call("echo").ok and len(inside.integrations().integrations) == 1
        with pytest.raises(UnknownIntegration, match="'echo'; this project has none"):
            outside.gateway_call("echo")
        assert outside.integrations().integrations == [] and outside.remove_integration("echo") is False
        for call in (lambda: outside.integrations(project="web"), lambda: outside.set_integration("x", "https://host/", project="web")):
            with pytest.raises(UnknownName, match="unknown project 'web'"):
                call()
        assert [event.action for event in inside.audit(kind="gateway").events] == ["gateway.call"]
        assert outside.audit(kind="gateway").events == []


def test_what_reaches_into_the_server_is_for_who_runs_it(server: Serving, world: Server) -> None:
    with admin(server) as owner:
        owner.set_account("acme")
        key = owner.create_key("theirs", rights="admin", account="acme").key
    with client(server, key) as tenant:
        for how in ({"headers": {"X-Key": "env:HOME"}}, {"headers": {"X-Key": "Bearer file:/etc/passwd"}}):
            with pytest.raises(Forbidden, match="env: and file: are for who runs the store"):
                tenant.set_integration("x", "https://example.org/", **how)
        with pytest.raises(Forbidden, match="addresses of the server's machine"):
            tenant.set_integration("x", world.url)
        row = tenant.set_integration("x", world.url.replace("127.0.0.1", "127.0.0.1.nip.invalid"), headers={"X-Key": "their own"})
        assert not row.private and row.headers == {"X-Key": "(set)"}
        assert tenant.set_integration("x", world.url, private=False).private is False
        with pytest.raises(OutsideFailed, match="not an address of a public network"):
            tenant.gateway_call("x")


def test_calls_count_and_a_lapsed_account_makes_none(server: Serving, world: Server) -> None:
    with admin(server) as owner:
        owner.set_integration("echo", f"{world.url}/echo")
        key = owner.create_key("agent").key
        owner.set_account("default", calls_per_minute=2)
        with client(server, key) as agent:
            assert agent.gateway_call("echo").ok and agent.gateway_call("echo").ok
            with pytest.raises(RateLimited):
                agent.gateway_call("echo")
    with client(server, owner.key) as again:
        again.set_account("default", calls_per_minute=0, state="grace")
    with client(server, key) as agent, pytest.raises(SubscriptionReadOnly):
        agent.gateway_call("echo")


def test_agents_call_over_mcp(server: Serving, world: Server, plain: str) -> None:
    with client(server) as owner:
        owner.set_integration("echo", f"{world.url}/echo/{{what}}")
        owner.set_integration("calc", plain, kind="mcp", tools=["add", "much"])

    def call(**arguments: object) -> dict[str, object]:
        params = {"name": "gateway_call", "arguments": arguments}
        reply = server.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        found: dict[str, object] = reply.json["result"]  # type: ignore[index]
        return found

    asked = call(server="echo", arguments={"what": "a"})
    assert asked["isError"] is False and asked["structuredContent"]["result"]["path"] == "/echo/a"  # type: ignore[index]
    added = call(server="calc", tool="add", arguments={"a": 1, "b": 2})
    assert added["structuredContent"]["result"]["structuredContent"] == {"result": 3}  # type: ignore[index]
    unknown = call(server="elsewhere")
    assert unknown["isError"] is True and "there are: calc, echo" in str(unknown["content"])
    wrong = call(server="calc", tool="add", arguments={"a": "x"})
    assert wrong["isError"] is True
    with client(server) as owner:
        owner.set_integration("long", f"{world.url}/bytes/900000")
    cut = call(server="long")
    assert "result" not in cut["structuredContent"] and cut["structuredContent"]["truncated"] is True  # type: ignore[index,operator]
    assert len(json.dumps(cut)) < 40_000


def test_nobody_waits_for_a_call(server: Serving, world: Server) -> None:
    """More calls wait than run at once; reads and writes are answered meanwhile."""
    with client(server) as owner:
        owner.set_integration("slow", f"{world.url}/never", seconds=2.0)
    late: list[str] = []

    def call() -> None:
        with client(server) as agent:
            try:
                agent.gateway_call("slow")
            except OutsideTimeout as error:
                late.append(str(error))

    threads = [threading.Thread(target=call) for _ in range(6)]
    for thread in threads:
        thread.start()
    end = time.monotonic() + PATIENCE
    while not children(server):
        assert time.monotonic() < end
        time.sleep(0.01)
    with client(server) as other:
        kept = other.retain("stored meanwhile")
        assert other.recall("meanwhile")[0].id == kept.id
        assert not late
    for thread in threads:
        thread.join(PATIENCE)
    assert len(late) == 6 and len(children(server)) <= 4


def test_the_server_loads_nothing_for_it_and_ends_what_it_started(tmp_path: Path, world: Server) -> None:
    with Serving(tmp_path, "--quiet", "0.2", after="print(*sys.modules)") as server:
        with client(server) as owner:
            owner.set_integration("echo", f"{world.url}/echo")
            assert owner.gateway_call("echo").ok
        [child] = children(server)
        end = time.monotonic() + PATIENCE
        while children(server):
            assert time.monotonic() < end
            time.sleep(0.01)
        with pytest.raises(ProcessLookupError):
            os.kill(child, 0)
        with client(server) as owner:
            assert owner.gateway_call("echo").ok
        assert server.stop() == 0
    loaded = set(server.output.decode().split())
    assert not loaded & {"http.client", "memory_wire.outside.fetch", "memory_wire.outside.calling", "select", "urllib.request"}


def test_a_server_that_ends_waits_for_no_call(tmp_path: Path, world: Server) -> None:
    with Serving(tmp_path, "--drain", "0.2") as server:
        with client(server) as owner:
            owner.set_integration("slow", f"{world.url}/never", seconds=30.0)
        with server.dial() as peer:
            body = json.dumps({"server": "slow"}).encode()
            head = f"POST /v1/gateway HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            peer.send(head.encode() + body)
            end = time.monotonic() + PATIENCE
            while not children(server):
                assert time.monotonic() < end
                time.sleep(0.01)
            begun = time.monotonic()
            assert server.stop() == 1  # cut short, as it says
            assert time.monotonic() - begun < PATIENCE
    assert "Traceback" not in server.stderr
