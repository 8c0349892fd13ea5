"""Real engineering sentences of this machine: commit messages, documentation, docstrings and log lines. Read when asked, never stored."""

from __future__ import annotations

import ast
import re
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHORTEST, LONGEST = 25, 600
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"'(])|\n\s*\n|\n(?=\s*(?:[-*#>|]|\d+\.))")
LOGGERS = frozenset(("debug", "info", "warning", "warn", "error", "critical", "exception"))


def sentences(text: str) -> Iterator[str]:
    """Paragraphs and list items cut into sentences, on one line each."""
    for piece in SENTENCE_END.split(text):
        flat = " ".join(piece.split())
        if SHORTEST <= len(flat) <= LONGEST and sum(c.isalpha() for c in flat) * 2 > len(flat):
            yield flat


def commits() -> Iterator[str]:
    """Subjects and bodies of this repository's commits."""
    log = subprocess.run(["git", "-C", str(ROOT), "log", "--format=%s%n%n%b"], capture_output=True, text=True, check=True)
    yield from sentences(log.stdout)


def packages() -> Path:
    return Path(sysconfig.get_path("purelib"))


def documents() -> Iterator[str]:
    """READMEs of the installed packages (their long descriptions), and what documentation files are among them and here."""
    paths = [*packages().glob("*.dist-info/METADATA"), *packages().rglob("*.md"), *packages().rglob("*.rst"), *ROOT.glob("*.md")]
    for path in sorted(paths):
        text = path.read_text(errors="replace")
        yield from sentences(text.partition("\n\n")[2] if path.name == "METADATA" else text)


def modules(limit: int) -> Iterator[ast.Module]:
    """The installed packages' sources, every so many."""
    paths = sorted(packages().rglob("*.py")) + sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    for path in paths[:: max(1, len(paths) // limit)]:
        try:
            yield ast.parse(path.read_text(errors="replace"))
        except (SyntaxError, ValueError):
            continue


def docstrings(limit: int = 1500) -> Iterator[str]:
    for tree in modules(limit):
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module | ast.AsyncFunctionDef):
                yield from sentences(ast.get_docstring(node) or "")


def log_lines(limit: int = 1500) -> Iterator[str]:
    """What packages write to logs, raise and warn, and this machine's package logs."""
    for tree in modules(limit):
        for node in ast.walk(tree):
            name = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
            if isinstance(node, ast.Call) and name in LOGGERS and node.args:
                said = node.args[0]
                if isinstance(said, ast.Constant) and isinstance(said.value, str):
                    yield from sentences(said.value)
            elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                for said in node.exc.args:
                    if isinstance(said, ast.Constant) and isinstance(said.value, str):
                        yield from sentences(said.value)
    for path in sorted([*Path("/var/log").glob("*.log"), *Path("/var/log/apt").glob("*.log")]):
        try:
            yield from sentences(path.read_text(errors="replace")[:200_000].replace("\n", "\n\n"))
        except OSError:
            continue


def corpus() -> dict[str, list[str]]:
    """The distinct sentences of each kind."""
    return {
        "commit messages": list(dict.fromkeys(commits())),
        "READMEs and documents": list(dict.fromkeys(documents())),
        "docstrings": list(dict.fromkeys(docstrings())),
        "log lines": list(dict.fromkeys(log_lines())),
    }
