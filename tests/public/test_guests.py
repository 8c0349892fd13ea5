"""Pages for some: an allow-list with keys, links, passwords. Everybody else gets the one 404, and no header says who somebody is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from memory_wire import Client, Memory
from tests.public.reading import Read
from tests.serve.serving import Reply, Serving
from tests.serve.test_public import Open

TEXT = "# Plan\n\nOf the *harbour*.\n"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


class Place:
    def __init__(self, server: Open, owner: Client, keys: dict[str, str]) -> None:
        self.server, self.owner, self.keys = server, owner, keys

    def document(self, **gates: object) -> str:
        id = self.owner.create_doc(TEXT, bank="some").id
        self.owner.set_access(id, **gates)  # type: ignore[arg-type]
        return id

    def inside(self, path: str, key: str = "", **headers: str) -> Reply:
        """Asked at the address that looks at keys."""
        given = {"Accept": "text/html", **{name.replace("_", "-"): value for name, value in headers.items()}}
        if key:
            given["Authorization"] = f"Bearer {self.keys[key]}"
        host, port = str(self.server.found["addr"]).rsplit(":", 1)
        return Serving.ask(Inside(self.server, (host, int(port))), "GET", path, headers=given)  # type: ignore[arg-type]

    def outside(self, path: str, verb: str = "GET", **more: object) -> Reply:
        return self.server.ask(verb, path, headers={"Accept": "text/html"}, **more)  # type: ignore[arg-type]

    def unlock(self, id: str, password: str) -> Reply:
        body = f"password={quote(password)}".encode()
        with self.server.dial() as peer:
            head = f"POST /unlock/{id} HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\nContent-Type: {FORM['Content-Type']}\r\n"
            peer.send(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            return peer.reply()


class Inside:
    """Dials the other address."""

    def __init__(self, server: Open, address: tuple[str, int]) -> None:
        self.address = address
        self.dial = lambda receive_buffer=0: Serving.dial(self, receive_buffer)  # type: ignore[arg-type]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with Memory(tmp_path / "memory.db") as memory:
        keys = {"owner": memory.create_key("owner", rights="admin").key}
        memory.create_doc("# Public\n", bank="some")
        memory.put_hub("some", bank="some", public=True)
        for name in ("ada", "eve"):
            memory.set_member(name, email=f"{name.capitalize()}@Example.org")
            keys[name] = memory.create_key(name, rights="read", member=name).key
    with Open(tmp_path, "--public-addr", "127.0.0.1:0", "--public-calls", "0") as server:
        with Client(f"http://{server.found['addr']}", key=keys["owner"]) as owner:
            yield Place(server, owner, keys)
        assert server.stop() == 0 and "Traceback" not in server.stderr


def same(one: Reply, other: Reply) -> bool:
    for reply in (one, other):
        reply.headers.pop("date", None)
    return (one.status, one.headers, one.body) == (other.status, other.headers, other.body)


def test_who_is_on_the_list_opens_the_page_with_a_key(place: Place) -> None:
    id = place.document(allowed_emails=["ada@example.org"])
    page = place.inside(f"/{id}", "ada")
    assert page.status == 200 and "harbour" in Read(page.text).text and Read(page.text).faults == []
    assert page.headers["cache-control"] == "private, no-store" and page.headers["x-robots-tag"] == "noindex"
    assert place.inside(f"/{id}.md", "ada").text == TEXT
    missing = place.inside("/AAAAAAAAAAAAAAAAA")
    assert missing.status == 404
    for reply in (
        place.inside(f"/{id}", "eve"),
        place.inside(f"/{id}", "owner"),
        place.inside(f"/{id}"),
        place.inside(f"/{id}", X_User_Email="ada@example.org", Cookie="email=ada@example.org", X_Forwarded_User="ada"),
    ):
        assert same(reply, missing)
    with_key = place.server.ask("GET", f"/{id}", headers={"Accept": "text/html", "Authorization": f"Bearer {place.keys['ada']}"})
    assert same(with_key, place.outside("/AAAAAAAAAAAAAAAAA"))  # keys are not looked at there
    assert place.outside("/hub/some?q=harbour").text.count("harbour") == 2  # the question
    place.owner.set_access(id, is_draft=True)
    assert place.inside(f"/{id}", "ada").status == 404


def test_a_link_opens_as_often_as_it_says(place: Place) -> None:
    id = place.document(allowed_emails=["ada@example.org"])
    other = place.document(password="x")
    link = place.owner.create_link(id, uses=2)
    token = link.url.partition("?link=")[2]
    assert place.outside(f"/{other}?link={token}").status == 404  # another document's, which takes none of its uses
    assert [place.outside(f"/{id}?link={token}").status for _ in range(3)] == [200, 200, 404]
    assert same(place.outside(f"/{id}?link={token}"), place.outside("/AAAAAAAAAAAAAAAAA"))
    open_link = place.owner.create_link(other, uses=5).url
    assert "harbour" in place.outside(open_link).text and place.outside(open_link.replace("?link=", ".md?link=")).text == TEXT
    assert place.owner.drop_links(other).dropped == 1 and place.outside(open_link).status == 404


def test_the_page_asks_for_a_password_only_where_its_owner_wants_that(place: Place) -> None:
    silent, asking = place.document(password="open sesame"), place.document(password="open sesame", password_page=True)
    missing = place.outside("/AAAAAAAAAAAAAAAAA")
    assert same(place.outside(f"/{silent}"), missing) and same(place.unlock(silent, "open sesame"), place.unlock("A" * 17, "open sesame"))
    question = place.outside(f"/{asking}")
    assert question.status == 200 and Read(question.text).faults == [] and "Plan" not in question.text
    assert question.headers["cache-control"] == "private, no-store"
    assert "That is not the password." in place.unlock(asking, "open").text
    opened = place.unlock(asking, "open sesame")
    assert "Of the <em>harbour</em>." in opened.text and opened.headers["cache-control"] == "private, no-store"
    assert place.outside(f"/{asking}.md").status == 404
    assert place.server.ask("POST", f"/unlock/{asking}", {"password": "open sesame"}).status == 415


def test_a_guess_counts_for_many_calls(tmp_path: Path) -> None:
    with Open(tmp_path, "--public-addr", "127.0.0.1:0", "--public-calls", "50") as server:
        place = Place(server, None, {})  # type: ignore[arg-type]
        assert [place.unlock("A" * 17, "x").status for _ in range(3)] == [404, 404, 429]
