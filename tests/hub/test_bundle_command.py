"""`memory-wire bundle`, word by word, against a store that it opens itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_wire.cli.main import run
from memory_wire.client import Memory


class Words:
    """Runs command lines; `out` is what they print."""

    def __init__(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.path, self.capsys = path, capsys

    def __call__(self, *words: str) -> int:
        return run(["bundle", *words, "--db", str(self.path), "--bank", "notes", "--embedded"])

    def out(self, *words: str) -> str:
        assert self(*words) == 0
        return self.capsys.readouterr().out.rstrip("\n")


@pytest.fixture
def docs(tmp_path: Path) -> list[str]:
    with Memory(tmp_path / "memory.db", bank="notes", sync="normal") as memory:
        found = [memory.create_doc(f"# Part {number}\n").id for number in range(3)]
        memory.set_access(found[2], is_draft=True)
        memory.put_hub("notes", public=True)
    return found


@pytest.fixture
def bundle(tmp_path: Path, docs: list[str], capsys: pytest.CaptureFixture[str]) -> Words:
    return Words(tmp_path / "memory.db", capsys)


def test_a_bundle_from_its_making_to_its_end(bundle: Words, docs: list[str]) -> None:
    one, two, draft = docs
    made = bundle.out("create", "Reading", one, draft, "--note", "begin here", "--description", "Of parts.")
    id = made.partition(" ")[0]
    assert made == f"{id}  Reading  2 documents  public; 1 of them not visible to everybody  /b/{id}"
    assert bundle.out("add", id, two).startswith(f"{id}  Reading  3 documents")
    assert bundle.out("order", id, two, one).startswith(f"{id}  Reading  3 documents")
    shown = bundle.out("show", id).split("\n")[1:]
    assert [line.split() for line in shown[1:]] == [
        ["1", two, "public", "Part", "1"],
        ["2", one, "public", "Part", "0", "begin", "here"],
        ["3", draft, "draft", "Part", "2", "begin", "here"],
    ]
    assert bundle.out("remove", id, draft) == f"{id}  Reading  2 documents  public  /b/{id}"
    assert bundle.out("edit", id, "--title", "Parts").startswith(f"{id}  Parts")
    assert json.loads(bundle.out("list", one, "--json"))["bundles"][0]["title"] == "Parts"
    assert "2 of 2" in bundle.out("list") and bundle.out("list", draft) == ""
    assert bundle.out("access", id, "--discoverable") == "public"
    assert bundle.out("access", id, "--password", "x", "--allow", "a@b.c") == "not public: password, allow_list"
    assert bundle.out("access", id, "--open") == "public"
    assert bundle.out("rm", id) == "deleted; `memory-wire bundle restore` brings it back"
    assert bundle.out("list", "--deleted").split("\n")[1].startswith(id)
    assert bundle.out("restore", id).startswith(f"{id}  Parts")
    assert bundle.out("rm", id, "--purge") == "deleted for good"
    assert bundle.out("list") == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("add", "x"), "bundle add needs DOCS"),
        (("create",), "bundle create needs TITLE"),
        (("show",), "bundle show needs ID"),
        (("edit", "x"), "bundle edit needs --title, --description or --intent"),
        (("access", "x"), "bundle access needs one of --draft, --publish, --password"),
        (("turn", "x"), "ACTION is create, show, edit, add"),
    ],
)
def test_words_that_do_not_fit(bundle: Words, words: tuple[str, ...], said: str) -> None:
    assert bundle(*words) == 2
    found = bundle.capsys.readouterr()
    assert said in found.out + found.err


def test_an_unknown_bundle(bundle: Words) -> None:
    assert bundle("show", "nobody") == 1
    assert "unknown bundle" in bundle.capsys.readouterr().err
