"""Documents made without a key: where a hub lets them, within a rate, and changed by who has their edit token only."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_wire import Memory
from tests.serve.serving import Reply, Serving

DOC = {"markdown": "# Found\n\nzebra\n", "bank": "notes"}


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[Memory]:
    """The store's own, which has a key, a bank `notes` and a private one."""
    with Memory(tmp_path / "memory.db") as memory:
        memory.create_key("admin", rights="admin")
        for bank in ("notes", "closed"):
            memory.create_doc("# Own\n", bank=bank)
        yield memory


def made(server: Serving, **more: object) -> Reply:
    return server.ask("POST", "/v1/docs", DOC | more)


def test_only_where_a_hub_lets_them(owner: Memory, tmp_path: Path) -> None:
    with Serving(tmp_path) as server:
        assert made(server).status == 401
        owner.put_hub("notes", bank="notes", public=True)
        assert owner.get_hub("notes").keyless_capture is None
        answer = made(server).json
        assert answer["edit_token"].startswith("mwe_") and owner.read_doc(answer["id"]).markdown == DOC["markdown"]
        refused = [made(server, bank=bank) for bank in ("closed", "nowhere")]
        assert [one.status for one in refused] == [401, 401] and refused[0].body == refused[1].body
        assert "nowhere" not in [row.bank for row in owner.banks()]
        owner.put_hub("notes", bank="notes", keyless_capture=False)
        owner.put_hub("closed", bank="closed")
        assert made(server).status == 401 and made(server, bank="closed").status == 201
        owner.put_hub("closed", bank="closed", keyless_capture=False)
        assert made(server).status == made(server, bank="closed").status == 401
        with_key = server.ask("POST", "/v1/docs", DOC, {"Authorization": "Bearer mmw_" + "0" * 64})
        assert with_key.status == 401


def test_a_key_that_does_not_count_is_none(owner: Memory, tmp_path: Path) -> None:
    owner.put_hub("notes", bank="notes")
    with Serving(tmp_path) as server:
        reply = server.ask("POST", "/v1/docs", DOC, {"Authorization": "Bearer mmw_" + "0" * 64})
        assert reply.status == 401 and b"unknown, revoked or expired" in reply.body


def test_the_edit_token_is_the_documents_only(owner: Memory, tmp_path: Path) -> None:
    owner.put_hub("notes", bank="notes", public=True)
    with Serving(tmp_path) as server:
        mine, other = made(server).json, made(server).json
        change = {"append": "more"}
        assert server.ask("PATCH", f"/v1/docs/{mine['id']}", change).status == 404
        assert server.ask("PATCH", f"/v1/docs/{mine['id']}", change | {"edit_token": other["edit_token"]}).status == 404
        assert server.ask("PATCH", f"/v1/docs/{mine['id']}", change | {"edit_token": mine["edit_token"]}).json["version"] == 2
        gates = {"is_draft": True, "edit_token": mine["edit_token"]}
        assert server.ask("PATCH", f"/v1/docs/{mine['id']}/access", gates).json["gates"] == ["draft"]
        for verb, path, body in (
            ("GET", f"/v1/docs/{mine['id']}", None),
            ("GET", "/v1/docs?bank=notes", None),
            ("DELETE", f"/v1/docs/{mine['id']}", None),
            ("POST", "/v1/docs/batch", {"docs": [], "bank": "notes"}),
            ("POST", "/v1/docs/sync", {"folder": "x", "files": [], "bank": "notes"}),
            ("POST", "/v1/import", {"files": [], "bank": "notes"}),
            ("POST", "/v1/docs/write", DOC),
            ("PUT", "/v1/hubs/notes", {"public": False}),
        ):
            assert server.ask(verb, path, body).status == 401, path


def test_within_a_rate(owner: Memory, tmp_path: Path) -> None:
    owner.put_hub("notes", bank="notes")
    with Serving(tmp_path, config={"KEYLESS_CAPTURES": 3}) as server:
        assert [made(server).status for _ in range(4)] == [201, 201, 201, 429]
        reply = made(server)
        assert int(reply.headers["retry-after"]) >= 1 and b"without a key" in reply.body
        assert server.ask("GET", "/hub/notes").status == 404  # nothing else is held back


def test_over_an_address_that_others_can_reach_it_must_be_said(owner: Memory, tmp_path: Path) -> None:
    owner.put_hub("notes", bank="notes")
    with Serving(tmp_path, "--addr", "0.0.0.0:0") as server:
        assert made(server).status == 401
        owner.put_hub("notes", bank="notes", keyless_capture=True)
        assert made(server).status == 201
        assert made(server, bank="closed").status == 401
