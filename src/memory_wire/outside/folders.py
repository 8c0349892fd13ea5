"""Where a model's files lie: a folder, a file, or `package:NAME/…` of an installed package. Nothing is downloaded, ever."""

from __future__ import annotations

import hashlib
import os
from importlib.util import find_spec
from types import ModuleType

from memory_wire.outside.told import Told

PACKAGE = "package:"
EXTRA = "pip install 'memory-wire[dense]'"


def located(path: str) -> str:
    """The path on this machine. Raises Told, with the command to run."""
    if path.startswith(PACKAGE):
        name, _, rest = path.removeprefix(PACKAGE).partition("/")
        try:
            spec = find_spec(name) if name.isidentifier() else None
        except (ImportError, ValueError):
            spec = None
        if spec is None or not spec.submodule_search_locations:
            raise Told(f"the package {name} is not installed: pip install {name.replace('_', '-')}")
        path = os.path.join(next(iter(spec.submodule_search_locations)), rest)
    return path


def file_of(path: str, names: tuple[str, ...], what: str) -> str:
    """The file itself, or the first of the names that the folder has. Raises Told."""
    path = located(path)
    if os.path.isfile(path):
        return path
    for name in names:
        if os.path.isfile(found := os.path.join(path, *name.split("/"))):
            return found
    if not os.path.isdir(path):
        raise Told(f"{path}: no such file or folder; put {what} there, for example: hf download <model> --local-dir {path}")
    raise Told(f"{path}: without {what} (looked for {', '.join(names)})")


def needed(name: str) -> ModuleType:
    """A module of the extra. Raises Told, with the command that installs it."""
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        raise Told(f"{name} is not installed: {EXTRA}") from None


def digest(*paths: str) -> str:
    """Of the contents of files, so that another model under the same name is another model."""
    found = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            found.update(hashlib.file_digest(file, "sha256").digest())
    return found.hexdigest()[:16]


def tokenizer(path: str, folder: str, longest: int | None) -> tuple[object, str]:
    """(a tokenizer that cuts at `longest` tokens and pads nothing, its file). Raises Told."""
    source = file_of(path or folder, ("tokenizer.json",), "a tokenizer.json")
    found = needed("tokenizers").Tokenizer
    try:
        made = found.from_file(source)
    except Exception:  # the package raises nothing narrower
        raise Told(f"{source}: not a tokenizer.json") from None
    made.no_padding()
    made.no_truncation()
    if longest:
        made.enable_truncation(longest)
    return made, source
