"""The editor at /edit in a real browser: what is typed is saved, or kept until it is; conflicts, files, preview, gates, versions."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from signal import SIGKILL

import pytest
from playwright.sync_api import Page

from memory_wire import Memory
from tests.embed.endpoint import Endpoint
from tests.pages.conftest import Looked
from tests.serve.serving import Serving
from tests.serve.test_public import Open

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
PATIENCE = 5_000
TEXT = "# Engines\n\nThe pump needs oil.\n"
HOSTILE = (
    "# T\n\n<script>top.document.title='broken'</script> <img src=x onerror=\"top.document.title='broken'\">\n\n"
    "[go](javascript:top.document.title='broken') [out](https://a.example/) **bold**\n"
)


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


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """One for all that don't end it: a test that counts has a bank of its own."""
    with Serving(tmp_path_factory.mktemp("editor")) as serving:
        yield serving
        assert serving.stop() == 0 and "Traceback" not in serving.stderr


@pytest.fixture
def timed(looked: Looked) -> Looked:
    """A page whose clock is moved on by hand."""
    looked.page.clock.install()
    return looked


def test_what_is_written_is_saved_by_itself_and_then_embedded(server: Serving, timed: Looked) -> None:
    page = edit(server, timed, bank="written")
    type_at_end(page, "# Pumps\n\nOil.")
    says(page, "Not saved yet")
    assert page.title() == "• New document · memory-wire" and total(server, "written") == 0
    page.clock.fast_forward(2_500)
    says(page, "Saved as version 1, a draft")
    id = page.url.rpartition("/")[2]
    assert read(server, id) == (1, "# Pumps\n\nOil.") and ask(server, f"/v1/docs/{id}")["gates"] == ["draft"]
    assert page.title() == "Pumps · memory-wire" and page.get_by_label("Title").input_value() == "Pumps"
    page.clock.fast_forward(9_000)
    assert page.locator("#vectors").inner_text() == ""
    page.clock.fast_forward(1_000)
    says(page, "degraded, no embedder is configured", "vectors")
    type_at_end(page, " More.")
    page.keyboard.press("Control+s")
    says(page, "Saved as version 2")
    page.get_by_label("Title").fill("All of them")
    page.keyboard.press("Control+s")
    page.wait_for_selector("#documents a[aria-current]:has-text('All of them')", timeout=PATIENCE)
    assert read(server, id) == (2, "# Pumps\n\nOil. More.") and page.evaluate("localStorage.length") == 0


def test_the_vectors_follow_ten_seconds_after_the_last_save(tmp_path: Path, timed: Looked) -> None:
    with Endpoint() as endpoint:
        with Memory(tmp_path / "memory.db", bank="default") as memory:
            id = memory.create_doc(TEXT).id
            memory.put_config({"embedder": endpoint.model()})
            memory.run_jobs()
        with Serving(tmp_path) as server:
            page = edit(server, timed, id)
            for words, told in (("## More\n\nwords", "embedded, "), ("\n\n", "unchanged")):
                type_at_end(page, words)
                page.keyboard.press("Control+s")
                says(page, "Saved as version")
                page.clock.fast_forward(10_000)
                says(page, f"Vectors: {told}", "vectors")
            assert server.stop() == 0


def test_a_change_from_elsewhere_is_shown_beside_ones_own(server: Serving, timed: Looked) -> None:
    id = create(server)
    page = edit(server, timed, id)
    type_at_end(page, "Mine.")
    ask(server, f"/v1/docs/{id}", {"append": "Theirs."}, "PATCH")
    page.clock.fast_forward(2_500)
    says(page, "Not saved: somebody else changed this document")
    assert "Mine." in page.locator("#mine").inner_text() and "Theirs." in page.locator("#theirs").inner_text()
    assert [page.locator(f"#{side} mark").inner_text().strip() for side in ("mine", "theirs")] == ["Mine.", "Theirs."]
    type_at_end(page, " Too.")
    page.clock.fast_forward(60_000)
    assert read(server, id)[0] == 2
    page.get_by_role("button", name="Keep mine as a new version").click()
    says(page, "Saved as version 3")
    assert read(server, id) == (3, TEXT + "Mine. Too.") and not page.locator("#conflict").is_visible()
    assert "Theirs." in str(ask(server, f"/v1/docs/{id}?version=2")["markdown"])
    forgive(timed, "409")


def test_taking_the_other_text_keeps_ones_own_in_the_browser(server: Serving, timed: Looked) -> None:
    id = create(server)
    page = edit(server, timed, id)
    type_at_end(page, "Mine.")
    ask(server, f"/v1/docs/{id}", {"append": "Theirs."}, "PATCH")
    page.keyboard.press("Control+s")
    page.get_by_role("button", name="Take theirs").click()
    assert page.locator("#text").input_value() == read(server, id)[1] == TEXT + "\nTheirs."
    page.locator("#kept-list").get_by_role("button", name="Open").click()
    assert page.locator("#text").input_value() == TEXT + "Mine."
    page.clock.fast_forward(2_500)
    says(page, "Saved as version 3")
    assert read(server, id) == (3, TEXT + "Mine.") and not page.locator("#kept").is_visible()
    forgive(timed, "409")


def test_what_was_typed_survives_the_server_and_the_page(tmp_path: Path, looked: Looked) -> None:
    page = looked.page
    page.on("dialog", lambda dialog: dialog.accept())
    page.clock.install()
    with Serving(tmp_path) as server:
        id = create(server)
        where = "{}:{}".format(*server.address)
        edit(server, looked, id)
        type_at_end(page, "Typed before,")
        server.stop(SIGKILL)
        type_at_end(page, " while")
        page.clock.fast_forward(2_500)
        says(page, "Not saved: the server did not answer")
        type_at_end(page, " and after.")
    with Serving(tmp_path, "--addr", where) as server:
        page.clock.fast_forward(3_000)
        says(page, "Saved as version 2")
        assert read(server, id) == (2, TEXT + "Typed before, while and after.")
        type_at_end(page, " And more.")
        page.reload()
        says(page, "it was restored from this browser", "notice")
        assert page.locator("#text").input_value() == TEXT + "Typed before, while and after. And more."
        page.clock.fast_forward(2_500)
        says(page, "Saved as version 3")
        assert read(server, id)[1] == TEXT + "Typed before, while and after. And more."
        assert page.evaluate("localStorage.length") == 0
        assert server.stop() == 0
    forgive(looked, "ERR_CONNECTION_REFUSED")


def test_what_a_crash_interrupted_is_there_again(server: Serving, timed: Looked) -> None:
    id = create(server, bank="crash")
    edit(server, timed, id)
    type_at_end(timed.page, "Typed.")
    other = Looked(timed.page.context.new_page())
    edit(server, other, bank="crash")
    type_at_end(other.page, "# New")
    other.page.close()
    timed.page.close()
    ask(server, f"/v1/docs/{id}", {"append": "Theirs."}, "PATCH")
    timed.page = timed.page.context.new_page()
    page = edit(server, timed)
    says(page, "restored from this browser", "notice")
    assert (page.locator("#text").input_value(), page.get_by_label("Bank").input_value()) == ("# New", "crash")
    page.keyboard.press("Control+s")
    says(page, "Saved as version 1")
    page.locator("#kept-list").get_by_role("button", name="Open").click()
    page.wait_for_selector("#conflict:not([hidden])", timeout=PATIENCE)
    assert (page.locator("#text").input_value(), read(server, id)[0]) == (TEXT + "Typed.", 2)
    page.get_by_role("button", name="Keep mine as a new version").click()
    says(page, "Saved as version 3")
    assert read(server, id) == (3, TEXT + "Typed.") and page.evaluate("localStorage.length") == 0
    assert total(server, "crash") == 2 and other.complaints == []


def test_who_comes_back_to_the_page_sees_the_newest_text(server: Serving, looked: Looked) -> None:
    id = create(server)
    page = edit(server, looked, id)
    ask(server, f"/v1/docs/{id}", {"append": "Theirs."}, "PATCH")
    page.evaluate("window.dispatchEvent(new Event('focus'))")
    says(page, "this is version 2 now")
    assert page.locator("#text").input_value() == TEXT + "\nTheirs."


def test_an_answer_that_was_lost_makes_no_second_document_and_no_conflict(server: Serving, timed: Looked) -> None:
    page = edit(server, timed, bank="lost")

    def lose(path: str, verb: str) -> None:
        """The next such request comes through, its answer doesn't."""

        def route(call) -> None:  # type: ignore[no-untyped-def]
            if call.request.method != verb or lost:
                return call.continue_()
            lost.append(verb)
            call.fetch()
            return call.abort()

        lost: list[str] = []
        page.route(path, route)

    lose("**/v1/docs", "POST")
    type_at_end(page, "# One")
    page.keyboard.press("Control+s")
    says(page, "saving is tried again")
    type_at_end(page, " more")
    page.clock.fast_forward(3_000)
    says(page, "Saved as version 2")
    id = page.url.rpartition("/")[2]
    lose(f"**/v1/docs/{id}", "PATCH")
    type_at_end(page, " and more")
    page.keyboard.press("Control+s")
    says(page, "saving is tried again")
    type_at_end(page, " and all")
    page.clock.fast_forward(3_000)
    says(page, "Saved as version 4")
    assert total(server, "lost") == 1 and read(server, id) == (4, "# One more and more and all")
    forgive(timed, "ERR_FAILED", "409")


def test_a_document_that_is_gone_leaves_what_was_typed(server: Serving, timed: Looked) -> None:
    id = create(server)
    page = edit(server, timed, id)
    type_at_end(page, "Mine.")
    ask(server, f"/v1/docs/{id}", verb="DELETE")
    page.keyboard.press("Control+s")
    says(page, "isn't there any more", "notice")
    page.keyboard.press("Control+s")
    says(page, "Saved as version 1")
    new = page.url.rpartition("/")[2]
    assert new != id and read(server, new) == (1, TEXT + "Mine.")
    forgive(timed, "404")


def test_ends_of_lines_stay_as_they_were(server: Serving, timed: Looked) -> None:
    id = create(server, "\ufeff# A\r\n\r\none\r\ntwo\nthree\r\n")
    page = edit(server, timed, id)
    page.locator("#text").press("Control+Home")
    page.keyboard.press("ArrowDown")
    page.keyboard.type("zero\n")
    page.keyboard.press("Control+s")
    says(page, "Saved as version 2")
    assert read(server, id)[1] == "\ufeff# A\r\nzero\r\n\r\none\r\ntwo\nthree\r\n"


def test_files_are_put_into_the_text_or_become_documents(server: Serving, timed: Looked) -> None:
    page = edit(server, timed)
    drop(page, ("engines.md", TEXT.replace("\n", "\r\n")))
    says(page, "engines.md was put into the text")
    page.keyboard.press("Control+s")
    says(page, "Saved as version 1")
    id = page.url.rpartition("/")[2]
    assert read(server, id)[1] == TEXT.replace("\n", "\r\n")
    drop(page, ("page.html", "<h1>Boats</h1><p>They float.</p>"), ("odd.bin", b"\0\1\2"))
    page.get_by_role("link", name="Boats").first.wait_for(timeout=PATIENCE)
    assert "created, version 1" in page.locator("#filed-list").inner_text() and "odd.bin: " in page.locator("#filed-list").inner_text()
    page.locator("#filed-list").get_by_role("link", name="Boats").click()
    page.wait_for_function("() => document.title.startsWith('Boats')", timeout=PATIENCE)
    assert "They float." in page.locator("#text").input_value()


def test_the_preview_is_as_the_page_and_runs_nothing(server: Serving, looked: Looked) -> None:
    page = edit(server, looked, create(server, HOSTILE))
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


def test_versions_are_compared_and_brought_back(server: Serving, looked: Looked) -> None:
    id = create(server)
    ask(server, f"/v1/docs/{id}", {"replace": TEXT.replace("oil", "water")}, "PATCH")
    page = edit(server, looked, id)
    page.get_by_text("Versions", exact=True).click()
    page.get_by_role("button", name="Changes").click()
    page.locator("#diff ins").wait_for(timeout=PATIENCE)
    assert page.locator("#diff ins").all_inner_texts() == ["+The pump needs water."]
    assert page.locator("#diff del").all_inner_texts() == ["-The pump needs oil."]
    type_at_end(page, "Unsaved.")
    page.get_by_role("button", name="Bring back").click()
    says(page, "Version 1 is back as version 4")
    assert page.locator("#text").input_value() == TEXT and read(server, id) == (4, TEXT)
    assert "Unsaved." in str(ask(server, f"/v1/docs/{id}?version=3")["markdown"])
    page.locator("#versions li").nth(3).wait_for(timeout=PATIENCE)


def test_gates_are_shown_and_set(server: Serving, looked: Looked) -> None:
    id = create(server, bank="engines")
    ask(server, "/v1/hubs/engines", {"bank": "engines", "public": True}, "PUT")
    ask(server, f"/v1/docs/{id}/access", {"is_draft": True, "expires_at": "2099-01-02T03:04:05Z"}, "PATCH")
    page = edit(server, looked, id)
    assert "engines: public hub engines" in page.get_by_label("Bank").inner_text() and not page.locator("#page").is_visible()
    page.get_by_text("Who may see it").click()
    says(page, "it is a draft", "gates-say")
    assert len(ask(server, "/v1/audit?kind=doc.access")["events"]) == 1  # type: ignore[arg-type]  # looking is no change
    page.get_by_label("Draft").uncheck()
    page.get_by_label("Password", exact=True).fill("open sesame")
    page.get_by_label("Only these addresses").fill("ann@example.org\nbob@example.org")
    page.get_by_role("button", name="Apply").click()
    says(page, "it has a password, only listed addresses may", "gates-say")
    access = ask(server, f"/v1/docs/{id}/access", {}, "PATCH")
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


def test_documents_are_listed_and_searched(server: Serving, looked: Looked) -> None:
    create(server, bank="land")
    create(server, "# Boats\n\nThey float.\n", bank="sea")
    page = edit(server, looked, bank="land")
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
    assert total(server, "sea") == 2


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
def test_for_everybody_also_on_a_telephone(server: Serving, looked: Looked, scheme: str) -> None:
    id = create(server, TEXT + "x" * 400)
    ask(server, f"/v1/docs/{id}", {"append": "more"}, "PATCH")
    looked.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    looked.page.set_viewport_size({"width": 360, "height": 700})
    page = edit(server, looked, id)
    page.get_by_text("Who may see it").click()
    says(page, "its bank is no public hub", "gates-say")
    page.get_by_text("Versions", exact=True).click()
    page.get_by_role("button", name="Changes").click()
    page.locator("#diff ins").first.wait_for(timeout=PATIENCE)
    ask(server, f"/v1/docs/{id}", {"append": "and more"}, "PATCH")
    type_at_end(page, "Mine.")
    page.keyboard.press("Control+s")
    says(page, "somebody else")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.evaluate(AXE)
    found = page.evaluate("axe.run()")
    assert found["passes"] and [one for one in found["violations"] if one["impact"] in ("serious", "critical")] == []
    assert {url.split("/")[2] for url in looked.asked if not url.startswith("data:")} == {"{}:{}".format(*server.address)}
    forgive(looked, "409")


def test_by_keyboard_the_text_comes_first(server: Serving, looked: Looked) -> None:
    page = edit(server, looked, create(server))
    seen = []
    for _ in range(8):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.id || document.activeElement.textContent"))
    assert seen == ["Skip to the text", "new", "Memories", "title", "text", "save", "show", "files"]


def test_it_is_the_owners_alone(tmp_path: Path) -> None:
    with Open(tmp_path, "--public-addr", "127.0.0.1:0") as server:
        for path in ("/edit", "/edit/AAAAAAAAAAAAAAAAA", "/ui/edit.js", "/ui/edit.css"):
            assert server.ask("GET", path).status == 404
