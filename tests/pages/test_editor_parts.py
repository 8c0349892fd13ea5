"""What is around the text in the editor: files, preview, versions, gates, the list, keys; for everybody, and the owner's alone."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from tests.pages.conftest import Looked
from tests.pages.editing import PATIENCE, TEXT, ask, create, drop, edit, forgive, read, says, total, type_at_end
from tests.serve.serving import Serving
from tests.serve.test_public import Open

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
HOSTILE = (
    "# T\n\n<script>top.document.title='broken'</script> <img src=x onerror=\"top.document.title='broken'\">\n\n"
    "[go](javascript:top.document.title='broken') [out](https://a.example/) **bold**\n"
)


def test_files_are_put_into_the_text_or_become_documents(shared: Serving, timed: Looked) -> None:
    page = edit(shared, timed)
    drop(page, ("engines.md", TEXT.replace("\n", "\r\n")))
    says(page, "engines.md was put into the text")
    page.keyboard.press("Control+s")
    says(page, "Saved as version 1")
    id = page.url.rpartition("/")[2]
    assert read(shared, id)[1] == TEXT.replace("\n", "\r\n")
    drop(page, ("page.html", "<h1>Boats</h1><p>They float.</p>"), ("odd.bin", b"\0\1\2"))
    page.get_by_role("link", name="Boats").first.wait_for(timeout=PATIENCE)
    assert "created, version 1" in page.locator("#filed-list").inner_text() and "odd.bin: " in page.locator("#filed-list").inner_text()
    page.locator("#filed-list").get_by_role("link", name="Boats").click()
    page.wait_for_function("() => document.title.startsWith('Boats')", timeout=PATIENCE)
    assert "They float." in page.locator("#text").input_value()


def test_the_preview_is_as_the_page_and_runs_nothing(shared: Serving, looked: Looked) -> None:
    page = edit(shared, looked, create(shared, HOSTILE))
    page.keyboard.press("Control+Enter")
    frame = page.frame_locator("#preview iframe")
    frame.locator("strong").wait_for(timeout=PATIENCE)
    assert frame.locator("h1").all_inner_texts() == ["T"] and frame.locator("script, img").count() == 0
    assert "<script>top.document.title='broken'</script>" in frame.locator("main").inner_text()
    assert frame.locator("body").evaluate("body => getComputedStyle(body).maxWidth") == "736px"  # has the style of pages
    assert frame.get_by_text("out").get_attribute("rel") == "nofollow noopener noreferrer"
    for handed in ("<script>top.document.title='broken'</script>", "<img src=x onerror=\"top.document.title='broken'\">"):  # a second wall
        page.evaluate("html => { document.querySelector('#preview iframe').srcdoc = html + '<p>there</p>'; }", handed)
        frame.get_by_text("there").wait_for(timeout=PATIENCE)
    assert page.title() == "T · memory-wire"
    assert any("script" in text for text in looked.complaints)  # the browser refused it
    looked.complaints = []
    page.get_by_role("button", name="Preview").click()
    assert page.evaluate("document.activeElement.id") == "text"


def test_versions_are_compared_and_brought_back(shared: Serving, looked: Looked) -> None:
    id = create(shared)
    ask(shared, f"/v1/docs/{id}", {"replace": TEXT.replace("oil", "water")}, "PATCH")
    page = edit(shared, looked, id)
    page.get_by_text("Versions", exact=True).click()
    page.get_by_role("button", name="Changes").click()
    page.locator("#diff ins").wait_for(timeout=PATIENCE)
    assert page.locator("#diff ins").all_inner_texts() == ["+The pump needs water."]
    assert page.locator("#diff del").all_inner_texts() == ["-The pump needs oil."]
    type_at_end(page, "Unsaved.")
    page.get_by_role("button", name="Bring back").click()
    says(page, "Version 1 is back as version 4")
    assert page.locator("#text").input_value() == TEXT and read(shared, id) == (4, TEXT)
    assert "Unsaved." in str(ask(shared, f"/v1/docs/{id}?version=3")["markdown"])
    page.locator("#versions li").nth(3).wait_for(timeout=PATIENCE)


def test_gates_are_shown_and_set(shared: Serving, looked: Looked) -> None:
    id = create(shared, bank="engines")
    ask(shared, "/v1/hubs/engines", {"bank": "engines", "public": True}, "PUT")
    ask(shared, f"/v1/docs/{id}/access", {"is_draft": True, "expires_at": "2099-01-02T03:04:05Z"}, "PATCH")
    page = edit(shared, looked, id)
    assert "engines: public hub engines" in page.get_by_label("Bank").inner_text() and not page.locator("#page").is_visible()
    page.get_by_text("Who may see it").click()
    says(page, "it is a draft", "gates-say")
    assert len(ask(shared, "/v1/audit?kind=doc.access")["events"]) == 1  # type: ignore[arg-type]  # looking is no change
    page.get_by_label("Draft").uncheck()
    page.get_by_label("Password", exact=True).fill("open sesame")
    page.get_by_label("Only these addresses").fill("ann@example.org\nbob@example.org")
    page.get_by_role("button", name="Apply").click()
    says(page, "it has a password, only listed addresses may", "gates-say")
    access = ask(shared, f"/v1/docs/{id}/access", {}, "PATCH")
    assert (access["allowed_emails"], access["expires_at"]) == (["ann@example.org", "bob@example.org"], "2099-01-02T03:04:05.000Z")
    page.get_by_role("button", name="Link for one reader").click()
    says(page, f"/{id}?link=", "link-says")
    page.get_by_label("Its page asks").check()
    page.get_by_label("take it away").check()
    page.get_by_label("Only these addresses").fill("")
    page.get_by_label("Until").fill("")
    page.get_by_role("button", name="Apply").click()
    says(page, "Everybody may read it", "gates-say")
    assert page.get_by_label("Its page asks").is_checked()
    assert page.get_by_role("link", name="Page").get_attribute("href") == f"/{id}"
    page.get_by_label("Only these addresses").fill("nobody")
    page.get_by_role("button", name="Apply").click()
    says(page, "must be e-mail addresses", "gates-say")
    forgive(looked, "400")


def test_documents_are_listed_and_searched(shared: Serving, looked: Looked) -> None:
    create(shared, bank="land")
    create(shared, "# Boats\n\nThey float.\n", bank="sea")
    page = edit(shared, looked, bank="land")
    assert page.locator("#documents .name").all_inner_texts() == ["Engines"]
    page.get_by_label("Bank").select_option("sea")
    page.wait_for_selector("#documents :text('Boats')", timeout=PATIENCE)
    page.get_by_label("Search these documents").fill("what floats?")
    says(page, "1 found", "found")
    page.get_by_role("link", name="Boats").click()
    page.wait_for_function("() => document.getElementById('text').value.includes('They float.')", timeout=PATIENCE)
    page.get_by_role("link", name="New document").click()
    page.wait_for_selector("#found:not(:empty)", timeout=PATIENCE)
    type_at_end(page, "# Ports")
    page.keyboard.press("Control+s")
    says(page, "Saved as version 1")
    assert total(shared, "sea") == 2


def test_a_server_with_keys_asks_for_one_once(tmp_path: Path, looked: Looked) -> None:
    with Serving(tmp_path) as server:
        key = str(ask(server, "/v1/admin/keys", {"label": "editor", "rights": "write"})["key"])
        answers = [key]
        looked.page.on("dialog", lambda dialog: dialog.accept(answers.pop(0)))
        page = edit(server, looked)
        type_at_end(page, "# Locked")
        page.keyboard.press("Control+s")
        says(page, "Saved as version 1")
        page.reload()
        page.wait_for_function("() => document.getElementById('text').value === '# Locked'", timeout=PATIENCE)
        assert answers == [] and total(server, "default", key) == 1
    forgive(looked, "401")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_for_everybody_also_on_a_telephone(shared: Serving, looked: Looked, scheme: str) -> None:
    id = create(shared, TEXT + "x" * 400)
    ask(shared, f"/v1/docs/{id}", {"append": "more"}, "PATCH")
    looked.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    looked.page.set_viewport_size({"width": 360, "height": 700})
    page = edit(shared, looked, id)
    page.get_by_text("Who may see it").click()
    says(page, "its bank is no public hub", "gates-say")
    page.get_by_text("Versions", exact=True).click()
    page.get_by_role("button", name="Changes").click()
    page.locator("#diff ins").first.wait_for(timeout=PATIENCE)
    ask(shared, f"/v1/docs/{id}", {"append": "and more"}, "PATCH")
    type_at_end(page, "Mine.")
    page.keyboard.press("Control+s")
    says(page, "somebody else")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.evaluate(AXE)
    found = page.evaluate("axe.run()")
    assert found["passes"] and [one for one in found["violations"] if one["impact"] in ("serious", "critical")] == []
    assert {url.split("/")[2] for url in looked.asked if not url.startswith("data:")} == {"{}:{}".format(*shared.address)}
    forgive(looked, "409")


def test_by_keyboard_the_text_comes_first(shared: Serving, looked: Looked) -> None:
    page = edit(shared, looked, create(shared))
    seen = []
    for _ in range(8):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.id || document.activeElement.textContent"))
    assert seen == ["Skip to the text", "new", "Memories", "title", "text", "save", "show", "files"]


def test_it_is_the_owners_alone(tmp_path: Path) -> None:
    with Open(tmp_path, "--public-addr", "127.0.0.1:0") as server:
        for path in ("/edit", "/edit/AAAAAAAAAAAAAAAAA", "/ui/edit.js", "/ui/edit.css"):
            assert server.ask("GET", path).status == 404
