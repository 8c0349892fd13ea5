"""Long tier: the extension in pi's own loader and runner, the plugin against opencode's own types. Installs packages of both."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

from memory_wire.hosts import plugin
from memory_wire.hosts.base import Wiring
from tests.mcp.node import NPM, cache, node, run
from tests.plugins.playing import Home
from tests.plugins.test_scripts import QUICK, taught, turns

LONG = os.environ.get("MEMORY_WIRE_LONG") == "1"
PI = "@earendil-works/pi-coding-agent@1.6.0"
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


def opencode_types_hold(tmp_path: Path) -> None:
    folder = installed("opencode-1.18.33", *OPENCODE)
    (folder / "memory-wire.ts").write_text(plugin.script("opencode", Wiring("/nowhere/memory-wire")))
    (folder / "check.ts").write_text(CHECK)
    options = {**STRICT, "skipLibCheck": True, "erasableSyntaxOnly": True, "noUnusedLocals": True}
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": options, "files": ["check.ts"]}))
    done = run([folder / "node_modules" / "typescript" / "bin" / "tsc", "-p", "."], cwd=folder)
    assert (done.returncode, done.stdout) == (0, "")


if LONG:
    test_pi_loads_and_runs_the_extension = pi_loads_and_runs_the_extension
    test_opencode_types_hold = opencode_types_hold
