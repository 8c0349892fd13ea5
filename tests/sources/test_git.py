"""A repository's history as memories."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from memory_wire.errors import Invalid
from memory_wire.service import dates
from memory_wire.sources import git
from memory_wire.sources.items import Item, Skipped


def run(folder: Path, *words: str, date: str = "2026-05-01T10:00:00+05:30", stdin: bytes | None = None) -> bytes:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    names = {f"GIT_{who}_{what}": f"{what.lower()}@x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environ = clean | names | {"GIT_AUTHOR_DATE": "2020-01-01T00:00:00Z", "GIT_COMMITTER_DATE": date, "GIT_CONFIG_GLOBAL": "/dev/null"}
    command = ["git", "-C", str(folder), *words]
    return subprocess.run(command, env=environ, check=True, capture_output=True, input=stdin).stdout


def commit(folder: Path, message: str | bytes, date: str = "2026-05-01T10:00:00+05:30") -> str:
    data = message if isinstance(message, bytes) else message.encode()
    run(folder, "commit", "-q", "--allow-empty", "--allow-empty-message", "-F", "-", date=date, stdin=data)
    return run(folder, "rev-parse", "HEAD").decode().strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    run(folder, "init", "-q", "-b", "main")
    return folder


def history(folder: Path, limit: int = 100, since: str | None = None) -> list[Item]:
    found = list(git.history(str(folder), limit, since, "git:x"))
    assert all(isinstance(each, Item) for each in found)
    return found  # type: ignore[return-value]


def test_a_commit(repository: Path) -> None:
    body = "\n\n".join(f"line {number}" for number in range(12))
    sha = commit(repository, f"Add the ferry\n\n{body}\n")
    [item] = history(repository)
    assert item.content == "Add the ferry\n" + "\n".join(f"line {number}" for number in range(10))
    assert (item.document_id, item.created_at, item.context, item.tags) == (
        f"git:{sha}",
        "2026-05-01T10:00:00+05:30",
        "seed:git",
        ["git", "commit"],
    )
    assert item.session == "git:x" and item.created_at is not None
    assert dates.stamp(dates.parse(item.created_at)) == "2026-05-01T04:30:00.000Z"


def test_oldest_first_merges_included_limited_and_since(repository: Path) -> None:
    commit(repository, "one", "2026-01-01T00:00:00-12:00")
    run(repository, "checkout", "-q", "-b", "side")
    commit(repository, "two", "2026-02-01T00:00:00+14:00")
    run(repository, "checkout", "-q", "main")
    commit(repository, "three", "2026-03-01T00:00:00Z")
    run(repository, "merge", "-q", "--no-ff", "-m", "Merge the side", "side", date="2026-04-01T00:00:00Z")
    assert [item.content for item in history(repository)] == ["one", "two", "three", "Merge the side"]
    assert [item.content for item in history(repository, 2)] == ["three", "Merge the side"]
    assert [item.content for item in history(repository, since="2026-02-15T00:00:00.000Z")] == ["three", "Merge the side"]


def test_messages_of_any_text(repository: Path) -> None:
    commit(repository, "Zeichen: äöü 🚀\n\n界")
    commit(repository, b"latin \xe4\xf6")
    commit(repository, "subject\r\n\r\nbody\r\n")
    texts = [item.content for item in history(repository)]
    assert texts[0] == "Zeichen: äöü 🚀\n界" and texts[1].startswith("latin ") and texts[2] == "subject\nbody"
    sha = commit(repository, "")
    found = list(git.history(str(repository), 1, None, "s"))
    assert found == [Skipped(f"commit {sha[:12]}", "no message")]


def test_where_there_is_nothing(repository: Path, tmp_path: Path) -> None:
    assert git.root(str(repository)) == str(repository) and history(repository) == []
    (repository / "inner").mkdir()
    assert git.root(str(repository / "inner")) == str(repository)
    outside = tmp_path / "outside"
    outside.mkdir()
    assert git.root(str(outside)) is None
    with pytest.raises(Invalid, match="not a git repository"):
        history(outside)


def test_a_machine_without_git(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert git.root(str(repository)) is None and history(repository) == []
