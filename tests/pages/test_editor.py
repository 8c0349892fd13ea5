"""The editor at /edit in a real browser: what is typed is saved, or kept until it is, whoever else writes, breaks off or ends."""

from __future__ import annotations

from pathlib import Path
from signal import SIGKILL

from memory_wire import Memory
from tests.embed.endpoint import Endpoint
from tests.pages.conftest import Looked
from tests.pages.editing import PATIENCE, TEXT, ask, create, edit, forgive, read, says, total, type_at_end
from tests.serve.serving import Serving


def test_what_is_written_is_saved_by_itself_and_then_embedded(shared: Serving, timed: Looked) -> None:
    page = edit(shared, timed, bank="written")
    type_at_end(page, "# Pumps\n\nOil.")
    says(page, "Not saved yet")
    assert page.title() == "• New document · memory-wire" and total(shared, "written") == 0
    page.clock.fast_forward(2_500)
    says(page, "Saved as version 1, a draft")
    id = page.url.rpartition("/")[2]
    assert read(shared, id) == (1, "# Pumps\n\nOil.") and ask(shared, f"/v1/docs/{id}")["gates"] == ["draft"]
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
    assert read(shared, id) == (2, "# Pumps\n\nOil. More.") and page.evaluate("localStorage.length") == 0


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


def test_a_change_from_elsewhere_is_shown_beside_ones_own(shared: Serving, timed: Looked) -> None:
    id = create(shared)
    page = edit(shared, timed, id)
    type_at_end(page, "Mine.")
    ask(shared, f"/v1/docs/{id}", {"append": "Theirs."}, "PATCH")
    page.clock.fast_forward(2_500)
    says(page, "Not saved: somebody else changed this document")
    assert "Mine." in page.locator("#mine").inner_text() and "Theirs." in page.locator("#theirs").inner_text()
    assert [page.locator(f"#{side} mark").inner_text().strip() for side in ("mine", "theirs")] == ["Mine.", "Theirs."]
    type_at_end(page, " Too.")
    page.clock.fast_forward(60_000)
    assert read(shared, id)[0] == 2
    page.get_by_role("button", name="Keep mine as a new version").click()
    says(page, "Saved as version 3")
    assert read(shared, id) == (3, TEXT + "Mine. Too.") and not page.locator("#conflict").is_visible()
    assert "Theirs." in str(ask(shared, f"/v1/docs/{id}?version=2")["markdown"])
    forgive(timed, "409")


def test_taking_the_other_text_keeps_ones_own_in_the_browser(shared: Serving, timed: Looked) -> None:
    id = create(shared)
    page = edit(shared, timed, id)
    type_at_end(page, "Mine.")
    ask(shared, f"/v1/docs/{id}", {"append": "Theirs."}, "PATCH")
    page.keyboard.press("Control+s")
    page.get_by_role("button", name="Take theirs").click()
    assert page.locator("#text").input_value() == read(shared, id)[1] == TEXT + "\nTheirs."
    page.locator("#kept-list").get_by_role("button", name="Open").click()
    assert page.locator("#text").input_value() == TEXT + "Mine."
    page.clock.fast_forward(2_500)
    says(page, "Saved as version 3")
    assert read(shared, id) == (3, TEXT + "Mine.") and not page.locator("#kept").is_visible()
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


def test_what_a_crash_interrupted_is_there_again(shared: Serving, timed: Looked) -> None:
    id = create(shared, bank="crash")
    edit(shared, timed, id)
    type_at_end(timed.page, "Typed.")
    other = Looked(timed.page.context.new_page())
    edit(shared, other, bank="crash")
    type_at_end(other.page, "# New")
    other.page.close()
    timed.page.close()
    ask(shared, f"/v1/docs/{id}", {"append": "Theirs."}, "PATCH")
    timed.page = timed.page.context.new_page()
    page = edit(shared, timed)
    says(page, "restored from this browser", "notice")
    assert (page.locator("#text").input_value(), page.get_by_label("Bank").input_value()) == ("# New", "crash")
    page.keyboard.press("Control+s")
    says(page, "Saved as version 1")
    page.locator("#kept-list").get_by_role("button", name="Open").click()
    page.wait_for_selector("#conflict:not([hidden])", timeout=PATIENCE)
    assert (page.locator("#text").input_value(), read(shared, id)[0]) == (TEXT + "Typed.", 2)
    page.get_by_role("button", name="Keep mine as a new version").click()
    says(page, "Saved as version 3")
    assert read(shared, id) == (3, TEXT + "Typed.") and page.evaluate("localStorage.length") == 0
    assert total(shared, "crash") == 2 and other.complaints == []


def test_who_comes_back_to_the_page_sees_the_newest_text(shared: Serving, looked: Looked) -> None:
    id = create(shared)
    page = edit(shared, looked, id)
    ask(shared, f"/v1/docs/{id}", {"append": "Theirs."}, "PATCH")
    page.evaluate("window.dispatchEvent(new Event('focus'))")
    says(page, "this is version 2 now")
    assert page.locator("#text").input_value() == TEXT + "\nTheirs."


def test_an_answer_that_was_lost_makes_no_second_document_and_no_conflict(shared: Serving, timed: Looked) -> None:
    page = edit(shared, timed, bank="lost")

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
    assert total(shared, "lost") == 1 and read(shared, id) == (4, "# One more and more and all")
    forgive(timed, "ERR_FAILED", "409")


def test_a_document_that_is_gone_leaves_what_was_typed(shared: Serving, timed: Looked) -> None:
    id = create(shared)
    page = edit(shared, timed, id)
    type_at_end(page, "Mine.")
    ask(shared, f"/v1/docs/{id}", verb="DELETE")
    page.keyboard.press("Control+s")
    says(page, "isn't there any more", "notice")
    page.keyboard.press("Control+s")
    says(page, "Saved as version 1")
    new = page.url.rpartition("/")[2]
    assert new != id and read(shared, new) == (1, TEXT + "Mine.")
    forgive(timed, "404")


def test_ends_of_lines_stay_as_they_were(shared: Serving, timed: Looked) -> None:
    id = create(shared, "\ufeff# A\r\n\r\none\r\ntwo\nthree\r\n")
    page = edit(shared, timed, id)
    page.locator("#text").press("Control+Home")
    page.keyboard.press("ArrowDown")
    page.keyboard.type("zero\n")
    page.keyboard.press("Control+s")
    says(page, "Saved as version 2")
    assert read(shared, id)[1] == "\ufeff# A\r\nzero\r\n\r\none\r\ntwo\nthree\r\n"
