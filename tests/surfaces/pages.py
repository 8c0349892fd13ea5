"""Scenarios of the pages that everybody may read; as scenarios.py."""

from __future__ import annotations

from memory_wire.client import Surface
from memory_wire.errors import NotPublic
from tests.surfaces.scenarios import refused, scenario

GUIDE = "---\ntags: [engines]\n---\n# Guide\n\nThe engine needs *oil*.\n\n## Setup\n\nInstall the engine <b>twice</b>.\n"


@scenario
def pages_of_a_hub(s: Surface) -> None:
    slug = "engine-pages"
    id = s.create_doc(GUIDE).id
    s.create_doc("---\ntags: [engines]\n---\n# Setup\n\nMore of the [[Guide]].\n")
    bundle = s.create_bundle("Reading", [(id, "begin here")], is_draft=False).id
    for ask in (lambda: s.page_doc(id), lambda: s.page_bundle(bundle), lambda: s.page_hub(slug), lambda: s.page_concept(slug, "engine")):
        with refused(NotPublic, "not found"):
            ask()
    with refused(NotPublic, "not found"):
        s.page_graph(slug)
    s.put_hub(slug, display_name="Engines", public=True)
    page = s.page_doc(id)
    assert (page.status, page.type, page.vary) == (200, "text/html; charset=utf-8", "Accept, User-Agent")
    assert b"<p>The engine needs <em>oil</em>.</p>" in page.body and b"&lt;b&gt;twice" in page.body and page.etag
    assert f'<a href="/{id}">Guide</a>'.encode() in s.page_bundle(bundle).body and b"begin here" in s.page_bundle(bundle).body
    assert f'<a href="/b/{bundle}">Reading</a>'.encode() in s.page_hub(slug).body
    assert f'<a href="/{id}#setup">Guide</a>'.encode() in s.page_hub(slug, q="install").body
    assert b"<svg" in s.page_graph(slug).body and b"engines" in s.page_concept(slug, "engines").body
    with refused(NotPublic, "not found"):
        s.page_hub(slug, page=2)
    s.set_access(id, is_draft=True)
    with refused(NotPublic, "not found"):
        s.page_doc(id)


@scenario
def the_style_of_pages(s: Surface) -> None:
    style = s.style()
    assert style.type == "text/css; charset=utf-8" and style.etag and b"color-scheme" in style.body
