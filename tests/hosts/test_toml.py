"""The editor of TOML, judged by the standard parser: taking out undoes putting in, and nothing else changes."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given

from memory_wire.hosts import toml
from memory_wire.hosts.base import Refused, Trace
from memory_wire.hosts.tables import Server, Switch, Toml
from tests.hosts.documents import tomls

VALUE: toml.Table = {"command": "/x y/memory-wire", "args": ["mcp"], "env": {"MEMORY_WIRE_HOST": "codex"}}
OTHER: toml.Table = {**VALUE, "command": "/new/memory-wire", "args": ["mcp", "--bank", "b"]}


def slots(value: toml.Table = VALUE) -> list[Toml]:
    return [Switch("config.toml", ("features", "hooks")), Server("config.toml", ("mcp_servers", "memory-wire"), value)]


def put(text: str, trace: Trace, wanted: list[Toml]) -> str:
    for slot in wanted:
        if slot.look(text, trace) in ("absent", "stale", "changed"):
            text = slot.put(text, trace)
    return text


def valid(text: str) -> bool:
    try:
        return bool(tomllib.loads(text)) or True
    except tomllib.TOMLDecodeError:
        return False


@given(tomls())
def test_taking_out_undoes_putting_in(text: str) -> None:
    trace = Trace()
    try:
        edited = put(text, trace, slots())
    except Refused as refusal:
        assert not valid(text) or "safely" in refusal.reason or "not a table" in refusal.reason
        return
    before, after = tomllib.loads(text), tomllib.loads(edited)
    assert after["mcp_servers"]["memory-wire"] == VALUE
    assert after["features"]["hooks"] is True
    assert all(after[key] == before[key] for key in before if key not in ("features", "mcp_servers"))
    assert set(edited.splitlines()) >= set(text.splitlines())
    trace.known = True
    again = put(edited, trace, slots(OTHER))
    assert tomllib.loads(again)["mcp_servers"]["memory-wire"] == OTHER
    assert put(again, trace, slots(OTHER)) == again
    back: str | None = put(again, trace, slots())
    assert back == edited
    for slot in reversed(slots()):
        if back is not None and slot.look(back, trace) == "same":
            back = slot.take(back, trace)
    assert back == text


@pytest.mark.parametrize(
    "text",
    [
        "mcp_servers = 1\n",
        "mcp_servers = { other = {} }\n",
        "features.x = true\n",
        "features = { x = 1 }",
        "a = \n",
        "[a]\n[a]\n",
        "\ufeff",
    ],
)
def test_what_it_refuses(text: str) -> None:
    with pytest.raises(Refused):
        put(text, Trace(), slots())


def test_a_users_no_stays() -> None:
    text = "[features]\nhooks = false\n"
    assert slots()[0].look(text, Trace()) == "foreign"


def test_a_key_keeps_its_comment() -> None:
    text = '[mcp_servers.memory-wire]\ncommand = "/old/memory-wire" # mine\nargs = [\n  "mcp", # first\n]\n'
    text += 'env = { MEMORY_WIRE_HOST = "codex" }\n\n[x]\n'
    assert slots()[1].look(text, Trace()) == "stale"
    edited = put(text, Trace(), slots()[1:])
    assert edited == text.replace("/old/", "/x y/")
    assert slots()[1].take(edited, Trace()) == "\n[x]\n"


def test_a_table_that_the_user_changed() -> None:
    text = '[mcp_servers.memory-wire]\ncommand = "/x y/memory-wire"\nargs = ["mcp", "--tools", "all"]\n'
    assert slots()[1].look(text, Trace()) == "changed"
    assert slots()[1].put(text.replace("/x y/", "/old/"), Trace()) == text  # the launcher is brought up to date, no more
    assert slots()[1].look('[mcp_servers.memory-wire]\nurl = "http://127.0.0.1:8888/mcp"\n', Trace()) == "foreign"
