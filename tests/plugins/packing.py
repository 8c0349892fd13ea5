"""The package as a wheel, for tests that install it for real: what is here, zipped, with the metadata that pyproject.toml says.

Compiling anew would take a minute; the libraries are those that the tests run on anyway.
"""

from __future__ import annotations

import base64
import hashlib
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import memory_wire

ROOT = Path(__file__).parents[2]
PACKAGE = Path(memory_wire.__file__).parent


def wheel(folder: Path) -> Path:
    """Writes the wheel into the folder."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    name, version = project["name"].replace("-", "_"), project["version"]
    tag = f"cp{sysconfig.get_python_version().replace('.', '')}"
    tags = f"{tag}-{tag}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    info = f"{name}-{version}.dist-info"
    needs = [f"Requires-Dist: {each}" for each in project["dependencies"]]
    scripts = [f"{command} = {target}" for command, target in project["scripts"].items()]
    files = {
        f"{name}/{path.relative_to(PACKAGE).as_posix()}": path.read_bytes()
        for path in sorted(PACKAGE.rglob("*"))
        if path.is_file() and path.parent.name != "__pycache__" and path.suffix not in (".pyx", ".pxd")
    }
    files[f"{info}/METADATA"] = "\n".join(["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {version}", *needs, ""]).encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: false\nTag: {tags}\n".encode()
    files[f"{info}/entry_points.txt"] = "\n".join(["[console_scripts]", *scripts, ""]).encode()
    rows = [f"{path},sha256={digest(data)},{len(data)}" for path, data in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,", ""]).encode()
    made = folder / f"{name}-{version}-{tags}.whl"
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return made


def digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
