"""The scratch machine of the command-line tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.commands import Machine, free_port


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
