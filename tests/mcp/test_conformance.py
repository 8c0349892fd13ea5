"""The official conformance suite against the fixtures and against the product. Long tier."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mcp.conformance import LEGACY, MODERN, Check, conform, conform_formerly, required
from tests.mcp.fixture_server import Fixture
from tests.serve.serving import Serving

# Warnings that the suite gives to every server without sessions, in the handshake era
STATELESS = {"server-sse-multiple-streams-session"}
# Beyond what is required: extensions we don't have, and resuming a broken stream, which needs a session
LEFT_OUT = {"server-sse-polling"}
EXTENSION = "tasks-"

# What can't pass without the fixture it asks for by name, everything else must
FIXED = {
    LEGACY: {
        "completion-complete",
        "elicitation-sep1034-defaults",
        "elicitation-sep1330-enums",
        "json-schema-2020-12",
        "prompts-get-embedded-resource",
        "prompts-get-simple",
        "prompts-get-with-args",
        "prompts-get-with-image",
        "resources-read-binary",
        "resources-read-text",
        "resources-subscribe",
        "resources-templates-read",
        "resources-unsubscribe",
        "tools-call-audio",
        "tools-call-elicitation",
        "tools-call-embedded-resource",
        "tools-call-error",
        "tools-call-image",
        "tools-call-mixed-content",
        "tools-call-sampling",
        "tools-call-simple-text",
        "tools-call-with-logging",
        "tools-call-with-progress",
    },
    MODERN: {
        "completion-complete",
        "http-custom-header-server-validation",
        "input-required-result-basic-elicitation",
        "input-required-result-basic-list-roots",
        "input-required-result-basic-sampling",
        "input-required-result-capability-check",
        "input-required-result-ignore-extra-params",
        "input-required-result-missing-input-response",
        "input-required-result-multi-round",
        "input-required-result-multiple-input-requests",
        "input-required-result-non-tool-request",
        "input-required-result-request-state",
        "input-required-result-result-type",
        "input-required-result-tampered-state",
        "json-schema-2020-12",
        "prompts-get-embedded-resource",
        "prompts-get-simple",
        "prompts-get-with-args",
        "prompts-get-with-image",
        "resources-read-binary",
        "resources-read-text",
        "resources-templates-read",
        "tools-call-audio",
        "tools-call-embedded-resource",
        "tools-call-error",
        "tools-call-image",
        "tools-call-mixed-content",
        "tools-call-simple-text",
        "tools-call-with-progress",
    },
}
FIXED_CHECKS = {  # of server-stateless, which needs none otherwise: tools it calls by name
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-server-no-log-without-loglevel",
}


@pytest.fixture(scope="module")
def fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with Fixture(tmp_path_factory.mktemp("fixtures")) as server:
        yield server.url


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with Serving(tmp_path_factory.mktemp("product")) as server:
        host, port = server.address
        yield f"http://{host}:{port}/mcp"
        assert "Traceback" not in server.stderr and '"internal"' not in server.stderr, server.stderr


def beyond(failing: dict[str, list[Check]], allowed: set[str]) -> dict[str, list[Check]]:
    """What failed apart from scenarios and checks that may."""
    left = {name: [check for check in checks if check.id not in allowed] for name, checks in failing.items() if name not in allowed}
    return {name: checks for name, checks in left.items() if checks and not name.startswith(EXTENSION)}


@pytest.mark.parametrize("revision", [LEGACY, MODERN])
def test_everything_required_passes_on_the_fixtures(revision: str, fixture: str, tmp_path: Path) -> None:
    """And more: what the suite doesn't count yet passes too, but for LEFT_OUT and extensions."""
    outcome = conform(fixture, tmp_path / "run", revision)
    assert beyond(outcome.failing(), STATELESS | LEFT_OUT) == {}
    assert outcome.conforms, outcome.text
    assert required(revision) <= outcome.scenarios.keys()


@pytest.mark.parametrize("revision", [LEGACY, MODERN])
def test_everything_without_a_fixture_passes_on_the_product(revision: str, product: str, tmp_path: Path) -> None:
    outcome = conform(product, tmp_path / "run", revision)
    assert beyond(outcome.failing(), FIXED[revision] | FIXED_CHECKS | STATELESS | LEFT_OUT) == {}
    assert required(revision) <= outcome.scenarios.keys()


def test_the_last_release_before_requirement_sets(fixture: str, tmp_path: Path) -> None:
    outcome = conform_formerly(fixture, tmp_path / "run")
    assert beyond(outcome.failing(), STATELESS) == {}
    assert outcome.conforms, outcome.text
    assert len(outcome.scenarios) == 30
