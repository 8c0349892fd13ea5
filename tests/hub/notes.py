"""A folder of notes and the hub that follows it, for the tests beside this one."""

from __future__ import annotations

import re
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from memory_wire import documents as d
from memory_wire.cli.folder import Tally, once
from memory_wire.client import Client, Memory
from memory_wire.sources.folder import Folder

DOCSTRING = re.compile(r'"""(.{200,4000}?)"""', re.DOTALL)


class Followed:
    """A folder in a bank of its own name. `texts` is what it holds, by path."""

    def __init__(self, memory: Client | Memory, root: Path, bank: str = "notes") -> None:
        root.mkdir(exist_ok=True)
        self.memory, self.root, self.bank = memory, root, bank
        self.folder = Folder(str(root))

    def sync(self, **values: bool) -> Tally:
        return once(self.memory, self.folder, self.bank, {"delete": True, **values})

    def rows(self) -> list[d.DocRow]:
        found: list[d.DocRow] = []
        cursor = None
        while True:
            page = self.memory.docs(bank=self.bank, limit=500, cursor=cursor)
            found += page.docs
            cursor = page.cursor
            if cursor is None:
                return found

    def ids(self) -> dict[str, str]:
        """The documents' ids by their sources."""
        rows = self.rows()
        found = {str(row.source): row.id for row in rows}
        assert len(found) == len(rows)
        return found

    def hub(self) -> dict[str, bytes]:
        """What the hub holds, by source."""
        return {source: str(self.memory.read_doc(id, limit=10_000_000).markdown).encode() for source, id in self.ids().items()}

    def files(self) -> dict[str, bytes]:
        """What the folder holds, as the hub should."""
        every = sorted(path for path in self.root.rglob("*") if path.is_file())
        return {f"{self.folder.name}/{path.relative_to(self.root).as_posix()}": path.read_bytes() for path in every}


def documentation(count: int) -> Iterator[tuple[str, str]]:
    """(path, text) of documentation of what is installed: files that come with packages, then what modules say of themselves."""
    found = 0
    roots = [Path(sysconfig.get_path(name)) for name in ("purelib", "stdlib")]
    for number, root in enumerate(roots):
        for path in sorted(root.rglob("*")):
            if path.suffix in (".md", ".rst", ".txt") and path.stat().st_size < 100_000:
                try:
                    text = path.read_text(encoding="utf-8")
                except UnicodeDecodeError:
                    continue
                yield f"{number}/{path.relative_to(root).as_posix()}".replace(".dist-info", ""), text
                found += 1
                if found == count:
                    return
    for path in sorted(roots[1].glob("*.py")):
        for part, text in enumerate(DOCSTRING.findall(path.read_text(encoding="utf-8", errors="replace"))):
            yield f"modules/{path.stem}/{part}.md", f"# {path.stem} {part}\n\n{text}\n"
            found += 1
            if found == count:
                return
