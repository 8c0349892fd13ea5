"""`memory-wire doc`: documents from the command line. A text comes from a file or standard input; `doc edit ID` alone opens an editor."""

from __future__ import annotations

import os
import sys

from memory_wire import bundles as b
from memory_wire import documents as d
from memory_wire.cli.args import COMMON, Command, Option, Usage, Value
from memory_wire.cli.show import as_json, line, one_line, table, tell
from memory_wire.cli.target import bank_name, connect
from memory_wire.errors import Invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.client import Client, Memory

    Target = Client | Memory
    Run = Callable[[Target, dict[str, Value]], int]

EDITOR = "vi"
GATING = (
    Option("publish", "flag", "no draft any more"),
    Option("password", help="who has it may read; empty takes it away"),
    Option("allow", "list", "e-mail addresses that may read"),
    Option("expires", help="not public from this date on"),
    Option("open", "flag", "take away password, allow-list and expiry"),
)
GATES = ("draft", "publish", "password", "allow", "expires", "open")


def commands() -> list[Command]:
    return [
        Command(
            "doc",
            "Documents: `doc create FILE`, `doc read ID`, `doc edit ID FILE`, and more by ACTION.",
            doc,
            positional=("action",),
            optional=("id", "file"),
            options=(
                Option("title", help="its title (default: front matter, first heading, first line)"),
                Option("source", help="where it comes from"),
                Option("draft", "flag", "for nobody but those with a key"),
                Option("section", help="a heading, `A > B` or `#anchor`"),
                Option("occurrence", "int", "which of several sections of that heading"),
                Option("subtree", "flag", "the section with all below it"),
                Option("lines", help="first-last"),
                Option("outline", "flag", "the headings"),
                Option("append", "flag", "the text goes behind what is there"),
                Option("prepend", "flag", "the text goes before what is there"),
                Option("if-version", "int", "only if that is the newest version"),
                Option("version", "int", "of an older text"),
                Option("old", "int", "diff from this version (default: the one before)"),
                Option("new", "int", "diff to this version (default: the newest)"),
                *GATING,
                Option("deleted", "flag", "list the deleted ones"),
                Option("purge", "flag", "delete for good, with all versions"),
                Option("limit", "int", "at most so many"),
                *COMMON,
            ),
            choices=tuple(RUNS),
        )
    ]


def doc(values: dict[str, Value]) -> int:
    with connect(values) as target:
        return RUNS[str(values["action"])](target, values)


def id_of(values: dict[str, Value]) -> str:
    """Raises Usage."""
    if values.get("id") is None:
        raise Usage(f"doc {values['action']} needs ID")
    return str(values["id"])


def text(values: dict[str, Value], name: str) -> str | None:
    value = values.get(name)
    return None if value is None else str(value)


def number(values: dict[str, Value], name: str) -> int | None:
    value = values.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def given(path: str | None) -> str:
    """A text from a file, or from standard input. Raises Invalid, Usage."""
    if path is None and sys.stdin.isatty():
        raise Usage("the text comes from a FILE or from standard input")
    if path is None or path == "-":
        raw, name = sys.stdin.buffer.read(), "standard input"
    else:
        with open(path, "rb") as file:
            raw, name = file.read(), path
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise Invalid("file", f"{name} is not UTF-8 (byte {error.start})") from None


def told(values: dict[str, Value], answer: object, shown: str) -> int:
    """Prints an answer, as JSON or in a line."""
    if values.get("json"):
        as_json(answer)
    else:
        line(shown)
    return 0


def saved(values: dict[str, Value], answer: d.Saved) -> int:
    chunks = answer.chunks
    what = str(answer.skipped) if isinstance(answer.skipped, str) else f"{chunks.indexed} indexed, {chunks.reused} as before"
    return told(values, answer, f"{answer.id}  version {answer.version}  {one_line(answer.title, 60)}  ({what})")


# one function an action ------------------------------------------------------------------------------------------------------------


def create(target: Target, values: dict[str, Value]) -> int:
    """`doc create [FILE]`"""
    markdown = given(text(values, "id"))
    draft = bool(values.get("draft")) or None
    made = target.create_doc(
        markdown, title=text(values, "title"), source=text(values, "source"), is_draft=draft, bank=bank_name(values, target)
    )
    return saved(values, made)


def read(target: Target, values: dict[str, Value]) -> int:
    found = target.read_doc(
        id_of(values),
        section=text(values, "section"),
        occurrence=number(values, "occurrence"),
        subtree=bool(values.get("subtree")) or None,
        lines=text(values, "lines"),
        outline=bool(values.get("outline")) or None,
        version=number(values, "version"),
    )
    if values.get("json"):
        as_json(found)
    elif isinstance(found.outline, list):
        for one in found.outline:
            line(f"{one.first_line:>6}  {'  ' * max(one.level - 1, 0)}{one.title or '(before the first heading)'}")
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(str(found.markdown).encode())  # as it is, whatever its lines end with
        sys.stdout.buffer.flush()
    return 0


def edit(target: Target, values: dict[str, Value]) -> int:
    """`doc edit ID [FILE]`: with a text it is replaced, appended, prepended or put into a section; without one an editor is opened."""
    change = d.UpdateDoc(id=id_of(values), title=text(values, "title"), source=text(values, "source"))
    change.if_version = number(values, "if_version")
    ways = [way for way in ("append", "prepend", "section") if values.get(way)]
    if len(ways) > 1:
        raise Usage(f"--{ways[0]} and --{ways[1]} don't go together")
    path, named = text(values, "file"), change.title is not None or change.source is not None
    if path is None and not ways and sys.stdin.isatty() and not named:
        return by_hand(target, values, change.id)
    if path is not None or ways or not named:
        put(change, values, ways[0] if ways else "replace", given(path))
    return saved(values, target.call("update_doc", change))


def put(change: d.UpdateDoc, values: dict[str, Value], way: str, markdown: str) -> None:
    """What becomes of the old text."""
    if way == "section":
        part = d.ReplaceSection(heading=str(values["section"]), markdown=markdown)
        part.occurrence, part.subtree = number(values, "occurrence"), bool(values.get("subtree")) or None
        change.replace_section = part
    else:
        setattr(change, way, markdown)


def by_hand(target: Target, values: dict[str, Value], id: str) -> int:
    """The text in the user's editor; saved unless somebody else has saved meanwhile, in which case the file is kept and named."""
    import subprocess
    import tempfile

    found = target.read_doc(id)
    before = str(found.markdown).encode()
    handle, path = tempfile.mkstemp(prefix=f"{id}-", suffix=".md")
    with open(handle, "wb") as file:
        file.write(before)
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or EDITOR
    if subprocess.run([*editor.split(), path], check=False).returncode:
        tell(f"{editor} failed; the text is in {path}")
        return 1
    with open(path, "rb") as file:
        after = file.read()
    if after != before:
        try:
            answer = target.update_doc(id, replace=given(path), if_version=found.version)
        except Exception:
            tell(f"not saved; your text is in {path}")
            raise
    os.unlink(path)
    return told(values, found, "unchanged") if after == before else saved(values, answer)


def listed(target: Target, values: dict[str, Value]) -> int:
    found = target.docs(deleted=bool(values.get("deleted")) or None, limit=number(values, "limit"), bank=bank_name(values, target))
    if values.get("json"):
        as_json(found)
    elif found.docs:
        rows = [
            (row.id, row.version, row.updated_at[:10], "public" if row.public else ", ".join(row.gates), row.title) for row in found.docs
        ]
        table(("id", "version", "updated", "seen by others", "title"), rows)
        if found.cursor is not None:
            tell(f"{len(found.docs)} of {found.total}; --limit shows more")
    return 0


def search(target: Target, values: dict[str, Value]) -> int:
    """`doc search QUERY`"""
    found = target.search_docs(id_of(values), limit=number(values, "limit"), bank=bank_name(values, target))
    if values.get("json"):
        as_json(found)
    else:
        for hit in found.results:
            line(f"{hit.document}:{hit.first_line}  {hit.relevance:.2f}  {one_line(hit.breadcrumb, 60)}  {one_line(hit.content, 80)}")
    return 0


def versions(target: Target, values: dict[str, Value]) -> int:
    found = target.doc_versions(id_of(values), limit=number(values, "limit"))
    if values.get("json"):
        as_json(found)
    else:
        rows = [(row.version, row.at[:19].replace("T", " "), row.made or "-", row.bytes) for row in found.versions]
        table(("version", "at", "by", "bytes"), rows)
    return 0


def diff(target: Target, values: dict[str, Value]) -> int:
    found = target.diff_doc(id_of(values), old=number(values, "old"), new=number(values, "new"))
    return told(values, found, found.diff.rstrip("\n") or f"versions {found.old} and {found.new} are the same")


def revert(target: Target, values: dict[str, Value]) -> int:
    """`doc revert ID --version N`"""
    version = number(values, "version")
    if version is None:
        raise Usage("doc revert needs --version")
    return saved(values, target.revert_doc(id_of(values), version, if_version=number(values, "if_version")))


def put_gates(gates: d.SetAccess | b.SetBundleAccess, values: dict[str, Value]) -> None:
    """The gates that the words name."""
    if values.get("draft") or values.get("publish"):
        gates.is_draft = bool(values.get("draft"))
    if values.get("open"):
        gates.password = gates.allowed_emails = gates.expires_at = None
    if "password" in values:
        gates.password = text(values, "password")
    if isinstance(allowed := values.get("allow"), list):
        gates.allowed_emails = allowed
    if "expires" in values:
        gates.expires_at = text(values, "expires")


def access(target: Target, values: dict[str, Value]) -> int:
    id, gates = id_of(values), d.SetAccess()
    if not any(name in values for name in GATES):
        raise Usage(f"doc access needs one of {', '.join('--' + name for name in GATES)}")
    put_gates(gates, values)
    found = target.set_access(
        id, is_draft=gates.is_draft, password=gates.password, allowed_emails=gates.allowed_emails, expires_at=gates.expires_at
    )
    return told(values, found, "public" if found.public else f"not public: {', '.join(found.gates)}")


def remove(target: Target, values: dict[str, Value]) -> int:
    gone = target.delete_doc(id_of(values), purge=bool(values.get("purge")) or None)
    return told(values, gone, "deleted for good" if gone.purged else "deleted; `memory-wire doc restore` brings it back")


def restore(target: Target, values: dict[str, Value]) -> int:
    return saved(values, target.restore_doc(id_of(values)))


RUNS: dict[str, Run] = {
    "create": create,
    "read": read,
    "edit": edit,
    "list": listed,
    "search": search,
    "versions": versions,
    "diff": diff,
    "revert": revert,
    "access": access,
    "rm": remove,
    "restore": restore,
}
