"""Two projects in one store: what a key of one is answered is the same, byte for byte, whether or not the other has any data."""

from __future__ import annotations

import re
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from memory_wire import Memory, ops
from tests.serve.serving import Serving

BANKS = ("notes", "default")
ID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|(?<=key:)[0-9a-f]{12}|(?<=\")[0-9a-f]{12}(?=\")")
STAMP = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z|\d{13}\.\d+")
DIGEST = re.compile(rb":[0-9a-f]{8}\]")
NOBODY = "00000000-0000-4000-8000-000000000000"
WORDS = ("harbour", "crane", "tide", "deploy", "staging", "friday", "key", "staging_deploy", "docs/deploy.md")
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)


class Asking:
    """One key's requests to a server, over REST and MCP; `said` has every answer without its date."""

    def __init__(self, server: Serving, key: str) -> None:
        self.server = server
        self.key = {"Authorization": f"Bearer {key}"}
        self.said: list[tuple[str, int, dict[str, str], bytes]] = []
        self.numbers: dict[bytes, bytes] = {}

    def ask(self, verb: str, path: str, body: object = None, **headers: str) -> Any:
        reply = self.server.ask(verb, path, body, {**self.key, **headers})
        more = {name: value for name, value in reply.headers.items() if name not in ("date", "content-length")}
        shown = DIGEST.sub(b":<digest>]", STAMP.sub(b"<time>", ID.sub(self.number, reply.body)))
        self.said.append((f"{verb} {path} {body}", reply.status, more, shown))
        return reply

    def number(self, match: re.Match[bytes]) -> bytes:
        """Ids are random: the n-th that is seen is called so."""
        return self.numbers.setdefault(match[0], b"<id %d>" % len(self.numbers))

    def mcp(self, method: str, **params: object) -> Any:
        return self.ask("POST", "/mcp/notes", {"jsonrpc": "2.0", "id": 1, "method": method, "params": params})

    def tool(self, name: str, **arguments: object) -> Any:
        return self.mcp("tools/call", name=name, arguments=arguments)


def lived(asking: Asking, texts: list[str]) -> None:
    """A project in use: everything that writes."""
    for number, text in enumerate(texts):
        bank = BANKS[number % 2]
        asking.ask("POST", f"/banks/{bank}/retain?receipt=1", {"content": text, "document_id": f"d{number % 3}", "update_mode": "replace"})
        asking.ask("POST", f"/banks/{bank}/retain?receipt=1", {"content": text, "session": "s1", "tags": ["a"], "created_at": "2026-01-02"})
        fact = {
            "content": text,
            "workspace": bank,
            "fact_key": "staging deploy",
            "source_id": "docs/deploy.md",
            "source_hash": f"ab{number % 2}",
        }
        asking.ask("POST", "/v1/records", fact, **{"X-Idempotency-Key": f"k{number % 2}"})
        asking.tool("remember", content=f"{text} again", fact_key=f"fact {number % 2}")
        tool = {"name": text.split()[0], "url": "https://example.org/{page}", "expose": True}
        asking.ask("POST", "/v1/admin/integrations", tool)
    asking.ask(
        "POST", "/v1/banks/notes/capture", {"event": "stop", "session": "s1", "turns": [{"user": WORDS[0] * 9, "assistant": WORDS[1] * 9}]}
    )


def looked(asking: Asking, query: str) -> None:
    """Every way to read, and writes that find nothing."""
    for bank in (*BANKS, "nowhere"):
        for path in ("memories?limit=5", "stats", "config"):
            asking.ask("GET", f"/banks/{bank}/{path}")
        for more in ({}, {"format": "full", "explain": True}, {"tags": ["a"], "k": 3}, {"session": "s1"}):
            asking.ask("POST", f"/banks/{bank}/recall", {"query": query, **more})
        asking.ask("POST", f"/banks/{bank}/reflect", {"query": query})
        asking.ask("POST", "/v1/records/search", {"query": query, "workspace": bank})
        asking.ask("POST", "/v1/records/validate", {"source_id": "docs/deploy.md", "current_source_hash": "ab1", "workspace": bank})
        asking.ask("POST", "/v1/records/forget", {"source_id": "no such", "workspace": bank})
        asking.ask("POST", f"/v1/banks/{bank}/inject", {"event": "prompt", "prompt": query, "session": query})
        asking.ask("GET", f"/v1/banks/{bank}/injections")
        asking.ask("GET", f"/banks/{bank}/memories/{NOBODY}")
        asking.ask("GET", f"/v1/records/{NOBODY}?workspace={bank}")
        asking.ask("DELETE", f"/banks/{bank}/memories/{NOBODY}")
    for op in ops.OPS:  # what is left: the project as a whole, administration, what doesn't fit
        path = op.http[1].replace("{bank}", "notes").replace("{id}", NOBODY)
        if op.http[0] == "GET":
            asking.ask("GET", path)
    asking.ask("GET", "/v1/audit?limit=2")
    asking.ask("POST", "/v1/sweep", {"dry_run": True})
    for path in ("/metrics", "/ready", "/openapi.json", "/no/such"):
        asking.ask("GET", path)
    for name in ("memory_recall", "search"):
        asking.tool(name, query=query)
    for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list"):
        asking.mcp(method)
    completion = {"ref": {"type": "ref/resource", "uri": "memory://{bank}/{id}"}, "argument": {"name": "bank", "value": ""}}
    asking.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "completion/complete", "params": completion})


def world(folder: Path, mine: list[str], theirs: list[str], query: str) -> tuple[list[Any], list[Any]]:
    """What `one` was answered while it wrote and when it looked; `two` holds `theirs`, in banks and under keys of the same names."""
    with Memory(folder / "memory.db", sync="normal") as memory:
        keys = {}
        for name in ("one", "two"):
            memory.create_project(name)
            keys[name] = memory.create_key("agent", rights="admin", project=name).key
    with Serving(folder, "--sync", "normal") as server:
        one, two = Asking(server, keys["one"]), Asking(server, keys["two"])
        lived(two, theirs[: len(theirs) // 2])
        lived(one, mine)
        written, one.said = one.said, []
        with Memory(folder / "memory.db", sync="normal") as memory:  # what an archivist finds is there when it is asked for
            limit = time.monotonic() + 20
            while any(row.waiting for row in memory.jobs().jobs):
                assert time.monotonic() < limit
                time.sleep(0.02)
        looked(one, query)
        before, one.said = one.said, []
        assert server.stop() == 0
    return written, before


@settings(max_examples=6, deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate))  # an example takes a second
@given(mine=st.lists(TEXTS, min_size=1, max_size=4), theirs=st.lists(TEXTS, min_size=1, max_size=6), query=TEXTS)
def test_answers_are_the_same_with_and_without_the_other_project(mine: list[str], theirs: list[str], query: str) -> None:
    with TemporaryDirectory() as alone, TemporaryDirectory() as beside:
        written, looked_at = world(Path(alone), mine, [], query)
        written_beside, looked_at_beside = world(Path(beside), mine, theirs, query)
    for without, with_ in ((written, written_beside), (looked_at, looked_at_beside)):
        for one, other in zip(without, with_, strict=True):
            assert one == other
    assert {status for _, status, _, _ in looked_at} >= {200, 403, 404}
