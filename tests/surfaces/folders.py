"""Scenarios of documents that are brought in; as scenarios.py."""

from __future__ import annotations

import base64
from hashlib import sha256

from memory_wire import filing as f
from memory_wire.client import Surface
from memory_wire.errors import Forbidden, Invalid, OtherFolder, TooManyGone
from tests.surfaces.scenarios import refused, scenario

PAGE = b"<html><head><title>Ferry</title></head><body><nav>menu</nav><main><h1>Times</h1><p>At <b>seven</b>.</p></main></body></html>"


def states(filed: f.DocsFiled) -> list[tuple[str, str, int, str]]:
    return [(doc.source, doc.title, doc.version, doc.state) for doc in filed.docs]


def docs(texts: dict[str, str]) -> list[f.NewDoc]:
    return [f.NewDoc(source=source, markdown=markdown) for source, markdown in texts.items()]


def seen(texts: dict[str, str]) -> list[f.FileSeen]:
    return [f.FileSeen(path=path, hash=sha256(text.encode()).hexdigest()[:32]) for path, text in texts.items()]


@scenario
def many_documents_at_once(s: Surface) -> None:
    first = s.write_docs(docs({"notes/a.md": "# A\n\none", "notes/b.md": "zebra", "notes/c.md": "\0", " ": "x"}), origin="/one")
    assert states(first) == [("notes/a.md", "A", 1, "created"), ("notes/b.md", "b", 1, "created")]
    assert [one.reason for one in first.warnings] == [
        "invalid markdown: must not contain NUL",
        "invalid source: must be a name without control characters",
    ]
    again = s.write_docs(docs({"notes/a.md": "# A\n\none", "notes/b.md": "zebra fish"}))
    assert states(again) == [("notes/a.md", "A", 1, "unchanged"), ("notes/b.md", "b", 2, "changed")]
    assert s.read_doc(again.docs[1].id, version=1).markdown == "zebra"
    other = s.write_docs(docs({"notes/a.md": "mine"}), origin="/two")
    assert states(other) == [] and [one.name for one in other.warnings] == ["notes/a.md"]
    assert states(s.write_docs(docs({"notes/a.md": "# B"}), origin="/two", moved=True)) == [("notes/a.md", "B", 2, "changed")]
    with refused(Invalid, "invalid docs: must be at most 500"):
        s.write_docs(docs({str(number): "x" for number in range(501)}))


@scenario
def a_folder(s: Surface) -> None:
    texts = {"a.md": "# A", "deep/b.md": "zebra", "c.md": "same"}
    assert s.sync_docs("box", seen(texts)).wanted == list(texts)
    s.write_docs(docs({f"box/{path}": text for path, text in texts.items()}), origin="/box")
    assert s.sync_docs("box", seen(texts), origin="/box") == f.DocsSynced(unchanged=3, wanted=[], moved=[], deleted=[], restored=[])
    with refused(OtherFolder, "documents of that name came from another place; give this one another name, or say that it was moved"):
        s.sync_docs("box", seen(texts), origin="/other")
    moved = s.sync_docs("box", seen({"a.md": "# A", "far/bee.md": "zebra"}), origin="/box", dry_run=True)
    assert [(one.old, one.new) for one in moved.moved] == [("deep/b.md", "far/bee.md")] and moved.deleted == ["c.md"]
    assert s.sync_docs("box", seen({"a.md": "# A", "far/bee.md": "zebra"}), origin="/box") == moved
    assert sorted((row.source or "", row.title) for row in s.docs().docs) == [("box/a.md", "A"), ("box/far/bee.md", "bee")]
    back = s.sync_docs("box", seen({"a.md": "# A", "far/bee.md": "zebra", "c.md": "same", "new.md": "x"}), origin="/box")
    assert (back.unchanged, back.restored, back.wanted) == (2, ["c.md"], ["new.md"])
    left = [*seen({"a.md": "# A2"}), f.FileSeen(path="c.md", hash="")]
    kept = s.sync_docs("box", left, origin="/box")
    assert (kept.wanted, kept.deleted, kept.unchanged) == (["a.md"], ["far/bee.md"], 1)
    with refused(Invalid, "invalid hash: must be 32 hexadecimal digits"):
        s.sync_docs("box", [f.FileSeen(path="a", hash="ab")])
    with refused(Invalid, "invalid folder: must be a name without slashes around it"):
        s.sync_docs("/box", [])
    s.write_docs(docs({f"many/{number}.md": f"text {number}" for number in range(12)}))
    with refused(TooManyGone, "12 of the 12 documents of this folder would be deleted; `delete` says that they are to go"):
        s.sync_docs("many", [])
    assert len(s.sync_docs("many", [], delete=True).deleted) == 12


@scenario
def files_of_other_formats(s: Surface) -> None:
    made = s.import_docs(
        [
            f.NewFile(name="note.md", text="# Note\r\n\r\nas it is  \n"),
            f.NewFile(name="ferry.html", data=base64.b64encode(PAGE).decode()),
            f.NewFile(name="picture.bin", data="AAEC"),
        ],
        is_draft=True,
    )
    assert states(made) == [("note.md", "Note", 1, "created"), ("ferry.html", "Times", 1, "created")]
    assert [(one.name, one.reason) for one in made.warnings] == [("picture.bin", "no format that is known")]
    assert s.read_doc(made.docs[0].id).markdown == "# Note\r\n\r\nas it is  \n"
    assert s.read_doc(made.docs[1].id).markdown == "# Times\n\nAt **seven**.\n"
    assert s.read_doc(made.docs[1].id).gates == ["draft"]
    with refused(Invalid, "invalid data: must be base64"):
        s.import_docs([f.NewFile(name="x.html", data="?")])
    with refused(Invalid, "invalid kind: must be one of markdown, text, html, pdf, docx, captions, talk, transcript, chat"):
        s.import_docs([f.NewFile(name="x", text="x", kind="y")])
    with refused(Invalid, "invalid files: must be 1 to 500"):
        s.import_docs()
    with refused(Forbidden, 'fetching shared chats is off; the bank\'s configuration turns it on: {"shares": true}'):
        s.import_docs(url="https://claude.ai/share/x")
    s.put_config({"shares": True})
    hosts = "chatgpt.com/share/, chat.openai.com/share/, claude.ai/share/, gemini.google.com/share/, g.co/gemini/share/"
    with refused(Invalid, f"invalid url: must be a shared chat: https:// and one of {hosts}"):
        s.import_docs(url="https://localhost/share/x")
    with refused(Invalid, "invalid url: has no chat's id"):
        s.import_docs(url="https://claude.ai/share/../api")
