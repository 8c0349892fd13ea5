"""The peers, one class each: how it is installed, started, told something and asked. `search` gives keys, best first."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import ClassVar

from bench.footprint.server import Server
from bench.peers.talk import Driver, Tools

DRIVERS = Path(__file__).parent / "drivers"
LIMIT = 5


def in_order(text: str, marks: Iterable[tuple[str, str]]) -> list[str]:
    """Keys whose mark stands in a text, by where it stands first."""
    found = sorted((text.find(mark), key) for key, mark in marks if mark in text)
    return [key for _, key in found]


class Peer:
    """`needs` is what pip or npm installs; none: it is here."""

    name = ""
    needs = ""
    python = ""  # the oldest version it takes
    extensions = False  # whether its interpreter's SQLite has to load extensions
    pid: int

    def __init__(self, programs: Path, folder: Path) -> None:
        """Starts it and waits until it answers."""

    def add(self, key: str, text: str) -> None: ...
    def search(self, query: str) -> list[str]: ...
    def close(self) -> None: ...


class Ours(Peer):
    name = "memory-wire, over HTTP"

    def __init__(self, programs: Path, folder: Path) -> None:
        self.server = Server(folder)
        self.pid = self.server.pid
        self.connection = self.server.dial()
        self.keys: dict[str, str] = {}

    def add(self, key: str, text: str) -> None:
        status, answer = self.server.ask("POST", "/banks/talk/retain", {"content": text}, self.connection)
        assert status == 200
        self.keys.setdefault(json.loads(answer)["id"], key)

    def search(self, query: str) -> list[str]:
        body = {"query": query, "k": LIMIT, "format": "full"}
        status, answer = self.server.ask("POST", "/banks/talk/recall", body, self.connection)
        assert status == 200
        return [self.keys[hit["id"]] for hit in json.loads(answer)]

    def close(self) -> None:
        self.connection.close()
        self.server.stop()


class Driven(Peer):
    """A library behind a driver."""

    script = ""

    def __init__(self, programs: Path, folder: Path) -> None:
        python = programs / "bin" / "python" if self.needs else Path(sys.executable)
        self.driver = Driver([python, DRIVERS / self.script, self.place(folder)], folder, {})
        self.driver.ask("ready")
        self.pid = self.driver.process.pid

    def place(self, folder: Path) -> Path:
        return folder

    def add(self, key: str, text: str) -> None:
        self.driver.ask("add", key=key, text=text)

    def search(self, query: str) -> list[str]:
        found = self.driver.ask("search", query=query, limit=LIMIT)
        assert isinstance(found, list)
        return found

    def close(self) -> None:
        self.driver.close()


class Fts5(Driven):
    name = "SQLite FTS5, 20 lines of Python"
    script = "fts5.py"

    def place(self, folder: Path) -> Path:
        return folder / "memory.db"


class Mem0(Driven):
    name = "mem0, infer=False, hashed words for its model"
    needs = "mem0ai"
    script = "mem0_driver.py"


class Served(Peer):
    """An MCP server over stdio."""

    program = ""
    words: tuple[str, ...] = ()
    environ: ClassVar[Mapping[str, str]] = {}

    def __init__(self, programs: Path, folder: Path, environ: Mapping[str, str] | None = None) -> None:
        self.tools = Tools([programs / "bin" / self.program, *self.words], folder, environ or self.environ)
        self.tools.begin()
        self.tools.request("tools/list")
        self.pid = self.tools.process.pid
        self.texts: dict[str, str] = {}

    def close(self) -> None:
        self.tools.close()


class Service(Served):
    name = "mcp-memory-service, its hashed embeddings"
    needs = "mcp-memory-service"
    extensions = True
    program = "memory"
    words = ("server",)
    environ: ClassVar = {
        "MCP_MEMORY_STORAGE_BACKEND": "sqlite_vec",
        "MCP_MEMORY_ALLOW_HASH_EMBEDDINGS": "true",
        "MCP_MEMORY_OFFLINE": "true",
    }

    def add(self, key: str, text: str) -> None:
        self.texts.setdefault(text, key)
        self.tools.call("memory_store", content=text)

    def search(self, query: str) -> list[str]:
        answer = self.tools.call("memory_search", query=query, limit=LIMIT, mode="hybrid")
        marks = [
            (key, mark)
            for text, key in self.texts.items()
            for mark in {text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]}
        ]
        return list(dict.fromkeys(in_order(answer, marks)))[:LIMIT]


class Basic(Served):
    name = "basic-memory, text search"
    needs = "basic-memory"
    python = "3.12"
    program = "basic-memory"
    words = ("mcp",)
    environ: ClassVar = {"BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false", "HF_HUB_OFFLINE": "1", "BASIC_MEMORY_LOG_LEVEL": "ERROR"}

    def add(self, key: str, text: str) -> None:
        self.texts[title_of(key)] = key
        self.tools.call("write_note", title=title_of(key), content=text, directory="talk")

    def search(self, query: str) -> list[str]:
        words = " OR ".join("".join(c if c.isalnum() else " " for c in query).split())
        answer = self.tools.call("search_notes", query=words, page_size=LIMIT)
        return in_order(answer, [(key, title) for title, key in self.texts.items()])[:LIMIT]


class Reference(Served):
    name = "MCP reference memory server"
    needs = "npm:@modelcontextprotocol/server-memory"
    program = "mcp-server-memory"

    def __init__(self, programs: Path, folder: Path) -> None:
        super().__init__(programs, folder, {"MEMORY_FILE_PATH": str(folder / "memory.jsonl")})

    def add(self, key: str, text: str) -> None:
        self.tools.call("create_entities", entities=[{"name": title_of(key), "entityType": "turn", "observations": [text]}])
        self.texts[title_of(key)] = key

    def search(self, query: str) -> list[str]:
        """It looks for the question as one string, as an agent's single words would be looked for."""
        answer = self.tools.call("search_nodes", query=query)
        return in_order(answer, [(key, f'"{title}"') for title, key in self.texts.items()])[:LIMIT]


def title_of(key: str) -> str:
    """A name that no other one begins with."""
    return f"turn {key.replace(':', '-')} end"


PEERS: tuple[type[Peer], ...] = (Ours, Fts5, Mem0, Service, Basic, Reference)
SCRATCH = Path(tempfile.gettempdir()) / "memory-wire-peers"
