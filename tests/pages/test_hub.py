"""Pages of a hub in a real browser: light and dark, on a telephone, without JavaScript, by keyboard; axe finds nothing serious."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from memory_wire import Memory
from tests.pages.conftest import Looked
from tests.serve.serving import Serving

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
GUIDE = """---
tags: [engines]
---
# Guide to engines

An engine needs *oil*, see [[Maintenance]]; <b onclick="document.title='broken'">raw</b> <script>document.title='broken'</script>

![a cat](https://a.example/cat.png) ![dot](data:image/png;base64,PIXEL)

## Setup

```sh
install --the engine --with a-line-that-is-far-longer-than-any-telephone-is-wide-so-that-it-must-be-scrolled-by-itself
```

| part | cost |
|:-----|-----:|
| pump | 12 |

> quoted

### Oil

- one
- two

## Use

1. start
2. stop
""".replace("PIXEL", PIXEL)


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """Addresses of one page of each kind."""
    folder: Path = tmp_path_factory.mktemp("hub")
    with Memory(folder / "memory.db", bank="pages", sync="normal") as memory:
        id = memory.create_doc(GUIDE).id
        other = memory.create_doc("---\ntags: [engines]\n---\n# Maintenance\n\nOf the [[Guide to engines]].\n").id
        bundle = memory.create_bundle("Reading", [(id, "begin here"), (other, None)], description="In order.", is_draft=False).id
        memory.put_hub("pages", display_name="Engines", description="All about engines.", public=True)
    with Serving(folder) as server:
        home = "http://{}:{}".format(*server.address)
        paths = [f"/{id}", f"/b/{bundle}", "/hub/pages", "/hub/pages?q=oil", "/hub/pages/c/engines", "/hub/pages/graph"]
        yield [home + path for path in paths]
        assert server.stop() == 0 and "Traceback" not in server.stderr


def serious(page: Page) -> list[str]:
    """What axe finds that keeps people out."""
    page.evaluate(AXE)
    found = page.evaluate("axe.run()")
    assert found["passes"]
    grave = [one for one in found["violations"] if one["impact"] in ("serious", "critical")]
    return [f"{one['id']}: {node['html'][:200]}" for one in grave for node in one["nodes"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_is_accessible_and_asks_nobody_else(hub: list[str], looked: Looked, scheme: str) -> None:
    looked.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    for url in hub:
        reply = looked.page.goto(url)
        assert reply is not None and reply.status == 200
        assert serious(looked.page) == [], url
        assert looked.page.title() != "broken"
    assert {url.split("/")[2] for url in looked.asked if not url.startswith("data:")} == {hub[0].split("/")[2]}


def test_the_one_404_is_accessible(hub: list[str], looked: Looked) -> None:
    looked.page.goto(f"{hub[0].rpartition('/')[0]}/AAAAAAAAAAAAAAAAA")
    assert looked.page.get_by_role("heading").inner_text() == "Not found" and serious(looked.page) == []
    looked.complaints = [text for text in looked.complaints if "404" not in text]  # the browser's own word


def test_readable_on_a_telephone(hub: list[str], looked: Looked) -> None:
    looked.page.set_viewport_size({"width": 360, "height": 700})
    for url in hub:
        looked.page.goto(url)
        assert looked.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), url


def test_readable_and_searchable_without_javascript(hub: list[str], browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(hub[0])
    assert page.get_by_role("heading", level=1).inner_text() == "Guide to engines"
    assert page.get_by_role("cell", name="12").count() == 1 and page.get_by_role("img", name="dot").count() == 1
    page.get_by_role("searchbox", name="Search this hub").fill("maintenance")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("main").get_by_role("link", name="Maintenance").first.click()
    assert page.get_by_role("heading", level=1).inner_text() == "Maintenance"
    page.get_by_role("link", name="Guide to engines").first.click()
    page.get_by_role("navigation", name="Contents").get_by_role("link", name="Oil").click()
    assert page.url.endswith("#oil")
    page.get_by_role("navigation", name="Breadcrumb").get_by_role("link", name="Engines").click()
    assert page.get_by_role("heading", level=1).inner_text() == "Engines"
    context.close()


def test_by_keyboard_the_content_is_one_step_away(hub: list[str], looked: Looked) -> None:
    looked.page.goto(hub[0])
    looked.page.keyboard.press("Tab")
    assert looked.page.evaluate("document.activeElement.textContent") == "Skip to content"
    looked.page.keyboard.press("Enter")
    assert looked.page.url.endswith("#page:main")
