"""What users have in the files that connect edits: nothing, an empty file, a typical one, a commented one, a broken one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from memory_wire.hosts.base import Slot
from memory_wire.hosts.entries import Default, Hook, Json
from memory_wire.hosts.file import File

KINDS = ("none", "empty", "typical", "commented", "compact")
TOML = '# mine\nmodel = "o5"\n\n[features]\nweb = true # keep\n\n[mcp_servers.other]\ncommand = "/usr/bin/other"\nargs = [\n    "a",\n]\n'
YAML = "# mine\nmodel: big\nmemory:\n  provider: other  # for now\n  limit: 3\ntools: [a, b]\n"
MARKDOWN = "# My rules\n\n- tabs, not blanks\n"
BROKEN = {".json": '{"theme": "dark",, }\n', ".toml": "model = \n", ".yaml": "a: [1\n"}


def typical(slots: Sequence[Slot]) -> dict[str, object]:
    """A document with foreign entries in every container that ours go into."""
    document: dict[str, object] = {"theme": "dark", "ünïcode": ["…", {"deep": [1, 2.5, None]}], "memory-wire": "not yours"}
    for slot in slots:
        if isinstance(slot, Default):
            document[slot.place[0]] = slot.value
        elif isinstance(slot, Hook):
            hooks = document.setdefault("hooks", {"Other": []})
            assert isinstance(hooks, dict)
            if len(hooks) < 3:
                hooks[slot.place[1]] = [{"type": "command", "command": "/opt/memory-wire/notify.sh hook", "timeout": 9}]
        elif isinstance(slot, Json):
            document[slot.place[0]] = {"other": {"command": "/usr/bin/other", "args": ["--memory-wire"]}}
    return document


def text(path: str, slots: Sequence[Slot], kind: str) -> str | None:
    """The content of a file in that state, None for no file."""
    ending = Path(path).suffix
    if kind == "none" or any(isinstance(slot, File) for slot in slots):  # whole files of ours
        return None
    if kind == "empty":
        return ""
    if ending == ".toml":
        return {"commented": TOML.replace("\n", "\r\n") + "# end", "compact": TOML.rstrip()}.get(kind, TOML)
    if ending == ".yaml":
        return {"commented": YAML.replace("\n", "\r\n") + "# end", "compact": YAML.rstrip()}.get(kind, YAML)
    if ending == ".md":
        return {"commented": MARKDOWN.replace("\n", "\r\n"), "compact": MARKDOWN.rstrip()}.get(kind, MARKDOWN)
    if kind == "compact":
        return json.dumps(typical(slots), ensure_ascii=False, separators=(",", ":"))
    made = json.dumps(typical(slots), ensure_ascii=False, indent="\t" if kind == "commented" else 4)
    if kind == "commented":
        made = made.replace("}\n", "},\n").replace(",,", ",").replace('"dark",', '"dark", // not light: {"a": 1}')
        made = "\ufeff// settings\n" + made.replace("\n\t}", "\n\t\t/* more? */\n\t}") + "\n\n// end"
        made = made.replace("\n", "\r\n")
    return made + "\n"


def fill(slots: Sequence[Slot], kind: str) -> list[str]:
    """Writes the files of a host; the paths written."""
    written = []
    for path in dict.fromkeys(slot.path for slot in slots):
        content = text(path, [slot for slot in slots if slot.path == path], kind)
        if content is not None:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_bytes(content.encode())
            written.append(path)
    return written


def spoil(slots: Sequence[Slot]) -> str | None:
    """Makes the last editable file of a host malformed; its path, None when the host has only files of ours."""
    paths = [slot.path for slot in slots if Path(slot.path).suffix in BROKEN and not isinstance(slot, File)]
    if not paths:
        return None
    Path(paths[-1]).parent.mkdir(parents=True, exist_ok=True)
    Path(paths[-1]).write_text(BROKEN[Path(paths[-1]).suffix])
    return paths[-1]
