"""A hub that follows a folder is what the folder is: after any sequence of changes, and with the documentation of what is installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from memory_wire.cli.folder import once
from memory_wire.client import Client, Memory
from memory_wire.errors import OtherFolder, TooManyGone
from memory_wire.sources.folder import Folder
from tests.hub.notes import Followed, documentation
from tests.serve.serving import Serving

PATHS = ("a.md", "b.md", "deep/a.md", "deep/er/c.txt", "Ünï/d e.rst")
TEXTS = ("", "# One\n\nalpha", "# Two\r\n\r\nbeta  \n", "plain gamma", "---\ntitle: Four\ntags: [x]\n---\ndelta [[One]]\n", "\ufeff# Bom\n")
FILES = 1_000


class Machine(RuleBasedStateMachine):
    """A small folder, changed in any way; now and then the hub is changed behind its back."""

    def __init__(self) -> None:
        super().__init__()
        self.temporary = tempfile.TemporaryDirectory()
        self.memory = Memory(Path(self.temporary.name) / "memory.db", sync="normal")
        self.notes = Followed(self.memory, Path(self.temporary.name) / "notes")

    def teardown(self) -> None:
        self.memory.close()
        self.temporary.cleanup()

    def path(self, name: str) -> Path:
        path = self.notes.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    @rule(name=st.sampled_from(PATHS), text=st.sampled_from(TEXTS), whole=st.booleans())
    def write(self, name: str, text: str, whole: bool) -> None:
        path = self.path(name)
        if whole:  # as editors do that never leave half a file
            path.with_name(".swap~").write_bytes(text.encode())
            os.replace(path.with_name(".swap~"), path)
        else:
            path.write_bytes(text.encode())

    @rule(old=st.sampled_from(PATHS), new=st.sampled_from(PATHS))
    def move(self, old: str, new: str) -> None:
        if self.path(old).exists():
            os.replace(self.path(old), self.path(new))

    @rule(name=st.sampled_from(PATHS))
    def delete(self, name: str) -> None:
        self.path(name).unlink(missing_ok=True)

    @rule()
    def rename_a_folder(self) -> None:
        if (self.notes.root / "deep").exists():
            shutil.rmtree(self.notes.root / "shallow", ignore_errors=True)
            os.replace(self.notes.root / "deep", self.notes.root / "shallow")

    @rule(number=st.integers(0, 9), text=st.sampled_from(TEXTS))
    def edit_the_document(self, number: int, text: str) -> None:
        if ids := sorted(self.notes.ids().values()):
            self.memory.update_doc(ids[number % len(ids)], replace=text)

    @rule(number=st.integers(0, 9))
    def delete_the_document(self, number: int) -> None:
        if ids := sorted(self.notes.ids().values()):
            self.memory.delete_doc(ids[number % len(ids)])

    @rule()
    def sync(self) -> None:
        self.notes.sync()
        assert self.notes.hub() == self.notes.files()
        again = self.notes.sync()
        assert not again.changed() and not again.problems, again.states


TestFolder = Machine.TestCase
TestFolder.settings = settings(max_examples=12, stateful_step_count=14)


@pytest.fixture
def notes(memory: Memory, tmp_path: Path) -> Iterator[Followed]:
    yield Followed(memory, tmp_path / "vault")


def write(notes: Followed, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        path = notes.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def test_documentation_of_what_is_installed(notes: Followed) -> None:
    texts = dict(documentation(FILES))
    assert len(texts) == FILES
    write(notes, texts)
    first = notes.sync()
    assert (first.states["created"], first.problems) == (FILES, [])
    assert notes.hub() == notes.files()
    names = sorted(texts)
    for name in names[:40]:
        write(notes, {name: texts[name] + "\nedited outside\n"})
    for number, name in enumerate(names[100:140]):
        os.replace(notes.root / name, notes.root / f"moved {number}.md")
    for name in names[200:260]:
        (notes.root / name).unlink()
    write(notes, {f"new/{number}.md": f"# New {number}\n\nnumber {number}\n" for number in range(20)})
    alike = len(names[100:140]) - len({texts[name] for name in names[100:140]})
    then = notes.sync()
    assert notes.hub() == notes.files()
    assert then.states["created"] == 20 and 40 - alike <= then.states["moved"] + then.states["restored"] <= 40 + 60
    assert then.states["changed"] == 40
    assert not notes.sync().changed()
    assert notes.memory.recall("edited outside", bank="notes")[0].content.endswith("edited outside")


def test_a_moved_file_keeps_its_document(notes: Followed) -> None:
    write(notes, {"Plan.md": "call the harbour", "b.md": "# B\n"})
    notes.sync()
    ids = notes.ids()
    (notes.root / "deep").mkdir()
    os.replace(notes.root / "Plan.md", notes.root / "deep" / "Plan two.md")
    assert notes.sync().states["moved"] == 1
    assert notes.ids() == {"vault/b.md": ids["vault/b.md"], "vault/deep/Plan two.md": ids["vault/Plan.md"]}
    found = notes.memory.read_doc(ids["vault/Plan.md"])
    assert (found.title, found.version) == ("Plan two", 1)
    assert [hit.breadcrumb for hit in notes.memory.recall("harbour")] == ["Plan two"]


def test_a_file_that_comes_back_is_the_document_that_it_was(notes: Followed) -> None:
    write(notes, {"a.md": "# A\n"})
    notes.sync()
    ids = notes.ids()
    (notes.root / "a.md").unlink()
    assert notes.sync().states["deleted"] == 1 and notes.ids() == {}
    assert notes.memory.docs(deleted=True).docs[0].id == ids["vault/a.md"]
    write(notes, {"a.md": "# A, anew\n"})
    assert notes.sync().states["restored"] == 1
    assert notes.ids() == ids and notes.memory.read_doc(ids["vault/a.md"]).version == 2


def test_a_vault(notes: Followed) -> None:
    write(
        notes,
        {
            "Home.md": "---\ntags: [start]\n---\nSee [[Daily plan]].\n",
            "Daily plan.md": "no heading",
            "private/diary.md": "---\nprivate: true\n---\nsecret otter",
            "image.png": "x",
            ".obsidian/workspace.md": "x",
            ".trash/old.md": "x",
            "templates/t.md": "x",
            "archive 2020/t.md": "x",
            "bad.md": "x\0",
            "to\tab.md": "x",
        },
    )
    write(notes, {".obsidian/app.json": json.dumps({"userIgnoreFilters": ["templates/", "/archive [0-9]+/"]})})
    (notes.root / "latin.md").write_bytes(b"caf\xe9")
    (notes.root / "out.md").symlink_to("/etc/passwd")
    (notes.root / "in").symlink_to(notes.root / "private")
    done = notes.sync()
    assert sorted(notes.ids()) == ["vault/Daily plan.md", "vault/Home.md", "vault/private/diary.md"]
    assert done.ignored == {"attachments and other files": 1, "excluded by the vault": 2, "links": 2}
    assert [(one.place, one.reason) for one in done.problems] == [
        ("bad.md", "no text but bytes"),
        ("latin.md", "not UTF-8 (byte 3)"),
        ("to\\tab.md", "a name with control characters, or too long"),
    ]
    assert {row.source: row.title for row in notes.rows()}["vault/Daily plan.md"] == "Daily plan"
    notes.memory.put_hub("vault", bank="notes", public=True)
    assert {row.source: row.gates for row in notes.rows() if row.gates} == {"vault/private/diary.md": ["private"]}


def test_a_file_that_can_not_be_read_now_keeps_its_document(notes: Followed) -> None:
    write(notes, {"a.md": "# A\n", "b.md": "# B\n"})
    notes.sync()
    before = notes.hub()
    (notes.root / "a.md").write_bytes(b"\xff half written")
    done = notes.sync()
    assert [one.place for one in done.problems] == ["a.md"] and not done.changed()
    assert notes.hub() == before


def test_one_that_no_request_can_hold_is_named_and_the_others_are_taken(tmp_path: Path) -> None:
    with Serving(tmp_path) as server, Client(f"http://{':'.join(map(str, server.address))}", db=server.db) as client:
        notes = Followed(client, tmp_path / "vault")
        write(notes, {"a.md": "# A\n", "b.md": "\x01" * 1_500_000, "c.md": "# C\n"})
        done = notes.sync()
        assert (done.states["created"], [one.place for one in done.problems]) == (2, ["vault/b.md"])
        assert sorted(notes.ids()) == ["vault/a.md", "vault/c.md"]


def test_a_kill_in_the_first_round(tmp_path: Path) -> None:
    db = tmp_path / "memory.db"
    with Memory(db, sync="normal") as memory:
        notes = Followed(memory, tmp_path / "vault")
        write(notes, dict(documentation(200)))
        words = ["hub", "sync", str(notes.root), "--bank", "notes", "--db", str(db), "--embedded"]
        process = subprocess.Popen([sys.executable, "-m", "memory_wire", *words], stdout=subprocess.DEVNULL)
        while process.poll() is None and memory.docs(bank="notes").total == 0:
            time.sleep(0.005)
        process.kill()
        process.wait()
        begun = memory.docs(bank="notes").total
        assert 0 < begun <= 200 and begun % 64 in (0, 200 % 64)  # whole batches
        assert notes.sync().states["created"] == 200 - begun
        assert notes.hub() == notes.files()


def test_an_empty_folder_empties_nothing_unasked(notes: Followed) -> None:
    write(notes, {f"{number}.md": f"text {number}" for number in range(12)})
    notes.sync()
    shutil.rmtree(notes.root)
    with pytest.raises(OSError):
        notes.sync()
    notes.root.mkdir()
    with pytest.raises(TooManyGone):
        notes.sync(delete=False)
    assert notes.sync(delete=False, dry_run=True).states["deleted"] == len(notes.ids()) == 12
    assert notes.sync().states["deleted"] == 12 and notes.ids() == {}


def test_another_folder_of_the_same_name(notes: Followed, tmp_path: Path) -> None:
    write(notes, {"a.md": "# A\n"})
    notes.sync()
    (tmp_path / "other").mkdir()
    other = Followed(notes.memory, tmp_path / "other" / "vault")
    write(other, {"a.md": "# Other\n"})
    with pytest.raises(OtherFolder):
        other.sync()
    other.folder.name = "second"
    other.sync()
    assert sorted(notes.ids()) == ["second/a.md", "vault/a.md"]
    os.replace(notes.root, tmp_path / "other" / "elsewhere")
    moved = Folder(str(tmp_path / "other" / "elsewhere"))
    moved.name = "vault"
    assert once(notes.memory, moved, "notes", {"moved": True}).states["unchanged"] == 1
