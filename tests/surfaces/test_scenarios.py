"""Every scenario on every surface, and the answers of all surfaces compared."""

from __future__ import annotations

import uuid

import pytest

from memory_wire.client import Surface
from memory_wire.ops import BY_NAME
from tests.surfaces import asking, folders, pages, raw, shelf, weave  # noqa: F401 (by being there)
from tests.surfaces.recorder import Recorder
from tests.surfaces.scenarios import SCENARIOS, Scenario

LOGS: dict[str, dict[str, list[bytes]]] = {}
SEEN: set[str] = set()


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_scenario(scenario: Scenario, surface: Surface) -> None:
    recorder = Recorder(surface, f"{scenario.__name__}-{uuid.uuid4().hex[:8]}")
    scenario(recorder)
    SEEN.update(recorder.names)
    logs = LOGS.setdefault(scenario.__name__, {})
    logs[type(surface).__name__ + str(getattr(surface, "url", ""))] = recorder.log
    for log in logs.values():
        assert log == recorder.log


def test_every_operation_has_a_scenario() -> None:
    assert set(BY_NAME) == SEEN
