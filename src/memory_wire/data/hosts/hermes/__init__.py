# MEMORY_WIRE_PROVIDER_VERSION 4: written by `memory-wire connect`, removed by `memory-wire connect hermes --uninstall`
"""Memory provider of hermes over a memory-wire server: recalls before each turn, stores after it, and never raises into the host.

Runs inside hermes, so it needs nothing but the standard library and the host's own base class.
"""

from __future__ import annotations

import http.client
import json
import os
import queue
import socket
import stat
import threading
import time
import urllib.parse
from typing import Any

from agent.memory_provider import MemoryProvider  # type: ignore[import-not-found,unused-ignore]

BANK = ""

RECALL_SECONDS = 1.5
WRITE_SECONDS = 2.0
REFUSED = (400, 413, 422)  # the same request would be refused again
ANSWER_BYTES = 1024 * 1024
TURNS = 16  # kept for the next capture while the server is away
RECALL_BUDGET = 2000  # tokens of an answer to the tool, unless it asks otherwise
SESSIONS = 64  # whose block is remembered
PREVIOUS_CHARS = 2000  # of the last answer, its end
LOOPBACK = ("localhost", "127.0.0.1", "::1")

TEXT = {"type": "string"}
BUDGET = {"type": "integer", "description": "Tokens that the answer may take."}
TAGS = {"type": "array", "items": TEXT}
TOOLS: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "memory_retain": ("Store one memory: a fact, decision or preference.", {"content": TEXT, "context": TEXT, "tags": TAGS}, ["content"]),
    "memory_recall": ("The memories that answer a question, best first.", {"query": TEXT, "budget": BUDGET, "tags": TAGS}, ["query"]),
    "memory_reflect": ("The best memory for a question, cited by id.", {"query": TEXT, "tags": TAGS}, ["query"]),
    "memory_bank_config_get": ("The memory bank's configuration.", {}, []),
}


def off() -> bool:  # or inside a process that one of our own hooks started
    return os.environ.get("MEMORY_WIRE_DISABLE", "") not in ("", "0") or bool(os.environ.get("MEMORY_WIRE_HOOK"))


def data_folder() -> str:
    base = os.environ.get("XDG_DATA_HOME", "")
    return os.path.join(base if os.path.isabs(base) else os.path.expanduser("~/.local/share"), "memory-wire")


def settings(path: str) -> dict[str, Any]:
    """The JSON object of a file; empty when there is none."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def told(name: str) -> dict[str, Any]:
    """What a file in the data folder says, if it is this user's and nobody else can write it."""
    path = os.path.join(data_folder(), name)
    try:
        seen = os.stat(path)
    except OSError:
        return {}
    return settings(path) if seen.st_uid == os.geteuid() and not seen.st_mode & 0o022 else {}


def proved(said: dict[str, Any]) -> bool:
    """Whether the process that a state file names runs, began when the file says, and is this user's."""
    pid = said.get("pid")
    if type(pid) is not int or not 0 < pid < 1 << 31:
        return False
    try:
        os.kill(pid, 0)
        if not os.path.exists("/proc/self"):
            return True
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        ours = os.stat(f"/proc/{pid}").st_uid == os.geteuid()
        return ours and fields[0] not in (b"Z", b"X") and int(fields[19]) == said.get("start_ticks")
    except (OSError, ValueError, IndexError):
        return False


def held(addr: str) -> bool:
    """Whether the socket that listens at an address is this user's: a service manager holds it while no server runs."""
    try:
        if addr.startswith("unix://"):
            seen = os.lstat(addr[len("unix://") :])
            return stat.S_ISSOCK(seen.st_mode) and seen.st_uid == os.geteuid()
        port = int(addr.rpartition(":")[2])
        rows: list[list[str]] = []
        for table in ("/proc/net/tcp", "/proc/net/tcp6"):
            if os.path.exists(table):
                with open(table, encoding="ascii") as file:
                    rows += [row.split() for row in file.readlines()[1:]]
        return {int(row[7]) for row in rows if row[3] == "0A" and int(row[1].rpartition(":")[2], 16) == port} == {os.geteuid()}
    except (OSError, ValueError, IndexError):
        return False


def url_of(addr: str) -> str:
    """An address as it is asked; one that stands for every interface through the loopback."""
    if not addr or "://" in addr:
        return addr
    host, _, port = addr.rpartition(":")
    return f"http://{ {'0.0.0.0': '127.0.0.1', '[::]': '[::1]'}.get(host, host) }:{port}"


def keep(kept: dict[str, str], session: str, value: str) -> None:
    """Remembers what a session has; of too many sessions, the one not touched longest is forgotten."""
    kept.pop(session, None)
    kept[session] = value
    while len(kept) > SESSIONS:
        del kept[next(iter(kept))]


def stored_key() -> str | None:
    """The key on disk, when nobody else can read it."""
    path = os.path.join(data_folder(), "memory.db.key")
    try:
        if stat.S_IMODE(os.stat(path).st_mode) & 0o077:
            return None
        with open(path, encoding="utf-8") as file:
            return file.read().strip() or None
    except (OSError, ValueError):
        return None


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def ask(url: str, verb: str, path: str, body: dict[str, Any] | None, seconds: float) -> tuple[int, bytes] | None:
    """(status, body) of the server's answer; every failure is None."""
    if seconds <= 0:
        return None
    until = time.monotonic() + seconds
    try:
        connection, prefix, local = opened(url, seconds)
        try:
            headers = {"content-type": "application/json"}
            key = os.environ.get("MEMORY_WIRE_KEY") or (stored_key() if local else None)
            if key:
                headers["authorization"] = f"Bearer {key}"
            sent = None if body is None else json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
            connection.request(verb, prefix + path, sent, headers)
            answer = connection.getresponse()
            parts = bytearray()
            while part := answer.read1(65536):
                parts += part
                if len(parts) > ANSWER_BYTES or time.monotonic() > until:
                    return None
            return answer.status, bytes(parts)
        finally:
            connection.close()
    except (OSError, ValueError, http.client.HTTPException):
        return None


def opened(url: str, seconds: float) -> tuple[http.client.HTTPConnection, str, bool]:
    """(connection, path prefix, whether the server is on this machine). Raises ValueError for a URL of another kind."""
    if url.startswith("unix:///"):
        return UnixConnection(url[len("unix://") :], seconds), "", True
    parts = urllib.parse.urlsplit(url)
    if parts.scheme != "http" or not parts.hostname:
        raise ValueError(url)
    made = http.client.HTTPConnection(parts.hostname, parts.port or 80, timeout=seconds)
    return made, parts.path.rstrip("/"), parts.hostname in LOOPBACK


class MemoryWireProvider(MemoryProvider):  # type: ignore[misc,unused-ignore]
    """One instance an agent; `initialize` begins a session."""

    def __init__(self) -> None:
        self.home = os.environ.get("HERMES_HOME") or os.path.expanduser("~/.hermes")
        self.session = ""
        self.primary = True
        self.blocks: dict[str, str] = {}
        self.sources: dict[str, str] = {}  # what the next session-start says began it; empty when none is due
        self.asked: dict[str, str] = {}
        self.previous = ""
        self.turns: queue.Queue[tuple[str, dict[str, str]] | None] = queue.Queue()
        self.unsent: list[tuple[str, dict[str, str]]] = []
        self.worker: threading.Thread | None = None

    @property
    def name(self) -> str:
        return "memory-wire"

    def named(self, key: str) -> str:
        """What the environment or the provider's own settings say; empty when neither does."""
        own = settings(os.path.join(self.home, "memory-wire.json"))
        return str(os.environ.get(f"MEMORY_WIRE_{key.upper()}") or own.get(key) or "")

    def bank(self) -> str:
        return self.named("bank") or BANK or "memory-wire"

    def url(self) -> str:
        """The server that the user names, else this user's own; empty when none runs: nobody else is asked."""
        if named := self.named("url"):
            return named
        state = told("serve.json")
        if proved(state):
            return url_of(str(state.get("addr") or ""))
        addr = str(told("service.json").get("addr") or "")
        return url_of(addr) if held(addr) else ""

    def post(self, route: str, body: dict[str, Any], seconds: float) -> Any:
        """The answer to a request on the bank, {} when it is refused for good; None when there is none or another one."""
        bank = urllib.parse.quote(self.bank(), safe="")
        given = {key: value for key, value in body.items() if value not in (None, "")}
        answer = ask(self.url(), "POST", f"/v1/banks/{bank}/{route}", given, seconds)
        try:
            return json.loads(answer[1]) if answer and answer[0] == 200 else {} if answer and answer[0] in REFUSED else None
        except ValueError:
            return None

    def is_available(self) -> bool:
        return not off()

    def initialize(self, session_id: str, **kwargs: Any) -> None:
        self.home = str(kwargs.get("hermes_home") or self.home)
        self.primary = kwargs.get("agent_context") in (None, "", "primary")
        self.session = session_id

    def on_session_switch(self, new_session_id: str, *, parent_session_id: str = "", reset: bool = False, **kwargs: Any) -> None:
        self.session = new_session_id
        if reset:
            self.previous = ""

    def system_prompt_block(self) -> str:
        if off():
            return ""
        return (
            f"Long-term memory: memory-wire, bank `{self.bank()}`. Memories that fit the prompt are put before you by themselves. Ask for "
            "more with memory_recall; store what will matter later (decisions and why, preferences, facts hard to find again) with "
            "memory_retain. Finished turns are stored without you."
        )

    def prefetch(self, query: str, *, session_id: str = "") -> str:
        """The session's block of memories: byte-identical from turn to turn, growing at its end. At most RECALL_SECONDS."""
        session = session_id or self.session
        if off() or not isinstance(query, str) or not query.strip() or self.asked.get(session) == query:
            return self.blocks.get(session, "")
        until = time.monotonic() + RECALL_SECONDS
        if source := self.sources.get(session, "startup"):
            if not self.inject(session, {"event": "session-start", "source": source}, until):
                return self.blocks.get(session, "")
            keep(self.sources, session, "")
        if self.inject(session, {"event": "prompt", "prompt": query, "previous": self.previous[-PREVIOUS_CHARS:]}, until):
            keep(self.asked, session, query)
        return self.blocks.get(session, "")

    def inject(self, session: str, more: dict[str, Any], until: float) -> bool:
        """Whether the server answered; the session's block is then what it said."""
        url = self.url()
        common = {"host": "hermes", "session": session, "frozen": True, "url": url if url.startswith("http:") else ""}
        body = common | more | {"format": os.environ.get("MEMORY_WIRE_FORMAT", "")}
        answer = self.post("inject", body, until - time.monotonic())
        text = answer.get("text") if isinstance(answer, dict) else None
        if isinstance(text, str):
            keep(self.blocks, session, text or self.blocks.get(session, ""))
        return isinstance(text, str)

    def sync_turn(self, user_content: str, assistant_content: str, *, session_id: str = "", messages: Any = None) -> None:
        """Has the turn stored by the background thread."""
        if isinstance(assistant_content, str) and assistant_content:
            self.previous = assistant_content
        self.asked.pop(session_id or self.session, None)  # the same prompt again is a new turn
        if off() or not self.primary or not isinstance(user_content, str) or not isinstance(assistant_content, str):
            return
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.turns.put((session_id or self.session, {"user": user_content, "assistant": assistant_content, "at": at}))
        if self.worker is None or not self.worker.is_alive():
            self.worker = threading.Thread(target=self.deliver, name="memory-wire", daemon=True)
            self.worker.start()

    def deliver(self) -> None:
        """Stores turns until told to stop; what fails is tried again with the next one."""
        while (item := self.turns.get()) is not None:
            self.unsent = [*self.unsent, item][-TURNS:]
            for session in dict.fromkeys(each[0] for each in self.unsent):
                turns = [turn for owner, turn in self.unsent if owner == session]
                if self.post("capture", {"event": "turn", "host": "hermes", "session": session, "turns": turns}, WRITE_SECONDS) is None:
                    break
                self.unsent = [each for each in self.unsent if each[0] != session]

    def on_session_end(self, messages: list[dict[str, Any]]) -> None:
        self.shutdown()

    def on_pre_compress(self, messages: list[dict[str, Any]]) -> str:
        """A note for the summary; the next prompt may begin a new block."""
        if off():
            return ""
        if self.sources.get(self.session) == "":
            self.sources[self.session] = "compact"
        return f"The turns of this session are kept in memory-wire (bank `{self.bank()}`); memory_recall finds their details again."

    def shutdown(self) -> None:
        """Waits for the turns under way, at most as long as one write may take."""
        if self.worker is not None and self.worker.is_alive():
            self.turns.put(None)
            self.worker.join(WRITE_SECONDS)

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        return [
            {"name": name, "description": text, "parameters": {"type": "object", "properties": fields, "required": needed}}
            for name, (text, fields, needed) in TOOLS.items()
        ]

    def handle_tool_call(self, tool_name: str, args: dict[str, Any], **kwargs: Any) -> str:
        """The answer as JSON; an `error` says what went wrong."""
        if tool_name not in TOOLS:
            return json.dumps({"error": f"unknown tool: {tool_name}"})
        given: dict[str, Any] | None = {key: value for key, value in args.items() if key in TOOLS[tool_name][1] and value is not None}
        verb, route = "POST", tool_name.partition("_")[2]
        if tool_name == "memory_bank_config_get":
            verb, route, given = "GET", "config", None
        elif tool_name == "memory_recall":
            given = {"budget": RECALL_BUDGET, "format": "full"} | (given or {})
        answer = ask(self.url(), verb, f"/banks/{urllib.parse.quote(self.bank(), safe='')}/{route}", given, WRITE_SECONDS)
        if answer is None:
            return json.dumps({"error": "no memory-wire server answers; start one with `memory-wire daemon start`"})
        text = answer[1].decode("utf-8", "replace")
        return text if answer[0] == 200 else json.dumps({"error": text})

    def get_config_schema(self) -> list[dict[str, Any]]:
        return [
            {"key": "url", "description": "memory-wire server (empty: the one on this machine)", "env_var": "MEMORY_WIRE_URL"},
            {"key": "bank", "description": "bank to remember in", "default": "memory-wire"},
        ]

    def save_config(self, values: dict[str, Any], hermes_home: str) -> None:
        kept = {key: values[key] for key in ("url", "bank") if values.get(key)}
        with open(os.path.join(hermes_home, "memory-wire.json"), "w", encoding="utf-8") as file:
            json.dump(kept, file, indent=2)
            file.write("\n")


def register(ctx: Any) -> None:
    """Called by the host's plugin loader."""
    ctx.register_memory_provider(MemoryWireProvider())
