"""Long tier: our plugins in the hosts themselves, which are installed: opencode run without a terminal against a model that is scripted,
pi's loader and runner, hermes' plugin loader and memory manager; and opencode's own types.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from memory_wire.hosts import plugin
from memory_wire.hosts.base import Wiring
from tests import package
from tests.mcp.node import NPM, cache, node, run
from tests.plugins.playing import Home
from tests.plugins.test_scripts import QUICK, taught, turns

LONG = os.environ.get("MEMORY_WIRE_LONG") == "1"
PI = "@earendil-works/pi-coding-agent@1.6.0"
HERMES = ("hermes-agent==0.19.0", "pyyaml==6.0.3")
OPENCODE_BINARY = f"opencode-{sys.platform}-{'arm64' if platform.machine() in ('arm64', 'aarch64') else 'x64'}"
OPENCODE = ("typescript@5.9.3", "@types/node@24.10.1", "@opencode-ai/plugin@1.18.33")
RUNNER = """
import { discoverAndLoadExtensions, ExtensionRunner, SessionManager } from "@earendil-works/pi-coding-agent"
const loaded = await discoverAndLoadExtensions([], process.cwd(), process.env.HOME + "/.pi/agent")
const runner = new ExtensionRunner(loaded.extensions, loaded.runtime, process.cwd(), SessionManager.inMemory(process.cwd()), {})
const prompt = "Why did we choose Postgres for the shop?"
const answer = "Because of row level security, which MySQL does not have."
await runner.emit({ type: "session_start", reason: "startup" })
const begun = await runner.emitBeforeAgentStart({ messageType: "user", prompt }, { cwd: process.cwd(), customPrompt: "BASE" })
const text = (role, text) => ({ role, content: [{ type: "text", text }], timestamp: 1790000000000 })
await runner.emit({ type: "agent_end", messages: [text("user", prompt), text("assistant", answer)] })
await runner.emit({ type: "session_shutdown", reason: "quit" })
console.log(JSON.stringify({ errors: loaded.errors, begun }))
"""
MANAGER = """
import json, os
from agent.memory_manager import MemoryManager
from plugins.memory import load_memory_provider
manager = MemoryManager()
manager.add_provider(load_memory_provider("memory-wire"))
manager.initialize_all("h1", hermes_home=os.environ["HERMES_HOME"], platform="cli")
prompt = "Why did we choose Postgres for the shop?"
said = {"system": manager.build_system_prompt(), "block": manager.prefetch_all(prompt, session_id="h1")}
manager.sync_all(prompt, "Because of row level security, which MySQL does not have.", session_id="h1")
said["found"] = manager.handle_tool_call("memory_recall", {"query": "pelican"})
manager.on_session_end([])
manager.shutdown_all()
print(json.dumps(said))
"""
CHECK = """
import type { Hooks, Plugin, PluginInput } from "@opencode-ai/plugin"
import { MemoryWire } from "./memory-wire"
export const plugin: Plugin = MemoryWire
declare const input: PluginInput
export const hooks: Hooks = await MemoryWire(input)
export const known: Exclude<keyof Awaited<ReturnType<typeof MemoryWire>>, keyof Hooks> extends never ? true : false = true
"""
STRICT = {
    "strict": True,
    "noEmit": True,
    "target": "es2023",
    "lib": ["es2024"],
    "module": "esnext",
    "moduleResolution": "bundler",
    "types": ["node"],
}


def installed(name: str, *wanted: str) -> Path:
    """A folder with the packages, installed once."""
    folder = cache() / name
    if not (folder / "done").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / "package.json").write_text('{"private": true}')
        quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--no-update-notifier", "--loglevel=error", "--omit=optional"]
        run([NPM, "install", *quiet, *wanted], cwd=folder, timeout=600).check_returncode()
        (folder / "done").touch()
    return folder


def pi_loads_and_runs_the_extension(tmp_path: Path) -> None:
    home, folder = Home(tmp_path), installed("pi-1.6.0", PI)
    script = home.folder / ".pi" / "agent" / "extensions" / "memory-wire" / "index.ts"
    script.parent.mkdir(parents=True)
    script.write_text(plugin.script("pi", Wiring("/nowhere/memory-wire")))
    (folder / "runner.mjs").write_text(RUNNER)
    with home.serving(QUICK), taught(home) as memory:
        command = [str(node()), str(folder / "runner.mjs")]
        done = subprocess.run(command, env=home.environ(), cwd=folder, capture_output=True, text=True, timeout=120, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        said = json.loads(done.stdout)
        assert said["errors"] == [] and "BASE" in json.dumps(said["begun"]) and "row level security" in json.dumps(said["begun"])
        assert len(turns(memory)) == 1


@contextmanager
def model(answer: str) -> Iterator[tuple[str, list[str]]]:
    """(base URL, system prompts seen) of a model that always answers the same."""
    prompts: list[str] = []
    chunk = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    parts = [
        {"choices": [{"index": 0, "delta": {"role": "assistant", "content": answer}, "finish_reason": None}]},
        {
            "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18},
        },
    ]

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            return None

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if asked.get("tools"):  # not the one that makes a title
                prompts.append("\n\n".join(str(part["content"]) for part in asked["messages"] if part["role"] == "system"))
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            for part in [*(json.dumps(chunk | each) for each in parts), "[DONE]"]:
                self.wfile.write(f"data: {part}\n\n".encode())

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1", prompts
        server.shutdown()


def opencode_without_a_terminal(tmp_path: Path) -> None:
    home, folder = Home(tmp_path), installed("opencode-binary-1.18.33", f"{OPENCODE_BINARY}@1.18.33")
    settings = home.folder / ".config" / "opencode"
    (settings / "plugins").mkdir(parents=True)
    (settings / "plugins" / "memory-wire.ts").write_text(plugin.script("opencode", Wiring("/nowhere/memory-wire")))
    with home.serving(QUICK), taught(home) as memory, model("It is as the memory says: see the notes of the shop.") as (url, prompts):
        models = {"m": {"name": "m", "limit": {"context": 100_000, "output": 1_000}}}
        fake = {"npm": "@ai-sdk/openai-compatible", "name": "Fake", "options": {"baseURL": url, "apiKey": "x"}, "models": models}
        config = {"provider": {"fake": fake}, "model": "fake/m", "small_model": "fake/m", "autoupdate": False, "share": "disabled"}
        (settings / "opencode.json").write_text(json.dumps(config))
        env = home.environ(OPENCODE_DISABLE_AUTOUPDATE="1", OPENCODE_DISABLE_LSP_DOWNLOAD="1", OPENCODE_DISABLE_MODELS_FETCH="1")
        binary = folder / "node_modules" / OPENCODE_BINARY / "bin" / "opencode"
        for words in (
            ["Why did we choose Postgres for the shop?"],
            ["--continue", "On which port does the pelican service render invoices?"],
        ):
            command = [str(binary), "run", *words]
            done = subprocess.run(
                command, env=env, cwd=home.project, capture_output=True, text=True, timeout=180, check=False, stdin=subprocess.DEVNULL
            )
            assert done.returncode == 0 and "as the memory says" in done.stdout, done
        blocks = [prompt[prompt.index("## memory-wire") :] for prompt in prompts]
        assert len(blocks) == 2 and blocks[1].startswith(blocks[0])  # of another process, and still the same bytes
        assert "row level security" in blocks[0] and "7070" not in blocks[0] and "7070" in blocks[1]
        assert len(turns(memory)) == 2  # stored although the process ended with its answer


def opencode_reads_what_connect_and_skill_write(tmp_path: Path) -> None:
    home, folder = Home(tmp_path), installed("opencode-binary-1.18.33", f"{OPENCODE_BINARY}@1.18.33")
    launcher = home.folder / "bin" / "memory-wire"
    launcher.parent.mkdir()
    launcher.write_text(f"#!{sys.executable}\nimport sys\nfrom memory_wire.__main__ import main\nsys.exit(main())\n")
    launcher.chmod(0o755)
    (home.folder / ".config" / "opencode").mkdir(parents=True)
    env = home.environ(
        PATH=f"{launcher.parent}:/usr/bin:/bin", PYTHONPATH=package.PATH, OPENCODE_DISABLE_AUTOUPDATE="1", OPENCODE_DISABLE_MODELS_FETCH="1"
    )
    binary = str(folder / "node_modules" / OPENCODE_BINARY / "bin" / "opencode")

    def said(*words: str) -> str:
        return subprocess.run(words, env=env, cwd=home.project, capture_output=True, text=True, timeout=120, check=True).stdout

    said("memory-wire", "connect", "opencode", "--no-daemon")
    said("memory-wire", "skill", "--install", "opencode")
    listed = said(binary, "mcp", "list")
    assert "memory-wire" in listed and "connected" in listed
    config = json.loads(said(binary, "debug", "config"))
    assert "memory-capture" in config["command"] and any(name.endswith("/plugins/memory-wire.ts") for name in config["plugin"])
    assert "memory-wire" in [skill["name"] for skill in json.loads(said(binary, "debug", "skill"))]


def hermes_manages_the_provider(tmp_path: Path) -> None:
    home, folder = Home(tmp_path), cache() / "hermes-0.19.0"
    if not (folder / "done").exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, timeout=120)
        install = [str(folder / "bin" / "pip"), "install", "-q", "--no-deps", "--disable-pip-version-check", *HERMES]
        subprocess.run(install, check=True, timeout=300)
        (folder / "done").touch()
    place = home.folder / ".hermes" / "plugins" / "memory-wire"
    place.mkdir(parents=True)
    for name in plugin.HERMES:
        (place / name).write_text(plugin.provider(name, Wiring("/nowhere/memory-wire")))
    with home.serving(QUICK), taught(home) as memory:
        env = home.environ(HERMES_HOME=str(home.folder / ".hermes"), PYTHONPATH=None)
        command = [str(folder / "bin" / "python"), "-c", MANAGER]
        done = subprocess.run(command, env=env, cwd=home.project, capture_output=True, text=True, timeout=120, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        said = json.loads(done.stdout.splitlines()[-1])
        assert "bank `shop`" in said["system"] and "row level security" in said["block"] and "7070" in said["found"]
        assert len(turns(memory)) == 1


def opencode_types_hold(tmp_path: Path) -> None:
    folder = installed("opencode-1.18.33", *OPENCODE)
    (folder / "memory-wire.ts").write_text(plugin.script("opencode", Wiring("/nowhere/memory-wire")))
    (folder / "check.ts").write_text(CHECK)
    options = {**STRICT, "skipLibCheck": True, "erasableSyntaxOnly": True, "noUnusedLocals": True}
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": options, "files": ["check.ts"]}))
    done = run([folder / "node_modules" / "typescript" / "bin" / "tsc", "-p", "."], cwd=folder)
    assert (done.returncode, done.stdout) == (0, "")


if LONG:
    test_opencode_without_a_terminal = opencode_without_a_terminal
    test_opencode_reads_what_connect_and_skill_write = opencode_reads_what_connect_and_skill_write
    test_hermes_manages_the_provider = hermes_manages_the_provider
    test_pi_loads_and_runs_the_extension = pi_loads_and_runs_the_extension
    test_opencode_types_hold = opencode_types_hold
