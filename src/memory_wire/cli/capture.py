"""`memory-wire capture`: a document of what comes in on standard input, a file, an agent's last answer, or a shared chat by its address.

It is a draft, which nobody else sees, unless `--public` says otherwise; printed is its address.
"""

from __future__ import annotations

import os
import stat
import sys

from memory_wire.cli.args import COMMON, Command, Option, Usage, Value
from memory_wire.cli.show import as_json, line, tell
from memory_wire.cli.target import address, bank_name, connect, found_bank
from memory_wire.errors import Invalid, Unauthorized

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.client import Client, Memory

    Target = Client | Memory


def commands() -> list[Command]:
    return [
        Command(
            "capture",
            "Make a document of standard input, --file, an agent's last answer here, or a shared chat: `capture [TITLE]`, `capture URL`.",
            capture,
            optional=("title",),
            options=(
                Option("file", "path", "the text, instead of standard input"),
                Option("host", help="the agent whose last answer it is, such as claude-code"),
                Option("public", "flag", "no draft: everybody may see it, if its bank is a public hub"),
                Option("hub", help="the hub that it goes to"),
                *COMMON,
            ),
        )
    ]


def capture(values: dict[str, Value]) -> int:
    title = values.get("title")
    with connect(values) as target:
        bank = bank_of(target, values)
        if isinstance(title, str) and title.startswith(("https://", "http://")):
            return shared(target, values, title, bank)
        text, source = given(values)
        draft = not values.get("public")
        made = target.create_doc(text, title=str(title) if title else None, source=source, is_draft=draft, bank=bank)
        if values.get("json"):
            as_json(made)
            return 0
        line(address(target, made.url))
        if isinstance(made.edit_token, str):
            line(f"edit token: {made.edit_token}")
        notice(target, made.id, draft)
    return 0


def bank_of(target: Target, values: dict[str, Value]) -> str:
    """The bank of the hub that is named, else this place's, which can't be asked for without a key."""
    try:
        if values.get("hub") is not None:
            return target.get_hub(str(values["hub"])).bank
        return bank_name(values, target)
    except Unauthorized:
        return str(values.get("hub") or found_bank(values).bank)


def shared(target: Target, values: dict[str, Value], url: str, bank: str) -> int:
    """A chat that somebody shared. Raises Forbidden where that isn't allowed."""
    draft = not values.get("public")
    filed = target.import_docs(url=url, is_draft=draft, bank=bank)
    if values.get("json"):
        as_json(filed)
        return 0
    for doc in filed.docs:
        line(address(target, doc.url))
        if doc.state == "created":
            notice(target, doc.id, draft)
        else:
            tell(f"it was there: version {doc.version}, {doc.state}")
    for warned in filed.warnings:
        tell(f"{warned.name}: {warned.reason}")
    return 0 if filed.docs else 1


def given(values: dict[str, Value]) -> tuple[str, str | None]:
    """(text, where it comes from). Raises Invalid, Usage."""
    if values.get("file") is not None:
        path = str(values["file"])
        with open(path, "rb") as file:
            return decoded(file.read(), path), os.path.basename(path)
    if values.get("host") is None and piped():
        raw = sys.stdin.buffer.read()
        if raw.strip():
            return decoded(raw, "standard input"), None
    from memory_wire.sources.last import last
    from memory_wire.sources.transcripts import PLACES

    host = values.get("host")
    if host is not None and host not in {place.host for place in PLACES}:
        raise Usage(f"--host is one of {', '.join(sorted({place.host for place in PLACES}))}")
    found = last(os.path.expanduser("~"), os.environ, os.getcwd(), str(host) if host is not None else None)
    if found is None:
        raise Invalid("text", "none", "no text on standard input, and no agent's transcript of this folder; --file or --host names one")
    tell(f"the last answer of {found.host}, from {found.path}")
    return found.text, f"{found.host} session {found.session}" if found.session else found.host


def piped() -> bool:
    """Whether standard input is a pipe, a socket or a file, which a terminal or the null device is not."""
    try:
        return not stat.S_ISCHR(os.fstat(sys.stdin.fileno()).st_mode)
    except (OSError, ValueError):
        return False


def decoded(raw: bytes, name: str) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise Invalid("text", "UTF-8", f"{name} is not UTF-8 (byte {error.start})") from None


def notice(target: Target, id: str, draft: bool) -> None:
    """Says why others may not see it."""
    if draft:
        tell(f"a draft, seen by nobody else; `memory-wire doc access {id} --publish` shows it")
        return
    try:
        gates = target.read_doc(id, outline=True).gates
    except Unauthorized:
        return
    if gates == ["hub"]:
        tell("its bank is no public hub; `memory-wire hub publish` makes it one")
