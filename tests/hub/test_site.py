"""A public hub as files: every link leads somewhere, two exports are the same bytes, and only what an export wrote is ever removed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

from memory_wire.cli.site import MANIFEST, export
from memory_wire.client import Memory
from memory_wire.errors import Invalid, NotPublic

LINKS = re.compile(r'(?:href=|\]\(|url: |hub: )"?([^"()\s]+)')


class Shelf:
    """A hub with a site of it in a folder."""

    def __init__(self, memory: Memory, root: Path) -> None:
        self.memory, self.root = memory, root
        self.alpha = memory.create_doc("# Alpha harbour\n\nThe ferry leaves. See [[Beta]].\r\n\n## Times\n\nferry\n").id
        self.beta = memory.create_doc(f"# Beta\n\nThe ferry, see [alpha](/{self.alpha}), <b>x</b>.\n").id
        self.secret = memory.create_doc("# Otter\n\nsecret otter ferry\n", is_draft=True).id
        memory.put_hub("notes", public=True, description="Of ferries.")
        self.both = memory.create_bundle("Both", [self.alpha, (self.beta, "why"), self.secret]).id

    def export(self, **values: str) -> None:
        assert export(self.memory, {"slug": str(self.root), "hub": "notes", "json": True, **values}) == 0

    def files(self) -> dict[str, bytes]:
        return {path.relative_to(self.root).as_posix(): path.read_bytes() for path in self.root.rglob("*") if path.is_file()}


@pytest.fixture
def shelf(memory: Memory, tmp_path: Path) -> Iterator[Shelf]:
    yield Shelf(memory, tmp_path / "site")


def test_what_is_written(shelf: Shelf) -> None:
    shelf.export()
    files = shelf.files()
    assert {"index.html", "index.md", "all.md", "llms.txt", "llms-full.txt", "graph.svg", "graph.html", "hub.css", MANIFEST} <= set(files)
    assert {f"{shelf.alpha}.html", f"{shelf.alpha}.md", f"b/{shelf.both}.html", f"b/{shelf.both}.md", "c/ferry.html"} <= set(files)
    assert not any(b"otter" in body or shelf.secret.encode() in body for body in files.values())
    assert b"The ferry leaves. See [[Beta]].\r\n" in files[f"{shelf.alpha}.md"]
    assert f"[alpha](/{shelf.alpha})".encode() in files[f"{shelf.beta}.md"]  # an author's words
    assert b"<form" not in files["index.html"] and b"Content-Security-Policy" in files["index.html"]
    assert f'href="{shelf.alpha}.html"'.encode() in files[f"{shelf.beta}.html"]


def test_every_link_leads_to_a_file(shelf: Shelf) -> None:
    shelf.export()
    files = shelf.files()
    for name, body in files.items():
        if name.endswith((".html", ".svg", ".md", "llms.txt")):
            text = body.decode().replace(f"[alpha](/{shelf.alpha})", "")
            for link in LINKS.findall(text):
                target = unquote(link.partition("#")[0])
                if target and not target.startswith("data:"):
                    assert ((shelf.root / name).parent / target).resolve().relative_to(shelf.root.resolve()).as_posix() in files, (
                        name,
                        link,
                    )


def test_links_of_a_site_somewhere(shelf: Shelf) -> None:
    shelf.export(base_url="https://notes.example.org/f/")
    files = shelf.files()
    assert b'<link rel="canonical" href="https://notes.example.org/f/index.html">' in files["index.html"]
    assert f"https://notes.example.org/f/{shelf.alpha}.md".encode() in files["llms.txt"]
    assert f'url: "https://notes.example.org/f/{shelf.alpha}.html"'.encode() in files[f"{shelf.alpha}.md"]


def test_the_same_hub_is_the_same_bytes(shelf: Shelf, tmp_path: Path) -> None:
    shelf.export()
    first = shelf.files()
    times = {path: path.stat().st_mtime_ns for path in shelf.root.rglob("*")}
    shelf.export()
    assert shelf.files() == first and {path: path.stat().st_mtime_ns for path in shelf.root.rglob("*")} == times
    shelf.root = tmp_path / "again"
    shelf.export()
    assert shelf.files() == first


def test_only_what_changed_is_touched_and_what_is_gone_is_removed(shelf: Shelf) -> None:
    shelf.export()
    (shelf.root / "CNAME").write_text("notes.example.org\n")
    (shelf.root / "hub.css").touch()
    before = shelf.files()
    shelf.memory.set_access(shelf.beta, is_draft=True)
    shelf.export()
    after = shelf.files()
    assert f"{shelf.beta}.html" not in after and f"{shelf.beta}.md" not in after
    assert after["CNAME"] == b"notes.example.org\n" and after["hub.css"] == before["hub.css"]
    assert not any(shelf.beta.encode() in body for name, body in after.items())
    shelf.memory.set_access(shelf.beta, is_draft=False)
    shelf.export()
    (shelf.root / f"{shelf.beta}.md").write_text("mine now")
    shelf.memory.delete_doc(shelf.beta)
    shelf.export()
    assert shelf.files()[f"{shelf.beta}.md"] == b"mine now" and f"{shelf.beta}.html" not in shelf.files()


def test_the_files_of_others_are_not_replaced(shelf: Shelf) -> None:
    shelf.root.mkdir()
    (shelf.root / "index.html").write_text("theirs")
    with pytest.raises(Invalid, match="was not written by an export"):
        shelf.export()
    assert shelf.files() == {"index.html": b"theirs"}
    (shelf.root / "index.html").unlink()
    (shelf.root / MANIFEST).write_text('{"files": {"../outside": "", "/etc/passwd": "", "..\\\\x": ""}}')
    (shelf.root.parent / "outside").write_text("x")
    shelf.export()
    assert (shelf.root.parent / "outside").read_text() == "x"


def test_a_hub_that_is_not_public(shelf: Shelf) -> None:
    shelf.memory.put_hub("notes", public=False)
    with pytest.raises(NotPublic):
        shelf.export()
    assert not shelf.root.exists()


def test_pages_of_many_documents(shelf: Shelf) -> None:
    for number in range(120):
        shelf.memory.create_doc(f"# Note {number}\n")
    shelf.export()
    files = shelf.files()
    assert b'href="page/2.html"' in files["index.html"] and b'href="../index.html"' in files["page/2.html"]
    listed = files["index.html"] + files["page/2.html"]
    assert all(f"{row.id}.html".encode() in listed for row in shelf.memory.docs(limit=500).docs if row.public)
