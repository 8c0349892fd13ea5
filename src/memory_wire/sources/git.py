"""The history of a git repository: a memory per commit, dated when it was committed, with the zone it was committed in."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

from memory_wire.config import SEED_BODY_LINES
from memory_wire.errors import Invalid
from memory_wire.sources.dates import moment
from memory_wire.sources.items import Found, Item, Skipped

FORMAT = "%H%n%cI%n%B"
SECONDS = 120


def root(folder: str) -> str | None:
    """The top folder of the work tree that a folder lies in; None outside of one, or where there is no git."""
    done = git(folder, "rev-parse", "--show-toplevel")
    found = os.fsdecode(done.stdout).rstrip("\n") if done is not None and done.returncode == 0 else ""
    return found or None


def history(folder: str, limit: int, since: str | None, session: str) -> Iterator[Found]:
    """Of the newest commits that HEAD knows those since a date (RFC 3339 in UTC), merges included, oldest first.

    Subject and up to SEED_BODY_LINES lines of the body. Raises Invalid with git's own words when it fails.
    """
    words = ["log", "-z", f"--max-count={limit}", f"--format={FORMAT}", "--encoding=UTF-8", "--no-show-signature", "--no-notes"]
    done = git(folder, *words, "HEAD", "--")
    if done is None:
        return
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        if "ambiguous argument" in said or "bad revision" in said or "unknown revision" in said:
            return  # no commit yet
        raise Invalid("repository", said.splitlines()[-1] if said else "git log failed")
    for record in reversed(done.stdout.decode(errors="replace").split("\0")):
        sha, _, rest = record.lstrip("\n").partition("\n")
        date, _, message = rest.partition("\n")
        text = shortened(message)
        if not sha or (since is not None and (moment(date) or "") < since):
            continue
        if not text:
            yield Skipped(f"commit {sha[:12]}", "no message")
            continue
        yield Item(
            place=f"commit {sha[:12]}",
            document_id=f"git:{sha}",
            content=text,
            created_at=date,
            context="seed:git",
            tags=["git", "commit"],
            session=session,
        )


def shortened(message: str) -> str:
    """The subject and the first lines of the body, blank ones not counted."""
    subject, _, body = message.strip().partition("\n")
    lines = [line.rstrip() for line in body.split("\n") if line.strip()]
    return "\n".join([subject.strip(), *lines[:SEED_BODY_LINES]]).strip()


def tracked(folder: str) -> dict[str, str]:
    """Path and blob of the files below a folder that git knows."""
    done = git(folder, "ls-files", "-s", "-z")
    lines = done.stdout.split(b"\0")[:-1] if done is not None and done.returncode == 0 else []
    parts = [line.partition(b"\t") for line in lines]
    return {os.path.join(folder, os.fsdecode(name)): head.split()[1].decode() for head, _, name in parts}


def last_blob(folder: str, path: str) -> str | None:
    """The blob that a path in a folder had last, as far as HEAD remembers; None when it never had one."""
    for commit in ("HEAD", ""):
        if not commit:
            done = git(folder, "rev-list", "-1", "HEAD", "--", path)
            commit = f"{done.stdout.decode().strip()}^" if done is not None and done.stdout.strip() else ""
        done = git(folder, "rev-parse", "--verify", "--quiet", f"{commit}:./{path}") if commit else None
        if done is not None and done.returncode == 0:
            return done.stdout.decode().strip()
    return None


def git(folder: str, *words: str) -> subprocess.CompletedProcess[bytes] | None:
    """What git answers in a folder; None where there is none."""
    command = ["git", "--no-pager", "-c", "core.quotePath=false", "-C", folder, *words]
    environ = os.environ | {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}
    try:
        return subprocess.run(command, capture_output=True, env=environ, timeout=SECONDS, check=False, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return None
