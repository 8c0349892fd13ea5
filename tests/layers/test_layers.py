"""The layer rule: who may import whom, read from the sources of every module, Python and Cython alike."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "memory_wire"
PACKAGE = "memory_wire"

BASE = {
    "background",
    "bundles",
    "descriptions",
    "documents",
    "embedding",
    "errors",
    "config",
    "erasure",
    "filing",
    "freshness",
    "grants",
    "guests",
    "hashes",
    "integrations",
    "publishing",
    "questions",
    "relations",
    "sessions",
    "types",
}
ALLOWED: dict[str, set[str]] = {
    "__init__": {"client", "errors", "types"},
    "__main__": {"cli"},
    "errors": set(),
    "config": set(),
    "types": set(),
    "grants": set(),
    "guests": set(),
    "background": set(),
    "bundles": set(),
    "descriptions": set(),
    "documents": set(),
    "embedding": set(),
    "erasure": set(),
    "filing": set(),
    "freshness": set(),
    "hashes": set(),
    "integrations": set(),
    "publishing": set(),
    "questions": set(),
    "relations": set(),
    "sessions": set(),
    "process": set(),
    "ops": {"ops", *(BASE - {"config", "errors"})},
    "kernels": {"kernels", "errors"},
    "index": {"index", "kernels", *BASE},
    "store": {"store", *BASE},
    "retrieve": {"retrieve", "index", "kernels", *BASE},
    "guard": {"guard", "kernels", *BASE},
    "hub": {"hub", "kernels", *BASE},
    "framing": set(),
    "identity": BASE,
    "outside": {"outside", "index", "kernels", *BASE},  # graphs are made of files of vectors
    "service": {"service", "retrieve", "index", "kernels", "store", "guard", "hub", "outside", "ops", "framing", *BASE},
    "public": {"public", "service", "store", "hub", "outside", "retrieve", "kernels", *BASE},  # whom the service's table calls by name
    "wire": BASE,
    "client": {"client", "service", "ops", "wire", *BASE},
    "mcp": {"mcp", "ops", "framing", *BASE, "__init__"},
    "hooks": {"hooks", "process", "wire", "identity", "framing", *BASE},
    "hosts": {"hosts", "hooks", "identity", "framing", "wire", *BASE, "__init__"},
    "agent": {"agent", "hooks", "sources", "guard", "mcp", "wire", "framing", *BASE, "__init__"},
    "data": set(),  # files for others' processes
    "sources": {"sources", "hooks", "hub", "framing", *BASE},
    "serve": {"serve", "process", "service", "kernels", "mcp", "ops", "framing", *BASE, "__init__"},
    "cli": {
        "cli",
        "agent",
        "client",
        "service",
        "serve",
        "mcp",
        "hooks",
        "hosts",
        "sources",
        "identity",
        "framing",
        "process",
        "wire",
        "ops",
        *BASE,
        "__init__",
    },
}


def imported(path: Path) -> set[str]:
    """Top-level names of ours that a module imports, anywhere in it."""
    text = path.read_text()
    names: set[str] = set()
    if path.suffix in {".pyx", ".pxd"}:
        for match in re.finditer(rf"^\s*(?:from\s+({PACKAGE}[\w.]*)\s+c?import|c?import\s+({PACKAGE}[\w.]*))", text, re.M):
            names.add(match[1] or match[2])
    else:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                names.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"relative import in {path}"
                if node.module == PACKAGE:
                    names.update(f"{PACKAGE}.{alias.name}" for alias in node.names)
                elif node.module:
                    names.add(node.module)
    ours = {name for name in names if name.split(".")[0] == PACKAGE}
    return {(name.split(".")[1] if "." in name else "__init__").replace("__version__", "__init__") for name in ours}


def modules() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*") if path.suffix in {".py", ".pyx", ".pxd"})


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_only_what_its_layer_may(path: Path) -> None:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    layer = parts[0]
    assert layer in ALLOWED, f"{layer} has no row in the layer table"
    assert imported(path) <= ALLOWED[layer]


def test_c_sources_know_no_python() -> None:
    for path in (SOURCE.parents[1] / "csrc").rglob("*.[ch]"):
        assert "Python.h" not in path.read_text(), path


def test_the_default_address_is_one_literal() -> None:
    holders = [path.name for path in modules() if "127.0.0.1:8888" in path.read_text()]
    assert holders == ["config.py"]
