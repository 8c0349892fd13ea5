"""Credentials don't get into the repository: what the hooks beside this file ask, and what `.ci/run` asks of the whole tree.

    python3 .githooks/secrets.py tree              every tracked file
    python3 .githooks/secrets.py staged            what is about to be committed (pre-commit)
    python3 .githooks/secrets.py message FILE      a commit's message (commit-msg)
    python3 .githooks/secrets.py pushed            commits that a push would publish, files and messages (pre-push; refs on standard input)
    python3 .githooks/secrets.py allow FILE…       takes what stands in these files into the allow-list; only for samples that open nothing

The patterns are the redactor's (src/memory_wire/guard/rules.py), its personal kinds left out; they need no build and nothing but Python. A
finding is told by place and kind, never by its text. `allowed.txt` has one line for each text that may stand: its digest and the files.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ALLOWED = Path(__file__).with_name("allowed.txt")
LARGEST = 4 << 20  # bytes of a file that is looked at

sys.path.insert(0, str(ROOT / "src"))
from memory_wire.guard.rules import PERSONAL_KINDS, RULES  # noqa: E402

CREDENTIALS = [rule for rule in RULES if rule.kind not in {*PERSONAL_KINDS, "private"}]  # what someone marked private opens nothing


class Finding:
    """A text that looks like a credential."""

    def __init__(self, place: str, line: int, kind: str, text: str) -> None:
        self.place, self.line, self.kind = place, line, kind
        self.digest = hashlib.sha256(text.encode()).hexdigest()[:16]

    def __str__(self) -> str:
        return f"{self.place}:{self.line}: {self.kind}"


def findings(place: str, data: bytes) -> Iterator[Finding]:
    """What of a text looks like a credential; texts that aren't UTF-8 hold none that could be read."""
    if len(data) > LARGEST:
        return
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return
    for rule in CREDENTIALS:
        for start, end in rule.find(text):
            yield Finding(place, text.count("\n", 0, start) + 1, rule.kind, text[start:end])


def git(*words: str, given: bytes | None = None) -> bytes:
    return subprocess.run(["git", *words], cwd=ROOT, input=given, stdout=subprocess.PIPE, check=True).stdout


def names(data: bytes) -> list[str]:
    return [name.decode(errors="surrogateescape") for name in data.split(b"\0") if name]


def tree() -> Iterator[Finding]:
    for name in names(git("ls-files", "-z")):
        path = ROOT / name
        if path.is_file() and not path.is_symlink():
            yield from findings(name, path.read_bytes())


def staged() -> Iterator[Finding]:
    for name in names(git("diff", "--cached", "--name-only", "-z", "--diff-filter=ACMRT")):
        yield from findings(name, git("show", f":{name}"))


def message(file: str) -> Iterator[Finding]:
    lines = Path(file).read_bytes().partition(b"# ------------------------ >8 ------------------------")[0]
    yield from findings("message", lines)


def pushed(lines: str) -> Iterator[Finding]:
    for line in lines.splitlines():
        _, local, _, remote = line.split()
        if not set(local) - {"0"}:
            continue  # a ref is deleted
        known = [f"^{remote}"] if set(remote) - {"0"} and has(remote) else ["--not", "--remotes"]
        for commit in git("rev-list", local, *known).decode().split():
            yield from findings(f"{commit[:10]} message", git("log", "-1", "--format=%B", commit))
            for name in names(git("diff-tree", "-r", "-z", "--root", "--no-commit-id", "--name-only", "--diff-filter=ACMRT", commit)):
                yield from findings(f"{commit[:10]} {name}", git("show", f"{commit}:{name}"))


def has(commit: str) -> bool:
    return subprocess.run(["git", "cat-file", "-e", commit], cwd=ROOT, stderr=subprocess.DEVNULL, check=False).returncode == 0


def allowed() -> dict[str, set[str]]:
    """The files in which a text may stand, by its digest; `*` is anywhere."""
    found: dict[str, set[str]] = {}
    for line in ALLOWED.read_text().splitlines() if ALLOWED.exists() else []:
        digest, _, places = line.partition("  ")
        if digest and not digest.startswith("#"):
            found.setdefault(digest, set()).update(places.split())
    return found


def allow(files: list[str]) -> int:
    known = allowed()
    for name in files:
        for finding in findings(name, (ROOT / name).read_bytes()):
            known.setdefault(finding.digest, set()).add(name)
    rows = sorted(f"{digest}  {' '.join(sorted(places))}" for digest, places in known.items())
    ALLOWED.write_text("# Texts that look like credentials and open nothing: first 16 digits of their sha256, the files they stand in.\n")
    with ALLOWED.open("a") as file:
        file.write("".join(f"{row}\n" for row in rows))
    return 0


def refused(found: Iterator[Finding]) -> int:
    """1 with a line each when something is neither allowed where it stands nor anywhere."""
    known, seen = allowed(), set()
    for finding in found:
        places = known.get(finding.digest, set())
        name = finding.place.rpartition(" ")[2]
        if "*" not in places and name not in places:
            seen.add(str(finding))
    for line in sorted(seen):
        print(line, file=sys.stderr)
    if seen:
        print("This looks like a credential. Take it out; .github/SECRETS.md says what to do when it is a sample.", file=sys.stderr)
    return 1 if seen else 0


def main(words: list[str]) -> int:
    match words:
        case ["tree"]:
            return refused(tree())
        case ["staged"]:
            return refused(staged())
        case ["message", file]:
            return refused(message(file))
        case ["pushed"]:
            return refused(pushed(sys.stdin.read()))
        case ["allow", *files] if files:
            return allow(files)
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
