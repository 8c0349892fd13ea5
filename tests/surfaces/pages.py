"""Scenarios of the pages that everybody may read; as scenarios.py."""

from __future__ import annotations

from memory_wire.client import Surface
from memory_wire.errors import Invalid, NotPublic, UnknownDocument
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
def pages_for_some(s: Surface) -> None:
    id = s.create_doc("# Plan\n\nOf the *harbour*.\n").id
    s.put_hub("some-pages", public=True)
    assert s.set_access(id, password="open sesame").password_page is False
    with refused(NotPublic, "not found"):
        s.page_doc(id)
    with refused(NotPublic, "not found"):
        s.unlock_doc(id, "open sesame")
    assert s.set_access(id, password_page=True).password_page is True
    assert b"This document has a password" in s.page_doc(id).body and b"harbour" not in s.page_doc(id).body
    assert b"That is not the password." in s.unlock_doc(id, "open & sesame").body
    assert b"Of the <em>harbour</em>." in s.unlock_doc(id, "open sesame").body
    with refused(NotPublic, "not found"):
        s.unlock_doc("nobody", "open sesame")
    link = s.create_link(id, uses=2)
    token = link.url.partition("?link=")[2]
    assert (link.id, link.uses) == (id, 2) and b"harbour" in s.page_doc(id, link=token).body
    assert s.drop_links(id).dropped == 1 and b"harbour" not in s.page_doc(id, link=token).body
    with refused(Invalid, "invalid uses: must be 1 to 1,000"):
        s.create_link(id, uses=0)
    with refused(UnknownDocument, "unknown document"):
        s.create_link("nobody")


@scenario
def the_style_of_pages(s: Surface) -> None:
    style = s.style()
    assert style.type == "text/css; charset=utf-8" and style.etag and b"color-scheme" in style.body
