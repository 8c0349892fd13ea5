"""Keys over HTTP and MCP: who needs one, what it may do, when it ends, and that nobody else learns anything."""

from __future__ import annotations

import os
import socket
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_wire import Client, Memory, ops
from memory_wire.errors import Forbidden, RateLimited, RecordLimit, SubscriptionInactive, SubscriptionReadOnly, Unauthorized, UnknownName
from memory_wire.serve import entry, listen
from tests.serve.serving import Reply, Serving

QUICK = {"FIRST_KEY_SECONDS": 0.05}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Serving]:
    with Serving(tmp_path, "--socket", str(tmp_path / "s"), config=QUICK) as server:
        yield server


KEYED = [op for op in ops.OPS if not op.public]


def url(server: Serving) -> str:
    host, port = server.address
    return f"http://{host}:{port}"


def client(server: Serving, key: str | None = None) -> Client:
    return Client(url(server), key=key, db=server.db)


def admin(server: Serving) -> Client:
    """A client with the first key; it may do everything."""
    with client(server) as open_client:
        return client(server, open_client.create_key("admin", rights="admin").key)


def every_route() -> list[tuple[str, str, object]]:
    """(verb, path, body) of all operations that aren't everybody's, and of what else the server answers."""
    found: list[tuple[str, str, object]] = []
    for op in KEYED:
        path = op.http[1].replace("{bank}", "default").replace("{id}", "00000000-0000-4000-8000-000000000000")
        found.append((op.http[0], path, {} if op.body else None))
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    return [*found, ("GET", "/metrics", None), ("GET", "/openapi.json", None), ("POST", "/mcp", listing), ("POST", "/mcp/default", listing)]


def said(reply: Reply) -> tuple[int, dict[str, str], bytes]:
    """A reply without its date."""
    return reply.status, {name: value for name, value in reply.headers.items() if name != "date"}, reply.body


def test_without_a_key_nothing_is_told(server: Serving) -> None:
    with admin(server) as owner:
        owner.retain("known to few", bank="hidden")
    for given in ({}, {"Authorization": "Bearer mmw_" + "0" * 64}, {"Authorization": "Basic eDp5"}, {"Authorization": "Bearer"}):
        for verb, path, body in every_route():
            reply = server.ask(verb, path, body, given)
            assert reply.status == 401 and reply.headers["www-authenticate"] == "Bearer", path
            assert b"hidden" not in reply.body and b"memory_" not in reply.body
        there, missing = (said(server.ask("GET", f"/banks/{bank}/memories", headers=given)) for bank in ("hidden", "nowhere"))
        assert there == missing
        assert server.ask("GET", "/no/such/path", headers=given).status == 401
    assert server.ask("GET", "/health").text == "ok" and server.ask("GET", "/ready").status == 200


def test_before_the_first_key_nobody_needs_one(server: Serving) -> None:
    assert server.ask("GET", "/banks", headers={"Authorization": "Bearer whatever"}).status == 200


def test_a_first_key_made_by_another_process_counts(server: Serving) -> None:
    with client(server) as anonymous, Memory(server.db) as memory:
        anonymous.banks()
        made = memory.create_key("elsewhere")
        time.sleep(0.1)
        with pytest.raises(Unauthorized, match="a key is needed"):
            anonymous.banks()
        with client(server, made.key) as other:
            other.banks()
            memory.revoke_key(made.id)
            with pytest.raises(Unauthorized, match="unknown, revoked or expired"):
                other.banks()


def test_what_each_right_allows(server: Serving) -> None:
    with admin(server) as owner:
        keys = {rights: owner.create_key(rights, rights=rights).key for rights in ("read", "write", "admin")}
        for rights, key in keys.items():
            for verb, path, body in every_route()[: len(KEYED)]:
                op = next(op for op in ops.OPS if op.http == (verb, path) or (op.http[0] == verb and same(op.http[1], path)))
                status = server.ask(verb, path, body, {"Authorization": f"Bearer {key}"}).status
                assert (status == 403) == (ranks(op.right) > ranks(rights)), (rights, op.name, status)


def ranks(right: str) -> int:
    return ("read", "write", "admin").index(right)


def same(pattern: str, path: str) -> bool:
    parts, given = pattern.split("/"), path.split("/")
    return len(parts) == len(given) and all(part == at or part.startswith("{") for part, at in zip(parts, given, strict=True))


def test_a_revoked_key_ends_with_the_answer(server: Serving) -> None:
    with admin(server) as owner:
        made = owner.create_key("short")
        with client(server, made.key) as other:
            other.retain("still in time")
            assert owner.revoke_key(made.id)
            for _ in range(3):
                with pytest.raises(Unauthorized):
                    other.retain("too late")
    with client(server) as nobody, pytest.raises(Unauthorized):
        nobody.banks()


def test_an_expired_key_ends(server: Serving) -> None:
    with admin(server) as owner:
        made = owner.create_key("short", days=1)
        with client(server, made.key) as other:
            other.banks()
            with sqlite3.connect(server.db) as connection:
                connection.execute("UPDATE api_key SET expires = 1 WHERE label = 'short'")
            with sqlite3.connect(server.db) as connection:
                connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'access'")
            connection.close()
            with pytest.raises(Unauthorized):
                other.banks()
        assert [key.state for key in owner.keys().keys] == ["active", "expired"]


def test_states_of_an_account(server: Serving) -> None:
    with admin(server) as owner:
        owner.set_account("acme")
        key = owner.create_key("theirs", rights="admin", account="acme").key
        with client(server, key) as theirs:
            kept = theirs.remember("The build takes nine minutes.", bank="b")
            owner.set_account("acme", state="grace")
            assert [hit.id for hit in theirs.search("build", bank="b").results] == [kept.id]
            assert theirs.validate_memory("x", "ab12", bank="b").checked == 0
            for write in (lambda: theirs.remember("no", bank="b"), lambda: theirs.retain("no", bank="b"), lambda: theirs.create_key("no")):
                with pytest.raises(SubscriptionReadOnly):
                    write()
            owner.set_account("acme", state="ended")
            for call in (lambda: theirs.search("build", bank="b"), theirs.keys, theirs.audit):
                with pytest.raises(SubscriptionInactive):
                    call()
            with pytest.raises(SubscriptionInactive):
                theirs.set_account("acme", state="active")
            owner.set_account("acme", state="active")
            theirs.remember("yes", bank="b")
            with pytest.raises(Forbidden, match="set by who runs the store"):
                theirs.set_account("acme", records=0)


def test_the_store_can_always_be_administered_by_its_owner(server: Serving) -> None:
    with admin(server) as owner:
        owner.set_account("default", state="ended")
        with pytest.raises(SubscriptionInactive):
            owner.banks()
        owner.set_account("default", state="active")
        assert owner.banks()


def test_limits(server: Serving) -> None:
    with admin(server) as owner:
        owner.set_account("acme", records=2)
        with client(server, owner.create_key("theirs", account="acme").key) as theirs:
            first = theirs.remember("one", bank="b", idempotency_key="k")
            theirs.remember("two", bank="c")
            with pytest.raises(RecordLimit, match="the account holds 2 records, which is its limit"):
                theirs.remember("three", bank="b")
            assert theirs.remember("one", bank="b", idempotency_key="k").replayed
            assert theirs.search("one", bank="b").results
            assert theirs.forget_record(first.id, bank="b").forgotten
            theirs.remember("three", bank="b")
            owner.set_account("acme", records=0)
            theirs.remember("four", bank="b")
        owner.set_account("acme", calls_per_minute=3)
        keys = [owner.create_key(name, account="acme").key for name in ("one", "two")]
        for key in keys:  # each key has its own
            with client(server, key) as theirs:
                for _ in range(3):
                    theirs.banks()
                with pytest.raises(RateLimited, match="more than 3 calls a minute"):
                    theirs.banks()
        reply = server.ask("GET", "/banks", headers={"Authorization": f"Bearer {keys[0]}"})
        assert reply.status == 429 and 1 <= int(reply.headers["retry-after"]) <= 20


def test_a_key_of_a_project_reaches_nothing_else(server: Serving) -> None:
    with admin(server) as owner:
        for name in ("one", "two"):
            owner.create_project(name)
        with (
            client(server, owner.create_key("one", project="one").key) as one,
            client(server, owner.create_key("two", project="two").key) as two,
        ):
            kept = one.retain("only in one", bank="b")
            assert two.recall("only in one", bank="b") == [] and two.banks() == []
            assert two.forget(kept.id, bank="b") is False
            assert [row.bank for row in one.banks()] == ["b"]
        key = {"Authorization": f"Bearer {owner.create_key('other', project='two').key}"}
        assert server.ask("GET", "/banks", headers={**key, "X-Memory-Wire-Project": "one"}).status == 403
        mine = {"Authorization": f"Bearer {owner.create_key('all').key}"}
        for project, banks in (("one", 1), ("two", 0), ("default", 1)):
            found = server.ask("GET", "/banks", headers={**mine, "X-Memory-Wire-Project": project}).json
            assert len(found["banks"]) == banks  # type: ignore[index]


def test_an_account_sees_itself_alone(server: Serving) -> None:
    with admin(server) as owner:
        for name in ("acme", "bolt"):
            owner.set_account(name)
            owner.create_project("web", account=name)
            owner.set_member("ann", account=name)
        owner.create_project("secret")
        with client(server, owner.create_key("acme", rights="admin", account="acme").key) as acme:
            assert [row.name for row in acme.projects().projects] == ["default", "web"]
            assert [row.label for row in acme.keys().keys] == ["acme"] and [row.name for row in acme.accounts().accounts] == ["acme"]
            assert {event.project for event in acme.audit().events} == {None, "web"}
            for there, missing in (("bolt", "nowhere"), ("default", "nowhere")):
                with pytest.raises(UnknownName) as first:
                    acme.projects(account=there)
                with pytest.raises(UnknownName) as second:
                    acme.projects(account=missing)
                assert str(first.value).replace(there, missing) == str(second.value)
            with pytest.raises(UnknownName):
                acme.create_key("no", project="secret")
            acme.create_project("secret")  # names of others are free
            for key in owner.keys().keys:
                assert not acme.revoke_key(key.id)
            with pytest.raises(Forbidden):
                acme.verify_audit()
            bound = acme.create_key("web", rights="admin", project="web")
        with client(server, bound.key) as web:
            assert [row.name for row in web.projects().projects] == ["web"] and [row.label for row in web.keys().keys] == ["web"]
            assert web.create_key("more").project == "web"
            for call in (web.members, web.units, web.accounts, lambda: web.create_project("more")):
                with pytest.raises(Forbidden, match="reaches the project 'web' only"):
                    call()
            with pytest.raises(UnknownName):
                web.create_key("no", project="secret")


def test_over_mcp(server: Serving) -> None:
    with admin(server) as owner:
        key = owner.create_key("agent", rights="read").key
    call = {"name": "memory_retain", "arguments": {"content": "no"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    reply = server.ask("POST", "/mcp", message, {"Authorization": f"Bearer {key}"})
    assert "this key may only read" in reply.text and '"isError":true' in reply.text
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert "memory_recall" in server.ask("POST", "/mcp", listing, {"Authorization": f"bearer {key}"}).text


def test_the_user_of_the_server_needs_no_key_on_its_socket(server: Serving, tmp_path: Path) -> None:
    with admin(server) as owner:
        bound = owner.create_key("bound", project=owner.create_project("p").name).key
        owner.retain("in default", bank="b")
    with Client(f"unix://{tmp_path / 's'}", db=tmp_path / "elsewhere") as trusted:
        assert [row.bank for row in trusted.banks()] == ["b", "default"] and trusted.keys().keys
    with Client(f"unix://{tmp_path / 's'}", key="mmw_" + "0" * 64) as trusted:  # a stale key file does no harm
        assert trusted.banks()
    with Client(f"unix://{tmp_path / 's'}", key=bound) as theirs:
        assert theirs.banks() == []


def test_another_user_does(monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = socket.socketpair()
    with here, there:
        assert listen.own(here.fileno())
        mine = os.geteuid()
        monkeypatch.setattr(os, "geteuid", lambda: mine + 1)
        assert not listen.own(here.fileno())


def test_an_address_that_others_reach_needs_a_key_or_insecure(tmp_path: Path) -> None:
    with Serving(tmp_path, "--addr", "0.0.0.0:0") as server:
        reply = server.ask("GET", "/banks")
        assert reply.status == 401 and entry.MISSING in reply.text
        assert "keys create" in entry.MISSING and "--insecure" in entry.MISSING
        with Memory(server.db) as memory:
            key = memory.create_key("mine").key
        assert server.ask("GET", "/banks", headers={"Authorization": f"Bearer {key}"}).status in (200, 401)  # within a second
        time.sleep(1.1)
        assert server.ask("GET", "/banks", headers={"Authorization": f"Bearer {key}"}).status == 200
        assert "there is none: `memory-wire keys create" in server.stderr
    with Serving(tmp_path, "--addr", "0.0.0.0:0", "--insecure") as server:
        assert server.ask("GET", "/banks").status == 200
        assert "asks nobody for a key" in server.stderr and "with --insecure nobody is asked" in server.stderr


def test_a_key_survives_restart_and_rest(tmp_path: Path) -> None:
    with Serving(tmp_path, "--quiet", "0.1") as server:
        with admin(server) as owner:
            key = owner.create_key("mine").key
        with client(server, key) as mine:
            for _ in range(3):
                mine.retain("kept")
                time.sleep(0.4)
        assert server.stop() == 0
    with Serving(tmp_path) as server, client(server, key) as mine:
        assert mine.stats().memories == 1
        with client(server) as nobody, pytest.raises(Unauthorized):
            nobody.stats()
