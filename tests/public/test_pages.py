"""Pages over HTTP: every link of every page leads somewhere, every page is sound, and programs get markdown at the same address."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urljoin, urlsplit

import pytest

from memory_wire import Memory
from memory_wire.publishing import HTML, MARKDOWN
from tests.public.reading import Read, foreign
from tests.serve.serving import Reply
from tests.serve.test_public import Open

HOSTILE = "\"><script>alert(1)</script>' onload=x &amp; [a](#)"
GUIDE = f"""---
tags: [engines]
---
# Guide

The engine needs *oil*; see [setup](#setup), [[Maintenance]] and [elsewhere](https://a.example/).

## Setup

Install the engine twice.

## Setup

### {HOSTILE}

#### Deeper

Text.
"""
BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8", "User-Agent": "Mozilla/5.0 (X11)"}
PAGES = ("/{id}", "/b/{bundle}", "/hub/pages", "/hub/pages/c/engines")


class Hub:
    """A server with a hub of every kind of thing."""

    def __init__(self, server: Open, names: dict[str, str]) -> None:
        self.server, self.names = server, names

    def get(self, path: str, headers: dict[str, str] = BROWSER, verb: str = "GET") -> Reply:
        return self.server.ask(verb, path.format(**self.names), headers=headers)


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    folder: Path = tmp_path_factory.mktemp("pages")
    with Memory(folder / "memory.db", bank="pages", sync="normal") as memory:
        id = memory.create_doc(GUIDE, source="https://a.example/guide").id
        other = memory.create_doc(f"---\ntags: [engines]\n---\n# Maintenance\n\nBack to the [[Guide]], or [so](/{id}#setup).\n").id
        hostile = memory.create_doc(f"# {HOSTILE}\n\n{HOSTILE}\n\n" + "<img src=x onerror=alert(1)> ![p](https://a.example/p.png)\n").id
        draft = memory.create_doc("# Draft\n\n[[Guide]]\n", is_draft=True).id
        empty = memory.create_doc("").id
        for number in range(100):
            memory.create_doc(f"# Page {number}\n\nengine {number}\n")
        bundle = memory.create_bundle(HOSTILE, [(id, HOSTILE), (draft, "hidden"), (other, None)], description=HOSTILE, is_draft=False).id
        memory.put_hub("pages", display_name=HOSTILE, description=f"{HOSTILE}\n\nMore.", public=True)
    names = {"id": id, "other": other, "hostile": hostile, "draft": draft, "bundle": bundle, "empty": empty}
    with Open(folder, "--public-addr", "127.0.0.1:0", "--public-calls", "0") as server:
        yield Hub(server, names)
        assert server.stop() == 0 and "Traceback" not in server.stderr


def test_every_link_leads_somewhere_and_every_page_is_sound(hub: Hub) -> None:
    waiting, anchors, asked = ["/hub/pages"], {}, set()
    pointed: list[tuple[str, str, str]] = []
    while waiting:
        path = waiting.pop()
        if path in asked:
            continue
        asked.add(path)
        reply = hub.server.ask("GET", path, headers=BROWSER)
        assert reply.status == 200, path
        if reply.headers["content-type"] != HTML:
            continue
        read = Read(reply.text)
        assert read.faults == [], path
        assert set(read.fetched) == {"data:,", "/hub.css"}, path
        assert sum(tag == "h1" for tag, _ in read.elements) == sum(tag == "main" for tag, _ in read.elements) == 1, path
        assert not [link for link in read.links if foreign(link)]
        anchors[path] = set(read.ids)
        for link in read.links:
            url = urlsplit(urljoin(path, link))
            if not url.netloc and url.scheme != "mailto":
                target = url.path + (f"?{url.query}" if url.query else "")
                pointed.append((path, target, url.fragment))
                waiting.append(target)
    assert {path.format(**hub.names) for path in (*PAGES, "/hub/pages?page=2", "/hub/pages/graph", "/raw/{id}")} <= asked
    assert [link for link in pointed if link[2] and link[1] in anchors and link[2] not in anchors[link[1]]] == []
    assert f"/{hub.names['draft']}" not in asked


def test_what_a_document_s_page_says(hub: Hub) -> None:
    reply = hub.get("/{id}")
    read = Read(reply.text)
    assert "engine needs oil" in read.text and "Linked from" in read.text and "Maintenance" in read.text and "Draft" not in read.text
    assert [tag for tag, _ in read.elements if tag in ("header", "main", "article", "aside", "footer")] == [
        "header", "main", "article", "aside", "footer",
    ]  # fmt: skip
    assert {"#setup", "#setup-1", f"/b/{hub.names['bundle']}", "/hub/pages", "https://a.example/guide"} <= set(read.links)
    raw = f"/raw/{hub.names['id']}"
    assert f'<{raw}>; rel="alternate"; type="text/markdown"' in reply.headers["link"] and f'href="{raw}"' in reply.text
    assert f"/{hub.names['other']}" in read.links and "[[Maintenance]]" not in read.text
    assert ("form", {"role": "search", "action": "/hub/pages", "method": "get"}) in read.elements
    assert reply.headers["cache-control"] == "public, max-age=60" and reply.headers["vary"] == "Accept, User-Agent"


@pytest.mark.parametrize("path", PAGES)
def test_programs_get_markdown(hub: Hub, path: str) -> None:
    page, raw = hub.get(path), hub.get("/raw/{id}" if path == "/{id}" else "/raw/bundle/{bundle}" if "{bundle}" in path else f"/raw{path}")
    assert page.headers["content-type"] == HTML and raw.headers["content-type"] == MARKDOWN
    for headers in (
        {"Accept": "text/markdown"},
        {"Accept": "text/plain"},
        {"Accept": "text/markdown, text/html;q=0.9, */*;q=0.1"},
        {"Accept": "*/*", "User-Agent": "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +x@a.example)"},
        {"Accept": BROWSER["Accept"], "User-Agent": "Mozilla/5.0 (compatible; GPTBot/1.2)"},
    ):
        reply = hub.get(path, headers)
        assert (reply.status, reply.body, reply.headers["vary"]) == (200, raw.body, "Accept, User-Agent"), headers
        assert reply.headers["etag"] == raw.headers["etag"] != page.headers["etag"] and 'rel="canonical"' in reply.headers["link"]
    for suffix in (".md", ".txt"):
        assert hub.get(path + suffix).body == raw.body
    for headers in (
        {},
        {"Accept": "*/*"},
        {"Accept": "text/html"},
        {"Accept": "text/plain;q=0.1, text/html"},
        {"Accept": "text/markdown;q=0"},
    ):
        assert hub.get(path, headers).body == page.body, headers


@pytest.mark.parametrize("path", [*PAGES, "/hub/pages/graph", "/hub/pages?page=2"])
def test_what_has_not_changed_is_not_sent_again(hub: Hub, path: str) -> None:
    first = hub.get(path)
    again = hub.get(path, {**BROWSER, "If-None-Match": first.headers["etag"]})
    assert (again.status, again.body, again.headers["etag"], again.headers["vary"]) == (
        304,
        b"",
        first.headers["etag"],
        "Accept, User-Agent",
    )
    assert hub.get(path, {**BROWSER, "If-None-Match": '"other"'}).status == 200
    head = hub.get(path, verb="HEAD")
    assert head.body == b"" and head.headers["content-length"] == str(len(first.body)) and head.headers["etag"] == first.headers["etag"]


def test_a_search_of_the_hub(hub: Hub) -> None:
    read = Read(hub.get("/hub/pages?q=install+engine&utm_source=x").text)
    assert f"/{hub.names['id']}#setup" in read.links and "Install the engine twice." in read.text
    assert ("input", {"id": "page:q", "name": "q", "type": "search", "maxlength": "2000", "value": "install engine"}) in read.elements
    evil = hub.get(f"/hub/pages?q={quote(HOSTILE)}")
    assert Read(evil.text).faults == [] and evil.headers["cache-control"] == "no-store" and evil.headers["x-robots-tag"] == "noindex"
    assert "Nothing was found." in hub.get("/hub/pages?q=xylophone").text
    assert hub.get("/hub/pages?q=" + "a" * 5000).status == 200 and hub.get("/hub/pages?q=%00%ff").status == 200


def test_what_is_not_there(hub: Hub) -> None:
    missing = hub.get("/AAAAAAAAAAAAAAAAA")
    assert (missing.status, missing.headers["cache-control"], missing.headers["vary"]) == (404, "no-store", "Accept")
    assert Read(missing.text).faults == []
    for path in (
        "/{draft}",
        "/b/{id}",
        "/hub/none",
        "/hub/pages/c/none",
        "/hub/pages?page=3",
        "/hub/pages?page=x",
        "/%ff",
        "/hub/none?q=a",
        "/x",
    ):
        reply = hub.get(path)
        for one in (reply, missing):
            one.headers.pop("date", None)
        assert (reply.status, reply.headers, reply.body) == (404, missing.headers, missing.body), path
    assert hub.get("/{draft}.md", {}).body == hub.get("/x", {}).body == b"not found\n"


def test_addresses_of_others_begin_as_they_see_it(hub: Hub, tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db", bank="p") as memory:
        id = memory.create_doc("# A\n").id
        memory.put_hub("abc", public=True)
    with Open(tmp_path, "--public-addr", "127.0.0.1:0", "--public-url", "https://notes.example.org") as server:
        page = server.ask("GET", f"/{id}", headers={**BROWSER, "Host": "evil.example"})
        assert f'<link rel="canonical" href="https://notes.example.org/{id}">' in page.text and "evil" not in page.text
        assert f'<https://notes.example.org/{id}>; rel="canonical"' in server.ask("GET", f"/raw/{id}").headers["link"]
