"""What the tests of the editor share: documents on a server, and the page at /edit."""

from __future__ import annotations

import json
import urllib.request

from playwright.sync_api import Page

from tests.pages.conftest import Looked
from tests.serve.serving import Serving

PATIENCE = 5_000
TEXT = "# Engines\n\nThe pump needs oil.\n"


def ask(server: Serving, path: str, body: object = None, verb: str | None = None, key: str | None = None) -> dict[str, object]:
    data = None if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json", **({"authorization": f"Bearer {key}"} if key else {})}
    request = urllib.request.Request("http://{}:{}{}".format(*server.address, path), data, headers, method=verb)
    with urllib.request.urlopen(request) as reply:
        found: dict[str, object] = json.load(reply)
    return found


def create(server: Serving, markdown: str = TEXT, bank: str = "default") -> str:
    return str(ask(server, "/v1/docs", {"markdown": markdown, "bank": bank})["id"])


def total(server: Serving, bank: str, key: str | None = None) -> object:
    return ask(server, f"/v1/docs?bank={bank}", key=key)["total"]


def read(server: Serving, id: str) -> tuple[object, object]:
    found = ask(server, f"/v1/docs/{id}")
    return found["version"], found["markdown"]


def edit(server: Serving, looked: Looked, id: str = "", bank: str = "default") -> Page:
    """The editor, ready for typing."""
    page = looked.page
    page.goto("http://{}:{}/edit{}".format(*server.address, f"/{id}" if id else f"?bank={bank}"))
    page.wait_for_selector("#found:not(:empty)", timeout=PATIENCE)
    return page


def says(page: Page, words: str, where: str = "status") -> None:
    page.wait_for_function(
        "([where, words]) => document.getElementById(where).textContent.includes(words)", arg=[where, words], timeout=PATIENCE
    )


def type_at_end(page: Page, words: str) -> None:
    page.locator("#text").press("Control+End")
    page.keyboard.type(words)


def drop(page: Page, *named: tuple[str, str | bytes]) -> None:
    """Drops files onto the page."""
    given = [[name, list(content if isinstance(content, bytes) else content.encode())] for name, content in named]
    page.evaluate(
        """files => {
            const dataTransfer = new DataTransfer();
            for (const [name, bytes] of files) dataTransfer.items.add(new File([new Uint8Array(bytes)], name));
            document.getElementById("text").dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
        }""",
        given,
    )


def forgive(looked: Looked, *words: str) -> None:
    """The browser's own word about replies that are no success."""
    looked.complaints = [text for text in looked.complaints if not any(word in text for word in words)]
