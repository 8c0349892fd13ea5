"""Which bank a place belongs to: the flag, the environment, the `origin` remote, the repository, the folder, in this order.

Read from plain files, no git process; hooks, MCP over stdio and the command line all ask here. The ids are the contract's (`owner-repo`,
the folder's name), with six digits of a hash behind them only where two different places could come to the same id.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

OUTSIDE = "memory-wire"  # the bank of whoever works in no project
KEPT = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_.-")
CONFIG_BYTES = 256 * 1024  # of a repository's config that are read


class Identity:
    """A bank and how it was found. `former` is the contract's id of the same place where it differs, else None.

    rule: flag, environment, remote, repository, folder or none. source: what the rule read (an address without credentials, a path).
    others: ids that the place had if it had another remote, none, or no repository, the likeliest first. Nothing is read from their banks.
    """

    __slots__ = ("bank", "former", "names", "others", "rule", "source")

    def __init__(
        self, bank: str, rule: str, source: str, former: str | None = None, others: Sequence[str] = (), names: Sequence[str] = ()
    ) -> None:
        self.bank = bank
        self.former = former if former != bank else None
        self.rule = rule
        self.source = source
        self.others = tuple(id for id in dict.fromkeys(others) if id not in ("", OUTSIDE, bank, former))
        self.names = tuple(name for name in dict.fromkeys(names) if name)

    def pick(self, exists: Callable[[str], bool]) -> str:
        """The bank to use: the former id as long as only a bank of that name exists, so that nothing is lost when a rule changes."""
        if self.former is not None and not exists(self.bank) and exists(self.former):
            return self.former
        return self.bank

    def likely(self, banks: Iterable[str]) -> list[str]:
        """Those of the banks that can have been this place's: `others`, then what bears its name (a folder that was moved, a new owner)."""
        there = [bank for bank in banks if bank not in (self.bank, self.former)]
        return [id for id in self.others if id in there] + [
            bank for bank in there if bank not in self.others and any(bears(bank, name) for name in self.names)
        ]


def resolve(flag: str | None, environ: Mapping[str, str], cwd: str, per_worktree: bool = False) -> Identity:
    """The bank of a working directory. Reads files only, and takes what it can't read as not there.

    per_worktree (or MEMORY_WIRE_PER_WORKTREE=1) gives a linked worktree a bank of its own instead of its repository's.
    """
    if flag and flag.strip():
        return Identity(flag, "flag", "--bank")
    named = environ.get("MEMORY_WIRE_BANK", "")
    if named.strip():
        return Identity(named, "environment", "MEMORY_WIRE_BANK")
    cwd = os.path.realpath(cwd)
    found = repository(cwd)
    if found is None:
        return _outside(cwd, environ)
    tree, git, common = found
    linked = git != common
    shared = _of_repository(tree, common, linked)
    if linked and (per_worktree or environ.get("MEMORY_WIRE_PER_WORKTREE", "") not in ("", "0")):
        bank = f"{shared.bank}-{clean(os.path.basename(tree)) or 'worktree'}-{digits(git)}"
        others = (shared.bank, shared.former or "", *shared.others)
        return Identity(bank, shared.rule, shared.source, _folder(tree), others, (clean(os.path.basename(tree)),))
    return shared


def _of_repository(tree: str, common: str, linked: bool) -> Identity:
    former = _folder(tree) if linked else None  # the contract finds no config in a linked worktree
    main = tree
    if linked:
        main = os.path.dirname(common) if os.path.basename(common) == ".git" else common.removesuffix(".git")
    name = clean(os.path.basename(main))
    own = f"{name or 'project'}-{digits(common)}"
    found = remotes(os.path.join(common, "config"))
    url = found.pop("origin", "")
    elsewhere = [id for other in found.values() for id in of_remote(other)]
    others = (*elsewhere, name, f"{name or 'project'}-{digits(main)}")
    if ids := of_remote(url):
        project = clean((remote_path(url) or [""])[-1])
        return Identity(
            ids[0], "remote", without_credentials(url), former or ids[1] or _folder(tree), (own, ids[1], *others), (project, name)
        )
    return Identity(own, "repository", main, former or name or None, others, (name,))


def of_remote(url: str) -> tuple[str, str] | tuple[()]:
    """(the id of a remote's project, the contract's id of it); empty for what is no remote."""
    parts = remote_path(url)
    if parts is None:
        return ()
    contract = clean("/".join(parts[-2:]))
    owner = parts[-2].lower()
    exact = len(parts) == 2 and "-" not in owner and contract == f"{owner}-{parts[-1].lower()}"
    return (contract if exact else f"{contract or 'project'}-{digits('/'.join(parts).lower())}", contract)


def _outside(cwd: str, environ: Mapping[str, str]) -> Identity:
    name = os.path.basename(cwd)
    if not name or cwd == os.path.realpath(environ.get("HOME") or os.path.expanduser("~")):
        return Identity(OUTSIDE, "none", cwd, clean(name) or None)
    folder = clean(name)
    other = f"{folder or 'project'}-{digits(os.path.join(cwd, '.git'))}"  # the repository that was here
    return Identity(f"{folder or 'project'}-{digits(cwd)}", "folder", cwd, folder or None, (other,), (folder,))


def bears(bank: str, name: str) -> bool:
    """Is it `name`, `name` with our six digits, or `owner-name` with or without them?"""
    stem, dash, tail = bank.rpartition("-")
    plain = [bank, stem] if dash and len(tail) == 6 and all(letter in "0123456789abcdef" for letter in tail) else [bank]
    return any(one == name or one.endswith(f"-{name}") for one in plain)


def _folder(tree: str) -> str | None:
    """The contract's id of a folder; None where that is the bank of whoever works in no project, which is no former one of this place."""
    return clean(os.path.basename(tree)) or None


def repository(cwd: str) -> tuple[str, str, str] | None:
    """(work tree, its git directory, the git directory that all work trees share) of the repository around a real path."""
    folder = cwd
    while True:
        entry = os.path.join(folder, ".git")
        if os.path.isdir(entry):
            return folder, entry, entry
        if pointer := _line(entry, "gitdir:"):
            git = os.path.realpath(os.path.join(folder, pointer))
            shared = _line(os.path.join(git, "commondir"), "")
            return folder, git, os.path.realpath(os.path.join(git, shared)) if shared else git
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def remotes(config: str) -> dict[str, str]:
    """The first `url` of each `[remote "name"]` in a git config, as it stands there; included files are not followed."""
    found: dict[str, str] = {}
    remote = ""
    for line in _read(config).split("\n"):
        line = line.strip()
        if line.startswith("["):
            section, _, line = line[1:].partition("]")
            kind, _, name = section.strip().partition(" ")
            name = name.strip()
            remote = name[1:-1] if kind.lower() == "remote" and len(name) > 2 and name[0] == name[-1] == '"' else ""
            line = line.strip()
        key, equals, value = line.partition("=")
        if remote and equals and key.strip().lower() == "url" and (url := _value(value)):
            found.setdefault(remote, url)
    return found


def _value(text: str) -> str:
    """A config value without its quotes and its comment."""
    kept, quoted = [], False
    for char in text.strip():
        if char == '"':
            quoted = not quoted
        elif char in "#;" and not quoted:
            break
        else:
            kept.append(char)
    return "".join(kept).strip()


def remote_path(url: str) -> list[str] | None:
    """The parts of a remote's path, without `.git`: `https://host/o/r.git` and `git@host:o/r` give ["o", "r"]; None for under two parts.

    A path on this machine or a `file:` address is no remote: it names a place, not a project.
    """
    scheme, slashes, rest = url.partition("://")
    if slashes:
        path = "" if scheme.lower() == "file" else rest.partition("/")[2]
    else:
        host, colon, path = url.partition(":")
        if not colon or "/" in host or len(host) < 2:  # a single letter is a drive
            return None
    parts = [part for part in path.rstrip("/").removesuffix(".git").split("/") if part]
    return parts if len(parts) >= 2 else None


def without_credentials(url: str) -> str:
    """An address as it may be shown: user and password of a `scheme://` one removed."""
    scheme, slashes, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    return f"{scheme}://{authority.rpartition('@')[2]}{slash}{path}" if slashes else url


def clean(text: str) -> str:
    """The contract's form of an id: ASCII letters lowered, all but `[a-z0-9_.-]` a dash, dashes and dots at the ends removed."""
    lowered = (char.lower() if "A" <= char <= "Z" else char for char in text)
    return "".join(char if char in KEPT else "-" for char in lowered).strip("-.")


def digits(text: str) -> str:
    """Six hex digits that tell places of one name apart: 32 bit FNV-1a (Fowler, Noll, Vo), folded to 24."""
    value = 0x811C9DC5
    for byte in text.encode(errors="surrogateescape"):
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return f"{value >> 24 ^ value & 0xFFFFFF:06x}"


def _line(path: str, start: str) -> str:
    """What follows `start` on the first line of a small file, "" when the file isn't there or says something else."""
    line = _read(path).partition("\n")[0].strip()
    return line.removeprefix(start).strip() if line.startswith(start) else ""


def _read(path: str) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return ""
    try:
        return os.fsdecode(os.read(descriptor, CONFIG_BYTES).replace(b"\0", b""))
    except OSError:  # a folder
        return ""
    finally:
        os.close(descriptor)
