"""The viewer at /ui in a real browser: banks, search with reasons, history, injections, keys; nothing from outside, nothing executed."""

from __future__ import annotations

import json
import re
import urllib.request
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

from tests.pages.conftest import Looked
from tests.serve.serving import Serving

PATIENCE = 5_000
HOSTILE = "<img src=x onerror=\"document.title='broken'\"> </script><script>document.title='broken'</script> & \u202e\u0000".replace(
    "\0", ""
)
FILES = Path(__file__).parents[2] / "src" / "memory_wire" / "data" / "ui"


def ask(server: Serving, path: str, body: object = None) -> object:
    """The JSON answer of one request."""
    host, port = server.address
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://{host}:{port}{path}", data, {"content-type": "application/json"})
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)


def retain(server: Serving, bank: str, content: str, **fields: object) -> str:
    answer = ask(server, f"/banks/{quote(bank, safe='')}/retain", {"content": content, **fields})
    assert isinstance(answer, dict)
    return str(answer["id"])


def open_viewer(server: Serving, looked: Looked, rest: str = "") -> None:
    host, port = server.address
    looked.page.goto(f"http://{host}:{port}/ui{rest}")
    looked.page.wait_for_selector("#status:not(:empty)", timeout=PATIENCE)


def texts(looked: Looked) -> list[str]:
    return looked.page.locator("#list .text").all_inner_texts()


def test_the_largest_bank_is_shown_newest_first_and_banks_can_be_changed(server: Serving, looked: Looked) -> None:
    for number in range(3):
        retain(server, "harbour", f"pilot number {number} sleeps aboard", created_at=f"2026-03-0{number + 1}")
    retain(server, "a b/ü", "only here")
    open_viewer(server, looked)
    looked.page.wait_for_selector("text=3 memories, newest first", timeout=PATIENCE)
    assert texts(looked) == [f"pilot number {number} sleeps aboard" for number in (2, 1, 0)]
    looked.page.get_by_role("navigation").get_by_text("a b/ü").click()
    looked.page.wait_for_selector("text=1 memories, newest first", timeout=PATIENCE)
    assert texts(looked) == ["only here"]
    looked.page.go_back()
    looked.page.wait_for_selector("text=3 memories, newest first", timeout=PATIENCE)


def test_search_says_why_and_opening_shows_the_history(server: Serving, looked: Looked) -> None:
    name = retain(server, "p", "we chose postgres because of row level security", tags=["decision"], created_at="2026-02-03")
    retain(server, "p", "the canteen closes at two")
    open_viewer(server, looked, "#p")
    looked.page.keyboard.press("/")
    looked.page.keyboard.type("why postgres?")
    looked.page.wait_for_selector("text=1 found", timeout=PATIENCE)
    assert texts(looked) == ["we chose postgres because of row level security"]
    looked.page.keyboard.press("Escape")
    looked.page.keyboard.press("j")
    looked.page.keyboard.press("Enter")
    looked.page.wait_for_selector("text=Never injected.", timeout=PATIENCE)
    line = looked.page.locator("#list > li").first.inner_text()
    assert name in line and "decision" in line and "2026-02-03" in line
    assert "postgres" in looked.page.get_by_label("Why it surfaced").inner_text()
    assert f"memory-wire forget {name} --bank p" in line


def test_a_search_leaves_the_search_in_view(server: Serving, looked: Looked) -> None:
    for number in range(30):
        retain(server, "p", f"falcon {number} " + "of the long list " * 20)
    open_viewer(server, looked, "#p")
    looked.page.keyboard.press("/")
    looked.page.keyboard.type("falcon")
    looked.page.wait_for_selector("text=30 found", timeout=PATIENCE)
    looked.page.keyboard.press("Enter")
    looked.page.wait_for_function("() => document.activeElement.id === 'main'", timeout=PATIENCE)
    assert looked.page.evaluate("window.scrollY") == 0
    assert looked.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "none"
    looked.page.keyboard.press("j")
    looked.page.wait_for_function("() => document.activeElement.className === 'open'", timeout=PATIENCE)
    assert looked.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_what_was_injected_where(server: Serving, looked: Looked) -> None:
    retain(server, "p", "we chose postgres because of row level security")
    retain(server, "p", "the canteen closes at two")
    ask(server, "/v1/banks/p/inject", {"event": "prompt", "host": "codex", "session": "s-77", "prompt": "why did we choose postgres?"})
    open_viewer(server, looked, "#p")
    looked.page.keyboard.press("i")
    looked.page.wait_for_selector("text=1 injected, newest first", timeout=PATIENCE)
    line = looked.page.locator("#list > li").first.inner_text()
    assert "codex" in line and "prompt" in line and "s-77" in line and "postgres" in line
    assert "still has it in its context" in (looked.page.get_by_text("held", exact=True).get_attribute("title") or "")
    looked.page.locator("#list .open").first.click()
    looked.page.wait_for_selector("[aria-label=History] >> text=Injected", timeout=PATIENCE)


def test_long_banks_are_paged(server: Serving, looked: Looked) -> None:
    ask(server, "/banks/p/retain/batch", {"items": [{"content": f"fact number {number}"} for number in range(120)]})
    open_viewer(server, looked, "#p")
    looked.page.wait_for_selector("text=120 memories", timeout=PATIENCE)
    assert texts(looked)[0] == "fact number 119" and len(texts(looked)) == 50
    looked.page.keyboard.press("n")
    looked.page.wait_for_selector("text='fact number 69'", timeout=PATIENCE)
    looked.page.keyboard.press("n")
    looked.page.wait_for_selector("text='fact number 0'", timeout=PATIENCE)
    assert len(texts(looked)) == 20
    looked.page.keyboard.press("p")
    looked.page.wait_for_selector("text='fact number 69'", timeout=PATIENCE)


def test_contents_are_text_and_nothing_comes_from_outside(server: Serving, looked: Looked) -> None:
    retain(server, "p", HOSTILE, tags=["<b>tag</b>"])
    open_viewer(server, looked, "#p")
    assert texts(looked) == [HOSTILE]
    looked.page.locator("#list .open").first.click()
    looked.page.wait_for_selector("text=Never injected.", timeout=PATIENCE)
    assert looked.page.title() == "p · memory-wire"
    assert {urlsplit(url).netloc for url in looked.asked if not url.startswith("data:")} == {"{}:{}".format(*server.address)}


def test_it_says_that_the_server_is_gone(server: Serving, looked: Looked) -> None:
    retain(server, "p", "here")
    open_viewer(server, looked, "#p")
    server.stop()
    looked.page.keyboard.press("i")
    looked.page.wait_for_selector("text=The server did not answer", timeout=PATIENCE)
    looked.complaints.clear()  # the browser's own word about the refused connection


def test_readable_by_a_screen_reader_and_on_a_telephone(server: Serving, looked: Looked) -> None:
    retain(server, "p", "x" * 400)
    looked.page.set_viewport_size({"width": 360, "height": 700})
    open_viewer(server, looked, "#p")
    assert looked.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    looked.page.get_by_role("searchbox", name="Search this bank").wait_for(timeout=PATIENCE)
    looked.page.get_by_role("button", name="Keys").click()
    looked.page.get_by_text("older, newer page").wait_for(timeout=PATIENCE)


@pytest.mark.parametrize("path", ["/ui", "/ui/ui.css", "/ui/ui.js", "/edit", "/edit/AAAAAAAAAAAAAAAAA", "/ui/edit.css", "/ui/edit.js"])
def test_a_strict_policy_on_every_file(server: Serving, path: str) -> None:
    host, port = server.address
    with urllib.request.urlopen(f"http://{host}:{port}{path}") as reply:
        assert reply.headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        assert reply.headers["x-content-type-options"] == "nosniff"


def test_the_files_name_no_other_host_and_need_no_exception_from_the_policy() -> None:
    assert len(list(FILES.iterdir())) == 6
    for file in FILES.iterdir():
        text = file.read_text()
        assert not re.search(r"https?://|//[a-z]+\.[a-z]", text), file
        assert not re.search(r"\son\w+=|\sstyle=|javascript:|innerHTML|eval\(", text), file


def test_a_server_with_keys_asks_for_one_once(server: Serving, looked: Looked) -> None:
    retain(server, "notes", "kept behind a key")
    made = ask(server, "/v1/admin/keys", {"label": "viewer", "rights": "read"})
    assert isinstance(made, dict)
    answers = ["mmw_" + "0" * 64, f" {made['key']} "]
    looked.page.on("dialog", lambda dialog: dialog.accept(answers.pop(0)))
    open_viewer(server, looked)
    looked.page.get_by_text("notes").first.wait_for(timeout=PATIENCE)
    looked.page.reload()
    looked.page.get_by_text("notes").first.wait_for(timeout=PATIENCE)
    assert answers == [] and made["key"] not in looked.page.content()
    looked.complaints = [text for text in looked.complaints if "401" not in text]
