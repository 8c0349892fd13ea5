"""Shared chats of assistants: which addresses are taken, what is asked of whom, and what becomes of the answers, recorded by us."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from memory_wire.client import Memory
from memory_wire.errors import Forbidden, Invalid, OutsideFailed
from memory_wire.service import shares
from tests.outside.server import Handler, Server
from tests.sources import exports

ID = "67f0a1b2-0000-4000-8000-00000000000a"
GEMINI = [[None, [[["c", "r"], None, [["which boat?"]], [[["rc", ["The blue one."]]]]]], [None, "Boats"]]]
CLAUDE = {
    "uuid": ID,
    "snapshot_name": "A walk",
    "chat_messages": [
        {"uuid": "m1", "sender": "human", "text": "", "content": [{"type": "text", "text": "where to?"}]},
        {"uuid": "m2", "sender": "assistant", "text": "", "content": [{"type": "tool_use"}, {"type": "text", "text": "Up the hill."}]},
    ],
}


class Assistants(Handler):
    """Answers as the assistants' own addresses do."""

    def give_chatgpt(self, rest: str) -> None:
        self.give(200, json.dumps(exports.CHATGPT[0]).encode(), Content_Type="application/json")

    def give_claude(self, rest: str) -> None:
        self.give(200, json.dumps(CLAUDE).encode(), Content_Type="application/json")

    def give_gemini(self, rest: str) -> None:
        answer = ")]}'\n\n9\n" + json.dumps([["wrb.fr", "ujx1Bf", json.dumps(GEMINI), None]]) + "\n"
        self.give(200, answer.encode())


@pytest.fixture
def assistants(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    names = {shares.CHATGPT.url: "chatgpt", shares.CLAUDE.url: "claude", shares.GEMINI.url: "gemini"}
    with Server(handler=Assistants) as server:
        for place, share in shares.PLACES.items():
            local = replace(share, url=f"{server.url}/{names[share.url]}/{{id}}", private=True)
            monkeypatch.setitem(shares.PLACES, place, local)
        yield server


@pytest.fixture
def allowed(memory: Memory) -> Memory:
    memory.put_config({"shares": True})
    return memory


def test_nothing_is_fetched_until_it_is_allowed(memory: Memory, assistants: Server) -> None:
    for config in ({}, {"shares": "yes"}):
        memory.put_config(config)
        with pytest.raises(Forbidden, match="fetching shared chats is off"):
            memory.import_docs(url=f"https://chatgpt.com/share/{ID}")
    assert assistants.asked == []


def test_a_chat_of_each_assistant(allowed: Memory, assistants: Server) -> None:
    expected = {
        f"https://chatgpt.com/share/{ID}": ("Ferry to Naxos", "which ferry goes to Naxos?"),
        f"https://claude.ai/share/{ID}": ("A walk", "where to?"),
        f"https://gemini.google.com/share/{ID}": ("Boats", "which boat?"),
    }
    for url, (title, asked) in expected.items():
        (doc,) = allowed.import_docs(url=f"{url}/?utm=1#x", is_draft=True).docs
        assert (doc.title, doc.source, doc.state) == (title, url, "created")
        text = str(allowed.read_doc(doc.id).markdown)
        assert text.startswith(f"# {title}\n\n## User\n\n{asked}\n\n## Assistant\n\n")
        assert allowed.read_doc(doc.id).gates == ["draft"]
    assert [(method, path) for method, path, _, _ in assistants.asked] == [
        ("GET", f"/chatgpt/{ID}"), ("GET", f"/claude/{ID}"), ("POST", f"/gemini/{ID}"),
    ]  # fmt: skip
    assert all("cookie" not in {name.lower() for name in headers} for _, _, headers, _ in assistants.asked)
    assert ID.encode() in assistants.asked[2][3]
    (again,) = allowed.import_docs(url=f"https://chatgpt.com/share/{ID}").docs
    assert (again.state, again.version) == ("unchanged", 1)


@pytest.mark.parametrize(
    "url",
    [
        "http://chatgpt.com/share/abcdef",
        "https://chatgpt.com.example.org/share/abcdef",
        "https://user@chatgpt.com/share/abcdef",
        "https://chatgpt.com/share/../api",
        "https://chatgpt.com/share/abc%2fdef",
        "https://chatgpt.com/share/",
        "https://127.0.0.1/share/abcdef",
        "file:///etc/passwd",
    ],
)
def test_other_addresses_are_not_asked(url: str, allowed: Memory, assistants: Server) -> None:
    with pytest.raises(Invalid):
        allowed.import_docs(url=url)
    assert assistants.asked == []


def test_an_address_of_a_private_network_is_not_gone_to(allowed: Memory, assistants: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    place = "claude.ai/share/"
    monkeypatch.setitem(shares.PLACES, place, replace(shares.PLACES[place], private=False))
    with pytest.raises(OutsideFailed, match="not an address of a public network"):
        allowed.import_docs(url=f"https://claude.ai/share/{ID}")
    assert assistants.asked == []


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("status/403", "the chat can't be had: status 403"),
        ("to/302/http://127.0.0.1/", "the chat can't be had: status 302"),
        ("bytes/9000000", "an answer of more than 8,388,608 bytes"),
        ("bytes/10", "the chat can't be read; save its text in a file and capture that"),
    ],
)
def test_what_can_not_be_had(path: str, told: str, allowed: Memory, assistants: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    place = "claude.ai/share/"
    monkeypatch.setitem(shares.PLACES, place, replace(shares.PLACES[place], url=f"{assistants.url}/{path}"))
    with pytest.raises(OutsideFailed, match=told):
        allowed.import_docs(url=f"https://claude.ai/share/{ID}")
    assert allowed.docs().total == 0


def test_the_addresses_are_those_of_the_assistants() -> None:
    hosts = {share.url.split("/")[2] for share in shares.PLACES.values()}
    assert hosts == {"chatgpt.com", "claude.ai", "gemini.google.com"} and not any(share.private for share in shares.PLACES.values())
    assert all(share.url.startswith("https://") for share in shares.PLACES.values())
