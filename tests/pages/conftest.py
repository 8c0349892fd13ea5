"""A real server and a real browser: headless Chromium, driven by Playwright, for pages as people see them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.serve.serving import Serving

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
]


@pytest.fixture(scope="module")  # Playwright keeps a loop running in this thread as long as it lives
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail("no Chromium: install the package chromium")
        pytest.skip("no Chromium here: install the package chromium to run the tests of the pages")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Serving]:
    with Serving(tmp_path) as serving:
        yield serving
        assert serving.stop() == 0
        assert "Traceback" not in serving.stderr, serving.stderr


class Looked:
    """A page with everything it complained about and every address it asked for."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self.complaints.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))


@pytest.fixture
def looked(browser: Browser) -> Iterator[Looked]:
    context = browser.new_context(viewport={"width": 1100, "height": 800}, locale="en-GB")
    looked = Looked(context.new_page())
    yield looked
    context.close()
    assert looked.complaints == []


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server for all tests of a file that don't end it: one that counts has a bank of its own."""
    with Serving(tmp_path_factory.mktemp("shared")) as serving:
        yield serving
        assert serving.stop() == 0 and "Traceback" not in serving.stderr


@pytest.fixture
def timed(looked: Looked) -> Looked:
    """A page whose clock is moved on by hand."""
    looked.page.clock.install()
    return looked
