"""What keeps a release from being built or uploaded, and what it leaves: in a repository of its own, with a build that writes names."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = ("wheels/release.sh", "wheels/get-memory-wire.sh", "pyproject.toml", "src/memory_wire/__init__.py", ".github/CHANGELOG.md")
BUILD = """
case $1 in
  sdist) echo archive >"$DIST/memory_wire-0.1.0.tar.gz" ;;
  wheel)
    tag=$("$PYTHON" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
    echo wheel >"$DIST/memory_wire-0.1.0-$tag-manylinux_2_28_x86_64.whl" ;;
esac
"""
GH = """#!/bin/sh
[ "$2" != view ] || exit 1
for word; do echo "$word"; done >>"$GH_LOG"
"""
TAG = f"cp{sys.version_info[0]}{sys.version_info[1]}"


class Repository:
    """A clean repository; before the system's programs come `docker` and `podman` without a service, and a `gh` that notes its words."""

    def __init__(self, folder: Path) -> None:
        self.root, self.bin, self.log = folder / "repository", folder / "bin", folder / "log"
        self.bin.mkdir()
        for name in FILES:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)
        (self.root / "wheels" / "build.sh").write_text(BUILD)
        for name, text in (("docker", "#!/bin/sh\nexit 1\n"), ("podman", "#!/bin/sh\nexit 1\n"), ("gh", GH)):
            (self.bin / name).write_text(text)
            (self.bin / name).chmod(0o755)
        (self.root / ".gitignore").write_text("/dist/\n")
        for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "all"]):
            subprocess.run(["git", *words], cwd=self.root, check=True)

    def release(self, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
        env = os.environ | {"PATH": f"{self.bin}:/usr/bin:/bin", "PYTHONS": sys.executable, "GH_LOG": str(self.log), **environ}
        command = ["bash", "wheels/release.sh", *words]
        return subprocess.run(command, cwd=self.root, env=env, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def test_a_part_has_to_be_declared(repository: Repository) -> None:
    done = repository.release("--check")
    assert done.returncode == 1 and "cp311-musllinux (needs a container engine)" in done.stderr and "--only declares a part" in done.stderr
    done = repository.release("--check", "--only", f"sdist {TAG}-many*")
    assert done.returncode == 0, done.stderr
    assert f"sdist {TAG}-manylinux" in done.stdout and "macOS, which need its own compiler" in done.stdout
    assert not (repository.root / "dist").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--upload", "v9.9"], "the tag v9.9 is not v0.1.0"),
        (["--only", "cp27-*"], "names nothing of"),
        (["--only", "cp311-musllinux"], "needs a container engine"),
    ],
)
def test_what_is_refused(repository: Repository, words: list[str], said: str) -> None:
    if "--only" not in words:
        words = [*words, "--only", f"sdist {TAG}-manylinux"]
    done = repository.release(*words)
    assert done.returncode == 1 and said in done.stderr and not (repository.root / "dist").exists()


def test_changes_that_are_not_committed(repository: Repository) -> None:
    (repository.root / "left.py").write_text("")
    done = repository.release("--only", "sdist")
    assert done.returncode == 1 and "aren't committed" in done.stderr and "left.py" in done.stderr


def test_versions_that_differ(repository: Repository) -> None:
    path = repository.root / "src" / "memory_wire" / "__init__.py"
    path.write_text(path.read_text().replace("0.1.0", "0.2.0"))
    assert "differ on the version" in repository.release("--check", "--only", "sdist").stderr


def test_files_with_their_sums_are_uploaded(repository: Repository) -> None:
    done = repository.release("--only", f"sdist {TAG}-manylinux", "--upload", "v0.1.0")
    assert done.returncode == 0, done.stderr
    dist = repository.root / "dist"
    wheel = f"memory_wire-0.1.0-{TAG}-manylinux_2_28_x86_64.whl"
    names = {"memory_wire-0.1.0.tar.gz", wheel}
    assert {path.name for path in dist.iterdir()} == {*names, *(f"{name}.sha256" for name in names), "SHA256SUMS", "get-memory-wire.sh"}
    digest = hashlib.sha256((dist / wheel).read_bytes()).hexdigest()
    assert (dist / f"{wheel}.sha256").read_text() == f"{digest}  {wheel}\n"
    assert subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=dist, check=False).returncode == 0
    sent = repository.log.read_text().split()
    assert sent[:4] == ["release", "create", "v0.1.0", "--verify-tag"]
    assert {Path(word).name for word in sent if word.startswith("/")} == {path.name for path in dist.iterdir()}


def test_a_wheel_without_the_archive(repository: Repository) -> None:
    assert repository.release("--only", f"{TAG}-manylinux").returncode == 0
    assert not list((repository.root / "dist").glob("*.tar.gz"))


def test_unknown_words(repository: Repository) -> None:
    for words in (["--banana"], ["--upload"], ["--only"]):
        assert repository.release(*words).returncode == 2
