"""Whose uploaded sessions a key shows: a member's own, an administrator all of the project, another project none."""

from __future__ import annotations

import pytest

from memory_wire import Client
from memory_wire.errors import Forbidden, UnknownSession
from memory_wire.sessions import SessionLine
from tests.agent.conftest import Site

SAID = [SessionLine(role="user", text="Between us.")]


def test_members_see_their_own(site: Site) -> None:
    site.serve()
    with site.client() as first:
        owner = Client(site.url, key=first.create_key("owner", rights="admin").key)
    for name in ("ann", "bob"):
        owner.set_member(name)
    ann, bob = (Client(site.url, key=owner.create_key(name, rights="write", member=name).key) for name in ("ann", "bob"))
    reader = Client(site.url, key=owner.create_key("reader", rights="read").key)
    owner.create_project("other")
    other = Client(site.url, key=owner.create_key("other", rights="admin", project="other").key)
    for member in (ann, bob):
        assert member.put_session("abc", "codex", 0, 9, SAID).offset == 9
    assert [client.sessions().total for client in (owner, ann, bob, reader, other)] == [2, 1, 1, 0, 0]
    for stranger in (reader, other):
        with pytest.raises(UnknownSession):
            stranger.session("abc")
    with pytest.raises(Forbidden):
        reader.put_session("abc", "codex", 0, 9, SAID)
    assert ann.delete_session("abc") is True
    assert bob.session_lines("abc").lines == SAID
    events = [(event.action, event.target, event.detail) for event in owner.audit(kind="session").events]
    assert events == [("session.put", "abc", None)] * 2 + [("session.delete", "abc", None)]
    for client in (owner, ann, bob, reader, other):
        client.close()
