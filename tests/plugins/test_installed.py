"""The hosts that run a plugin, from `connect` to `disconnect`: installed, listed, played as installed, gone without a trace."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from memory_wire.hosts.plugin import HERMES
from tests import package
from tests.plugins.hermes_host import Host
from tests.plugins.playing import Home, Playing
from tests.plugins.test_scripts import QUICK, taught, turns

ROOT = Path(__file__).parents[2]
SETTINGS = {  # what the user had
    "opencode": (".config/opencode/opencode.json", '// mine\n{\n  "theme": "dark", // at night\n}\n'),
    "omp": (".omp/agent/mcp.json", '{"mcpServers": {"other": {"command": "x"}}}'),
    "pi": (".pi/agent/settings.json", "{}\n"),
    "hermes": (".hermes/config.yaml", "model: x   # my own\nmemory:\n  provider: honcho\n  limit: 5\n"),
}
SCRIPTS = {
    "opencode": ("opencode/bun", ".config/opencode/plugins/memory-wire.ts"),
    "omp": ("omp/bun", ".omp/agent/extensions/memory-wire.ts"),
    "pi": ("pi/node", ".pi/agent/extensions/memory-wire/index.ts"),
}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path)
    launcher = tmp_path / "bin" / "memory-wire"
    launcher.parent.mkdir()
    launcher.write_text(f"#!{sys.executable}\nimport sys\nfrom memory_wire.__main__ import main\nsys.exit(main())\n")
    launcher.chmod(0o755)
    for path, text in SETTINGS.values():
        file = tmp_path / path
        file.parent.mkdir(parents=True)
        file.write_text(text)
    return made


def run(home: Home, *words: str) -> str:
    """Standard output of the launcher on PATH; must succeed."""
    done = subprocess.run(
        ["memory-wire", *words], env=environ(home), cwd=home.project, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


def environ(home: Home) -> dict[str, str]:
    return home.environ(PATH=f"{home.folder / 'bin'}:/usr/bin:/bin", PYTHONPATH=package.PATH)


def tree(home: Home) -> dict[str, bytes | None]:
    """Everything but what memory-wire keeps for itself, and Bun's cache."""
    apart = (home.data, home.folder / ".bun")
    paths = [path for path in home.folder.rglob("*") if not {path, *path.parents} & set(apart)]
    return {str(path.relative_to(home.folder)): path.read_bytes() if path.is_file() else None for path in paths}


@pytest.mark.parametrize("host", SETTINGS)
def test_from_connect_to_disconnect(host: str, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    before = tree(home)
    assert run(home, "connect", host, "--no-daemon", "--bank", "shop").split()[:2] == [host, "wired"]
    states = {row["host"]: row["wired"] for row in json.loads(run(home, "connect", "--list", "--json"))}
    assert states[host] == "yes"
    wired = tree(home)
    assert run(home, "connect", host, "--no-daemon").split()[:2] == [host, "already-wired"]  # the bank that was baked in stays
    assert tree(home) == wired
    with home.serving(QUICK), taught(home) as memory:
        if host == "hermes":
            for name, value in home.environ(MEMORY_WIRE_BANK=None).items():
                monkeypatch.setenv(name, value)
            monkeypatch.delenv("MEMORY_WIRE_BANK", raising=False)
            assert YAML(typ="safe").load((home.folder / ".hermes" / "config.yaml").read_text())["memory"]["provider"] == "memory-wire"
            agent = Host(home.folder / ".hermes")
            assert "row level security" in agent.ask("Why did we choose Postgres for the shop?")
            agent.answer("Because of row level security, which MySQL does not have.")
            agent.end()
        else:
            runtime, path = SCRIPTS[host]
            with Playing(runtime, home, script=home.folder / path, MEMORY_WIRE_BANK=None) as playing:
                assert "row level security" in playing.prompt("Why did we choose Postgres for the shop?")
                playing.answer("Because of row level security, which MySQL does not have.")
        assert len(turns(memory)) == 1
    assert run(home, "disconnect", host).split()[:2] == [host, "unwired"]
    assert tree(home) == before


def test_a_plugin_of_somebody_else_stays(home: Home) -> None:
    path = home.folder / SCRIPTS["opencode"][1]
    path.parent.mkdir()
    path.write_text("export const Other = async () => ({})\n")
    assert "left alone" in run(home, "connect", "opencode", "--no-daemon")
    assert path.read_text() == "export const Other = async () => ({})\n"
    run(home, "disconnect", "opencode")
    assert path.read_text() == "export const Other = async () => ({})\n"


def test_a_plugin_of_an_older_version_is_replaced(home: Home) -> None:
    path = home.folder / SCRIPTS["pi"][1]
    path.parent.mkdir(parents=True)
    path.write_text("// MEMORY_WIRE_EXTENSION_VERSION 3\n// memory-wire\n")
    assert "(replaced stale)" in run(home, "connect", "pi", "--no-daemon")
    assert "MEMORY_WIRE_EXTENSION_VERSION 4" in path.read_text()


def test_the_provider_of_hermes_has_all_its_files(home: Home) -> None:
    run(home, "connect", "hermes", "--no-daemon")
    assert sorted(path.name for path in (home.folder / ".hermes" / "plugins" / "memory-wire").iterdir()) == sorted(HERMES)
