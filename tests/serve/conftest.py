"""One server shared by the tests that leave it as it was."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.serve.serving import Serving


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with Serving(tmp_path_factory.mktemp("shared")) as serving:
        yield serving
        assert serving.counter("index_faults_total") == 0
        assert serving.stop() == 0
        assert "Traceback" not in serving.stderr and '"internal"' not in serving.stderr, serving.stderr
