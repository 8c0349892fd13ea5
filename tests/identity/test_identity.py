"""The ladder that names a directory's bank: every rung, the contract's ids kept, and no two places at one id."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_wire import identity

HOME = "/nobody/home"


def resolve(cwd: Path, flag: str | None = None, **environ: str) -> identity.Identity:
    return identity.resolve(flag, {"HOME": HOME, **environ}, str(cwd))


def repository(folder: Path, url: str | None = None) -> Path:
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    text = "[core]\n\tbare = false\n"
    if url is not None:
        text += f'[remote "origin"]\n\turl = {url}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n'
    (folder / ".git" / "config").write_text(text)
    return folder


def worktree(main: Path, folder: Path, absolute: bool = True) -> Path:
    """What `git worktree add` leaves."""
    inner = main / ".git" / "worktrees" / folder.name
    inner.mkdir(parents=True)
    (inner / "commondir").write_text("../..\n")
    folder.mkdir()
    (folder / ".git").write_text(f"gitdir: {inner if absolute else Path('..') / main.name / '.git' / 'worktrees' / folder.name}\n")
    return folder


def test_the_flag_wins_then_the_environment(tmp_path: Path) -> None:
    project = repository(tmp_path / "p", "https://example.com/acme/api.git")
    found = resolve(project, "mine", MEMORY_WIRE_BANK="theirs")
    assert (found.bank, found.rule, found.former) == ("mine", "flag", None)
    found = resolve(project, MEMORY_WIRE_BANK="theirs")
    assert (found.bank, found.rule, found.former) == ("theirs", "environment", None)
    assert resolve(project, " ", MEMORY_WIRE_BANK=" ").rule == "remote"


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/acme/api.git",
        "https://github.com/acme/api",
        "https://github.com/Acme/API/",
        "https://someone:secret@github.com:8443/acme/api.git/",
        "git@github.com:acme/api.git",
        "git@github.com:acme/api",
        "github.com:/acme/api.git",
        "ssh://git@github.com/acme/api.git",
        "ssh://git@github.com:2222/acme/api",
        '"https://github.com/acme/api.git"',
        "https://github.com/acme/api.git # where it lives",
    ],
)
def test_the_contracts_forms_of_a_remote(tmp_path: Path, url: str) -> None:
    found = resolve(repository(tmp_path / "p", url))
    assert (found.bank, found.rule, found.former) == ("acme-api", "remote", None)
    assert "secret" not in found.source


@pytest.mark.parametrize("url", ["/srv/git/acme/api.git", "file:///srv/git/acme/api.git", "../api", "https://github.com/api", "C:/x/y", ""])
def test_what_is_no_remote_falls_through(tmp_path: Path, url: str) -> None:
    found = resolve(repository(tmp_path / "p", url))
    assert (found.rule, found.former) == ("repository", "p")


def test_the_dot_is_kept_and_the_dash_is_not_ambiguous(tmp_path: Path) -> None:
    assert resolve(repository(tmp_path / "1", "https://h/acme/acme.api")).bank == "acme-acme.api"
    plain = resolve(repository(tmp_path / "2", "https://h/a/b-c"))
    dashed = resolve(repository(tmp_path / "3", "https://h/a-b/c"))
    grouped = resolve(repository(tmp_path / "4", "https://h/top/a/b-c"))
    assert (plain.bank, plain.former) == ("a-b-c", None)
    assert dashed.bank != "a-b-c" and dashed.bank.startswith("a-b-c-") and dashed.former == "a-b-c"
    assert len({plain.bank, dashed.bank, grouped.bank}) == 3 and grouped.former == "a-b-c"


def test_names_of_other_scripts_keep_apart(tmp_path: Path) -> None:
    banks = {resolve(repository(tmp_path / name)).bank for name in ("проект", "записки", "メモ")}
    assert len(banks) == 3 and all(bank.startswith("project-") for bank in banks)
    remotes = {resolve(repository(tmp_path / str(i), f"https://h/{path}")).bank for i, path in enumerate(("я/а", "я/б", "acme/б"))}
    assert len(remotes) == 3


def test_a_subfolder_belongs_to_its_repository(tmp_path: Path) -> None:
    project = repository(tmp_path / "p", "git@h:acme/api")
    (project / "src" / "deep").mkdir(parents=True)
    assert resolve(project / "src" / "deep").bank == "acme-api"


@pytest.mark.parametrize("absolute", [True, False])
@pytest.mark.parametrize("url", ["git@h:acme/api", None])
def test_linked_worktrees_share_their_repositorys_bank(tmp_path: Path, url: str | None, absolute: bool) -> None:
    main = repository(tmp_path / "api", url)
    linked = worktree(main, tmp_path / "feature-x", absolute)
    here, there = resolve(main), resolve(linked)
    assert here.bank == there.bank
    assert there.former == "feature-x"  # the contract took the folder's name
    split = identity.resolve(None, {"HOME": HOME}, str(linked), per_worktree=True)
    assert split.bank.startswith(f"{here.bank}-feature-x-") and split.former == "feature-x"
    assert resolve(linked, MEMORY_WIRE_PER_WORKTREE="1").bank == split.bank
    assert resolve(linked, MEMORY_WIRE_PER_WORKTREE="0").bank == here.bank
    assert identity.resolve(None, {"HOME": HOME}, str(main), per_worktree=True).bank == here.bank


def test_real_git_agrees(tmp_path: Path) -> None:
    def git(*words: str, cwd: Path) -> None:
        subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@t", *words], cwd=cwd, check=True, capture_output=True)

    main = tmp_path / "api"
    main.mkdir()
    git("init", "-q", ".", cwd=main)
    git("commit", "-q", "--allow-empty", "-m", "first", cwd=main)
    git("worktree", "add", "-q", str(tmp_path / "side"), cwd=main)
    assert resolve(tmp_path / "side").bank == resolve(main).bank
    git("remote", "add", "origin", "ssh://git@h:22/acme/api.git", cwd=main)
    git("remote", "add", "upstream", "ssh://git@h:22/other/thing.git", cwd=main)
    assert resolve(tmp_path / "side").bank == resolve(main).bank == "acme-api"
    git("clone", "-q", "--bare", str(main), str(tmp_path / "bare.git"), cwd=tmp_path)
    git("worktree", "add", "-q", str(tmp_path / "one"), cwd=tmp_path / "bare.git")
    git("worktree", "add", "-q", str(tmp_path / "two"), cwd=tmp_path / "bare.git")
    assert resolve(tmp_path / "one").bank == resolve(tmp_path / "two").bank
    assert resolve(tmp_path / "one").bank.startswith("bare-")


def test_a_submodule_is_a_project_of_its_own(tmp_path: Path) -> None:
    outer = repository(tmp_path / "outer", "git@h:acme/outer")
    inner = outer / ".git" / "modules" / "lib"
    inner.mkdir(parents=True)
    (inner / "config").write_text('[remote "origin"]\n\turl = git@h:acme/lib\n')
    (outer / "lib").mkdir()
    (outer / "lib" / ".git").write_text("gitdir: ../.git/modules/lib\n")
    assert resolve(outer / "lib").bank == "acme-lib"


def test_folders_of_one_name_have_banks_of_their_own(tmp_path: Path) -> None:
    for parent in ("one", "two"):
        repository(tmp_path / parent / "api")
        (tmp_path / parent / "notes").mkdir()
    banks = [resolve(tmp_path / parent / name) for parent in ("one", "two") for name in ("api", "notes")]
    assert len({found.bank for found in banks}) == 4
    assert [found.former for found in banks] == ["api", "notes", "api", "notes"]
    assert [found.rule for found in banks] == ["repository", "folder", "repository", "folder"]


def test_outside_of_projects(tmp_path: Path) -> None:
    assert (resolve(Path("/")).bank, resolve(Path("/")).rule) == ("memory-wire", "none")
    home = identity.resolve(None, {"HOME": str(tmp_path)}, str(tmp_path))
    assert (home.bank, home.rule, home.former) == ("memory-wire", "none", identity.clean(tmp_path.name))


def test_the_former_bank_is_used_while_it_is_the_only_one() -> None:
    found = identity.Identity("a-b-c-123456", "remote", "", "a-b-c")
    assert found.pick({"a-b-c"}.__contains__) == "a-b-c"
    assert found.pick({"a-b-c", "a-b-c-123456"}.__contains__) == "a-b-c-123456"
    assert found.pick(set[str]().__contains__) == "a-b-c-123456"


@pytest.mark.parametrize(
    ("config", "url"),
    [
        ('[remote "origin"]\nurl=a:b/c', "a:b/c"),
        ('[REMOTE "origin"] URL = a:b/c', "a:b/c"),
        ('[remote "Origin"]\nurl=no\n[remote "origin"]\nurl=a:b/c\nurl=second:b/c', "a:b/c"),
        ('[remote "origin"]\r\n\turl = a:b/c\r\n', "a:b/c"),
        ('[remote "origin"]\n\tpushurl = no\n;url = no\n#url = no\n[branch "main"]\nurl = no\n', None),
        ('[include]\n\tpath = other\n[remote "upstream"]\nurl=no', None),
        ("\0\xff[[[\n=\n]", None),
    ],
)
def test_configs_are_read_as_text(tmp_path: Path, config: str, url: str | None) -> None:
    (tmp_path / "config").write_bytes(config.encode("latin-1"))
    assert identity.remotes(str(tmp_path / "config")).get("origin") == url


@pytest.mark.parametrize("pointer", ["", "gitdir:", "gitdir: /nowhere/at/all", "nonsense", "gitdir: \0x"])
def test_a_broken_git_file_breaks_nothing(tmp_path: Path, pointer: str) -> None:
    project = tmp_path / "p"
    project.mkdir()
    (project / ".git").write_text(pointer)
    assert resolve(project).former == "p"


PART = st.text(st.sampled_from("ab-.A_ é"), min_size=1, max_size=4).filter(lambda part: part not in (".", "..") and part.strip() == part)


@given(st.lists(PART, min_size=2, max_size=3), st.lists(PART, min_size=2, max_size=3))
def test_two_projects_two_banks(tmp_path_factory: pytest.TempPathFactory, one: list[str], other: list[str]) -> None:
    folder = tmp_path_factory.mktemp("two")
    found = [resolve(repository(folder / str(i), "https://h/" + "/".join(parts))) for i, parts in enumerate((one, other))]
    same = [part.lower() for part in one] == [part.lower() for part in other]
    assert (found[0].bank == found[1].bank) == same
    assert all(set(each.bank) <= identity.KEPT for each in found)


def test_it_loads_next_to_nothing() -> None:
    look = "import os, sys; before = set(sys.modules); import memory_wire.identity; print(*sorted(set(sys.modules) - before))"
    command = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {look}"]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True)
    assert set(loaded.stdout.split()) <= {"__future__", "memory_wire", "memory_wire.identity"}


# what the place may have been called ------------------------------------------------------------------------------------------------


def test_a_new_remote_knows_the_repositorys_id(tmp_path: Path) -> None:
    project = repository(tmp_path / "api")
    before = resolve(project)
    repository_of = tmp_path / "plain" / "api"
    repository_of.mkdir(parents=True)
    folder = resolve(repository_of).bank
    (project / ".git" / "config").write_text('[remote "origin"]\nurl = git@h:acme/api\n')
    now = resolve(project)
    assert now.bank == "acme-api" and before.bank in now.others and "api" in now.others
    assert now.likely(["default", before.bank, "acme-api", "other"]) == [before.bank]
    assert folder not in now.others and now.likely([folder]) == [folder]  # another folder of the name: last


def test_a_renamed_remote_knows_its_former_name(tmp_path: Path) -> None:
    project = repository(tmp_path / "api", "git@h:acme/api")
    (project / ".git" / "config").write_text('[remote "upstream"]\nurl = git@h:acme/api\n[remote "origin"]\nurl = git@h:me/api\n')
    assert resolve(project).bank == "me-api" and resolve(project).likely(["x", "acme-api"]) == ["acme-api"]
    (project / ".git" / "config").write_text('[remote "upstream"]\nurl = git@h:a-b/c\n')
    now = resolve(project)
    assert now.rule == "repository" and now.others[0] == resolve(repository(tmp_path / "q", "git@h:a-b/c")).bank and "a-b-c" in now.others


def test_a_repository_made_later_and_one_removed(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    before = resolve(folder).bank
    repository(folder)
    now = resolve(folder)
    assert before in now.others
    (folder / ".git" / "HEAD").unlink()
    (folder / ".git" / "config").unlink()
    (folder / ".git").rmdir()
    assert now.bank in resolve(folder).others


def test_a_moved_folder_is_known_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    before = resolve(repository(tmp_path / "api")).bank
    (tmp_path / "api").rename(tmp_path / "new" / "api")
    now = resolve(tmp_path / "new" / "api")
    assert before != now.bank and now.likely([before, "apis-123456", "api-12345", "api-12345g", "xapi", "default"]) == [before]


def test_a_flag_and_no_project_have_no_others(tmp_path: Path) -> None:
    project = repository(tmp_path / "api", "git@h:acme/api")
    for found in (resolve(project, "mine"), resolve(project, MEMORY_WIRE_BANK="mine"), resolve(Path("/"))):
        assert (found.others, found.likely(["default", "acme-api", "memory-wire", "api"])) == ((), [])


@given(st.text(min_size=1, max_size=30))
def test_others_are_never_the_bank_itself(url: str) -> None:
    found = identity.Identity("b", "remote", "s", "f", ["b", "f", url, "", identity.OUTSIDE, url], ["n"])
    assert "b" not in found.likely(["b", "f", url]) and "f" not in found.likely(["b", "f", url])
    assert len(set(found.others)) == len(found.others)
