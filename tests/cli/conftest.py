"""The scratch machine of the command-line tests, and the installation that updates itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.commands import Machine, free_port
from tests.cli.installation import Installation, installed

collect_ignore = [] if os.environ.get("MEMORY_WIRE_LONG") == "1" else ["test_update_long.py"]


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    made = Machine(tmp_path)
    try:
        yield made
    finally:
        made.clear()


@pytest.fixture
def addr() -> str:
    """An address that nobody has."""
    return f"127.0.0.1:{free_port()}"


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    with installed(tmp_path_factory.mktemp("installation")) as made:
        yield made


@pytest.fixture
def back(installation: Installation) -> Iterator[Installation]:
    """The installation, at version 1.0 again afterwards."""
    installation.whole("1.0")
    yield installation
    if installation.version != "1.0":
        installation.ok("update", "--rollback")
    installation.whole("1.0")
