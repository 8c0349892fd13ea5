"""Installs a wheel into an empty environment, out of sight of the source tree, and says what is wrong there. Used by check.py.

Every module is imported in one process with warnings as errors, but for what needs an extra; nothing may come from anywhere but the
environment; every `.py` has its `.pyc`, because a server that compiles at start holds 4.9 MB more; the command starts a server that is
ready and stops when told.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from importlib.util import cache_from_source
from pathlib import Path

BASE_BYTES = 28_000_000  # the package and all it requires, unpacked, without .pyc files
LOOK = """
import importlib, json, pkgutil, re, sys
from importlib.metadata import requires
import memory_wire
extras = [line for line in requires("memory-wire") if "extra ==" in line and not re.search("extra == .(test|bench)", line)]
optional = {re.match("[A-Za-z0-9]+", line)[0].lower() for line in extras}  # what runs in a process of its own may need an extra
names = ["memory_wire"] + [found.name for found in pkgutil.walk_packages(memory_wire.__path__, "memory_wire.")]
names.remove("memory_wire.cli.boot")  # a program; the server below runs it
wrong = {}
for name in names:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if not (name.startswith("memory_wire.outside.") and error.name in optional):
            wrong[name] = f"{type(error).__name__}: {error}"
    except BaseException as error:
        wrong[name] = f"{type(error).__name__}: {error}"
files = {name: getattr(module, "__file__", None) for name, module in sys.modules.items() if name.partition(".")[0] == "memory_wire"}
json.dump({"names": names, "wrong": wrong, "files": files, "version": memory_wire.__version__}, sys.stdout)
"""


def clean() -> dict[str, str]:
    """The environment less what could let another tree in or keep pip from compiling."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def run(words: list[str | Path], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in words], cwd=folder, env=clean(), capture_output=True, text=True, check=False)


def complaints(wheel: Path) -> list[str]:
    """All that is wrong with the installed wheel. Prints the size of what was installed."""
    wheel = wheel.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        python = folder / "venv" / "bin" / "python"
        made = run([sys.executable, "-m", "venv", folder / "venv"], folder)
        done = run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", wheel], folder) if made.returncode == 0 else made
        if done.returncode:
            return [f"can't be installed: {done.stderr.strip()[-500:]}"]
        site = next((folder / "venv" / "lib").glob("python*")) / "site-packages"
        show_sizes(site)
        return [*modules(python, site, folder), *compiled(site), *command(python, folder, wheel), *serves(python, folder)]


def modules(python: Path, site: Path, folder: Path) -> list[str]:
    done = run([python, "-I", "-W", "error", "-c", LOOK], folder)
    if done.returncode:
        return [f"import memory_wire: {done.stderr.strip()[-500:]}"]
    seen = json.loads(done.stdout)
    wrong = [f"import {name}: {error}" for name, error in seen["wrong"].items()]
    return wrong + [f"{name} comes from {file}" for name, file in seen["files"].items() if file and not Path(file).is_relative_to(site)]


def compiled(site: Path) -> list[str]:
    files = sorted((site / "memory_wire").rglob("*.py"))
    missing = [file for file in files if not Path(cache_from_source(str(file))).exists()]
    return [f"not compiled at install: {file.relative_to(site)}" for file in missing]


def command(python: Path, folder: Path, wheel: Path) -> list[str]:
    done = run([python.parent / "memory-wire", "--version"], folder)
    said = (done.stdout + done.stderr).strip()
    return [] if said == f"memory-wire {wheel.name.split('-')[1]}" else [f"memory-wire --version says {said[-500:]!r}"]


def serves(python: Path, folder: Path) -> list[str]:
    """A server on a Unix socket in a new store: ready within seconds, ends with 0 on SIGTERM, says no more than where it serves."""
    path = folder / "s"
    words = [python.parent / "memory-wire", "serve", "--addr", "none", "--socket", path, "--db", folder / "store" / "memory.db"]
    with subprocess.Popen([str(word) for word in words], cwd=folder, env=clean(), stderr=subprocess.PIPE, text=True) as server:
        answer = ready(path, server)
        server.terminate()
        said = "".join(line for line in server.communicate(timeout=30)[1].splitlines(True) if not line.startswith("memory-wire: serving "))
    wrong = [] if b" 200 " in answer.partition(b"\r\n")[0] else [f"/ready answers {answer[:100]!r}"]
    return wrong + ([f"memory-wire serve ends with {server.returncode}: {said[-500:]!r}"] if server.returncode or said else [])


def ready(path: Path, server: subprocess.Popen[str]) -> bytes:
    """What the server answers to /ready, asked as soon as it listens."""
    for _ in range(300):
        with socket.socket(socket.AF_UNIX) as link:
            try:
                link.connect(str(path))
            except OSError:
                if server.poll() is not None:
                    break
                time.sleep(0.1)
                continue
            link.sendall(b"GET /ready HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
            return link.makefile("rb").read()
    return b""


def show_sizes(site: Path) -> None:
    """Prints the size of the base installation by distribution, pip left out. No complaint: most of it is what others ship."""
    sizes: dict[str, int] = {}
    for path in site.rglob("*"):
        top = path.relative_to(site).parts[0].partition("-")[0].partition(".")[0]
        if path.is_file() and path.suffix != ".pyc" and top not in {"pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils"}:
            sizes[top] = sizes.get(top, 0) + path.stat().st_size
    total = sum(sizes.values())
    over = f", {total - BASE_BYTES:,} over the budget" if total > BASE_BYTES else ""
    print(f"installed without .pyc: {total:,} bytes{over}: " + ", ".join(f"{top} {size:,}" for top, size in sorted(sizes.items())))
