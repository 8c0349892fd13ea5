"""What a serving process has loaded after a retain and a recall: of the modules we are to do without, none that we imported."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

from tests.serve.serving import Serving

SOURCE = Path(__file__).parents[2] / "src" / "memory_wire"
# what uvloop, httptools and msgspec load by themselves, and the SQLite module, is not ours to choose here
DEPENDENCIES = "import uvloop, httptools.parser.parser, msgspec, msgspec.json, sqlite3, json, sys; print(json.dumps(sorted(sys.modules)))"
NEVER = {"numpy", "pyroaring", "argparse", "dataclasses", "hashlib", "uuid", "tempfile", "traceback", "markdown_it"}
NOT_BY_US = NEVER | {"ssl", "logging", "inspect", "typing", "subprocess", "concurrent.futures", "pathlib", "asyncio", "re", "json"}
ALLOWED = {"_bisect", "bisect"}  # what we load beyond our own modules: small, and each with a use
GENERATORS = {"catalog.py", "openapi.py"}  # make files, never part of a server


def modules_of_dependencies() -> set[str]:
    done = subprocess.run([sys.executable, "-c", DEPENDENCIES], capture_output=True, check=True)
    return set(json.loads(done.stdout))


def test_a_serving_process_loads_nothing_it_can_do_without(tmp_path: Path) -> None:
    with Serving(tmp_path, after="print(*sys.modules)") as server:
        assert server.ask("POST", "/banks/b/retain", {"content": "loaded", "tags": ["a"], "created_at": "2026-01-02"}).status == 200
        body = {"query": "loaded in january", "exclude_tags": ["b"], "format": "full", "explain": True}
        assert server.ask("POST", "/banks/b/recall", body).status == 200
        assert server.ask("GET", "/ready").status == 200
        assert server.stop() == 0
    loaded = set(server.output.decode().split())
    ours = {name for name in loaded if name.partition(".")[0] == "memory_wire"}
    assert {"memory_wire.serve.http", "memory_wire.service.service"} <= ours
    assert not {name for name in ours if name.startswith(("memory_wire.client", "memory_wire.wire", "memory_wire.serve.openapi"))}
    baseline = modules_of_dependencies()
    runtime = {name for name in loaded if name.startswith("_cython_")}
    added = loaded - runtime - ours - baseline
    assert not loaded & (NEVER - baseline)
    assert added <= ALLOWED, added - ALLOWED


def test_our_modules_name_none_of_them() -> None:
    for path in [*(SOURCE / "serve").glob("*.py"), *(SOURCE / "mcp").glob("*.py")]:
        if path.name in GENERATORS:
            continue
        tree = ast.parse(path.read_text())
        typing_only = {id(node) for block in ast.walk(tree) if is_type_checking(block) for node in ast.walk(block)}
        for node in ast.walk(tree):
            if id(node) in typing_only:
                continue
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            assert not NOT_BY_US & set(names), path.name


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
